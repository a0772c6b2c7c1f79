"""Radial densities on the ball of radius s: uniform, triangular and Epanechnikov.

With V_d the volume of the unit ball and t = r/s <= 1,

    uniform        1 / (V_d s^d)
    triangular     (d+1) / (V_d s^d) (1 - t)
    epanechnikov   (d+2) / (2 V_d s^d) (1 - t^2)

The uniform kernel includes its sphere; the other two vanish there.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen.kernels._ball_overlap import log_ball_overlap
from parzen.kernels._base import Native, Rng, check_bandwidth
from parzen.kernels._density import DensityKernel, canonical_bandwidth
from parzen.kernels._directions import log_ball_volume, unit_vectors
from parzen.kernels._lens import log_cone_overlap, log_paraboloid_overlap
from parzen.kernels._overlap_table import log_overlap_by_table
from parzen.kernels._pairs import FloatArray


class CompactKernel(DensityKernel):
    """A radial density that vanishes beyond its bandwidth."""

    @abstractmethod
    def second_moment(self, n_features: int) -> float:
        """Variance of one coordinate at bandwidth 1."""

    @abstractmethod
    def sample_radius(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        """Draw distances from the centre, shape (n_samples, 1)."""

    def support_radius(self, bandwidth: float) -> float:
        check_bandwidth(bandwidth)
        return float(bandwidth)

    def bandwidth_factor(self, n_features: int) -> float:
        """Return the ratio of this kernel's canonical bandwidth to the Gaussian's."""
        d = n_features
        log_roughness = self.log_peak(d) - self.log_overlap_ratio(d)
        gaussian = canonical_bandwidth(-0.5 * d * np.log(4.0 * np.pi), 1.0, d)
        return canonical_bandwidth(log_roughness, self.second_moment(d), d) / gaussian

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        radius = self.sample_radius(n_samples, n_features, rng)
        return radius * unit_vectors(n_samples, n_features, rng)

    def is_mercer(self, n_features: int) -> bool:
        return False

    def native(self, n_features: int) -> Native:
        return self.name, ()


@dataclass(frozen=True)
class Uniform(CompactKernel):
    """The uniform density on a ball.

    Examples
    --------
    >>> from parzen.kernels import Uniform
    >>> Uniform()([[0.0]], [[0.5], [1.5]])
    array([[0.5, 0. ]])
    """

    name: ClassVar[str] = "uniform"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return np.where(scaled > 1.0, -np.inf, 0.0).astype(scaled.dtype)

    def log_peak(self, n_features: int) -> float:
        return -log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return 0.0

    def log_overlap_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        # A lens is (d+1)/2 powers thin at its tip.
        return log_overlap_by_table(scaled, n_features, log_ball_overlap, 0.5 * (n_features + 1))

    def second_moment(self, n_features: int) -> float:
        return 1.0 / (n_features + 2)

    def sample_radius(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        return np.asarray(rng.uniform(size=(n_samples, 1)) ** (1.0 / n_features))


@dataclass(frozen=True)
class Triangular(CompactKernel):
    """The cone density on a ball.

    Examples
    --------
    >>> from parzen.kernels import Triangular
    >>> Triangular()([[0.0]], [[0.0], [0.5], [1.5]])
    array([[1. , 0.5, 0. ]])
    """

    name: ClassVar[str] = "triangular"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return _log_remainder(np.sqrt(scaled))

    def log_peak(self, n_features: int) -> float:
        return float(np.log(n_features + 1.0)) - log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return float(np.log1p(0.5 * n_features))

    def log_overlap_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        # Each shape vanishes linearly at its edge, which adds two powers to the lens's.
        power = 0.5 * (n_features + 5)
        return log_overlap_by_table(scaled, n_features, log_cone_overlap, power)

    def second_moment(self, n_features: int) -> float:
        return (n_features + 1.0) / ((n_features + 2.0) * (n_features + 3.0))

    def sample_radius(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        return rng.beta(n_features, 2.0, size=(n_samples, 1))

    def is_mercer(self, n_features: int) -> bool:
        """In one dimension only: (1 - r)_+ needs the power (d+1)/2 (Askey)."""
        return n_features == 1


@dataclass(frozen=True)
class Epanechnikov(CompactKernel):
    """The parabolic density on a ball.

    Examples
    --------
    >>> from parzen.kernels import Epanechnikov
    >>> Epanechnikov()([[0.0]], [[0.0], [0.5], [1.5]])
    array([[0.75  , 0.5625, 0.    ]])
    """

    name: ClassVar[str] = "epanechnikov"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return _log_remainder(scaled)

    def log_peak(self, n_features: int) -> float:
        return float(np.log1p(0.5 * n_features)) - log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return float(np.log1p(0.25 * n_features))

    def log_overlap_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        # Each shape vanishes linearly at its edge, which adds two powers to the lens's.
        power = 0.5 * (n_features + 5)
        return log_overlap_by_table(scaled, n_features, log_paraboloid_overlap, power)

    def second_moment(self, n_features: int) -> float:
        return 1.0 / (n_features + 4)

    def sample_radius(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        return np.sqrt(rng.beta(0.5 * n_features, 2.0, size=(n_samples, 1)))


def _log_remainder(t: FloatArray) -> FloatArray:
    """Return log(1 - t), -inf from 1 on."""
    with np.errstate(divide="ignore"):
        return np.log1p(-np.minimum(t, 1.0))
