"""Density kernels, and their convolution with themselves as a kernel of its own.

A density k_s says in units of its bandwidth how two copies of it overlap,

    (k*k)_s(r) = k_s(0) / exp(log_overlap_ratio(d)) * exp(log_overlap_shape(r^2/s^2, d)),

where the ratio k(0)/(k*k)(0) is the largest eta of Kim & Scott's L2 kernel classifier. R(k), the
integral of k^2, is (k*k)(0); with the variance of a coordinate it gives the canonical bandwidth.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen.kernels._base import Kernel, Rng, check_n_features
from parzen.kernels._pairs import FloatArray


class DensityKernel(Kernel):
    """A kernel that integrates to one and knows its self-convolution."""

    is_density: ClassVar[bool] = True

    @abstractmethod
    def log_peak(self, n_features: int) -> float:
        """Log of the density at distance 0 and bandwidth 1."""

    @abstractmethod
    def log_overlap_ratio(self, n_features: int) -> float:
        """Log of k(0) / (k*k)(0)."""

    @abstractmethod
    def log_overlap_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        """Log of (k*k)(r) / (k*k)(0), at pairs in units of the bandwidth."""

    @abstractmethod
    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        """Draw ``n_samples`` points from the density around 0 with bandwidth 1."""

    def convolved(self, n_features: int) -> Kernel:
        """Return the convolution k_s * k_s as a kernel of its own, still in terms of s."""
        return SelfConvolution(self)


@dataclass(frozen=True)
class SelfConvolution(Kernel):
    """The convolution of a density kernel with itself; its bandwidth is that kernel's.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> overlap = get("uniform").convolved(1)
    >>> overlap([[0.0]], [[0.0], [1.0], [2.0]]).round(3)
    array([[0.5 , 0.25, 0.  ]])
    """

    kernel: DensityKernel
    name: ClassVar[str] = "self_convolution"
    is_density: ClassVar[bool] = True

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return self.kernel.log_overlap_shape(scaled, n_features)

    def log_peak(self, n_features: int) -> float:
        return self.kernel.log_peak(n_features) - self.kernel.log_overlap_ratio(n_features)

    def is_mercer(self, n_features: int) -> bool:
        """Always: the spectrum of k * k is a square."""
        return True

    def support_radius(self, bandwidth: float) -> float:
        return 2.0 * self.kernel.support_radius(bandwidth)

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        first = self.kernel.sample(n_samples, n_features, rng)
        return first + self.kernel.sample(n_samples, n_features, rng)

    def bandwidth_factor(self, n_features: int) -> float:
        """Match the variance: the convolution doubles it."""
        return self.kernel.bandwidth_factor(n_features) / float(np.sqrt(2.0))

    def convolved(self, n_features: int) -> Kernel:
        raise ValueError(f"{self!r} has no self-convolution; convolve {self.kernel!r} once only")


def canonical_bandwidth(log_roughness: float, second_moment: float, n_features: int) -> float:
    """Return (R(k) / mu_2(k)^2)^(1/(d+4)), by which AMISE-optimal bandwidths are proportional."""
    d = check_n_features(n_features)
    return float(np.exp((log_roughness - 2.0 * np.log(second_moment)) / (d + 4)))
