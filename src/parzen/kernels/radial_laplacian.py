"""The radial Laplacian kernel, k_s(r) proportional to exp(-r/s), normalised in d dimensions.

    k_s(0) = Gamma(d/2) / (2 pi^(d/2) Gamma(d) s^d)

Its spectrum is (1 + s^2 w^2)^(-(d+1)/2), so its convolution with itself has the spectrum
(1 + s^2 w^2)^(-(d+1)), which is the Matern profile with nu = d/2 + 1 in r/s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from parzen.kernels.base import Rng
from parzen.kernels.density import DensityKernel
from parzen.kernels.matern import log_matern
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register
from parzen.kernels.sphere import unit_vectors

# Distance, in bandwidths, at which the kernel has fallen to half of its peak.
_HALF_WIDTH = float(np.log(2.0))


@register
@dataclass(frozen=True)
class RadialLaplacian(DensityKernel):
    """The density proportional to exp(-r/s).

    Examples
    --------
    >>> from parzen.kernels import RadialLaplacian
    >>> RadialLaplacian()([[0.0, 0.0]], [[0.0, 0.0], [3.0, 4.0]]).round(5)
    array([[0.15915, 0.00107]])
    """

    name: ClassVar[str] = "radial_laplacian"
    native_name: ClassVar[str | None] = "radial_laplacian"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return -np.sqrt(scaled)

    def log_peak(self, n_features: int) -> float:
        d = n_features
        return float(gammaln(0.5 * d) - gammaln(d) - np.log(2.0) - 0.5 * d * np.log(np.pi))

    def log_overlap_ratio(self, n_features: int) -> float:
        return n_features * float(np.log(2.0))

    def log_overlap_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return log_matern(np.sqrt(scaled), 0.5 * n_features + 1.0)

    def half_width(self, n_features: int) -> float:
        return _HALF_WIDTH

    def is_mercer(self, n_features: int) -> bool:
        return True

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        radius = rng.standard_gamma(n_features, size=(n_samples, 1))
        return radius * unit_vectors(n_samples, n_features, rng)
