"""The printed figures of Xiong, Swamy & Ahmad (2005): error in percent, Tables II to IX."""

from __future__ import annotations

from parzen.papers.engine import Benchmark, by_title, contents

CLASSIFIERS = ("KNN", "KMSE", "KFD", "SVM")
COLUMNS = tuple(f"{c} {k}" for c in CLASSIFIERS for k in ("Gauss", "opt"))
ALIGNED = tuple(f"{part} {k}" for part in ("training", "test") for k in ("Gauss", "aligned", "opt"))

_FIGURES = contents("kernel_optimization", "printed")
SETS = by_title(*(Benchmark(*row) for row in _FIGURES["sets"]))
ROWS, TUNED, IMPROVEMENT, ALIGNMENT = (
    _FIGURES[table] for table in ("rows", "tuned", "improvement", "alignment")
)
FIXED = {(f["table"], f["set"], f["part"]): f["error"] for f in _FIGURES["fixed"]}
