"""Kernels of the inner product: polynomial (x.y + c)^p, and linear x.y.

They have no bandwidth (any is accepted and ignored) and no peak, so ``similarity`` and the call
are the formula itself, and there is no logarithm: the values may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from parzen.kernels.base import Kernel, check_bandwidth
from parzen.kernels.pairs import FloatArray, Measure, as_points
from parzen.kernels.registry import register


class InnerKernel(Kernel):
    """A kernel of x.y."""

    is_density: ClassVar[bool] = False
    measure: ClassVar[Measure] = "inner"

    def log_shape(self, *_: Any, **options: Any) -> NoReturn:
        raise ValueError(f"{self.name} may be negative, so it has no logarithm; use its values")

    log_profile = log_shape

    def __call__(self, X: ArrayLike, Y: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        return self.similarity(X, Y, bandwidth=bandwidth)

    def bandwidth_factor(self, n_features: int) -> float:
        """Return 1: any bandwidth is accepted and ignored."""
        return 1.0

    def diagonal(self, X: ArrayLike, *, bandwidth: ArrayLike = 1.0) -> FloatArray:
        """Return the kernel of every row with itself."""
        points = as_points(X, "X")
        squares = np.einsum("ij,ij->i", points, points)
        return self.profile(squares, bandwidth, points.shape[1])


@register
@dataclass(frozen=True)
class Polynomial(InnerKernel):
    """The kernel (x.y + constant)^degree; not a density, no bandwidth.

    Parameters
    ----------
    degree : int, default 3
        A positive whole number.
    constant : float, default 1.0
        The kernel is a Mercer kernel where this is not negative.

    Examples
    --------
    >>> from parzen.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0, 2.0]], [[3.0, 0.0]])
    array([[16.]])
    """

    degree: int = 3
    constant: float = 1.0
    name: ClassVar[str] = "polynomial"
    native_name: ClassVar[str | None] = "polynomial"

    def __post_init__(self) -> None:
        if self.degree < 1 or self.degree != int(self.degree):
            raise ValueError(f"degree must be a positive whole number, got {self.degree}")
        if not np.isfinite(self.constant):
            raise ValueError(f"constant must be finite, got {self.constant}; the default is 1.0")
        object.__setattr__(self, "degree", int(self.degree))
        object.__setattr__(self, "constant", float(self.constant))

    def profile(self, pairs: ArrayLike, bandwidth: ArrayLike, n_features: int) -> FloatArray:
        check_bandwidth(bandwidth)
        return np.asarray((np.asarray(pairs) + self.constant) ** self.degree)

    def is_mercer(self, n_features: int) -> bool:
        return self.constant >= 0.0

    def native_parameters(self, n_features: int) -> tuple[float, ...]:
        return (self.constant, float(self.degree))


@register
@dataclass(frozen=True)
class Linear(InnerKernel):
    """The kernel x.y; not a density, no bandwidth.

    Examples
    --------
    >>> from parzen.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 0.5]])
    array([[4.]])
    """

    name: ClassVar[str] = "linear"
    native_name: ClassVar[str | None] = "polynomial"

    def profile(self, pairs: ArrayLike, bandwidth: ArrayLike, n_features: int) -> FloatArray:
        check_bandwidth(bandwidth)
        return np.array(pairs)

    def is_mercer(self, n_features: int) -> bool:
        return True

    def native_parameters(self, n_features: int) -> tuple[float, ...]:
        return (0.0, 1.0)
