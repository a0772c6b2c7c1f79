"""Newton steps on one matrix A, each with the cheapest approximation of A that is good enough.

(D + A'A) d = q is solved with an approximation M of A: directly where M is accurate enough,
otherwise as the preconditioner of conjugate gradients with A itself. M becomes finer when these
take many iterations or when the steps hardly reduce the gap. It starts with few rows of the
compressed A, gets more of them while that helps, becomes the triangular factor of A in single
precision, and at last in double.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from parzen._core import Floats
from parzen.solvers.box.compress import CompressedMatrix
from parzen.solvers.box.newton_matrix import Solver, by_reflections, by_rows, preconditioned_cg

_STEP_ACCURACY = 0.03  # Relative error of a direction; a factor in single precision has less.
_FINAL_ACCURACY = 1e-6  # Relative error of the step that ends on the bounds.
_SLOW_GAP_RATIO = 0.7  # A step that leaves more than this share of the gap counts as slow.
_ACCURACY_AFTER_SLOW = 0.1  # A slow step multiplies the error allowed in the next ones by this.
_MAX_SLOW_STEPS = 1  # After more slow steps in a row a finer preconditioner is used.
_MAX_ITERATIONS = 40  # Iterations of conjugate gradients for one direction.
_ITERATIONS_FOR_MORE_ROWS = 4  # After more iterations in a step the preconditioner gets more rows.
# After more iterations in a step the triangular factor is used, if there can be no more rows.
_ITERATIONS_FOR_FACTOR = 12
_MIN_COLUMNS_FOR_SINGLE_PRODUCTS = 300  # From here products in single precision are much faster.
_MAX_ROUNDING_RATIO = 100.0  # Rounding of A'A in single precision may exceed D by this factor.
_MIN_COLUMNS_FOR_SINGLE_FACTOR = 100  # With fewer columns single precision saves nothing.
_MAX_RESIDUAL_SHARE = 0.5  # More rows must leave at most this share of the residual norm.


class Level(IntEnum):
    """The approximation of A, from coarse to fine."""

    ROWS = 0  # few rows of the compressed matrix
    SINGLE = 1  # the triangular factor in single precision
    DOUBLE = 2  # the triangular factor in double precision


class NewtonSystem:
    """Directions (D + A'A)^-1 q for one D after the other.

    Parameters
    ----------
    matrix : CompressedMatrix
    coarsest : Level, default=Level.ROWS
        The first approximation; rows are passed over where A cannot be compressed.
    threads : int, default=1
        For factors; products are left to BLAS.
    """

    def __init__(
        self, matrix: CompressedMatrix, coarsest: Level = Level.ROWS, threads: int = 1
    ) -> None:
        self.A, self._matrix, self.threads = matrix.A, matrix, threads
        n = self.A.shape[1]
        # A triangular factor takes n^3 products and an iteration n^2: the limit grows with n.
        self._max_iterations_with_rows = max(_ITERATIONS_FOR_FACTOR, n // 50)
        self._accuracy, self._iterations, self._slow_steps = _STEP_ACCURACY, 0, 0
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
        """Prepare the solver of another D; False where rounding leaves a singular factor."""
        iterations, self._iterations, self._D = self._iterations, 0, D
        if (
            self.level == Level.ROWS
            and iterations > _ITERATIONS_FOR_MORE_ROWS
            and not self._more_rows()
            and iterations > self._max_iterations_with_rows
        ):
            self.level = Level.SINGLE
        if self.level == Level.ROWS:
            # What the rows miss, A'A - M'M, has the trace residual_norm^2; its mean goes to D.
            self._solver = by_rows(self._matrix.rows(), D + self._matrix.residual_norm**2 / len(D))
        else:
            dtype = np.float64 if self.level == Level.DOUBLE else np.float32
            self._solver = None  # frees the memory of the old factor before the next
            self._solver = by_reflections(
                self._matrix.triangular(dtype, self.threads), D, self.threads
            )
        return self._solver is not None

    def sharpen(self) -> bool:
        """Take a finer approximation of A; False where there is none."""
        self._solver = None
        if self.level == Level.DOUBLE:
            return False
        if self.level != Level.ROWS or not self._more_rows():
            self.level = Level(self.level + 1)
        return True

    def adapt_accuracy(self, gap_ratio: float) -> None:
        """Solve more accurately if the last step left too large a share of the gap."""
        self._slow_steps = self._slow_steps + 1 if gap_ratio > _SLOW_GAP_RATIO else 0
        if self._slow_steps:
            self._accuracy = max(_ACCURACY_AFTER_SLOW * self._accuracy, _FINAL_ACCURACY)
        if self._slow_steps > _MAX_SLOW_STEPS:
            self._slow_steps = 0
            self.sharpen()

    @property
    def direct(self) -> bool:
        """Whether a direction takes two triangular solves, and no iterations."""
        return self.level > Level.ROWS and not self._iterates()

    def direction(self, q: Floats) -> Floats:
        """(D + A'A)^-1 q, about."""
        assert self._solver is not None
        if not self._iterates():
            return self._solver(q)
        d, count = self._iterate(q, self._accuracy)
        self._iterations += count
        return d

    def accurate(self, q: Floats) -> Floats:
        """The same with a relative error of `_FINAL_ACCURACY`."""
        return self._iterate(q, _FINAL_ACCURACY)[0]

    def _more_rows(self) -> bool:
        """Compress A with more rows; whether they reduce the residual norm enough."""
        return self._matrix.reaches(_MAX_RESIDUAL_SHARE * self._matrix.residual_norm)

    def _iterates(self) -> bool:
        """Whether the approximation of A is too coarse to solve with it alone."""
        if self.level == Level.ROWS:
            # M'M misses E'E, whose norm is at most residual_norm^2: that changes a direction by a
            # share of residual_norm^2 / D at most.
            coarse = self._matrix.residual_norm**2 > self._accuracy * float(self._D.min())
            return coarse or self._accuracy < _STEP_ACCURACY
        return self.level != Level.DOUBLE and self._accuracy < _STEP_ACCURACY

    def _iterate(self, q: Floats, accuracy: float) -> tuple[Floats, int]:
        assert self._solver is not None
        # A rough direction needs single precision only, unless its rounding of A'A far exceeds D.
        rough = accuracy == _STEP_ACCURACY and self._rounding <= _MAX_ROUNDING_RATIO * float(
            self._D.min()
        )
        A = (
            self._in_single()
            if rough and self.A.shape[1] >= _MIN_COLUMNS_FOR_SINGLE_PRODUCTS
            else self.A
        )
        return preconditioned_cg(
            A, self._D, q, self._solver, accuracy=accuracy, max_iterations=_MAX_ITERATIONS
        )

    def _in_single(self) -> NDArray[np.float32]:
        if self._single is None:
            self._single = self.A.astype(np.float32)
        return self._single
