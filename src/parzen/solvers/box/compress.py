"""A matrix M = Q'A of few rows that approximates A: Q is orthonormal and grows in blocks.

    A'A = M'M + E'E,    E = A - QQ'A

Wide kernels have Gram matrices whose singular values fall off exponentially. Q spans random
combinations of the columns (a randomised range finder). A Newton step far from the optimum needs
few rows, a step near it more: blocks are added when a smaller E is needed. Where the rows would be
too many, the triangular factor R of A = Q R takes their place. All programmes on one Gram matrix,
whatever their targets and margins, share both.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as sl
from scipy.linalg.lapack import dpotrf, sgeqrf

from parzen._core import Array, Floats
from parzen.solvers.box.newton_matrix import triangular_factor

# Vectors that join the basis at a time; a quarter of its present size where that is more.
_MIN_BLOCK_ROWS = 48
_PROBES = 6  # Random combinations of columns from which the residual norm is estimated.
# Rows of M as a share of A's smaller side; with more, a triangular factor is cheaper.
_MAX_ROW_SHARE = 0.4
_MIN_SIZE = 200  # Rows and columns below which a matrix is not compressed.
_COLUMN_STRIDE = 6  # Every sixth column takes part in the test for compressibility.
# A is compressible if the last of these columns are nearly combinations of those before: what is
# orthogonal to them is at most this share of the first column's length.
_MAX_NEW_SHARE = 0.006
# The basis grows on only if, at the rate of its last block, the rows that it may still get would
# divide the residual norm by this factor.
_MIN_RESIDUAL_FALL = 15.0


class RangeBasis:
    """A growing orthonormal basis Q of the range of A, and M = Q'A.

    ``residual_norm`` estimates |A - QQ'A| in the Frobenius norm: for standard normal g the mean of
    |E g|^2 is |E|_F^2, and the largest of a few such probes is taken.
    """

    def __init__(self, A: Floats) -> None:
        m, n = A.shape
        self.A, self.residual_norm, self.max_rows = A, np.inf, 0.0
        self.Q, self.M = np.empty((m, 0)), np.empty((0, n))
        self._rng = np.random.default_rng(0)
        self._probes = np.empty((m, 0))
        self._is_tested, self._worth_growing = False, True
        self._factors: dict[type, Array] = {}

    def reaches(self, delta: float) -> bool:
        """Add vectors until |A - QQ'A|_F is about delta; False where that would take too many."""
        if not self._is_tested:
            self._test_compressibility()
        while self.residual_norm > delta or not len(self.M):
            block, before = max(_MIN_BLOCK_ROWS, len(self.M) // 4), self.residual_norm
            if not self._worth_growing or len(self.M) + block > self.max_rows:
                return False
            self._add(block)
            self._worth_growing = self._is_worth_growing(before, block)
        return True

    def _test_compressibility(self) -> None:
        """Decide once whether A may be compressed, and draw the probes if so."""
        m, n = self.A.shape
        self._is_tested = True
        if min(m, n) >= _MIN_SIZE and _compressible(self.A):
            self.max_rows = _MAX_ROW_SHARE * min(m, n)
            self._probes = self.A @ self._rng.standard_normal((n, _PROBES))
            self.residual_norm = self._estimated_residual()

    def triangular(self, dtype: type, threads: int) -> Array:
        """The triangular R with R'R = A'A, in single or double precision."""
        if dtype not in self._factors:
            self._factors[dtype] = triangular_factor(self.A, dtype, threads)
        return self._factors[dtype]

    def _add(self, block: int) -> None:
        new = self.A @ self._rng.standard_normal((self.A.shape[1], block))
        for _ in range(2):  # Once is not enough where the block is nearly in the span of Q.
            new -= self.Q @ (self.Q.T @ new)
            new = _orthonormal(new)
        self.Q = np.hstack([self.Q, new])
        self.M = np.vstack([self.M, new.T @ self.A])
        self._probes -= new @ (new.T @ self._probes)
        self.residual_norm = self._estimated_residual()

    def _is_worth_growing(self, before: float, block: int) -> bool:
        """Whether the rows still allowed would reduce the residual norm enough, at this rate."""
        if not 0 < self.residual_norm < before:
            return False
        more = block * np.log(_MIN_RESIDUAL_FALL) / np.log(before / self.residual_norm)
        return bool(len(self.M) + more <= self.max_rows)

    def _estimated_residual(self) -> float:
        return float(np.sqrt((self._probes**2).sum(axis=0).max()))


class CompressedMatrix:
    """A matrix, its columns multiplied by factors, together with few rows that approximate it.

    Attributes
    ----------
    A : array of shape (m, n)
        The matrix itself.
    """

    def __init__(self, A: Floats, factors: Floats | None, basis: RangeBasis) -> None:
        self.A, self._factors, self._basis = A, factors, basis

    @classmethod
    def of(cls, A: Array) -> CompressedMatrix:
        """A matrix; the basis is empty until `reaches` is called."""
        A = np.ascontiguousarray(A, dtype=np.float64)
        return cls(A, None, RangeBasis(A))

    def times_columns(self, factors: Floats) -> CompressedMatrix:
        """The matrix with its columns multiplied: the range, and so Q, is shared."""
        return CompressedMatrix(self.A * factors, factors, self._basis)

    @property
    def residual_norm(self) -> float:
        """About |A - QQ'A|_F for the present basis Q."""
        return self._basis.residual_norm

    def reaches(self, delta: float) -> bool:
        """Grow the basis until its residual norm is about delta; whether that took few rows."""
        return self._basis.reaches(delta)

    def rows(self) -> Floats:
        """The rows M of the present basis."""
        M = self._basis.M
        return M if self._factors is None else M * self._factors

    def triangular(self, dtype: type, threads: int = 1) -> Array:
        """The triangular factor of A, in single or double precision; shared like the rows."""
        R = self._basis.triangular(dtype, threads)
        return R if self._factors is None else R * self._factors.astype(dtype)


def _compressible(A: Floats) -> bool:
    """Whether the last of some columns are nearly combinations of those before."""
    some = np.asfortranarray(A[:, ::_COLUMN_STRIDE], dtype=np.float32)
    new = np.abs(sgeqrf(some, lwork=32 * some.shape[1], overwrite_a=1)[0].diagonal())
    last = float(np.median(new[-max(1, len(new) // 8) :]))
    return last <= _MAX_NEW_SHARE * float(new[0])


def _orthonormal(Y: Floats) -> Floats:
    """A basis of the columns: by Cholesky where they are far from dependent, which is much faster.

    Called twice, it is as orthogonal as rounding allows.
    """
    L, info = dpotrf(Y.T @ Y, lower=1)
    size = np.abs(L.diagonal())
    # Y'Y has the square of Y's condition: beyond 1e10 its factor has too few digits left.
    if info != 0 or size.min() < 1e-5 * size.max():
        return np.asarray(sl.qr(Y, mode="economic", overwrite_a=True, check_finite=False)[0])
    return np.asarray(sl.solve_triangular(L, Y.T, lower=True, check_finite=False).T)
