"""Kernels of categories: unordered (Aitchison & Aitken, 1976), ordered (Wang & van Ryzin, 1981).

    unordered   k(x, y) = 1 - lambda where x = y,  lambda / (levels - 1) elsewhere
    ordered     k(x, y) = 1 - lambda where x = y,  (1 - lambda) lambda^abs(x - y) / 2 elsewhere

The bandwidth lambda is a share: 0 counts equal values only. Both are exponentials of a squared
distance, -1/2 sum_l w_l (u_l(x) - u_l(y))^2, between codes u(x) of the values: an indicator for
each level (w = rate); and for ordered values, steps that have been climbed (w = 2 rate) and
indicators (w = log 2). So a product with Gaussians is a Gaussian of the codes.

    rate        log((1 - lambda) (levels - 1) / lambda),      -log lambda
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen.kernels.base import Bandwidth, Kernel, check_bandwidth, check_n_features
from parzen.kernels.pairs import FloatArray, Measure

_LOG_TWO = float(np.log(2.0))


class CategoryKernel(Kernel):
    """A product of equal kernels, one per column of categories."""

    is_density: ClassVar[bool] = True
    measure: ClassVar[Measure] = "coordinates"

    @property
    @abstractmethod
    def widest(self) -> float:
        """The largest bandwidth."""

    @abstractmethod
    def rate(self, bandwidth: float) -> float:
        """The rate at which the kernel falls, 0 at the largest bandwidth."""

    @abstractmethod
    def bandwidth_of(self, rate: float) -> float:
        """The bandwidth of a rate."""

    @abstractmethod
    def log_factor(self, gaps: FloatArray, bandwidth: float) -> FloatArray:
        """Log k(x, y) - log k(x, x) for abs(x - y) in one column."""

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        raise ValueError(f"{self.name} has no shape apart from its bandwidth; use log_profile")

    def log_profile(self, pairs: ArrayLike, bandwidth: ArrayLike, n_features: int) -> FloatArray:
        check_n_features(n_features)
        return np.asarray(self.log_factor(np.asarray(pairs), self.checked(bandwidth)).sum(axis=-1))

    def log_normalizer(  # type: ignore[override]
        self, bandwidth: ArrayLike, n_features: int
    ) -> Bandwidth:
        shares = np.asarray(check_bandwidth(bandwidth))
        logs = check_n_features(n_features) * np.log1p(-shares)
        return float(logs) if logs.ndim == 0 else logs

    def is_mercer(self, n_features: int) -> bool:
        """Always: it is a Gaussian of codes."""
        return True

    def bandwidth_factor(self, n_features: int) -> float:
        raise ValueError(
            f"the bandwidth of {self.name} is a share, to which no rule of lengths applies; give "
            "a number, or use ColumnProduct, which has a bandwidth for every column"
        )

    def checked(self, bandwidth: ArrayLike) -> float:
        """The bandwidth, refused where values that differ would count more than equal ones."""
        share = check_bandwidth(bandwidth)
        if not isinstance(share, float) or not share <= self.widest:
            raise ValueError(
                f"the bandwidth of {self.name} is a share up to {self.widest:.4g}, got {share}"
            )
        return share


@dataclass(frozen=True)
class AitchisonAitken(CategoryKernel):
    """The kernel of unordered categories.

    Parameters
    ----------
    levels : int, default=2
        How many categories there are.

    Examples
    --------
    >>> from parzen.kernels import AitchisonAitken
    >>> AitchisonAitken(levels=3)([[0]], [[0], [1], [2]], bandwidth=0.2)
    array([[0.8, 0.1, 0.1]])
    """

    levels: int = 2
    name: ClassVar[str] = "aitchison_aitken"

    def __post_init__(self) -> None:
        if self.levels < 2:
            raise ValueError(f"levels must be at least 2, got {self.levels}")

    @property
    def widest(self) -> float:
        return (self.levels - 1) / self.levels

    def rate(self, bandwidth: float) -> float:
        odds = (1.0 - bandwidth) * (self.levels - 1) / bandwidth
        return max(float(np.log(odds)), 0.0)  # at the widest, rounding must not make it negative

    def bandwidth_of(self, rate: float) -> float:
        return (self.levels - 1) / (self.levels - 1 + float(np.exp(rate)))

    def log_factor(self, gaps: FloatArray, bandwidth: float) -> FloatArray:
        return np.where(gaps == 0, 0.0, -self.rate(bandwidth))

    def joined(self, bandwidth: float) -> float:
        """The bandwidth of the kernel's convolution with itself, which is of the same form."""
        return bandwidth * (2.0 - bandwidth / self.widest)


@dataclass(frozen=True)
class WangVanRyzin(CategoryKernel):
    """The kernel of ordered categories, which are whole numbers.

    Examples
    --------
    >>> from parzen.kernels import WangVanRyzin
    >>> WangVanRyzin()([[0]], [[0], [1], [-2]], bandwidth=0.5)
    array([[0.5   , 0.125 , 0.0625]])
    """

    name: ClassVar[str] = "wang_van_ryzin"

    @property
    def widest(self) -> float:
        return float(np.nextafter(1.0, 0.0))

    def rate(self, bandwidth: float) -> float:
        return -float(np.log(bandwidth))

    def bandwidth_of(self, rate: float) -> float:
        return min(float(np.exp(-rate)), self.widest)

    def log_factor(self, gaps: FloatArray, bandwidth: float) -> FloatArray:
        return np.asarray(-self.rate(bandwidth) * gaps - _LOG_TWO * (gaps != 0))

    def log_overlap(self, gaps: FloatArray, bandwidth: float) -> FloatArray:
        """Log of sum_z k(z, x) k(z, y) over all whole numbers z, for abs(x - y)."""
        squares = bandwidth**2
        terms = gaps + (1.0 + squares) / (1.0 - squares) + 2.0
        same = np.where(gaps == 0, 1.0, 0.0)
        powers = gaps * np.log(bandwidth)
        total = np.exp(powers) * terms + same
        return np.asarray(2.0 * np.log1p(-bandwidth) - 2.0 * _LOG_TWO + np.log(total))
