"""Few rows that stand for a matrix: M = Q'A with orthonormal Q, in growing blocks.

    A'A = M'M + E'E,    E = A - QQ'A

Wide kernels have Gram matrices whose singular values fall off exponentially. Q spans random
combinations of the columns (a randomised range finder). A Newton step far from the optimum needs
few rows, a step near it more: blocks are added when a smaller E is asked for. Where they would be
too many there is the triangular factor. All programmes on one Gram matrix, whatever their targets
and margins, share both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as sl
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, sgeqrf

from parzen.solvers.box.newton_matrix import triangular_factor

Floats = NDArray[np.float64]

_MIN_BLOCK_ROWS = 48  # vectors that join the basis at a time, or a quarter of those at hand
_PROBES = 6  # random combinations of columns that estimate what the basis misses
_MAX_ROW_SHARE = 0.4  # of the smaller side of A; with more rows a triangular factor is cheaper
_MIN_SIZE = 200  # smaller matrices are not compressed
_COLUMN_STRIDE = 6  # every sixth column takes part in the test for compressibility
_MAX_NEW_SHARE = 0.006  # compressible: the last of these columns add at most this share of length
_MIN_RESIDUAL_FALL = 15.0  # the rows still allowed must divide the residual by this, at this rate


class RangeBasis:
    """Orthonormal vectors that come to span the range of a matrix, and its rows in them."""

    def __init__(self, A: Floats) -> None:
        m, n = A.shape
        self.A, self.left, self.most = A, np.inf, 0.0
        self.Q, self.M = np.empty((m, 0)), np.empty((0, n))
        self._rng = np.random.default_rng(0)
        self._probes = np.empty((m, 0))
        self._looked_at, self._pays = False, True
        self._factors: dict[type, NDArray[Any]] = {}

    def reaches(self, delta: float) -> bool:
        """Add vectors until |A - QQ'A|, in the Frobenius norm, is about delta, if they are few."""
        if not self._looked_at:
            self._look_at()
        while self.left > delta or not len(self.M):
            block, before = max(_MIN_BLOCK_ROWS, len(self.M) // 4), self.left
            if not self._pays or len(self.M) + block > self.most:
                return False
            self._add(block)
            self._pays = self._promising(before, block)
        return True

    def _look_at(self) -> None:
        """See whether A may have few rows at all."""
        m, n = self.A.shape
        self._looked_at = True
        if min(m, n) >= _MIN_SIZE and _compressible(self.A):
            self.most = _MAX_ROW_SHARE * min(m, n)
            self._probes = self.A @ self._rng.standard_normal((n, _PROBES))
            self.left = self._largest_probe()

    def triangular(self, dtype: type, threads: int) -> NDArray[Any]:
        """The triangular R with R'R = A'A, in single or double precision."""
        if dtype not in self._factors:
            self._factors[dtype] = triangular_factor(self.A, dtype, threads)
        return self._factors[dtype]

    def _add(self, block: int) -> None:
        new = self.A @ self._rng.standard_normal((self.A.shape[1], block))
        for _ in range(2):  # once is not orthogonal enough where the block is nearly in Q
            new -= self.Q @ (self.Q.T @ new)
            new = _orthonormal(new)
        self.Q = np.hstack([self.Q, new])
        self.M = np.vstack([self.M, new.T @ self.A])
        self._probes -= new @ (new.T @ self._probes)
        self.left = self._largest_probe()

    def _promising(self, before: float, block: int) -> bool:
        """Whether few enough rows, at the rate of the last, would make much of a difference."""
        if not 0 < self.left < before:
            return False
        more = block * np.log(_MIN_RESIDUAL_FALL) / np.log(before / self.left)
        return bool(len(self.M) + more <= self.most)

    def _largest_probe(self) -> float:
        return float(np.sqrt((self._probes**2).sum(axis=0).max()))


class CompressedMatrix:
    """A matrix, its columns multiplied by factors, together with rows that stand for it.

    Attributes
    ----------
    A : array of shape (m, n)
        The matrix itself.
    """

    def __init__(self, A: Floats, factors: Floats | None, basis: RangeBasis) -> None:
        self.A, self._factors, self._basis = A, factors, basis

    @classmethod
    def of(cls, A: NDArray[Any]) -> CompressedMatrix:
        """A matrix, not compressed before rows are asked for."""
        A = np.ascontiguousarray(A, dtype=np.float64)
        return cls(A, None, RangeBasis(A))

    def times_columns(self, factors: Floats) -> CompressedMatrix:
        """The matrix with its columns multiplied: the range, and so Q, is shared."""
        return CompressedMatrix(self.A * factors, factors, self._basis)

    @property
    def left(self) -> float:
        """What the rows at hand miss of A, in the Frobenius norm, about."""
        return self._basis.left

    def reaches(self, delta: float) -> bool:
        """Whether few rows miss no more than about delta of A; they are looked for."""
        return self._basis.reaches(delta)

    def rows(self) -> Floats:
        """The rows M at hand."""
        M = self._basis.M
        return M if self._factors is None else M * self._factors

    def triangular(self, dtype: type, threads: int = 1) -> NDArray[Any]:
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
    if info != 0 or size.min() < 1e-5 * size.max():
        return np.asarray(sl.qr(Y, mode="economic", overwrite_a=True, check_finite=False)[0])
    return np.asarray(sl.solve_triangular(L, Y.T, lower=True, check_finite=False).T)
