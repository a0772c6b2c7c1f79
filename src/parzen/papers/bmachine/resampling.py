"""Table 3 of Basak's report as a study: 30 random splits at the parameters of its Table 2."""

from __future__ import annotations

from dataclasses import asdict

from parzen.papers.bmachine import printed as printed
from parzen.papers.bmachine.at_printed import COLUMNS, PrintedStudy
from parzen.papers.engine import Benchmark, Extent, ThirdBenchmark

SETS: dict[str, Benchmark] = {t: ThirdBenchmark(**asdict(b)) for t, b in printed.SETS.items()}


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """As many splits as in the report."""
    return Extent(0, 5 if quick else 30)


STUDY = PrintedStudy(__name__, SETS, COLUMNS, extent, ("Iris",))
