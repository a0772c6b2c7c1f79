"""The two quadratic forms whose ratio is the separability of a conformal kernel.

    J(alpha) = alpha' M_0 alpha / alpha' N_0 alpha,   M_0 = K_1' B_0 K_1,  N_0 = K_1' W_0 K_1

Xiong, Swamy & Ahmad (2005), Theorems 1 and 2, with B_0 and W_0 of the base kernel for any number
of classes. They cost O(n^2 p) once; every step of an optimiser then costs O(p^2). The Gram matrix
is formed in blocks of rows, each pair of blocks once, and never stored. In large problems the
products with k_0 (of a wide kernel, k_0 - 1) are taken in single precision: J is then right to
1e-6, not to rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen.feature_space._labels import Classes, Floats
from parzen.kernels import Kernel

_COPIES = 3  # arrays of a block's size that are alive at once
_BLOCK = 256  # rows; small enough to skip nearly half of a symmetric matrix
_SINGLE = 1e8  # multiplications n^2 p from which single precision is worth its error


class ScatterForms(NamedTuple):
    """M_0 (between the classes), N_0 (within them), and the scale of their rounding errors."""

    between: NDArray[np.float64]
    within: NDArray[np.float64]
    power: NDArray[np.float64]  # diagonal of K_1' diag(k_ii) K_1

    def separability(self, alpha: Floats) -> float:
        """J(alpha): 0 without scatter between, infinity without scatter within the classes."""
        between, within = self.scatters(alpha)
        if between <= 0.0:
            return 0.0
        return float("inf") if within <= 0.0 else between / within

    def scatters(self, alpha: Floats) -> tuple[float, float]:
        """J_1 and J_2 of eqs. (8) and (9), exactly 0 where they are below rounding."""
        floor = self.floor(alpha)
        values = (float(alpha @ form @ alpha) for form in (self.between, self.within))
        between, within = (value if value > floor else 0.0 for value in values)
        return between, within

    def floor(self, alpha: Floats) -> float:
        """The size of a quadratic form that rounding alone can cause."""
        return float(64.0 * np.finfo(np.float64).eps * (alpha**2 @ self.power))


def scatter_forms(
    X: Floats,
    K1: Floats,
    classes: Classes,
    *,
    kernel: Kernel,
    bandwidth: float,
    exact: bool = False,
) -> ScatterForms:
    """M_0 and N_0 of the rows of X, where K1 has the columns of eq. (5).

    ``exact`` refuses single precision, which costs N_0 its smallest eigenvalues.
    """
    order = np.argsort(classes.codes, kind="stable")
    X, K1, w = X[order], K1[order], classes.weights[order]
    V = K1 * w[:, None]
    ends = np.cumsum(np.bincount(classes.codes, minlength=len(classes.names)))
    large = len(X) ** 2 * K1.shape[1] > _SINGLE
    single = large and not exact and kernel.measure != "inner"
    # A wide kernel is 1 less something small; the ones are summed apart, in full precision.
    wide = single and kernel.similarity(X[:1], X, bandwidth=bandwidth).mean() > 0.5
    gram = _Gram(X, V.astype(np.float32) if single else V, kernel, bandwidth, float(wide))
    inner = np.zeros((K1.shape[1], K1.shape[1]))
    total = np.zeros_like(inner)
    for size, start, stop in zip(classes.sizes, [0, *ends[:-1]], ends):
        if start < stop:
            own, rest = gram.half_products(start, stop)
            sums, later = V[start:stop].sum(axis=0), V[stop:].sum(axis=0)
            own += np.outer(sums, 0.5 * gram.shift * sums)
            inner += own / size
            total += own + rest + np.outer(sums, gram.shift * later)
    inner, total = inner + inner.T, total + total.T
    power = w * kernel.diagonal(X, bandwidth=bandwidth)
    root = np.sqrt(power)[:, None] * K1
    return ScatterForms(inner - total / w.sum(), root.T @ root - inner, power @ K1**2)


class _Gram(NamedTuple):
    """K_0 less a constant, in blocks that are multiplied from both sides by V."""

    X: Floats
    V: Floats
    kernel: Kernel
    bandwidth: float
    shift: float

    def half_products(self, start: int, stop: int) -> tuple[Floats, Floats]:
        """Half of V_c' K_cc V_c for the rows from start to stop, and V_c' K_ce V_e for later ones.

        The other half is the transpose: every block meets itself and the rows after it only.
        """
        own = np.zeros((self.V.shape[1], self.V.shape[1]))
        rest = np.zeros_like(own)
        row_bytes = _COPIES * 8 * (len(self.X) - start)
        rows = get_chunk_n_rows(row_bytes=row_bytes, max_n_rows=_BLOCK)
        for batch in gen_batches(stop - start, rows):
            first, last = start + batch.start, start + batch.stop
            block = self.block(first, last)
            left, middle = self.V[first:last].T, stop - first
            own += left @ (block[:, :middle] @ self.V[first:stop])
            if stop < len(self.X):
                rest += left @ (block[:, middle:] @ self.V[stop:])
        return own, rest

    def block(self, first: int, last: int) -> Floats:
        """Rows first to last against themselves, halved, and against all later rows."""
        values = np.array(
            self.kernel.similarity(self.X[first:last], self.X[first:], bandwidth=self.bandwidth),
            dtype=np.float64,
        )
        values -= self.shift
        values[:, : last - first] *= 0.5
        return values.astype(self.V.dtype, copy=False)
