"""The multivariate Cauchy kernel, a density in any dimension (Kim & Scott, 2010).

    k_s(r) = Gamma((d+1)/2) / (pi^((d+1)/2) s^d) (1 + r^2/s^2)^(-(d+1)/2)

Its convolution with itself is the Cauchy density of bandwidth s + t. It has no variance, so a
rule-of-thumb bandwidth is carried over by matching half-widths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from parzen.kernels.base import Bandwidth, Rng
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register
from parzen.kernels.stable import StableKernel


@register
@dataclass(frozen=True)
class Cauchy(StableKernel):
    """The multivariate Cauchy density.

    Examples
    --------
    >>> from parzen.kernels import Cauchy
    >>> Cauchy()([[0.0]], [[0.0], [1.0]]).round(4)
    array([[0.3183, 0.1592]])
    """

    name: ClassVar[str] = "cauchy"
    native_name: ClassVar[str | None] = "rational"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return -0.5 * (n_features + 1) * np.log1p(scaled)

    def log_peak(self, n_features: int) -> float:
        power = 0.5 * (n_features + 1)
        return float(gammaln(power) - power * np.log(np.pi))

    def join_bandwidths(self, s: Bandwidth, t: Bandwidth) -> Bandwidth:
        return s + t

    def half_width(self, n_features: int) -> float:
        return float(np.sqrt(np.expm1(2.0 * np.log(2.0) / (n_features + 1))))

    def is_mercer(self, n_features: int) -> bool:
        return True

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        # Student's t with one degree of freedom: a normal vector over an independent |normal|.
        normal = rng.standard_normal((n_samples, n_features))
        return normal / np.abs(rng.standard_normal((n_samples, 1)))

    def native_parameters(self, n_features: int) -> tuple[float, ...]:
        return (0.5 * (n_features + 1),)
