"""Rows of a sample that carry no weight: they count in the linear term of the L2 programme only.

    h_g(x) = mean of k_tau(x, x_j) over all rows j of class g, x a point that carries a weight

Their sums are taken block by block, so that memory does not grow with their number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen.kernels import Kernel
from parzen.sums import ScaledSums, added, kernel_sums

Floats = NDArray[np.float64]


class Background(Protocol):
    """Rows that carry no weight, in several training sets, wherever they are."""

    @property
    def counts(self) -> Floats:
        """Sums of the frequencies, (sets, n_classes)."""

    def sums(
        self, queries: Floats, kernel: Kernel, bandwidths: Floats, n_jobs: int | None
    ) -> ScaledSums:
        """Sums of kernels at the queries, one column for each set and class."""

    def of_classes(self, first: int, last: int) -> Background:
        """The rows of neighbouring classes."""

    def scaled(self, scale: Floats) -> Background:
        """The same rows, their columns divided by ``scale``."""


@dataclass(frozen=True, eq=False)
class BackgroundRows:
    """Such rows, when they are here, with the training sets that they belong to."""

    X: Floats
    codes: NDArray[np.intp]
    weights: Floats
    sets: NDArray[np.bool_]  # (sets, n)
    n_classes: int

    @cached_property
    def counts(self) -> Floats:
        """Sums of the frequencies, (sets, n_classes)."""
        return np.array([
            np.bincount(self.codes, self.weights * own, self.n_classes) for own in self.sets
        ])  # fmt: skip

    def sums(
        self, queries: Floats, kernel: Kernel, bandwidths: Floats, n_jobs: int | None
    ) -> ScaledSums:
        """Sums of kernels at the queries, one column for each set and class."""
        n_sets = len(self.sets)
        row_bytes = 8 * 8 * (n_sets * self.n_classes + self.X.shape[1])
        size = get_chunk_n_rows(row_bytes=row_bytes, max_n_rows=len(self.X))
        total: ScaledSums | None = None
        for block in gen_batches(len(self.X), size):
            columns = np.zeros((block.stop - block.start, n_sets, self.n_classes))
            rows = np.arange(len(columns))
            for f in range(n_sets):
                columns[rows, f, self.codes[block]] = self.weights[block] * self.sets[f, block]
            part = kernel_sums(
                queries, self.X[block], columns.reshape(len(rows), -1), kernel=kernel,
                bandwidths=bandwidths, scaled=True, n_jobs=n_jobs,
            )  # fmt: skip
            total = part if total is None else _added(total, part)
        assert total is not None
        return total

    def of_classes(self, first: int, last: int) -> BackgroundRows:
        """The rows of neighbouring classes."""
        mine = (self.codes >= first) & (self.codes < last)
        return BackgroundRows(
            self.X[mine], self.codes[mine] - first, self.weights[mine], self.sets[:, mine],
            last - first,
        )  # fmt: skip

    def scaled(self, scale: Floats) -> BackgroundRows:
        """The same rows, their columns divided by ``scale``."""
        return replace(self, X=self.X / scale)


def _added(a: ScaledSums, b: ScaledSums) -> ScaledSums:
    both = added(a, b, "scaled")
    assert isinstance(both, ScaledSums)
    return both
