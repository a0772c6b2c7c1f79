"""Sums over a Gram matrix from which separability and alignment follow, in one pass over its rows.

    between[c, e] = sum_{i in c, j in e} w_i w_j k_ij     trace  = sum_i w_i k_ii
    squares       = sum_ij w_i w_j k_ij^2                 rows_i = sum_j w_j k_ij

A constant is subtracted from every entry first. Centred measures do not depend on it, and for a
wide kernel (all entries close to 1) the subtraction keeps the digits of the differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Array, Floats, as_matrix
from parzen.feature_space.labels import Classes
from parzen.kernels import Kernel, get

_ARRAYS_ALIVE = 4  # Arrays of a block's size that exist at the same time.


class GramMoments(NamedTuple):
    """Weighted sums over the Gram matrix of a sample with classes."""

    between: Floats
    trace: float
    squares: float
    rows: Floats
    weights: Floats
    sizes: Floats
    shift: float

    @property
    def size(self) -> float:
        """m: the total frequency."""
        return float(self.sizes.sum())


def gram_moments(
    data: ArrayLike,
    classes: Classes,
    *,
    kernel: str | Kernel,
    bandwidth: float,
    shifted: bool = True,
) -> GramMoments:
    """Moments of a Gram matrix (``kernel="precomputed"``) or of the kernel on rows of data."""
    X = np.asarray(data)
    diagonal, blocks = gram_blocks(X, kernel, bandwidth)
    shift = float(diagonal[0]) if shifted else 0.0
    one_hot, w = classes.one_hot, classes.weights
    row_sums = np.empty((len(X), one_hot.shape[1]))
    squares = 0.0
    for batch, block in blocks:
        values = np.asarray(block, dtype=np.float64) - shift
        row_sums[batch] = values @ one_hot
        squares += float(w[batch] @ ((values * values) @ w))
    trace = float(w @ (diagonal - shift))
    rows = row_sums.sum(axis=1)
    between = one_hot.T @ row_sums
    return GramMoments(between, trace, squares, rows, w, classes.sizes, shift)


def gram_blocks(
    X: Array, kernel: str | Kernel, bandwidth: float
) -> tuple[Array, Iterator[tuple[slice, Array]]]:
    """The diagonal of the Gram matrix and its blocks of rows."""
    n = len(X)
    rows = get_chunk_n_rows(row_bytes=_ARRAYS_ALIVE * 8 * n, max_n_rows=n)
    if isinstance(kernel, str) and kernel == "precomputed":
        return np.diagonal(X), ((batch, X[batch]) for batch in gen_batches(n, rows))
    k = get(kernel)
    blocks = ((b, k.similarity(X[b], X, bandwidth=bandwidth)) for b in gen_batches(n, rows))
    return np.asarray(k.diagonal(X, bandwidth=bandwidth)), blocks


def as_gram_or_points(data: ArrayLike, kernel: str | Kernel) -> Any:
    """Check a Gram matrix: square, symmetric, finite. Data are checked by the kernel."""
    X = as_matrix(data, "K" if isinstance(kernel, str) and kernel == "precomputed" else "X")
    if len(X) == 0:
        raise ValueError("there are no rows; at least one is needed.")
    if isinstance(kernel, str) and kernel == "precomputed":
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"K must be a square Gram matrix, got shape {X.shape}; to pass data, name its "
                "kernel: kernel='gaussian', bandwidth=..."
            )
        scale = float(np.abs(X).max())
        if not np.allclose(X, X.T, rtol=0.0, atol=1e-6 * scale):
            raise ValueError("K must be symmetric; pass the Gram matrix of one sample.")
    return X
