"""A matrix of low numerical rank as Q M with orthonormal Q, so that residuals keep their length.

    |A x - b|^2 = |M x - Q'b|^2 + |b - QQ'b|^2 + O(delta^2),    M = Q'A,  |A - QQ'A| <= delta

Wide kernels have Gram matrices whose singular values fall off exponentially. Q spans random
combinations of the columns (a randomised range finder), in growing blocks until what is left is
below delta. As A - QQ'A is orthogonal to Q, the gradient of the compressed problem is wrong by
delta |r| only, not by delta |A|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf

Floats = NDArray[np.float64]

_FIRST_BLOCK = 48
_PROBES = 6
_WORTH = 0.5  # a rank above this share of the size saves nothing
_SMALL = 200


@dataclass(frozen=True, eq=False)
class CompressedMatrix:
    """A matrix together with its compression.

    Attributes
    ----------
    A : array of shape (m, n)
        The matrix itself.
    Q : array of shape (m, r) or None
        Orthonormal columns; None when the matrix has no low rank.
    M : array of shape (r, n)
        Q'A, or A.
    delta : float
        Bound that was asked of A - QQ'A.
    """

    A: Floats
    Q: Floats | None
    M: Floats
    delta: float

    @classmethod
    def of(cls, A: NDArray[Any], delta: float) -> CompressedMatrix:
        """Compress a matrix, where its rank allows it."""
        A = np.ascontiguousarray(A, dtype=np.float64)
        Q = range_basis(A, delta) if min(A.shape) >= _SMALL else None
        return cls(A, Q, A if Q is None else Q.T @ A, delta)

    def times_columns(self, factors: Floats) -> CompressedMatrix:
        """The matrix with its columns multiplied: the range, and so Q, stays."""
        A = self.A * factors
        return CompressedMatrix(A, self.Q, A if self.Q is None else self.M * factors, self.delta)

    def columns(self, kept: NDArray[np.bool_]) -> CompressedMatrix:
        """Some of the columns, on the same Q."""
        A = np.ascontiguousarray(self.A[:, kept])
        M = A if self.Q is None else np.ascontiguousarray(self.M[:, kept])
        return CompressedMatrix(A, self.Q, M, self.delta)

    def uncompressed(self) -> CompressedMatrix:
        """The matrix alone."""
        return CompressedMatrix(self.A, None, self.A, 0.0)

    def project(self, b: Floats) -> Floats:
        """The right-hand side of the compressed problem."""
        return b if self.Q is None else self.Q.T @ b


def range_basis(A: Floats, delta: float) -> Floats | None:
    """Orthonormal Q with A - QQ'A below delta, or None when it would be too wide to be of use."""
    m, n = A.shape
    rng = np.random.default_rng(0)
    probes = A @ rng.standard_normal((n, _PROBES))
    Q = np.empty((m, 0))
    block = _FIRST_BLOCK
    while Q.shape[1] + block <= _WORTH * min(m, n):
        new = A @ rng.standard_normal((n, block))
        for _ in range(2):  # once is not orthogonal enough where the block is nearly in Q
            new -= Q @ (Q.T @ new)
            new = _orthonormal(new)
        Q = np.hstack([Q, new])
        probes -= Q @ (Q.T @ probes)
        left = float(np.sqrt((probes**2).sum(axis=0).max()))
        if left <= delta:
            return Q
        if not _promising(A, Q, left, delta):
            return None
        block = max(_FIRST_BLOCK, Q.shape[1] // 2)
    return None


def _orthonormal(Y: Floats) -> Floats:
    """A basis of the columns: by Cholesky where they are far from dependent, which is much faster.

    Called twice, it is as orthogonal as rounding allows.
    """
    L, info = dpotrf(Y.T @ Y, lower=1)
    size = np.abs(L.diagonal())
    if info != 0 or size.min() < 1e-5 * size.max():
        return np.asarray(sl.qr(Y, mode="economic", overwrite_a=True, check_finite=False)[0])
    return np.asarray(sl.solve_triangular(L, Y.T, lower=True, check_finite=False).T)


def _promising(A: Floats, Q: Floats, left: float, delta: float) -> bool:
    """Whether an exponential decay at the rate seen so far ends below half of the size."""
    start = float(np.linalg.norm(A))
    rate = np.log(start / left) / Q.shape[1] if 0 < left < start else 0.0
    return bool(rate > 0 and np.log(start / delta) / rate <= 2 * _WORTH * min(A.shape))
