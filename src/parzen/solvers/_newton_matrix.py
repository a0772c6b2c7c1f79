"""The matrix D + A'A of a Newton step, solved without ever being formed.

Conjugate gradients with A itself, preconditioned by D + M'M, where M stands for A. A triangular M,
the factor of A = QM, is joined with the root of D by Householder's reflections, which square
nothing:

    D + M'M = T'T,     [M; D^1/2] = QT

A compressed M, of few rows, goes through S = I + M D^-1 M', of as few rows, whose eigenvalues are
all at least 1: (D + M'M)^-1 q = q/D - D^-1 M' S^-1 M D^-1 q.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs, get_lapack_funcs
from scipy.linalg.blas import dsyrk, dtrsv
from scipy.linalg.lapack import dpotrf

from parzen._threads import few_blas_threads

Floats = NDArray[np.float64]
Solver = Callable[[Floats], Floats]

_BLOCK = 32  # columns that LAPACK works on at a time
_IMMENSE = 1e30  # as good as infinite, and its root a number in single precision
_SMALL_BLOCK = 16  # and where it joins two triangles


def triangular_factor(A: Floats, dtype: type) -> NDArray[Any]:
    """The square M with M'M = A'A, of which nothing below the diagonal is meant."""
    m, n = A.shape
    M = np.zeros((max(m, n), n), dtype=dtype, order="F")
    M[:m] = A
    (geqrf,) = get_lapack_funcs(("geqrf",), (M,))
    return np.asfortranarray(geqrf(M, lwork=_BLOCK * n, overwrite_a=1)[0][:n])


def by_reflections(M: NDArray[Any], D: Floats) -> Solver | None:
    """Solve (D + M'M) d = q for a triangular M, in its precision; None without a factor."""
    n, dtype = len(M), M.dtype
    (tpqrt,), (trsv,) = get_lapack_funcs(("tpqrt",), (M,)), get_blas_funcs(("trsv",), (M,))
    root = np.zeros((n, n), dtype=dtype, order="F")
    root.flat[:: n + 1] = np.sqrt(np.minimum(D, _IMMENSE))
    with few_blas_threads(0):  # many small products, which more threads slow down
        T, _, _, info = tpqrt(n, min(_SMALL_BLOCK, n), M, root, overwrite_b=1)
    if info != 0 or not T.diagonal().all():
        return None

    def solve(q: Floats) -> Floats:
        half = trsv(T, q.astype(dtype), trans=1, overwrite_x=1)
        return np.asarray(trsv(T, half, overwrite_x=1), dtype=np.float64)

    return solve


def by_product(M: NDArray[Any], D: Floats) -> Solver | None:
    """Solve (D + M'M) d = q for a triangular M, faster and less exactly; None without a factor.

    It goes through I + M D^-1 M', as for few rows, with rounding errors of |M|^2 / min D.
    """
    n, dtype = len(M), M.dtype
    lauum, potrf = get_lapack_funcs(("lauum", "potrf"), (M,))
    trmv, trsv = get_blas_funcs(("trmv", "trsv"), (M,))
    S, _ = lauum(M / np.sqrt(D).astype(dtype), lower=0, overwrite_c=1)
    S.flat[:: n + 1] += 1.0
    U, info = potrf(S, lower=0, clean=0, overwrite_a=1)
    if info != 0:
        return None

    def solve(q: Floats) -> Floats:
        half = trsv(U, trmv(M, (q / D).astype(dtype), overwrite_x=1), trans=1, overwrite_x=1)
        return np.asarray((q - trmv(M, trsv(U, half, overwrite_x=1), trans=1, overwrite_x=1)) / D)

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


def conjugate_gradients(
    A: NDArray[Any], D: Floats, q: Floats, precondition: Solver, *, accuracy: float, most: int
) -> tuple[Floats, int]:
    """Solve (D + A'A) d = q to an accuracy relative to q; also the number of iterations.

    Products are in the precision of A.
    """
    d, r = np.zeros_like(q), q.copy()
    p = z = precondition(r)
    size = float(r @ z)
    enough = accuracy**2 * size
    for count in range(most):
        if not size > enough:
            return d, count
        Ap, Dp = A @ p.astype(A.dtype, copy=False), D * p
        step = size / float(Ap @ Ap + p @ Dp)
        d += step * p
        r -= step * (A.T @ Ap + Dp)
        z = precondition(r)
        size, before = float(r @ z), size
        p = z + (size / before) * p
    return d, most
