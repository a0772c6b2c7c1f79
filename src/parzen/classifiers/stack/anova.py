"""The ANOVA kernel of one row, main effects and pairs of columns in one pass.

The members of a stack that use this kernel differ in the weight of the pairs and in their
coefficients, but their centred kernels of single columns are the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from parzen._core import Floats, Ints
from parzen.kernels import AnovaKernel


class Effects(NamedTuple):
    """Sums over the columns, for one row and every point."""

    sums: Floats  # S1 of the kernel: of the centred kernels of the columns
    squares: Floats  # S2: of their squares
    n_columns: int  # columns that are not constant

    def values(self, interactions: float) -> Floats:
        """The kernel, with this weight of the pairs of columns."""
        d, total = self.n_columns, self.sums
        if interactions and d > 1:
            total = total + (interactions / (d - 1)) * (self.sums**2 - self.squares)
        return np.asarray(total / (d * (1.0 + interactions)))


class OneRowAnova(AnovaKernel):
    """An ANOVA kernel whose points lie ready for single rows, one column after the other."""

    @classmethod
    def like(cls, kernel: AnovaKernel) -> OneRowAnova:
        """The kernel over the same points."""
        return cls(kernel.points, kernel.interactions, kernel.equality, kernel.weights)

    def effects(self, x: Floats) -> Effects:
        """The sums at one row, which has no missing entry."""
        values = self._columns - x[:, None]
        np.abs(values, out=values)
        same = values[self._matched] == 0.0
        np.exp(np.negative(values, out=values), out=values)
        values *= self._exponential_shares
        values[self._matched] += self._equality_shares * same
        values += self._levels_of_points - (values @ self._shares)[:, None]
        squares = np.einsum("ln,ln->n", values, values)
        return Effects(values.sum(axis=0), squares, max(int(np.count_nonzero(self._levels[1])), 1))

    @cached_property
    def _columns(self) -> Floats:
        return np.ascontiguousarray(self.points.T)

    @cached_property
    def _shares(self) -> Floats:
        """Of the points in the reference."""
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
