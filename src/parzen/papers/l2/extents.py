"""How many training sets choose and how many splits judge in the tables of Kim & Scott (2010)."""

from __future__ import annotations

from parzen.papers.engine import BASELINE_COLUMNS, Benchmark, Extent

MANY_ROWS = 1000  # From this many training rows on the variants are left out.
VARIANTS = ("L2QP-0", "L2QP-0, A'", "L2QP-0, Cauchy", "L2LE-0, ridge", "L2LE-0, CG")


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """The paper's numbers; fewer for methods that it does not have."""
    if quick:
        return Extent(1, 5)
    if method in BASELINE_COLUMNS or method in VARIANTS[1:]:
        return Extent(1, min(20, benchmark.n_splits))
    return Extent(5, benchmark.n_splits)
