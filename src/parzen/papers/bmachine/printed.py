"""The printed figures of Basak's report on the B-machine: Tables 2 and 3, with its parameters."""

from __future__ import annotations

from parzen.papers.engine import FoldBenchmark, by_title, contents

_FIGURES = contents("bmachine", "printed")
SETS = by_title(*(FoldBenchmark(*row) for row in _FIGURES["sets"]))
COLUMNS = tuple(_FIGURES["columns"])
KERNELS = {
    "BM Gauss": "gaussian",
    "BM Gauss+expo": "gaussian_exponential",
    "BM Cauchy": "inverse_quadratic",
}
CLASSES, ACCURACY, PARAMETERS = (_FIGURES[table] for table in ("classes", "accuracy", "parameters"))
T_STATISTICS = {
    (ours, theirs): dict(zip(SETS, figures, strict=True))
    for ours, rivals in _FIGURES["t_statistics"].items()
    for theirs, figures in rivals.items()
}
