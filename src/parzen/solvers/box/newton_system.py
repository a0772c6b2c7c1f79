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

_ACCURACY = 0.03  # of a step; a single-precision factor by itself is better than this
_FINE = 1e-6  # of the step that ends on the bounds
_SLOW = 0.7  # a step that leaves more than this share of the gap may have been inaccurate,
_FINER = 0.1  # and makes the next ones more accurate by this factor
_PATIENCE = 1  # more of them in a row ask for a finer stand-in
_MOST = 40  # iterations for one direction
_FEW = 4  # iterations of a step, above which more rows are asked for,
_MANY = 12  # or, where these are not to be had, the triangular factor
_LARGE = 300  # columns from which products in single precision are much faster,
_HARMLESS = 100.0  # and how much larger than D their rounding errors, all in one place, may be
_SMALL = 100  # columns below which single precision saves nothing
_HALF = 0.5  # what more rows have to leave, at most, of what was missing


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
        self._many = max(_MANY, n // 50)
        self._accuracy, self._spent, self._slow = _ACCURACY, 0, 0
        self._solver: Solver | None = None
        self._D = np.zeros(n)
        self._rounding = np.finfo(np.float32).eps * float(np.vdot(self.A, self.A))
        self._single: NDArray[np.float32] | None = None
        self.level = coarsest
        if coarsest == Level.ROWS and not matrix.reaches(np.inf):
            self.level = Level.SINGLE
        if self.level > Level.ROWS and n < _SMALL:
            self.level = Level.DOUBLE

    def renew(self, D: Floats) -> bool:
        """Turn to another D; whether rounding left a factor."""
        spent, self._spent, self._D = self._spent, 0, D
        if (
            self.level == Level.ROWS
            and spent > _FEW
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
        self._slow = self._slow + 1 if left > _SLOW else 0
        if self._slow:
            self._accuracy = max(_FINER * self._accuracy, _FINE)
        if self._slow > _PATIENCE:
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
        return self._iterate(q, _FINE)[0]

    def _more_rows(self) -> bool:
        """Let more rows stand for A; whether they make a difference."""
        return self._matrix.reaches(_HALF * self._matrix.left)

    def _iterates(self) -> bool:
        """Whether what stands for A is too coarse to be taken for it."""
        if self.level == Level.ROWS:
            coarse = self._matrix.left**2 > self._accuracy * float(self._D.min())
            return coarse or self._accuracy < _ACCURACY
        return self.level != Level.DOUBLE and self._accuracy < _ACCURACY

    def _iterate(self, q: Floats, accuracy: float) -> tuple[Floats, int]:
        assert self._solver is not None
        rough = accuracy == _ACCURACY and self._rounding <= _HARMLESS * float(self._D.min())
        A = self._in_single() if rough and self.A.shape[1] >= _LARGE else self.A
        return conjugate_gradients(A, self._D, q, self._solver, accuracy=accuracy, most=_MOST)

    def _in_single(self) -> NDArray[np.float32]:
        if self._single is None:
            self._single = self.A.astype(np.float32)
        return self._single
