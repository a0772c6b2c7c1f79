"""Newton steps on one matrix, each with the cheapest stand-in for it that is good enough.

(D + A'A) d = q is solved by conjugate gradients with A. What preconditions them becomes finer when
they take long: few rows of A compressed, then more of them while that pays, then the triangular
factor of A in single precision, and at last in double, which needs no conjugate gradients. A factor
with the D of a step before serves again while it is good for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.solvers._compress import CompressedMatrix
from parzen.solvers._newton_matrix import (
    Solver,
    by_reflections,
    by_rows,
    conjugate_gradients,
)

Floats = NDArray[np.float64]

_ACCURACY = 0.03  # of a step; a single-precision factor by itself is better than this
_FINE = 1e-6  # of the step that ends on the bounds
_SLOW = 0.7  # a step that leaves more than this share of the gap may have been inaccurate,
_FINER = 0.1  # and makes the next ones more accurate by this factor
_PATIENCE = 1  # more of them in a row ask for a finer stand-in
_MOST = 40  # iterations for one direction
_FEW = 4  # iterations of a step, above which more rows are asked for,
_MANY = 12  # or, where these are not to be had, the triangular factor
_DEAR = 80  # columns over this: iterations that cost as much as half a triangular factor,
_LEAST = 8  # but for small matrices
_LARGE = 1000  # columns from which products in single precision are much faster,
_HARMLESS = 0.01  # and the share of their rounding errors, all in one place, that D has to exceed
_SMALL = 100  # columns below which single precision saves nothing
_HALF = 0.5  # what more rows have to leave, at most, of what was missing


class NewtonSystem:
    """Directions (D + A'A)^-1 q for one D after the other."""

    def __init__(self, matrix: CompressedMatrix) -> None:
        self.A, self._matrix = matrix.A, matrix
        n = self.A.shape[1]
        self._dear = max(_LEAST, n // _DEAR)
        self._many = max(_MANY, n // 50)
        self._single = self.A.astype(np.float32) if n >= _LARGE else None
        self._rounding = _HARMLESS * np.finfo(np.float32).eps * float(np.vdot(self.A, self.A))
        self._all = np.arange(n)
        self._accuracy = _ACCURACY
        self._M: NDArray[Any] | None = matrix.rows(np.inf, self._all)
        self._triangular = self._M is None
        self._dtype: type = np.float32 if n >= _SMALL else np.float64
        self._fresh, self._spent, self._slow = False, 0, 0
        self._again = self._dtype is np.float32  # whether a factor may serve a second step
        self._solver: Solver | None = None
        self._D = np.zeros(n)

    def renew(self, D: Floats, *, again: bool = True) -> bool:
        """Turn to another D; whether rounding left a factor.

        ``again`` allows the triangular factor with the D of a step before.
        """
        spent, self._spent, self._D = self._spent, 0, D
        dear = spent > self._dear
        if self._triangular and self._fresh and dear:
            self.sharpen()
        elif not self._triangular and spent > _FEW and not self._more_rows() and spent > self._many:
            self._to_triangular()
        if not self._triangular:
            self._solver = by_rows(self._rows(), D + self._matrix.left**2 / len(D))
        elif again and self._again and not dear and self._solver is not None:
            self._fresh = False
        else:
            self._refresh()
        return self._solver is not None

    def _refresh(self) -> None:
        self._solver, self._fresh = by_reflections(self._factor(), self._D), True

    def sharpen(self) -> bool:
        """Go on with a finer M; whether there is one."""
        self._solver = None
        if not self._triangular:
            if not self._more_rows():
                self._to_triangular()
            return True
        if self._dtype is np.float64:
            return False
        self._dtype, self._M, self._again = np.float64, None, False
        return True

    def _to_triangular(self) -> None:
        self._triangular, self._M, self._solver = True, None, None

    def _more_rows(self) -> bool:
        """Let more rows stand for A; whether they make a difference."""
        difference = self._matrix.reaches(_HALF * self._matrix.left)
        self._M = self._matrix.rows(np.inf, self._all)
        return difference

    def judge(self, left: float) -> None:
        """Hear what share of the gap the last step left: was it accurate enough?"""
        self._slow = self._slow + 1 if left > _SLOW else 0
        if self._slow:
            self._accuracy = max(_FINER * self._accuracy, _FINE)
        if self._slow > _PATIENCE:
            self._slow = 0
            self.sharpen()

    def direction(self, q: Floats) -> Floats:
        """(D + A'A)^-1 q; not finite when rounding leaves no factor."""
        stale = self._triangular and not self._fresh
        if stale or self._iterates():
            most = self._dear if stale else _MOST
            d, count = self._iterate(self._D, q, self._accuracy, most)
            self._spent += count
            if not stale or count < most:
                return d
            self._again, self._spent = False, 0
            self._refresh()
        return np.full_like(q, np.nan) if self._solver is None else self._solver(q)

    def _iterates(self) -> bool:
        """Whether what preconditions is too coarse to be taken for the matrix itself."""
        if not self._triangular:
            coarse = self._matrix.left**2 > self._accuracy * float(self._D.min())
            return coarse or self._accuracy < _ACCURACY
        return self._dtype is np.float32 and self._accuracy < _ACCURACY

    def accurate(self, D: Floats, q: Floats) -> Floats:
        """The same for a D near the one turned to; coordinates where it is infinite stay at 0."""
        return self._iterate(D, q, _FINE, _MOST)[0]

    def _iterate(self, D: Floats, q: Floats, accuracy: float, most: int) -> tuple[Floats, int]:
        assert self._solver is not None
        rough = accuracy == _ACCURACY and float(D.min()) >= self._rounding
        A = self._single if rough and self._single is not None else self.A
        return conjugate_gradients(A, D, q, self._solver, accuracy=accuracy, most=most)

    def _rows(self) -> Floats:
        assert self._M is not None
        return self._M

    def _factor(self) -> NDArray[Any]:
        if self._M is None:
            self._M = self._matrix.triangular(self._dtype)
        return self._M
