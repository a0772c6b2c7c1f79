"""Table 3 of Basak's report as a study: 30 random splits at the parameters of its Table 2."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.papers.bmachine import printed as printed
from parzen.papers.bmachine.at_printed import COLUMNS, PrintedStudy
from parzen.papers.engine import Benchmark, Extent, ThirdBenchmark

SPLITS = 30  # As many as the report has.
SIGNIFICANT = 2.05  # The 5 % point of Student's t with 29 degrees of freedom, as in the report.
SETS: dict[str, Benchmark] = {t: ThirdBenchmark(**asdict(b)) for t, b in printed.SETS.items()}


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """As many splits as in the report."""
    return Extent(0, 5 if quick else SPLITS)


def verdict(statistics: ArrayLike) -> NDArray[np.float64]:
    """Which method is better: -1 for the first, +1 for the second, 0 for neither.

    Examples
    --------
    >>> verdict([-3.0, 1.0, 2.5])
    array([-1.,  0.,  1.])
    """
    t = np.asarray(statistics, dtype=np.float64)
    return np.where(np.abs(t) > SIGNIFICANT, np.sign(t), 0.0)


STUDY = PrintedStudy(__name__, SETS, COLUMNS, extent, ("Iris",))
