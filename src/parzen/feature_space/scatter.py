"""The two quadratic forms whose ratio is the separability of a conformal kernel.

    J(alpha) = alpha' M_0 alpha / alpha' N_0 alpha,   M_0 = K_1' B_0 K_1,  N_0 = K_1' W_0 K_1

Xiong, Swamy & Ahmad (2005), Theorems 1 and 2, with B_0 and W_0 of the base kernel for any number
of classes. As matrices they cost O(n^2 p) once, and a product O(p^2). The Gram matrix is formed in
blocks of rows, each pair of blocks once, and never stored.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Floats
from parzen.feature_space.labels import Classes
from parzen.kernels import Kernel

ROUNDING = 64.0 * float(np.finfo(np.float64).eps)  # Rounding of a form, in units of its power.
_ARRAYS_ALIVE = 3  # Arrays of a block's size that exist at the same time.
_MAX_BLOCK_ROWS = 256  # Rows of a block; small ones skip nearly half of a symmetric matrix.


class Scatter(Protocol):
    """The two forms, as far as an ascent uses them."""

    @property
    def negligible_share(self) -> float:
        """Share of a vector that may be neglected to save a product with the forms."""

    def products(self, alpha: Floats) -> Floats:
        """M_0 alpha and N_0 alpha, one a row."""

    def is_rounding(self, value: float, alpha: Floats) -> bool:
        """Whether the value of a form at alpha, of unit norm, is no more than rounding."""


class ScatterForms(NamedTuple):
    """M_0 (between the classes), N_0 (within them), and the scale of their rounding errors."""

    between: Floats
    within: Floats
    power: Floats  # diagonal of K_1' diag(k_ii) K_1

    @property
    def negligible_share(self) -> float:
        """Rounding: a product is cheap."""
        return 1e-12

    def products(self, alpha: Floats) -> Floats:
        """M_0 alpha and N_0 alpha, one a row."""
        return np.array([self.between @ alpha, self.within @ alpha])

    def separability(self, alpha: Floats) -> float:
        """J(alpha): 0 without scatter between, infinity without scatter within the classes."""
        between, within = self.scatters(alpha)
        if between <= 0.0:
            return 0.0
        return float("inf") if within <= 0.0 else between / within

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
    X, K1, w = X[order], K1[order], classes.weights[order]
    gram = _BlockedGram(X, K1 * w[:, None], kernel, bandwidth)
    inner = np.zeros((K1.shape[1], K1.shape[1]))
    total = np.zeros_like(inner)
    ends = np.cumsum(np.bincount(classes.codes, minlength=len(classes.names)))
    for size, start, stop in zip(classes.sizes, [0, *ends[:-1]], ends):
        if start < stop:
            own, rest = gram.half_products(start, stop)
            inner += own / size
            total += own + rest
    inner, total = inner + inner.T, total + total.T
    power = w * kernel.diagonal(X, bandwidth=bandwidth)
    root = np.sqrt(power)[:, None] * K1
    return ScatterForms(inner - total / w.sum(), root.T @ root - inner, power @ K1**2)


class _BlockedGram(NamedTuple):
    """K_0 in blocks that are multiplied from both sides by V."""

    X: Floats
    V: Floats
    kernel: Kernel
    bandwidth: float

    def half_products(self, start: int, stop: int) -> tuple[Floats, Floats]:
        """Half of V_c' K_cc V_c for the rows from start to stop, and V_c' K_ce V_e for later ones.

        The other half is the transpose: a block is paired with itself and with later rows only.
        """
        n, p = self.V.shape
        own, rest = np.empty((stop - start, p)), np.empty((stop - start, p))
        rows = get_chunk_n_rows(
            row_bytes=_ARRAYS_ALIVE * 8 * (n - start), max_n_rows=_MAX_BLOCK_ROWS
        )
        for batch in gen_batches(stop - start, rows):
            first, last = start + batch.start, start + batch.stop
            block = self.block(first, last)
            own[batch] = block[:, : stop - first] @ self.V[first:stop]
            rest[batch] = block[:, stop - first :] @ self.V[stop:]
        left = self.V[start:stop].T
        return left @ own, left @ rest

    def block(self, first: int, last: int) -> Floats:
        """Rows first to last against themselves, halved, and against all later rows."""
        values = np.array(
            self.kernel.similarity(self.X[first:last], self.X[first:], bandwidth=self.bandwidth),
            dtype=np.float64,
        )
        values[:, : last - first] *= 0.5
        return values
