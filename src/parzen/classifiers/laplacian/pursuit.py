"""A given number of kernels, with positive weights, whose sum is nearest to that of all.

    minimise (a - b)' M (a - b),      b >= 0 with m positive entries

The active set of Lawson and Hanson (1974), stopped when it has m members: a round takes the point
where the remaining error M (a - b) correlates most, projects, and drops what turns negative. Since
all a are positive, some point lowers the error as long as there is any. Where the error is down to
rounding with fewer than m points, the points of the largest other weights join as well: they take a
share of their weights back from the points that replaced them, and the sum of kernels stays the
same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from parzen._core import Bools, Floats, Ints
from parzen.samples import best_place

Block = Callable[[Any, Any], Floats]  # some rows and columns of M, whose diagonal is 1

# Squared distance of a kernel to the span of the others, up to which it counts as dependent.
_MIN_DISTANCE_TO_SPAN = 1e-10
# Share of the largest correlation below which the remaining error is rounding.
_NEGLIGIBLE_CORRELATION = 1e-10
_MAX_ADDITIONS = 3  # Times that a point may join the set: rounding could repeat a cycle for ever.


class Kept(NamedTuple):
    """The kernels that a class keeps."""

    rows: Ints  # into the class's points, increasing
    weights: Floats  # positive


def pursue(a: Floats, target: Floats, block: Block, m: int) -> Kept:
    """Choose m points for weights ``a`` and ``target`` = M a.

    Examples
    --------
    >>> M = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> a = np.ones(3)
    >>> rows, weights = pursue(a, M @ a, lambda i, j: M[i][:, j], 2)
    >>> rows, weights.round(3)
    (array([0, 2]), array([1.9, 1. ]))
    """
    found = _ActiveSet(target, block, m)
    found.grow()
    rows, b = _filled(np.array(found.rows, dtype=np.intp), found.b, found.factor, a, block, m)
    order = np.argsort(rows)
    return Kept(rows[order], b[order])


class _ActiveSet:
    """Points with positive weights, and the Cholesky factor of their part of M."""

    def __init__(self, target: Floats, block: Block, m: int) -> None:
        self._target, self._block, self._m = target, block, m
        self._kernel_rows = np.empty((m, len(target)))  # row k: the k-th kernel from every point
        self._L = np.zeros((m, m))
        self._additions_left = np.full(len(target), _MAX_ADDITIONS)
        self.rows: list[int] = []
        self.b = np.empty(0)

    @property
    def factor(self) -> Floats:
        k = len(self.rows)
        return self._L[:k, :k]

    def grow(self) -> None:
        """Take points until there are m, or none is left that would lower the error."""
        residual, negligible = self._target, _NEGLIGIBLE_CORRELATION * float(self._target.max())
        while len(self.rows) < self._m:
            gain = np.where(self._additions_left > 0, residual, -np.inf)
            gain[self.rows] = -np.inf
            j = best_place(-gain, "smallest")
            if not gain[j] > negligible:
                return
            self._additions_left[j] -= 1
            if self._append(j):
                self._project()
                residual = self._target - self.b @ self._kernel_rows[: len(self.rows)]

    def _append(self, j: int) -> bool:
        k, column = len(self.rows), self._block(slice(None), [j])[:, 0]
        row = solve_triangular(self.factor, column[self.rows], lower=True, check_finite=False)
        distance = 1.0 - float(row @ row)
        if distance <= _MIN_DISTANCE_TO_SPAN:
            self._additions_left[j] = 0
            return False
        self._kernel_rows[k], self._L[k, :k], self._L[k, k] = column, row, np.sqrt(distance)
        self.rows.append(j)
        self.b = np.append(self.b, 0.0)
        return True

    def _project(self) -> None:
        """Weights of the least error on the set; points whose weight would be negative leave it."""
        while True:
            best = cho_solve((self.factor, True), self._target[self.rows], check_finite=False)
            negative = best <= 0
            if not negative.any():
                self.b = best
                return
            # Lawson and Hanson: go towards the solution as far as all weights stay positive.
            old, decrease = self.b[negative], self.b[negative] - best[negative]
            step = float(np.min(old / np.where(decrease > 0, decrease, np.inf)))
            self.b = self.b + step * (best - self.b)
            self._drop(negative & (self.b <= np.min(self.b[negative])))

    def _drop(self, leaving: Bools) -> None:
        stay, first = np.flatnonzero(~leaving), int(np.argmax(leaving))
        later, k = stay[first:], len(stay)
        rest = self.factor[later, first:]  # the factor changes in the rows after the first to leave
        self._L[first:k, :first] = self._L[later, :first]
        self._L[first:k, first:k] = np.linalg.cholesky(rest @ rest.T)
        self._kernel_rows[first:k] = self._kernel_rows[later]
        self.rows = [self.rows[i] for i in stay]
        self.b = self.b[stay]


def _filled(
    rows: Ints, b: Floats, factor: Floats, a: Floats, block: Block, m: int
) -> tuple[Ints, Floats]:
    """Exactly m points: others of large weight take a share of their weights back.

    ``substitute`` are the weights on the set that give the same sum as the new points.
    """
    if len(rows) == m:
        return rows, b
    others = np.delete(np.arange(len(a)), rows)
    more = others[np.argsort(-a[others], kind="stable")[: m - len(rows)]]
    substitute = cho_solve((factor, True), block(rows, more) @ a[more])
    giving = substitute > 0
    share = min(1.0, 0.5 * float(np.min(b[giving] / substitute[giving], initial=2.0)))
    return np.append(rows, more), np.append(b - share * substitute, share * a[more])
