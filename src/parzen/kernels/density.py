"""Density kernels, and their convolution with themselves as a kernel of its own.

A density k_s says in units of its bandwidth how two copies of it overlap,

    (k*k)_s(r) = k_s(0) / exp(log_overlap_ratio(d)) * exp(log_overlap_shape(r^2/s^2, d)),

where the ratio k(0)/(k*k)(0) is the largest eta of Kim & Scott's L2 kernel classifier. R(k), the
integral of k^2, is (k*k)(0); with the variance of a coordinate it gives the canonical bandwidth.

Everything that a radial density does not give in closed form is computed from its profile by
quadrature and kept: `parzen.kernels.radial` has the integrals over the distance from the centre,
`parzen.kernels.overlap` those over pairs of densities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen.kernels.base import Bandwidth, Kernel, Rng, check_bandwidth, check_n_features
from parzen.kernels.overlap import OverlapTable
from parzen.kernels.pairs import FloatArray, as_points
from parzen.kernels.quadrature import LogFunction
from parzen.kernels.radial import distances_at, log_moment, support_of
from parzen.kernels.sphere import log_sphere_area, unit_vectors

# Pairs of a kernel and a number of features whose integrals and tables are kept.
_CACHE_SIZE = 256


class DensityKernel(Kernel):
    """A kernel that integrates to one.

    A radial density has to define ``name``, `log_shape` and `is_mercer` only. The other methods
    compute the normaliser, the support, the self-convolution, the variance and samples from the
    profile, with a relative error of at most 1e-8; a closed form overrides them. The profile has to
    be smooth inside its support, except at the centre. The self-convolution takes about a second
    at its first use in each number of dimensions.
    """

    is_density: ClassVar[bool] = True

    def log_peak(self, n_features: int) -> float:
        """Log of the density at distance 0 and bandwidth 1."""
        return -_log_mass(self, n_features, 1.0)

    def log_overlap_ratio(self, n_features: int) -> float:
        """Log of k(0) / (k*k)(0)."""
        return _log_mass(self, n_features, 1.0) - _log_mass(self, n_features, 2.0)

    def log_overlap_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        """Log of (k*k)(r) / (k*k)(0), at pairs in units of the bandwidth."""
        table = _overlap_table(self, n_features, 1.0)
        squared = np.minimum(np.asarray(scaled, dtype=np.float64), _LARGEST_SQUARE)
        shape = table.log(np.sqrt(squared)) - table.log(np.zeros(()))
        return np.asarray(shape, dtype=np.asarray(scaled).dtype)

    def support_radius(self, bandwidth: float) -> float:
        """Return the distance beyond which the kernel is 0, infinity if there is none."""
        check_bandwidth(bandwidth)
        return float(bandwidth) * _support(self)

    def second_moment(self, n_features: int) -> float:
        """Variance of one coordinate at bandwidth 1, infinity for a heavy tail."""
        profile, support = _profile(self, n_features), _support(self)
        with np.errstate(all="ignore"):
            log_sum = log_moment(profile, n_features + 1, support)
            return float(
                np.exp(log_sum - log_moment(profile, n_features - 1, support)) / n_features
            )

    def bandwidth_factor(self, n_features: int) -> float:
        """Return the factor that turns a bandwidth of the Gaussian into one of this kernel.

        It is the ratio of the canonical bandwidths for a density of bounded support. A density with
        tails may have no variance; there it makes the half-widths equal.
        """
        d = check_n_features(n_features)
        if np.isinf(self.support_radius(1.0)):
            return super().bandwidth_factor(d)
        log_roughness = self.log_peak(d) - self.log_overlap_ratio(d)
        gaussian = canonical_bandwidth(-0.5 * d * np.log(4.0 * np.pi), 1.0, d)
        return canonical_bandwidth(log_roughness, self.second_moment(d), d) / gaussian

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        """Draw ``n_samples`` points from the density around 0 with bandwidth 1."""
        shares = rng.uniform(size=(n_samples, 1))
        with np.errstate(all="ignore"):
            radius = distances_at(shares, _profile(self, n_features), n_features, _support(self))
        return radius * unit_vectors(n_samples, n_features, rng)

    def convolved(self, n_features: int) -> Kernel:
        """Return the convolution k_s * k_s as a kernel of its own, still in terms of s."""
        return SelfConvolution(self)

    def _log_convolution(
        self, X: ArrayLike, Y: ArrayLike, s: Bandwidth, t: Bandwidth | None
    ) -> FloatArray:
        if t is None:
            return super()._log_convolution(X, Y, s, t)
        if not (isinstance(s, float) and isinstance(t, float)):
            raise ValueError(
                f"{self.name} takes one number as bandwidth and one as other_bandwidth, got "
                f"{s!r} and {t!r}; call it once for each pair of numbers"
            )
        d = as_points(Y, "Y").shape[1]
        pairs, small, large = self.pairs(X, Y), min(s, t), max(s, t)
        distance = np.sqrt(self._in_bandwidths(pairs, small).astype(np.float64))
        log_overlap = _overlap_table(self, d, large / small).log(distance)
        return np.asarray(2.0 * self.log_peak(d) - d * np.log(large) + log_overlap, pairs.dtype)


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
    """Return (R(k) / mu_2(k)^2)^(1/(d+4)); AMISE-optimal bandwidths are proportional to it."""
    d = check_n_features(n_features)
    return float(np.exp((log_roughness - 2.0 * np.log(second_moment)) / (d + 4)))


# Squared distances are cut off here, because infinity minus infinity is not a number.
_LARGEST_SQUARE = 1e300


def _profile(kernel: DensityKernel, n_features: int) -> LogFunction:
    """Return the log of the kernel as a function of u; refuse a kernel that is not radial."""
    if kernel.measure != "squared":
        raise ValueError(
            f"{kernel.name} is not a function of the Euclidean distance; it has to define "
            "log_peak, log_overlap_ratio, log_overlap_shape and sample"
        )
    profile = partial(kernel.log_shape, n_features=check_n_features(n_features))
    peak = float(profile(np.zeros(1))[0])
    if not abs(peak) < 1e-9:
        raise ValueError(
            f"log_shape of {kernel.name} must be 0 at distance 0, got {peak}; subtract this number"
        )
    return profile


@lru_cache(_CACHE_SIZE)
def _support(kernel: DensityKernel) -> float:
    with np.errstate(all="ignore"):
        return support_of(partial(kernel.log_shape, n_features=1))


@lru_cache(_CACHE_SIZE)
def _log_mass(kernel: DensityKernel, n_features: int, power: float) -> float:
    """Return the log of the integral over space of the profile to a power."""
    profile = _profile(kernel, n_features)
    with np.errstate(all="ignore"):
        log_sum = log_moment(lambda u: power * profile(u), n_features - 1, _support(kernel))
    return log_sphere_area(n_features) + log_sum


@lru_cache(_CACHE_SIZE)
def _overlap_table(kernel: DensityKernel, n_features: int, ratio: float) -> OverlapTable:
    with np.errstate(all="ignore"):
        return OverlapTable(_profile(kernel, n_features), _support(kernel), ratio, n_features)
