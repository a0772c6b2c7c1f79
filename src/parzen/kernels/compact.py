"""Densities of bounded support, on the ball of radius s.

    uniform       1                   k_s(0) = 1 / (V_d s^d)
    triangular    1 - r/s             k_s(0) = (d+1) / (V_d s^d)
    epanechnikov  1 - r^2/s^2         k_s(0) = (d+2) / (2 V_d s^d)
    biweight      (1 - r^2/s^2)^2     k_s(0) = Gamma(d/2 + 3) / (2 pi^(d/2) s^d)
    triweight     (1 - r^2/s^2)^3     k_s(0) = Gamma(d/2 + 4) / (6 pi^(d/2) s^d)
    tricube       (1 - r^3/s^3)^3     k_s(0) = 3 / (B(d/3, 4) A_d s^d)
    cosine        cos(pi r / 2 s)     k_s(0) by quadrature

V_d is the volume of the unit ball and A_d the area of the unit sphere. The uniform density is
positive on its sphere too, where all others are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import betaln, gammaln

from parzen.kernels.base import Rng
from parzen.kernels.density import DensityKernel
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register
from parzen.kernels.sphere import log_ball_volume, log_sphere_area, unit_vectors


def _log1m(t: FloatArray) -> FloatArray:
    """Return log(1 - t), and -inf from t = 1 on."""
    with np.errstate(divide="ignore"):
        return np.log1p(-np.minimum(t, 1.0))


class CompactKernel(DensityKernel):
    """A density on a ball."""

    def is_mercer(self, n_features: int) -> bool:
        """Never: the Fourier transform changes its sign."""
        return False


@register
@dataclass(frozen=True)
class Uniform(CompactKernel):
    """The uniform density on a ball.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("uniform")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.5, 0.5, 0. ]])
    """

    name: ClassVar[str] = "uniform"
    native_name: ClassVar[str | None] = "uniform"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return np.where(scaled > 1.0, -np.inf, 0.0).astype(scaled.dtype)

    def log_peak(self, n_features: int) -> float:
        return -log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return 0.0

    def second_moment(self, n_features: int) -> float:
        return 1.0 / (n_features + 2)

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        radius = rng.uniform(size=(n_samples, 1)) ** (1.0 / n_features)
        return np.asarray(radius * unit_vectors(n_samples, n_features, rng))


@register
@dataclass(frozen=True)
class Triangular(CompactKernel):
    """The density whose graph is a cone.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("triangular")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[1. , 0.5, 0. ]])
    """

    name: ClassVar[str] = "triangular"
    native_name: ClassVar[str | None] = "triangular"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return _log1m(np.sqrt(scaled))

    def log_peak(self, n_features: int) -> float:
        return float(np.log(n_features + 1.0)) - log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return float(np.log1p(0.5 * n_features))

    def second_moment(self, n_features: int) -> float:
        return (n_features + 1.0) / ((n_features + 2.0) * (n_features + 3.0))

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        radius = rng.beta(n_features, 2.0, size=(n_samples, 1))
        return radius * unit_vectors(n_samples, n_features, rng)

    def is_mercer(self, n_features: int) -> bool:
        """In one dimension only: (1 - r)_+^p needs p >= (d+1)/2 (Askey)."""
        return n_features == 1


@register
@dataclass(frozen=True)
class Epanechnikov(CompactKernel):
    """The density whose graph is a paraboloid.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("epanechnikov")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.75  , 0.5625, 0.    ]])
    """

    name: ClassVar[str] = "epanechnikov"
    native_name: ClassVar[str | None] = "epanechnikov"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return _log1m(scaled)

    def log_peak(self, n_features: int) -> float:
        return float(np.log1p(0.5 * n_features)) - log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return float(np.log1p(0.25 * n_features))

    def second_moment(self, n_features: int) -> float:
        return 1.0 / (n_features + 4)

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        radius = np.sqrt(rng.beta(0.5 * n_features, 2.0, size=(n_samples, 1)))
        return np.asarray(radius * unit_vectors(n_samples, n_features, rng))


@register
@dataclass(frozen=True)
class Biweight(CompactKernel):
    """The density proportional to (1 - r^2/s^2)^2, which is also called quartic.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("biweight")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.9375, 0.5273, 0.    ]])
    """

    name: ClassVar[str] = "biweight"
    native_name: ClassVar[str | None] = "biweight"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return 2.0 * _log1m(scaled)

    def log_peak(self, n_features: int) -> float:
        d = n_features
        return float(gammaln(0.5 * d + 3.0) - np.log(2.0) - 0.5 * d * np.log(np.pi))


@register
@dataclass(frozen=True)
class Triweight(CompactKernel):
    """The density proportional to (1 - r^2/s^2)^3.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("triweight")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[1.0938, 0.4614, 0.    ]])
    """

    name: ClassVar[str] = "triweight"
    native_name: ClassVar[str | None] = "triweight"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return 3.0 * _log1m(scaled)

    def log_peak(self, n_features: int) -> float:
        d = n_features
        return float(gammaln(0.5 * d + 4.0) - np.log(6.0) - 0.5 * d * np.log(np.pi))


@register
@dataclass(frozen=True)
class Tricube(CompactKernel):
    """The density proportional to (1 - r^3/s^3)^3.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("tricube")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.8642, 0.5789, 0.    ]])
    """

    name: ClassVar[str] = "tricube"
    native_name: ClassVar[str | None] = "tricube"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return 3.0 * _log1m(np.minimum(scaled, 1.0) ** 1.5)

    def log_peak(self, n_features: int) -> float:
        d = n_features
        return float(np.log(3.0) - betaln(d / 3.0, 4.0) - log_sphere_area(d))


@register
@dataclass(frozen=True)
class Cosine(CompactKernel):
    """The density proportional to cos(pi r / 2 s).

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("cosine")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.7854, 0.5554, 0.    ]])
    """

    name: ClassVar[str] = "cosine"
    native_name: ClassVar[str | None] = "cosine"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        # The sine of the distance from the edge is exactly 0 there; the cosine of pi/2 is not.
        edge_distance = 1.0 - np.minimum(np.sqrt(scaled), 1.0)
        with np.errstate(divide="ignore"):
            return np.log(np.sin(0.5 * np.pi * edge_distance))
