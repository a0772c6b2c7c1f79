"""The Gaussian process on Ionos in ten folds, ten times over."""

from __future__ import annotations

from dataclasses import asdict

from parzen.papers.engine import Benchmark, Extent, FoldBenchmark, Study
from parzen.papers.laplacian import printed as printed
from parzen.papers.laplacian.rivals import GAUSSIAN_PROCESS, GP

SETS: dict[str, Benchmark] = {"Ionos": FoldBenchmark(**asdict(printed.SETS["Ionos"]))}


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """As many splits as in the paper."""
    return Extent(0, 10 if quick else benchmark.n_splits)


STUDY = Study(__name__, SETS, {GP: GAUSSIAN_PROCESS}, extent, ("Ionos",))
