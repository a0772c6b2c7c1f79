"""The product Laplacian kernel, k_s(x, y) = prod_l exp(-|x_l - y_l| / s) / (2 s).

Convolved with itself it stays a product over the features,

    (k*k)_s(x, y) = prod_l (1 + t_l) exp(-t_l) / (4 s),   t_l = |x_l - y_l| / s,

but no longer a function of the l1 distance: it needs every coordinate of a pair. Two bandwidths
s > t give the factors (s exp(-|x_l - y_l| / s) - t exp(-|x_l - y_l| / t)) / (2 (s^2 - t^2)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen.kernels.base import Bandwidth, Kernel, Rng, check_bandwidth
from parzen.kernels.density import DensityKernel, SelfConvolution
from parzen.kernels.pairs import FloatArray, Measure, as_point_pair
from parzen.kernels.registry import register

# Distance, in bandwidths, at which the kernel has fallen to half of its peak.
_HALF_WIDTH = float(np.log(2.0))


@register
@dataclass(frozen=True)
class Laplacian(DensityKernel):
    """The product of one-dimensional Laplace densities.

    Examples
    --------
    >>> from parzen.kernels import Laplacian
    >>> Laplacian()([[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[0.25  , 0.0338]])
    """

    name: ClassVar[str] = "laplacian"
    native_name: ClassVar[str | None] = "laplacian"
    measure: ClassVar[Measure] = "l1"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return -scaled

    def log_peak(self, n_features: int) -> float:
        return -n_features * float(np.log(2.0))

    def log_overlap_ratio(self, n_features: int) -> float:
        return n_features * float(np.log(2.0))

    def log_overlap_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        """Log of (k*k) / (k*k)(0); the features are the last axis of ``scaled``."""
        with np.errstate(over="ignore"):
            return np.asarray(np.sum(_log_factor(scaled), axis=-1))

    def half_width(self, n_features: int) -> float:
        return _HALF_WIDTH

    def is_mercer(self, n_features: int) -> bool:
        return True

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        return rng.laplace(size=(n_samples, n_features))

    def convolved(self, n_features: int) -> Kernel:
        """Return the convolution k_s * k_s as a kernel of its own, still in terms of s."""
        return ProductSelfConvolution(self)

    def _log_convolution(
        self, X: ArrayLike, Y: ArrayLike, s: Bandwidth, t: Bandwidth | None
    ) -> FloatArray:
        if t is None or np.all(s == np.asarray(t)):
            return super()._log_convolution(X, Y, s, None)
        s, t = np.maximum(s, t), np.minimum(s, t)
        if np.any(s == t):
            raise ValueError(
                "bandwidth and other_bandwidth are equal in some places only; call the kernel once "
                "for the equal ones and once for the others"
            )
        left, right = as_point_pair(X, Y)
        total = np.zeros((len(left), len(right)))
        log_factor = np.log(s) - np.log(2.0 * (s - t) * (s + t))
        for x, y in zip(left.T, right.T, strict=True):
            r = np.abs(x[:, None] - y[None, :]).astype(np.float64)
            # 1 - (t/s) exp(-r (1/t - 1/s)) keeps its digits when s and t are nearly equal.
            rest = -np.expm1(np.log1p((t - s) / s) - r * (s - t) / (s * t))
            total += np.log(rest) - r / s + log_factor
        return np.asarray(total, dtype=left.dtype)


@dataclass(frozen=True)
class ProductSelfConvolution(SelfConvolution):
    """The convolution of the product Laplacian with itself; its bandwidth is the Laplacian's.

    `pairs` has one value per feature, shape (n, m, d), and the profile sums over the last axis.
    Calls on points go feature by feature and never hold more than (n, m) values.

    Examples
    --------
    >>> from parzen.kernels import Laplacian
    >>> Laplacian().convolved(1)([[0.0]], [[0.0], [1.0]]).round(4)
    array([[0.25  , 0.1839]])
    """

    measure: ClassVar[Measure] = "coordinates"

    def log_profile(self, pairs: ArrayLike, bandwidth: ArrayLike, n_features: int) -> FloatArray:
        """Return the log of the kernel in units of its peak; ``pairs`` is (..., n_features)."""
        s = check_bandwidth(bandwidth)
        return super().log_profile(pairs, s if isinstance(s, float) else s[..., None], n_features)

    def log(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        left, right = as_point_pair(X, Y)
        s = check_bandwidth(bandwidth)
        log_profile = _log_profile_of_points(left, right, s)
        log_normalizer = self.log_normalizer(s, left.shape[1])
        return np.asarray(log_profile + log_normalizer, dtype=left.dtype)

    def similarity(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        left, right = as_point_pair(X, Y)
        return np.exp(_log_profile_of_points(left, right, check_bandwidth(bandwidth)))


def _log_profile_of_points(X: FloatArray, Y: FloatArray, s: Bandwidth) -> FloatArray:
    total = np.zeros((len(X), len(Y)), dtype=X.dtype)
    with np.errstate(over="ignore"):
        for x, y in zip(X.T, Y.T, strict=True):
            total += _log_factor(np.abs(x[:, None] - y[None, :]) / s)
    return total


def _log_factor(t: FloatArray) -> FloatArray:
    # An infinite distance would end as infinity minus infinity.
    finite = np.minimum(t, np.finfo(t.dtype).max)
    return np.log1p(finite) - finite
