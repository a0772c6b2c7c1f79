"""Stable kernels: the convolution with itself is the same kernel at another bandwidth.

    k_s * k_t = k_(s (+) t),   s (+) t = sqrt(s^2 + t^2) for gaussian, s + t for cauchy.

So the self-convolution is the kernel itself with its bandwidth multiplied by 1 (+) 1, and two
different bandwidths cost nothing extra.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen.kernels.base import Bandwidth, Kernel, Rng, check_bandwidth
from parzen.kernels.density import DensityKernel
from parzen.kernels.pairs import FloatArray


class StableKernel(DensityKernel):
    """A density whose convolutions are of its own family."""

    @abstractmethod
    def join_bandwidths(self, s: Bandwidth, t: Bandwidth) -> Bandwidth:
        """Return the bandwidth of k_s * k_t."""

    def support_radius(self, bandwidth: float) -> float:
        """Return infinity: a bounded density is not stable."""
        check_bandwidth(bandwidth)
        return float("inf")

    def convolved(self, n_features: int) -> Kernel:
        """Return the convolution k_s * k_s: this kernel at a multiple of s."""
        return Rescaled(self, float(self.join_bandwidths(1.0, 1.0)))

    def _log_convolution(
        self, X: ArrayLike, Y: ArrayLike, s: Bandwidth, t: Bandwidth | None
    ) -> FloatArray:
        return self.log(X, Y, bandwidth=self.join_bandwidths(s, s if t is None else t))


@dataclass(frozen=True)
class Rescaled(Kernel):
    """A stable kernel whose bandwidth is multiplied by ``factor`` before use.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("cauchy").convolved(3)
    Rescaled(kernel=Cauchy(), factor=2.0)
    """

    kernel: StableKernel
    factor: float
    name: ClassVar[str] = "rescaled"
    is_density: ClassVar[bool] = True

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return self.kernel.log_shape(scaled / self.factor**2, n_features)

    def log_peak(self, n_features: int) -> float:
        return self.kernel.log_peak(n_features) - n_features * float(np.log(self.factor))

    def is_mercer(self, n_features: int) -> bool:
        return self.kernel.is_mercer(n_features)

    def half_width(self, n_features: int) -> float:
        return self.factor * self.kernel.half_width(n_features)

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        return self.factor * self.kernel.sample(n_samples, n_features, rng)

    def bandwidth_factor(self, n_features: int) -> float:
        return self.kernel.bandwidth_factor(n_features) / self.factor

    def convolved(self, n_features: int) -> Kernel:
        joined = float(self.kernel.join_bandwidths(self.factor, self.factor))
        return Rescaled(self.kernel, joined)

    def _log_convolution(
        self, X: ArrayLike, Y: ArrayLike, s: Bandwidth, t: Bandwidth | None
    ) -> FloatArray:
        t = None if t is None else t * self.factor
        return self.kernel.log_self_convolution(X, Y, bandwidth=s * self.factor, other_bandwidth=t)
