"""A given number of kernels, with positive weights, whose sum is nearest to that of all.

    minimise (a - b)' M (a - b),      b >= 0 with m positive entries

The active set of Lawson and Hanson (1974), stopped when it has m members: a round takes the point
where the remaining error M (a - b) correlates most, projects, and drops what turns negative. As
a > 0, some point lowers the error as long as there is any. Where that is down to rounding with
fewer than m points, the largest other weights fill the number up: a share of each moves from the
points that stood for it, and the sum of kernels stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Block = Callable[[Any, Any], Floats]  # some rows and columns of M, whose diagonal is 1

_INDEPENDENT = 1e-10  # a point nearer to the span of the others (squared) adds nothing
_NOTHING = 1e-10  # of the largest correlation: an error that is down to rounding
_TURNS = 3  # how often a point may be taken: rounding could go round in circles


class Kept(NamedTuple):
    """The kernels that a class keeps."""

    rows: Rows  # into the class's points, increasing
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
        self._seen = np.empty((m, len(target)))  # row k: the k-th kernel from every point
        self._L = np.zeros((m, m))
        self._turns = np.full(len(target), _TURNS)
        self.rows: list[int] = []
        self.b = np.empty(0)

    @property
    def factor(self) -> Floats:
        k = len(self.rows)
        return self._L[:k, :k]

    def grow(self) -> None:
        """Take points until there are m, or none is left that would lower the error."""
        residual, least = self._target, _NOTHING * float(self._target.max())
        while len(self.rows) < self._m:
            gain = np.where(self._turns > 0, residual, -np.inf)
            gain[self.rows] = -np.inf
            j = int(np.argmax(gain))
            if not gain[j] > least:
                return
            self._turns[j] -= 1
            if self._append(j):
                self._project()
                residual = self._target - self.b @ self._seen[: len(self.rows)]

    def _append(self, j: int) -> bool:
        k, column = len(self.rows), self._block(slice(None), [j])[:, 0]
        row = solve_triangular(self.factor, column[self.rows], lower=True, check_finite=False)
        distance = 1.0 - float(row @ row)
        if distance <= _INDEPENDENT:
            self._turns[j] = 0
            return False
        self._seen[k], self._L[k, :k], self._L[k, k] = column, row, np.sqrt(distance)
        self.rows.append(j)
        self.b = np.append(self.b, 0.0)
        return True

    def _project(self) -> None:
        """Weights of the least error on the set; points whose weight would be negative leave it."""
        while True:
            best = cho_solve((self.factor, True), self._target[self.rows], check_finite=False)
            falling = best <= 0
            if not falling.any():
                self.b = best
                return
            old, fall = self.b[falling], self.b[falling] - best[falling]
            step = float(np.min(old / np.where(fall > 0, fall, np.inf)))
            self.b = self.b + step * (best - self.b)
            self._drop(falling & (self.b <= np.min(self.b[falling])))

    def _drop(self, leaving: NDArray[np.bool_]) -> None:
        stay, first = np.flatnonzero(~leaving), int(np.argmax(leaving))
        later, k = stay[first:], len(stay)
        rest = self.factor[later, first:]  # the factor changes in the rows after the first to leave
        self._L[first:k, :first] = self._L[later, :first]
        self._L[first:k, first:k] = np.linalg.cholesky(rest @ rest.T)
        self._seen[first:k] = self._seen[later]
        self.rows = [self.rows[i] for i in stay]
        self.b = self.b[stay]


def _filled(
    rows: Rows, b: Floats, factor: Floats, a: Floats, block: Block, m: int
) -> tuple[Rows, Floats]:
    """Exactly m points: others of large weight take over a share of what stands for them."""
    if len(rows) == m:
        return rows, b
    others = np.delete(np.arange(len(a)), rows)
    more = others[np.argsort(-a[others], kind="stable")[: m - len(rows)]]
    stand_in = cho_solve((factor, True), block(rows, more) @ a[more])
    giving = stand_in > 0
    share = min(1.0, 0.5 * float(np.min(b[giving] / stand_in[giving], initial=2.0)))
    return np.append(rows, more), np.append(b - share * stand_in, share * a[more])
