"""The two quadratic forms whose ratio is the separability of a conformal kernel.

    J(alpha) = alpha' M_0 alpha / alpha' N_0 alpha,   M_0 = K_1' B_0 K_1,  N_0 = K_1' W_0 K_1

Xiong, Swamy & Ahmad (2005), Theorems 1 and 2, with B_0 and W_0 of the base kernel for any number
of classes. They cost O(n^2 p) once; every step of an optimiser then costs O(p^2). The Gram matrix
is formed in blocks of rows, each pair of classes once, and never stored.
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
    X: Floats, K1: Floats, classes: Classes, *, kernel: Kernel, bandwidth: float
) -> ScatterForms:
    """M_0 and N_0 of the rows of X, where K1 has the columns of eq. (5)."""
    order = np.argsort(classes.codes, kind="stable")
    X, K1, w = X[order], K1[order], classes.weights[order]
    V = K1 * w[:, None]
    power = w * kernel.diagonal(X, bandwidth=bandwidth)
    ends = np.cumsum(np.bincount(classes.codes, minlength=len(classes.names)))
    inner = np.zeros((K1.shape[1], K1.shape[1]))
    total = np.zeros_like(inner)
    for c, (start, stop) in enumerate(zip([0, *ends[:-1]], ends)):
        if start == stop:
            continue
        own, rest = _class_products(X, V, slice(start, stop), kernel, bandwidth)
        inner += own / classes.sizes[c]
        total += own + rest + rest.T
    within = (np.sqrt(power)[:, None] * K1).T @ (np.sqrt(power)[:, None] * K1) - inner
    return ScatterForms(inner - total / w.sum(), within, power @ K1**2)


def _class_products(
    X: Floats, V: Floats, rows: slice, kernel: Kernel, bandwidth: float
) -> tuple[Floats, Floats]:
    """V_c' K_cc V_c, and V_c' K_ce V_e summed over the later classes e."""
    n_own = rows.stop - rows.start
    points, values = X[rows.start :], V[rows.start :]
    own = np.zeros((V.shape[1], V.shape[1]))
    rest = np.zeros_like(own)
    size = get_chunk_n_rows(row_bytes=_COPIES * 8 * len(points), max_n_rows=n_own)
    for batch in gen_batches(n_own, size):
        block = kernel.similarity(points[batch], points, bandwidth=bandwidth)
        block = np.asarray(block, dtype=np.float64)
        left = values[batch].T
        own += left @ (block[:, :n_own] @ values[:n_own])
        rest += left @ (block[:, n_own:] @ values[n_own:])
    return own, rest
