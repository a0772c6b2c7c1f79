"""The printed figures of Jenssen, Erdogmus, Principe & Eltoft (2007): right labels in percent."""

from __future__ import annotations

from parzen.papers.engine import Benchmark, by_title, contents

_FIGURES = contents("laplacian", "printed")
SETS = by_title(*(Benchmark(*row) for row in _FIGURES["sets"]))
COLUMNS = tuple(_FIGURES["columns"])
BENCHMARK, UCI, SIZES = (_FIGURES[table] for table in ("benchmark", "uci", "sizes"))
FISHER, GAUSSIAN_PROCESS = _FIGURES["fisher"], _FIGURES["gaussian_process"]
RARE, ECHOCARDIOGRAM = _FIGURES["rare"], _FIGURES["echocardiogram"]
