"""A wide base kernel is nearly of low rank: K_0 = L'L + diag(rest) + an off-diagonal error.

Columns are chosen at random in proportion to what is still missing of the diagonal, a block at a
time, and orthogonalised by a pivoted Cholesky factor (Chen, Epperly, Tropp & Webber, 2025).
K_0 - L'L is positive semi-definite, so its entry i, j is at most sqrt(rest_i rest_j). With
the factor a product with K_0 costs O(n r).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from parzen import _native
from parzen._core import Array, Floats, Ints
from parzen.kernels import Kernel

_MIN_ROWS = 1000  # Rows from which a factor saves enough time to be worth its error.
_MIN_ROWS_PER_COLUMN = 5  # A factor has at most one column for so many rows.
_MAX_COLUMNS = 512  # Columns of a factor.
# The residual is the mean of what the factor misses of the diagonal, relative to the diagonal.
_MAX_EARLY_RESIDUAL = 1e-3  # Residual after a quarter of the columns; above it the attempt ends.
_MAX_RESIDUAL = 1e-6  # Residual of a factor that is accepted.
_SMALL_STEP_RESIDUAL = 1e-5  # Residual from which on columns are added in small steps.
_PIVOT_TOLERANCE = 1e-13  # Share of the largest diagonal entry below which a pivot is rounding.


class LowRank(NamedTuple):
    """The rows of L, one per chosen point, and the rest of the diagonal."""

    factor: Floats
    rest: Floats

    def products(self, u: Floats, blocks: Sequence[slice]) -> tuple[Floats, Floats]:
        """K_0 u, first with K_0 restricted to its diagonal blocks, then with all of K_0."""
        L = [self.factor[:, block] for block in blocks]
        low = [few_transposed_products(u[None, b], part) for b, part in zip(blocks, L, strict=True)]
        total = np.sum(low, axis=0)
        values = [few_products(np.vstack([c, total]), part) for c, part in zip(low, L, strict=True)]
        own, whole = np.hstack(values) + self.rest * u
        return own, whole


def low_rank(X: Floats, kernel: Kernel, bandwidth: float) -> LowRank | None:
    """A factor of the Gram matrix of X, or None where the sample is small or the kernel narrow.

    The choice is random with a fixed seed: the same rows give the same factor.
    """
    n, limit = len(X), min(len(X) // _MIN_ROWS_PER_COLUMN, _MAX_COLUMNS)
    if n < _MIN_ROWS or not kernel.is_mercer(X.shape[1]):
        return None
    diagonal = np.asarray(kernel.diagonal(X, bandwidth=bandwidth), dtype=np.float64)
    rest, scale = diagonal.copy(), float(diagonal.mean())
    rng = np.random.default_rng(0)
    L, rank = np.empty((limit, n)), 0
    while rank < limit and rest.mean() > _MAX_RESIDUAL * scale:
        step = (
            limit // 16
            if rest.mean() <= _SMALL_STEP_RESIDUAL * scale
            else max(limit // 8, rank // 4)
        )
        size = min(max(step, 1), limit - rank, int(np.count_nonzero(rest)))
        chosen = rng.choice(n, size, replace=False, p=rest / rest.sum())
        new = np.asarray(kernel.similarity(X[chosen], X, bandwidth=bandwidth), dtype=np.float64)
        new -= L[:rank, chosen].T @ L[:rank]
        new = _orthogonalised(new, chosen, _PIVOT_TOLERANCE * float(diagonal.max()))
        L[rank : rank + len(new)] = new
        rest = np.maximum(rest - np.einsum("ij,ij->j", new, new), 0.0)
        rank += len(new)
        if len(new) < size:
            break
        if rank >= limit // 4 and rest.mean() > _MAX_EARLY_RESIDUAL * scale:
            return None
    return LowRank(L[:rank], rest) if rest.mean() <= _MAX_RESIDUAL * scale else None


def few_products(vectors: Floats, matrix: Array) -> Floats:
    """Products ``vectors @ matrix`` with one or two vectors, each a row.

    Their time is that of reading the matrix. Where half the digits of its entries are enough it may
    be in single precision, which is read in half the time; sums are in double precision.
    """
    out = np.empty((len(vectors), matrix.shape[1]))
    _native.few_products(vectors, matrix, out)
    return out


def few_transposed_products(vectors: Floats, matrix: Array) -> Floats:
    """Products ``vectors @ matrix.T``, in the same way."""
    out = np.empty((len(vectors), len(matrix)))
    _native.few_transposed_products(vectors, matrix, out)
    return out


def _orthogonalised(rows: Floats, chosen: Ints, tol: float) -> Floats:
    """C^-1 of the rows, C C' being their part at the chosen points, by pivots above ``tol``."""
    C, pivots, rank, _ = lapack.dpstrf(rows[:, chosen], tol=tol, lower=1)
    kept = rows[pivots[:rank] - 1]
    # Row-major rows are the columns of their transpose, which is solved from the right in place.
    solved = blas.dtrsm(1.0, C[:rank, :rank], kept.T, side=1, lower=1, trans_a=1, overwrite_b=1)
    return np.asarray(solved.T)
