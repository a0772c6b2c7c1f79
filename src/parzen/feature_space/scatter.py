"""The two quadratic forms whose ratio is the separability of a conformal kernel.

    J(alpha) = alpha' M_0 alpha / alpha' N_0 alpha,   M_0 = K_1' B_0 K_1,  N_0 = K_1' W_0 K_1

Xiong, Swamy & Ahmad (2005), Theorems 1 and 2, with B_0 and W_0 of the base kernel for any number
of classes. As matrices they cost O(n^2 p) once, and a product O(p^2). The Gram matrix is formed in
blocks of rows, each pair of blocks once, and never stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Floats
from parzen.feature_space.labels import Classes
from parzen.kernels import Kernel

ROUNDING = 64.0 * float(np.finfo(np.float64).eps)  # Rounding of a form, in units of its power.
_ARRAYS_ALIVE = 3  # Arrays of a block's size that exist at the same time.
_MAX_BLOCK_ROWS = 256  # Rows of a block; small ones skip nearly half of a symmetric matrix.


class ScatterForms(NamedTuple):
    """M_0 (between the classes), N_0 (within them), and the scale of their rounding errors."""

    between: Floats
    within: Floats
    power: Floats  # diagonal of K_1' diag(k_ii) K_1

    @property
    def negligible_share(self) -> float:
        """Share of a vector that may be neglected to save a product: rounding, as it is cheap."""
        return 1e-12

    def products(self, alpha: Floats) -> Floats:
        """M_0 alpha and N_0 alpha, one a row."""
        return np.array([self.between @ alpha, self.within @ alpha])

    def scatters(self, alpha: Floats) -> tuple[float, float]:
        """J_1 and J_2 of eqs. (8) and (9), exactly 0 where they are below rounding."""
        values = (float(alpha @ form @ alpha) for form in (self.between, self.within))
        between, within = (0.0 if self.is_rounding(value, alpha) else value for value in values)
        return between, within

    def is_rounding(self, value: float, alpha: Floats) -> bool:
        """Whether the value of a form at alpha is no more than rounding."""
        return value <= ROUNDING * float(alpha**2 @ self.power)


def scatter_forms(
    X: Floats, K1: Floats, classes: Classes, *, kernel: Kernel, bandwidth: float
) -> ScatterForms:
    """M_0 and N_0 of the rows of X, where K1 has the columns of eq. (5)."""
    order = np.argsort(classes.codes, kind="stable")
    X, K1, classes = X[order], K1[order], classes.take(order)
    w = classes.weights
    V = K1 * w[:, None]
    inner = np.zeros((K1.shape[1], K1.shape[1]))
    total = np.zeros_like(inner)
    for size, rows in zip(classes.sizes, classes.blocks(), strict=True):
        if rows.start < rows.stop:
            own, rest = _half_products(X, V, rows.start, rows.stop, kernel, bandwidth)
            inner += own / size
            total += own + rest
    inner, total = inner + inner.T, total + total.T
    power = w * kernel.diagonal(X, bandwidth=bandwidth)
    root = np.sqrt(power)[:, None] * K1
    return ScatterForms(inner - total / w.sum(), root.T @ root - inner, power @ K1**2)


def _half_products(
    X: Floats, V: Floats, start: int, stop: int, kernel: Kernel, bandwidth: float
) -> tuple[Floats, Floats]:
    """Half of V_c' K_cc V_c for the rows from start to stop, and V_c' K_ce V_e for later ones.

    The other half is the transpose: a block is paired with itself, halved, and with later rows.
    """
    n, p = V.shape
    own, rest = np.empty((stop - start, p)), np.empty((stop - start, p))
    rows = get_chunk_n_rows(row_bytes=_ARRAYS_ALIVE * 8 * (n - start), max_n_rows=_MAX_BLOCK_ROWS)
    for batch in gen_batches(stop - start, rows):
        first, last = start + batch.start, start + batch.stop
        values = kernel.similarity(X[first:last], X[first:], bandwidth=bandwidth)
        block = np.array(values, dtype=np.float64)
        block[:, : last - first] *= 0.5
        own[batch] = block[:, : stop - first] @ V[first:stop]
        rest[batch] = block[:, stop - first :] @ V[stop:]
    return V[start:stop].T @ own, V[start:stop].T @ rest
