"""M_0 and N_0 of a large sample and a wide base kernel as functions of a vector, never as matrices.

    q = K_1 alpha,   M_0 alpha = K_1' B_0 q,   N_0 alpha = K_1' W_0 q

With a low-rank factor of K_0 (see `_low_rank`) a product costs O(n (p + r)), and an ascent needs a
few dozen. J at the end of the ascent is compared with the sum over all pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.feature_space._labels import Classes, Floats
from parzen.feature_space._low_rank import LowRank
from parzen.feature_space._scatter import ROUNDING
from parzen.kernels import Kernel
from parzen.sums import kernel_sums


class ScatterProducts(NamedTuple):
    """What is needed to multiply with the forms."""

    gram: LowRank
    K1: Floats
    classes: Classes
    power: NDArray[np.float64]  # w_i k_ii

    @property
    def outside(self) -> float:
        """A gradient that is wrong by 1e-6 changes J by far less."""
        return 1e-6

    def products(self, alpha: Floats) -> NDArray[np.float64]:
        """M_0 alpha and N_0 alpha, one a row."""
        q, (_, codes, w) = self.K1 @ alpha, self.classes
        place = codes, np.arange(len(q))
        by_class = np.zeros((len(self.classes.names), len(q)))
        by_class[place] = w * q
        sums = self.gram.products(by_class)
        sizes = self.classes.sizes
        inner = w * sums[place] / sizes[codes]
        between = inner - w * sums.sum(axis=0) / sizes.sum()
        within = self.power * q - inner
        return np.array([between @ self.K1, within @ self.K1])

    def is_rounding(self, value: float, alpha: Floats) -> bool:
        """Whether the value of a form at alpha, of unit norm, is no more than rounding."""
        if value > ROUNDING * len(alpha) * float(self.power.sum()):  # K_1 is at most 1
            return False
        return value <= ROUNDING * float((self.K1 @ np.abs(alpha)) ** 2 @ self.power)


def separability_of_factor(
    X: Floats,
    q: Floats,
    classes: Classes,
    *,
    kernel: Kernel,
    bandwidth: float,
    n_jobs: int | None = None,
) -> float:
    """J of the kernel q(x) q(y) k_0(x, y) on the rows, by one pass over all pairs."""
    columns = classes.one_hot * q[:, None]
    sums = kernel_sums(
        X, X, columns, kernel=kernel, bandwidths=bandwidth, scaled=True, n_jobs=n_jobs
    )
    peak = kernel.log_normalizer(bandwidth, X.shape[1])
    products = columns.T @ (sums.mantissa * np.exp(sums.log_scale - peak))[:, :, 0]
    filled = classes.sizes > 0
    inner = float(np.sum(np.diagonal(products)[filled] / classes.sizes[filled]))
    between = inner - float(products.sum() / classes.sizes.sum())
    power = classes.weights * kernel.diagonal(X, bandwidth=bandwidth)
    within = float(power @ q**2) - inner
    return between / within if within > 0.0 else float("inf")
