"""The conformal, data-dependent kernel: a base kernel times a learned factor at either end.

    k(x, y) = q(x) q(y) k_0(x, y),   q(x) = alpha_0 + sum_i alpha_i k_1(x, a_i)

Xiong, Swamy & Ahmad (2005), eqs. (2) and (3); the a_i are the empirical cores. Both kernels enter
in units of their peak. It is a Mercer kernel where k_0 is one, and never a density.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Floats
from parzen.kernels.base import Kernel, check_bandwidth
from parzen.kernels.pairs import FloatArray, as_point_pair, as_points, frozen


class ConformalKernel(Kernel):
    """A base kernel whose resolution follows the data.

    Parameters
    ----------
    base : str or Kernel
        The kernel k_0. Its bandwidth is the one given when the kernel is called.
    cores : array of shape (n_cores, n_features)
        The points a_i around which the factor is expanded.
    coefficients : array of shape (n_cores + 1,)
        (alpha_0, alpha_1, ..., alpha_n), the constant first.
    core_kernel : str or Kernel, default="gaussian"
        The kernel k_1 of the factor.
    core_bandwidth : float or array of shape (n_cores,), default=1.0
        The bandwidth of k_1, one for all cores or one for each.

    Examples
    --------
    >>> from parzen.kernels import ConformalKernel
    >>> kernel = ConformalKernel("gaussian", [[0.0]], [1.0, 2.0])
    >>> kernel.factor([[0.0], [50.0]])
    array([3., 1.])
    >>> kernel([[0.0]], [[0.0], [50.0]], bandwidth=50.0).round(3)
    array([[9.  , 1.82]])

    Give scikit-learn the kernel, or the distances in its feature space:

    >>> from functools import partial
    >>> from sklearn.svm import SVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> SVC(kernel=partial(kernel, bandwidth=2.0)).fit(X, y).predict([[0.5], [3.5]])
    array([0, 1])
    >>> kernel.distances([[0.0]], [[0.0], [50.0]], bandwidth=50.0).round(3)
    array([[0.   , 2.522]])
    """

    name: ClassVar[str] = "conformal"
    is_density: ClassVar[bool] = False

    def __init__(
        self,
        base: str | Kernel,
        cores: ArrayLike,
        coefficients: ArrayLike,
        core_kernel: str | Kernel = "gaussian",
        core_bandwidth: ArrayLike = 1.0,
    ) -> None:
        from parzen.kernels.registry import get

        self.base, self.core_kernel = get(base), get(core_kernel)
        self.cores = frozen(as_points(cores, "cores"))
        self.coefficients = frozen(coefficients, np.float64)
        if self.coefficients.shape != (len(self.cores) + 1,):
            raise ValueError(
                f"coefficients must have shape ({len(self.cores) + 1},), the constant and one for "
                f"each of the {len(self.cores)} cores, got {self.coefficients.shape}"
            )
        if not np.isfinite(self.coefficients).all():
            raise ValueError("coefficients must be finite, but they hold NaN or infinity")
        s = np.asarray(check_bandwidth(core_bandwidth, "core_bandwidth"))
        if s.shape not in ((), (len(self.cores),)):
            raise ValueError(
                f"core_bandwidth must be a number or have shape ({len(self.cores)},), one for "
                f"each core, got {s.shape}"
            )
        self.core_bandwidth = float(s) if s.ndim == 0 else frozen(s)

    def factor(self, X: ArrayLike) -> Floats:
        """Return q(x) at every row."""
        return np.asarray(self.core_matrix(X) @ self.coefficients)

    def core_matrix(self, X: ArrayLike) -> Floats:
        """Return K_1 of eq. (5): a column of ones, then k_1(x, a_i), so that q = K_1 alpha."""
        points = as_points(X, "X").astype(np.float64, copy=False)
        if not len(self.cores):
            return np.ones((len(points), 1))
        # The first core twice, and the constant over one of them: cheaper than a copy of the rest.
        s = np.asarray(self.core_bandwidth)
        values = self.core_kernel.similarity(
            points,
            np.vstack([self.cores[:1], self.cores]),
            bandwidth=np.append(s[:1], s) if s.ndim else float(s),
        )
        values[:, 0] = 1.0
        return np.asarray(values, dtype=np.float64)

    def similarity(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return the kernel; it has no common peak, so this is the formula itself."""
        left, right = as_point_pair(X, Y)
        values = np.array(self.base.similarity(left, right, bandwidth=bandwidth))
        q = self.factor(left)
        values *= q[:, None]
        values *= q if X is Y else self.factor(right)
        return values

    def __call__(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return k(X_i, Y_j), where the bandwidth is the base kernel's."""
        return self.similarity(X, Y, bandwidth=bandwidth)

    def distances(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return the distances in feature space, as ``metric="precomputed"`` takes them.

        For a base kernel with a peak they are formed from (q(x) - q(y))^2 and 1 - k_0, which keeps
        the digits of small distances.
        """
        left, right = as_point_pair(X, Y)
        p, q = self.factor(left)[:, None], self.factor(right)
        if self.base.measure == "inner":
            own, others = (self.diagonal(points, bandwidth=bandwidth) for points in (left, right))
            cross = p * q * self.base.similarity(left, right, bandwidth=bandwidth)
            squared = own[:, None] + others - 2.0 * cross
        else:
            pairs = self.base.pairs(left, right)
            log_base = self.base.log_profile(pairs, bandwidth, right.shape[1])
            squared = (p - q) ** 2 - 2.0 * p * q * np.expm1(log_base)
        return np.sqrt(np.maximum(squared, 0.0))

    def diagonal(self, X: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return q(x)^2 k_0(x, x) at every row."""
        return np.asarray(self.factor(X) ** 2 * self.base.diagonal(X, bandwidth=bandwidth))

    def is_mercer(self, n_features: int) -> bool:
        """Whether the base kernel is one: q(x) q(y) changes nothing."""
        return self.base.is_mercer(n_features)

    def half_width(self, n_features: int) -> float:
        """Return the base kernel's."""
        return self.base.half_width(n_features)

    def support_radius(self, bandwidth: float) -> float:
        """Return the base kernel's."""
        return self.base.support_radius(bandwidth)

    def pairs(self, X: ArrayLike, Y: ArrayLike) -> NoReturn:
        raise ValueError(
            "the conformal kernel depends on where a pair lies, not on its distance only; "
            "call the kernel itself"
        )

    def log_shape(self, *_: Any, **options: Any) -> NoReturn:
        raise ValueError("the conformal kernel may be negative, so it has no logarithm")

    log_profile = log = log_shape

    def _key(self) -> tuple[Any, ...]:
        arrays = (self.cores, self.coefficients, np.asarray(self.core_bandwidth))
        values = ((array.shape, array.dtype.str, array.tobytes()) for array in arrays)
        return (self.base, self.core_kernel, *values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConformalKernel) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"ConformalKernel(base={self.base!r}, {len(self.cores)} cores, "
            f"core_kernel={self.core_kernel!r})"
        )
