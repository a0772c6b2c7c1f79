"""The methods of every kernel, and the two functions that a new kernel has to define.

A kernel is written in units of its bandwidth s and of its peak,

    k_s(x, y) = exp(log_peak(d)) / s^d * exp(log_shape(u, d)),   u = r^2 / s^2 (or l1 distance / s),

and everything public follows from these two functions. For a kernel that is not a density, the
factor before the shape is 1. The normaliser overflows in both directions in many dimensions, so it
is kept as a logarithm, apart from the shape.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NoReturn, overload

import numpy as np
from numpy.typing import ArrayLike

from parzen import _native
from parzen.kernels.pairs import FloatArray, Measure, as_points, measure_pairs
from parzen.kernels.radial import half_width_of

Native = tuple[str, tuple[float, ...]]
Bandwidth = float | FloatArray
Rng = np.random.Generator | np.random.RandomState
_NATIVE_PROFILES = frozenset(_native.kernel_names())  # Names of the profiles of the native core.
# Distance, in bandwidths, at which the Gaussian kernel has fallen to half of its peak.
GAUSSIAN_HALF_WIDTH = float(np.sqrt(2.0 * np.log(2.0)))


def check_bandwidth(bandwidth: ArrayLike, name: str = "bandwidth") -> Bandwidth:
    """Return one bandwidth as a float, several as an array; refuse what is not a length."""
    try:
        values = np.asarray(bandwidth, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a number, got {bandwidth!r}; pass e.g. 1.0") from error
    bad = ~(np.isfinite(values) & (values > 0))
    if bad.any():
        value = float(values[bad].flat[0])
        raise ValueError(f"{name} must be positive and finite, got {value}; pass e.g. 1.0")
    return float(values) if values.ndim == 0 else values


def check_n_features(n_features: int) -> int:
    """Return the number of features, refused unless it is at least one."""
    if n_features < 1:
        raise ValueError(f"n_features must be at least 1, got {n_features}")
    return int(n_features)


class Kernel(ABC):
    """A kernel k_s(x, y) with bandwidth s.

    Kernels are immutable, hashable and comparable by value: frozen dataclasses. A new one defines
    ``name``, ``is_density``, `log_shape` and `is_mercer`, and is registered by
    `parzen.kernels.register`. A density derives from `DensityKernel` instead.

    Attributes
    ----------
    name : str
        The name under which `parzen.kernels.get` finds it.
    is_density : bool
        Whether the kernel integrates to one over its first argument.
    measure : {"squared", "l1", "inner", "coordinates"}
        The quantity of a pair of points that the kernel is a function of.
    native_name : str or None
        Name of the kernel's profile in the native core, None if there is none.
    """

    name: ClassVar[str]
    is_density: ClassVar[bool]
    measure: ClassVar[Measure] = "squared"
    native_name: ClassVar[str | None] = None

    @abstractmethod
    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        """Log of the kernel in units of its peak; it is 0 at distance 0.

        ``scaled`` is the measure of pairs in units of the bandwidth: r^2 / s^2 for "squared".
        """

    @abstractmethod
    def is_mercer(self, n_features: int) -> bool:
        """Whether every Gram matrix in this many dimensions is positive semi-definite."""

    def log_peak(self, n_features: int) -> float:
        """Log of the kernel at distance 0 and bandwidth 1."""
        return 0.0

    def half_width(self, n_features: int) -> float:
        """Distance at which the kernel of bandwidth 1 has fallen to half of its peak."""
        d = check_n_features(n_features)
        if self.measure == "squared":
            return half_width_of(lambda r: self.log_shape(r**2, d))
        if self.measure == "l1":
            return half_width_of(lambda r: self.log_shape(r, d))
        raise ValueError(f"{self.name} is not a function of a distance, so it has no half-width")

    def pairs(self, X: ArrayLike, Y: ArrayLike) -> FloatArray:
        """Return the measure of every pair of rows, shape (n, m).

        float32 in both gives float32, anything else float64. Distances are formed from
        coordinate differences, so a common offset of the data costs no digits.
        """
        return measure_pairs(X, Y, self.measure)

    def log_profile(self, pairs: ArrayLike, bandwidth: ArrayLike, n_features: int) -> FloatArray:
        """Return the log of the kernel in units of its peak: 0 at distance 0.

        ``pairs`` (from `pairs`) and ``bandwidth`` broadcast. Off a compact support it is -inf.
        """
        return self.log_shape(self._in_bandwidths(pairs, bandwidth), check_n_features(n_features))

    def profile(self, pairs: ArrayLike, bandwidth: ArrayLike, n_features: int) -> FloatArray:
        """Return the kernel in units of its peak: 1 at distance 0."""
        return np.exp(self.log_profile(pairs, bandwidth, n_features))

    @overload
    def log_normalizer(self, bandwidth: float, n_features: int) -> float: ...
    @overload
    def log_normalizer(self, bandwidth: FloatArray, n_features: int) -> FloatArray: ...
    @overload
    def log_normalizer(self, bandwidth: Bandwidth, n_features: int) -> Bandwidth: ...
    def log_normalizer(self, bandwidth: ArrayLike, n_features: int) -> Bandwidth:
        """Return log k_s(0), so that density = exp(log_normalizer + log_profile).

        It is 0 for kernels that are no densities.
        """
        s, d = check_bandwidth(bandwidth), check_n_features(n_features)
        slope = d if self.is_density else 0
        log_value = self.log_peak(d) - slope * np.log(s)
        return float(log_value) if np.ndim(log_value) == 0 else np.asarray(log_value)

    def support_radius(self, bandwidth: float) -> float:
        """Return the distance beyond which the kernel is 0, infinity if there is none."""
        check_bandwidth(bandwidth)
        return float("inf")

    def __call__(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return k_s(X_i, Y_j): the normalised density, or the formula of a kernel that is none."""
        return np.exp(self.log(X, Y, bandwidth=bandwidth))

    def log(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return log k_s(X_i, Y_j), finite wherever the kernel is positive."""
        d = as_points(Y, "Y").shape[1]
        log_profile = self.log_profile(self.pairs(X, Y), bandwidth, d)
        log_normalizer = self.log_normalizer(check_bandwidth(bandwidth), d)
        return np.asarray(log_normalizer + log_profile, dtype=log_profile.dtype)

    def similarity(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return the kernel scaled to 1 at distance 0."""
        return self.profile(self.pairs(X, Y), bandwidth, as_points(Y, "Y").shape[1])

    def diagonal(self, X: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return the `similarity` of every row with itself, without the matrix."""
        points = as_points(X, "X")
        return np.ones(len(points), dtype=points.dtype)

    def convolved(self, n_features: int) -> Kernel:
        """Return the convolution k_s * k_s as a kernel of its own, still in terms of s."""
        self._refuse_non_density("self-convolution")

    def self_convolution(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        *,
        bandwidth: ArrayLike = 1.0,
        other_bandwidth: ArrayLike | None = None,
    ) -> FloatArray:
        """Return the integral of k_s(x, X_i) k_t(x, Y_j) over x, where t defaults to s."""
        return np.exp(
            self.log_self_convolution(X, Y, bandwidth=bandwidth, other_bandwidth=other_bandwidth)
        )

    def log_self_convolution(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        *,
        bandwidth: ArrayLike = 1.0,
        other_bandwidth: ArrayLike | None = None,
    ) -> FloatArray:
        """Return the logarithm of `self_convolution`; it does not overflow in many dimensions."""
        s = check_bandwidth(bandwidth)
        if other_bandwidth is None:
            return self._log_convolution(X, Y, s, None)
        return self._log_convolution(X, Y, s, check_bandwidth(other_bandwidth, "other_bandwidth"))

    def _log_convolution(
        self, X: ArrayLike, Y: ArrayLike, s: Bandwidth, t: Bandwidth | None
    ) -> FloatArray:
        """Return the logarithm of `self_convolution` at checked bandwidths; t = None stands for s.

        A kernel whose convolution has a closed form at two bandwidths overrides it.
        """
        kernel = self.convolved(as_points(Y, "Y").shape[1])
        if t is not None:
            raise ValueError(
                f"{self.name} takes one bandwidth only, got other_bandwidth={t!r}; leave it out"
            )
        return kernel.log(X, Y, bandwidth=s)

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        """Draw ``n_samples`` points from the density around 0 with bandwidth 1."""
        self._refuse_non_density("samples")

    def bandwidth_factor(self, n_features: int) -> float:
        """Return the factor that turns a bandwidth of the Gaussian into one of this kernel.

        Here it makes the half-widths equal.
        """
        return GAUSSIAN_HALF_WIDTH / self.half_width(check_n_features(n_features))

    def native_parameters(self, n_features: int) -> tuple[float, ...]:
        """Return the parameters of the native profile."""
        return ()

    def native(self, n_features: int) -> Native | None:
        """Return name and parameters of the native profile, None if the core does not have it."""
        if self.native_name is None or self.native_name not in _NATIVE_PROFILES:
            return None
        return self.native_name, self.native_parameters(n_features)

    def _in_bandwidths(self, pairs: ArrayLike, bandwidth: ArrayLike) -> FloatArray:
        values = np.asarray(pairs)
        if values.dtype not in (np.float32, np.longdouble):
            values = values.astype(np.float64, copy=False)
        s = check_bandwidth(bandwidth)
        if not isinstance(s, float):
            s = s.astype(values.dtype)
        # A ratio that overflows to infinity is a distance at which every kernel is 0.
        with np.errstate(over="ignore", under="ignore"):
            return _over_square(values, s) if self.measure == "squared" else np.asarray(values / s)

    def _refuse_non_density(self, wanted: str) -> NoReturn:
        raise ValueError(f"{self.name} is not a density, so it has no {wanted}; use e.g. gaussian")


def _over_square(values: FloatArray, s: Bandwidth) -> FloatArray:
    """Return values / s^2, also where s^2 would overflow or underflow.

    Two divisions round twice. One division is used wherever possible, so that a point at distance s
    is exactly at 1, where compact kernels end.
    """
    square = np.square(s)
    limits = np.finfo(values.dtype)
    if np.all((square > limits.tiny) & (square < limits.max)):
        return np.asarray(values / square, dtype=values.dtype)
    return np.asarray(values / s / s)
