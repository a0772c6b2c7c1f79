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
    triangular_factor,
)

Floats = NDArray[np.float64]

_ACCURACY = 0.03  # of a step; a single-precision factor by itself is better than this
_FINE = 1e-6  # of the step that ends on the bounds
_FINER = 0.1  # a step that did not pay makes the next more accurate by this factor
_MOST = 40  # iterations for one direction
_DEAR = 60  # columns over this: iterations of a step that cost more than a new factor
_FEW = 12  # which are at least as many
_SMALL = 100  # columns below which single precision saves nothing
_HALF = 0.5  # what more rows have to leave, at most, of what was missing


class NewtonSystem:
    """Directions (D + A'A)^-1 q for one D after the other."""

    def __init__(self, matrix: CompressedMatrix) -> None:
        self.A, self._matrix = matrix.A, matrix
        n = self.A.shape[1]
        self._dear = max(_FEW, n // _DEAR)
        self._all = np.arange(n)
        self._accuracy = _ACCURACY
        self._M: NDArray[Any] | None = matrix.rows(np.inf, self._all)
        self._triangular = self._M is None
        self._dtype: type = np.float32 if n >= _SMALL else np.float64
        self._fresh, self._spent = False, 0
        self._again = self._dtype is np.float32  # whether a factor may serve a second step
        self._solver: Solver | None = None
        self._D = np.zeros(n)

    def renew(self, D: Floats, *, again: bool = True) -> bool:
        """Turn to another D; whether rounding left a factor.

        ``again`` allows the triangular factor with the D of a step before.
        """
        dear, self._D = self._spent > self._dear, D
        if dear and (not self._triangular or self._fresh):
            self.sharpen()
        elif dear:
            self._again = False
        if not self._triangular:
            self._solver = by_rows(self._rows(), D + self._matrix.left**2 / len(D))
        elif again and self._again and self._solver is not None and 2 * self._spent <= self._dear:
            self._fresh = False
        else:
            self._solver, self._fresh = by_reflections(self._factor(), D), True
        self._spent = 0
        return self._solver is not None

    def sharpen(self) -> bool:
        """Go on with a finer M; whether there is one."""
        self._solver = None
        if not self._triangular:
            self._M = self._matrix.rows(_HALF * self._matrix.left, self._all)
            self._triangular = self._M is None
            return True
        if self._dtype is np.float64:
            return False
        self._dtype, self._M, self._again = np.float64, None, False
        return True

    def doubt(self) -> None:
        """The last step did not pay: take the next more accurately."""
        self._accuracy = max(_FINER * self._accuracy, 1e-8)

    def direction(self, q: Floats) -> Floats:
        """(D + A'A)^-1 q."""
        assert self._solver is not None
        if self._fresh and (self._dtype is np.float64 or self._accuracy == _ACCURACY):
            return self._solver(q)
        d, count = self._iterate(self._D, q, self._accuracy)
        self._spent += count
        return d

    def accurate(self, D: Floats, q: Floats) -> Floats:
        """The same for a D near the one turned to; coordinates where it is infinite stay at 0."""
        return self._iterate(D, q, _FINE)[0]

    def _iterate(self, D: Floats, q: Floats, accuracy: float) -> tuple[Floats, int]:
        assert self._solver is not None
        return conjugate_gradients(self.A, D, q, self._solver, accuracy=accuracy, most=_MOST)

    def _rows(self) -> Floats:
        assert self._M is not None
        return self._M

    def _factor(self) -> NDArray[Any]:
        if self._M is None:
            self._M = triangular_factor(self.A, self._dtype)
        return self._M
