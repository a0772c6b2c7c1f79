"""The printed figures of Kim & Scott (2010): Tables 2, 3 and 4, and the sizes of Table 1."""

from __future__ import annotations

from parzen.papers.engine import Benchmark, by_title, contents

_FIGURES = contents("l2", "printed")
SETS = by_title(*(Benchmark(*row) for row in _FIGURES["sets"]))
COLUMNS = tuple(_FIGURES["columns"])
ERROR, KEPT, SECONDS = (_FIGURES[table] for table in ("error", "kept", "seconds"))
