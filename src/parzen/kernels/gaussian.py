"""The Gaussian kernel, k_s(r) = (2 pi s^2)^(-d/2) exp(-r^2 / 2 s^2).

Its convolution with itself is the Gaussian of bandwidth sqrt(s^2 + t^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen import _native
from parzen.kernels.base import (
    GAUSSIAN_HALF_WIDTH,
    Bandwidth,
    Rng,
    check_bandwidth,
    check_n_features,
)
from parzen.kernels.pairs import FloatArray, as_point_pair
from parzen.kernels.registry import register
from parzen.kernels.stable import StableKernel

# From this number of features on, scalar products are faster than differences of coordinates.
_MIN_FEATURES_FOR_PRODUCTS = 8
# The largest (||x||^2 + ||y||^2) / 2, in squared bandwidths, for which scalar products are used.
# The rounding error of the exponent is then about 1e-14.
_LARGEST_EXPONENT = 64.0


@register
@dataclass(frozen=True)
class Gaussian(StableKernel):
    """The Gaussian density.

    Examples
    --------
    >>> from parzen.kernels import Gaussian
    >>> Gaussian()([[0.0]], [[0.0], [1.0]], bandwidth=1.0).round(4)
    array([[0.3989, 0.242 ]])
    """

    name: ClassVar[str] = "gaussian"
    native_name: ClassVar[str | None] = "gaussian"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return -0.5 * scaled

    def profile(self, pairs: ArrayLike, bandwidth: ArrayLike, n_features: int) -> FloatArray:
        """Return the kernel in units of its peak, in one array: matrices of it may be large."""
        check_n_features(n_features)
        values = self._in_bandwidths(pairs, bandwidth)
        values *= -0.5
        return np.exp(values, out=values)

    def log_peak(self, n_features: int) -> float:
        return -0.5 * n_features * float(np.log(2.0 * np.pi))

    def join_bandwidths(self, s: Bandwidth, t: Bandwidth) -> Bandwidth:
        return np.hypot(s, t)

    def half_width(self, n_features: int) -> float:
        return GAUSSIAN_HALF_WIDTH

    def is_mercer(self, n_features: int) -> bool:
        return True

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        return rng.standard_normal((n_samples, n_features))

    def similarity(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return exp(-r^2 / 2 s^2), by scalar products where the exponents are small."""
        left, right = as_point_pair(X, Y)
        s = check_bandwidth(bandwidth)
        if (
            isinstance(s, float)
            and left.dtype == np.float64
            and left.shape[1] >= _MIN_FEATURES_FOR_PRODUCTS
        ):
            values = _by_products(left, left if X is Y else right, s)
            if values is not None:
                return values
        return super().similarity(left, right, bandwidth=s)


def _by_products(X: FloatArray, Y: FloatArray, s: float) -> FloatArray | None:
    """Return exp(x.y - (||x||^2 + ||y||^2) / 2) around the mean of Y, in bandwidths.

    The exponent loses about eps (||x||^2 + ||y||^2); None where that is too much: far points,
    small s.
    """
    if len(X) == 0 or len(Y) == 0:
        return None
    centre = Y.mean(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        B = (Y - centre) / s
        A = B if X is Y else (X - centre) / s
        a, b = (0.5 * np.einsum("ij,ij->i", points, points) for points in (A, B))
    if not a.max() + b.max() <= _LARGEST_EXPONENT:
        return None
    values = np.ascontiguousarray(A @ B.T)
    _native.gaussian_of_products(values, a, b)
    if X is Y:
        np.fill_diagonal(values, 1.0)
    return values
