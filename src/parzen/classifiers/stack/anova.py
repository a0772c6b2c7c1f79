"""The ANOVA kernel of a few rows, and what each column adds to it.

The members of a stack that use this kernel differ in the weight of the pairs and in their
coefficients, but their centred kernels of single columns are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from parzen._core import Floats, Ints
from parzen.kernels import AnovaKernel

_BLOCK_VALUES = 2**17  # Values of centred kernels in memory at once: what a cache holds.


class Effects(NamedTuple):
    """Sums over the columns, for one row and every point."""

    sums: Floats  # S1 of the kernel: of the centred kernels of the columns
    squares: Floats  # S2: of their squares
    n_columns: int  # columns that are not constant

    def values(self, interactions: float) -> Floats:
        """The kernel values; ``interactions`` is the weight of the pairs of columns."""
        d, total = self.n_columns, self.sums
        if interactions and d > 1:
            total = total + (interactions / (d - 1)) * (self.sums**2 - self.squares)
        return np.asarray(total / (d * (1.0 + interactions)))


class ColumnwiseAnova(AnovaKernel):
    """An ANOVA kernel that stores its points column by column, to be quick for a few rows."""

    @classmethod
    def like(cls, kernel: AnovaKernel) -> ColumnwiseAnova:
        """The kernel over the same points."""
        return cls(kernel.points, kernel.interactions, kernel.equality, kernel.weights)

    def effects(self, x: Floats) -> Effects:
        """The sums at one row, which has no missing entry."""
        values = self._column_values(x[None])[:, 0]
        squares = np.einsum("ln,ln->n", values, values)
        return Effects(values.sum(axis=0), squares, self._n_columns)

    def column_parts(self, X: Floats, weights: Mapping[float, Floats]) -> dict[float, Floats]:
        """What each column adds to the kernel times weights, (columns, rows, columns of weights).

        There is a matrix of weights for every value of the interactions. Without column l, whose
        centred kernel is t_l, the kernel loses

            t_l (1 + 2 rho (S1 - t_l) / (d - 1)) / (d (1 + rho)).
        """
        n, d, L = len(self.points), self._n_columns, X.shape[1]
        out = {rho: np.empty((L, len(X), W.shape[1])) for rho, W in weights.items()}
        for batch in gen_batches(len(X), max(1, _BLOCK_VALUES // max(1, n * L))):
            values = self._column_values(X[batch])
            sums = values.sum(axis=0)
            for rho, W in weights.items():
                lost = values
                if rho and d > 1:
                    lost = sums - values
                    lost *= 2.0 * rho / (d - 1)
                    lost += 1.0
                    lost *= values
                found = lost.reshape(-1, n) @ (W / (d * (1.0 + rho)))
                out[rho][:, batch] = found.reshape(L, -1, W.shape[1])
        return out

    def _column_values(self, X: Floats) -> Floats:
        """The centred kernels of the columns, (columns, rows, points); no entry is missing."""
        values = self._columns[:, None] - X.T[:, :, None]
        np.abs(values, out=values)
        same = values[self._matched] == 0.0
        np.exp(np.negative(values, out=values), out=values)
        values *= self._exponential_shares[:, None]
        values[self._matched] += self._equality_shares[:, None] * same
        means = values.reshape(-1, len(self.points)) @ self._shares
        values += self._levels_of_points[:, None] - means.reshape(-1, len(X), 1)
        return values

    @cached_property
    def _n_columns(self) -> int:
        """Columns that are not constant; 1 where all are."""
        return max(int(np.count_nonzero(self._levels[1])), 1)

    @cached_property
    def _columns(self) -> Floats:
        return np.ascontiguousarray(self.points.T)

    @cached_property
    def _shares(self) -> Floats:
        """The share of each reference point in the mean that the kernel is centred at."""
        w = np.ones(len(self.points)) if self.weights is None else self.weights
        return np.asarray(w / w.sum())

    @cached_property
    def _exponential_shares(self) -> Floats:
        return np.asarray(((1.0 - self.equality) * self._levels[1])[:, None])

    @cached_property
    def _matched(self) -> Ints:
        """Columns in which equal values count."""
        return np.flatnonzero(self.equality > 0)

    @cached_property
    def _equality_shares(self) -> Floats:
        return np.asarray((self.equality * self._levels[1])[self._matched, None])

    @cached_property
    def _levels_of_points(self) -> Floats:
        """(M_l - m_l(y)) / v_l for every column and point."""
        centre, inverse = self._levels
        return np.ascontiguousarray((centre * inverse - self._own_centres).T)
