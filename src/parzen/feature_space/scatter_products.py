"""M_0 and N_0 of a large sample and a wide base kernel as functions of a vector, never as matrices.

    q = K_1 alpha,   M_0 alpha = K_1' B_0 q,   N_0 alpha = K_1' W_0 q

With a low-rank factor of K_0 (see `low_rank`) a product costs O(n (p + r)), and an ascent needs a
few dozen. Most of the time goes into reading K_1, so it is kept in single precision: that changes
far less than what the factor leaves out. J at the end of the ascent is compared with the sum over
all pairs, in double precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import Floats
from parzen.feature_space.labels import Classes
from parzen.feature_space.low_rank import LowRank, few_products, few_transposed_products
from parzen.feature_space.scatter import ROUNDING, ScatterForms
from parzen.kernels import Kernel
from parzen.sums import kernel_sums


class ScatterProducts(NamedTuple):
    """The factors of the forms; rows are in the order of their classes.

    An ascent uses them as it uses `ScatterForms`.
    """

    gram: LowRank
    K1: NDArray[np.float32]
    classes: Classes
    power: Floats  # w_i k_ii
    size_of_class: Floats  # of every row
    floor: float  # Bound on the rounding of a form at a vector of unit norm.

    @classmethod
    def of(cls, gram: LowRank, K1: Floats, classes: Classes, power: Floats) -> ScatterProducts:
        """Find the classes' rows, which must be in order."""
        floor = ROUNDING * K1.shape[1] * float(power.sum())  # K_1 is at most 1
        sizes = classes.sizes[classes.codes]
        return cls(gram, K1.astype(np.float32), classes, power, sizes, floor)

    @property
    def negligible_share(self) -> float:
        """A gradient that is wrong by 1e-5 changes J by far less than 1e-6."""
        return 1e-5

    def products(self, alpha: Floats) -> Floats:
        """M_0 alpha and N_0 alpha, one a row."""
        q, w = self._factor(alpha), self.classes.weights
        own, everything = self.gram.products(w * q, self.classes.blocks())
        inner = w * own / self.size_of_class
        between = inner - w * everything / w.sum()
        within = self.power * q - inner
        return few_products(np.array([between, within]), self.K1)

    def is_rounding(self, value: float, alpha: Floats) -> bool:
        """Whether the value of a form at alpha, of unit norm, is no more than rounding."""
        if value > self.floor:
            return False
        return value <= ROUNDING * float(self._factor(np.abs(alpha)) ** 2 @ self.power)

    def _factor(self, alpha: Floats) -> Floats:
        """K_1 alpha, the factor q at every row."""
        return few_transposed_products(alpha[None], self.K1).ravel()


Scatter = ScatterForms | ScatterProducts


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
    # In the unit of length in which the kernel has the peak 1, so that plain sums neither overflow
    # nor underflow: they visit every pair once only.
    unit = np.exp(kernel.log_normalizer(bandwidth, X.shape[1]) / X.shape[1])
    points, columns = unit * X.astype(np.float64, copy=False), classes.one_hot * q[:, None]
    sums = kernel_sums(
        points, points, columns, kernel=kernel, bandwidths=unit * bandwidth, n_jobs=n_jobs
    )
    products = columns.T @ np.asarray(sums)[:, :, 0]
    filled = classes.sizes > 0
    inner = float(np.sum(np.diagonal(products)[filled] / classes.sizes[filled]))
    between = inner - float(products.sum() / classes.sizes.sum())
    power = classes.weights * kernel.diagonal(X, bandwidth=bandwidth)
    within = float(power @ q**2) - inner
    return between / within if within > 0.0 else float("inf")
