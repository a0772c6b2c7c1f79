"""Newton steps on one matrix, each with the cheapest stand-in for it that is good enough.

(D + A'A) d = q is solved with something that stands for A, in conjugate gradients with A where it
is too coarse to be taken for A itself. It becomes finer when these take long or the steps do not
lead on: few rows of A compressed, then more of them while that pays; then the triangular factor of
A in single precision, and at last in double.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from parzen.solvers.box.compress import CompressedMatrix
from parzen.solvers.box.newton_matrix import Solver, by_reflections, by_rows, conjugate_gradients

Floats = NDArray[np.float64]

_STEP_ACCURACY = 0.03  # relative; a factor in single precision is more accurate by itself
_FINAL_ACCURACY = 1e-6  # relative, of the step that ends on the bounds
_SLOW_GAP_RATIO = 0.7  # a step that leaves more than this share of the gap counts as slow
_ACCURACY_AFTER_SLOW = 0.1  # a slow step multiplies the accuracy of the next ones by this
_MAX_SLOW_STEPS = 1  # more slow steps in a row ask for a finer preconditioner
_MAX_ITERATIONS = 40  # of conjugate gradients for one direction
_ITERATIONS_FOR_MORE_ROWS = 4  # a step with more iterations asks for more rows
_ITERATIONS_FOR_FACTOR = 12  # a step with more asks for the triangular factor, if rows are out
_MIN_COLUMNS_FOR_SINGLE_PRODUCTS = 300  # from here products in single precision are much faster
_MAX_ROUNDING_RATIO = 100.0  # rounding of A'A in single precision may exceed D by this factor
_MIN_COLUMNS_FOR_SINGLE_FACTOR = 100  # with fewer columns single precision saves nothing
_MAX_RESIDUAL_SHARE = 0.5  # more rows must leave at most this share of what was missing


class Level(IntEnum):
    """What stands for A, from coarse to fine."""

    ROWS = 0
    SINGLE = 1
    DOUBLE = 2


class NewtonSystem:
    """Directions (D + A'A)^-1 q for one D after the other.

    Parameters
    ----------
    matrix : CompressedMatrix
    coarsest : Level, default=Level.ROWS
        What to begin with; rows are passed over where A does not have few of them.
    threads : int, default=1
        For factors; products are left to BLAS.
    """

    def __init__(
        self, matrix: CompressedMatrix, coarsest: Level = Level.ROWS, threads: int = 1
    ) -> None:
        self.A, self._matrix, self.threads = matrix.A, matrix, threads
        n = self.A.shape[1]
        self._many = max(_ITERATIONS_FOR_FACTOR, n // 50)
        self._accuracy, self._spent, self._slow = _STEP_ACCURACY, 0, 0
        self._solver: Solver | None = None
        self._D = np.zeros(n)
        self._rounding = np.finfo(np.float32).eps * float(np.vdot(self.A, self.A))
        self._single: NDArray[np.float32] | None = None
        self.level = coarsest
        if coarsest == Level.ROWS and not matrix.reaches(np.inf):
            self.level = Level.SINGLE
        if self.level > Level.ROWS and n < _MIN_COLUMNS_FOR_SINGLE_FACTOR:
            self.level = Level.DOUBLE

    def renew(self, D: Floats) -> bool:
        """Turn to another D; whether rounding left a factor."""
        spent, self._spent, self._D = self._spent, 0, D
        if (
            self.level == Level.ROWS
            and spent > _ITERATIONS_FOR_MORE_ROWS
            and not self._more_rows()
            and spent > self._many
        ):
            self.level = Level.SINGLE
        if self.level == Level.ROWS:
            self._solver = by_rows(self._matrix.rows(), D + self._matrix.left**2 / len(D))
        else:
            dtype = np.float64 if self.level == Level.DOUBLE else np.float32
            self._solver = None  # its factor's room is free for the next
            self._solver = by_reflections(
                self._matrix.triangular(dtype, self.threads), D, self.threads
            )
        return self._solver is not None

    def sharpen(self) -> bool:
        """Let something finer stand for A; whether there is."""
        self._solver = None
        if self.level == Level.DOUBLE:
            return False
        if self.level != Level.ROWS or not self._more_rows():
            self.level = Level(self.level + 1)
        return True

    def judge(self, left: float) -> None:
        """Hear what share of the gap the last step left: was it accurate enough?"""
        self._slow = self._slow + 1 if left > _SLOW_GAP_RATIO else 0
        if self._slow:
            self._accuracy = max(_ACCURACY_AFTER_SLOW * self._accuracy, _FINAL_ACCURACY)
        if self._slow > _MAX_SLOW_STEPS:
            self._slow = 0
            self.sharpen()

    @property
    def direct(self) -> bool:
        """Whether a direction takes no more than a solution with a factor at hand."""
        return self.level > Level.ROWS and not self._iterates()

    def direction(self, q: Floats) -> Floats:
        """(D + A'A)^-1 q, about."""
        assert self._solver is not None
        if not self._iterates():
            return self._solver(q)
        d, count = self._iterate(q, self._accuracy)
        self._spent += count
        return d

    def accurate(self, q: Floats) -> Floats:
        """The same to nearly all digits that matter."""
        return self._iterate(q, _FINAL_ACCURACY)[0]

    def _more_rows(self) -> bool:
        """Let more rows stand for A; whether they make a difference."""
        return self._matrix.reaches(_MAX_RESIDUAL_SHARE * self._matrix.left)

    def _iterates(self) -> bool:
        """Whether what stands for A is too coarse to be taken for it."""
        if self.level == Level.ROWS:
            coarse = self._matrix.left**2 > self._accuracy * float(self._D.min())
            return coarse or self._accuracy < _STEP_ACCURACY
        return self.level != Level.DOUBLE and self._accuracy < _STEP_ACCURACY

    def _iterate(self, q: Floats, accuracy: float) -> tuple[Floats, int]:
        assert self._solver is not None
        rough = accuracy == _STEP_ACCURACY and self._rounding <= _MAX_ROUNDING_RATIO * float(
            self._D.min()
        )
        A = (
            self._in_single()
            if rough and self.A.shape[1] >= _MIN_COLUMNS_FOR_SINGLE_PRODUCTS
            else self.A
        )
        return conjugate_gradients(
            A, self._D, q, self._solver, accuracy=accuracy, most=_MAX_ITERATIONS
        )

    def _in_single(self) -> NDArray[np.float32]:
        if self._single is None:
            self._single = self.A.astype(np.float32)
        return self._single
