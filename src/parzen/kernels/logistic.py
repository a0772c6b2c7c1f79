"""The logistic density, proportional to 1 / (e^(r/s) + 2 + e^(-r/s)).

    k_s(0) = 1 / (4 Gamma(d) eta(d-1) A_d s^d)

with A_d the area of the unit sphere and Dirichlet's eta(x) = 1 - 2^-x + 3^-x - ... The profile,
1 / cosh^2(r/2s), is the product of the factors (1 + r^2 / ((2k-1) pi s)^2)^-2 over k >= 1. Each of
them is a mixture of Gaussians, so the density is one too, and a Mercer kernel in every dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, zeta

from parzen.kernels.density import DensityKernel
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register
from parzen.kernels.sphere import log_sphere_area


@register
@dataclass(frozen=True)
class Logistic(DensityKernel):
    """The density proportional to 1 / (e^(r/s) + 2 + e^(-r/s)).

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("logistic")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.25  , 0.235 , 0.1491]])
    """

    name: ClassVar[str] = "logistic"
    native_name: ClassVar[str | None] = "logistic"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        u = np.sqrt(scaled)
        return -u - 2.0 * np.log1p(0.5 * np.expm1(-u))

    def log_peak(self, n_features: int) -> float:
        d = n_features
        return float(-np.log(4.0 * _eta(d - 1.0)) - gammaln(d) - log_sphere_area(d))

    def is_mercer(self, n_features: int) -> bool:
        return True


def _eta(x: float) -> float:
    """Return Dirichlet's eta function at 0, 1, 2, ..."""
    if x < 2.0:
        return 0.5 if x == 0.0 else float(np.log(2.0))
    return float((1.0 - 2.0 ** (1.0 - x)) * zeta(x))
