"""The matrix D + A'A of a Newton step, solved without ever being formed.

Conjugate gradients with A itself are preconditioned by D + M'M, where M approximates A. A
triangular M, the factor of A = QM, is joined with the root of D by Householder's reflections. They
form no product M'M, which would square the condition number:

    D + M'M = T'T,     [M; D^1/2] = QT

For a compressed M, of few rows, Woodbury's identity needs S = I + M D^-1 M' only, of as few rows,
whose eigenvalues are all at least 1: (D + M'M)^-1 q = q/D - D^-1 M' S^-1 M D^-1 q.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dsyrk, dtrsv, strsv
from scipy.linalg.lapack import dpotrf

from parzen import _native
from parzen._core import Array, Floats

Solver = Callable[[Floats], Floats]

_MAX_CURVATURE = 1e30  # Entries of D are cut off here, where they still fit single precision.


def triangular_factor(A: Floats, dtype: type, threads: int = 1) -> Array:
    """The upper triangular M with M'M = A'A."""
    n = A.shape[1]
    M: Array = np.zeros((n, n), dtype=dtype)
    _native.triangle_of(np.ascontiguousarray(A), M, threads)
    return M


def by_reflections(M: Array, D: Floats, threads: int = 1) -> Solver | None:
    """Solve (D + M'M) d = q for a triangular M, in its precision; None without a factor."""
    dtype = M.dtype
    T = M.copy()
    _native.join_diagonal(np.sqrt(np.minimum(D, _MAX_CURVATURE)).astype(dtype), T, threads)
    if not (np.isfinite(T.diagonal()).all() and T.diagonal().all()):
        return None
    trsv = strsv if dtype == np.float32 else dtrsv
    lower = T.T  # T is stored by rows; BLAS reads columns, and so the lower triangular T'

    def solve(q: Floats) -> Floats:
        half = trsv(lower, q.astype(dtype), lower=1, overwrite_x=1)
        return np.asarray(trsv(lower, half, lower=1, trans=1, overwrite_x=1), dtype=np.float64)

    return solve


def by_rows(M: Floats, D: Floats) -> Solver | None:
    """Solve (D + M'M) d = q for an M of few rows; None when rounding leaves no factor."""
    S = dsyrk(1.0, (M / np.sqrt(D)).T, trans=1, lower=1)
    S.flat[:: len(M) + 1] += 1.0
    L, info = dpotrf(S, lower=1, clean=0, overwrite_a=1)
    if info != 0:
        return None

    def solve(q: Floats) -> Floats:
        scaled = q / D
        half = dtrsv(L, M @ scaled, lower=1, overwrite_x=1)
        return np.asarray(scaled - (M.T @ dtrsv(L, half, lower=1, trans=1, overwrite_x=1)) / D)

    return solve


def preconditioned_cg(
    A: Array,
    D: Floats | float,
    q: Floats,
    precondition: Solver,
    *,
    accuracy: float,
    max_iterations: int,
    min_curvature: float = 0.0,
) -> tuple[Floats, int]:
    """Solve (D + A'A) d = q to an accuracy relative to q; also the number of iterations.

    Products are in the precision of A. A preconditioner that sets coordinates to zero keeps them
    there: the system is then that of the others. A direction of at most ``min_curvature``, relative
    to its squared length, ends the iterations.
    """
    d, r = np.zeros_like(q), q.copy()
    p = z = precondition(r)
    size = float(r @ z)
    target_size = accuracy**2 * size
    for count in range(max_iterations):
        if not size > target_size:
            return d, count
        Ap, Dp = A @ p.astype(A.dtype, copy=False), D * p
        curvature = float(Ap @ Ap + p @ Dp)  # p'(D + A'A)p, without a product A'A
        if curvature <= min_curvature * float(p @ p):
            return d, count
        step = size / curvature
        d += step * p
        r -= step * (A.T @ Ap + Dp)
        z = precondition(r)
        size, before = float(r @ z), size
        p = z + (size / before) * p
    return d, max_iterations
