"""The Gaussian + Exponential kernel of the B-machine (its eq. 50).

    k_s(r) = exp(-r^2 / 2 s^2)      for r <= epsilon s
             exp(-r / (sqrt(2) s))  otherwise

Only epsilon = sqrt(2) makes it continuous. It is not positive definite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen.kernels.base import GAUSSIAN_HALF_WIDTH, Kernel
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register

# The threshold, in bandwidths, at which the two formulas have the same value.
_CONTINUOUS_THRESHOLD = float(np.sqrt(2.0))
# Distance, in bandwidths, at which the exponential formula has fallen to one half.
_EXPONENTIAL_HALF_WIDTH = float(np.sqrt(2.0) * np.log(2.0))


@register
@dataclass(frozen=True)
class GaussianExponential(Kernel):
    """Gaussian near its centre, exponential away from it; not a density.

    Parameters
    ----------
    epsilon : float, default sqrt(2)
        Where the exponential takes over, in units of the bandwidth.

    Examples
    --------
    >>> from parzen.kernels import GaussianExponential
    >>> GaussianExponential()([[0.0]], [[1.0], [2.0]]).round(4)
    array([[0.6065, 0.2431]])
    """

    epsilon: float | None = None
    name: ClassVar[str] = "gaussian_exponential"
    native_name: ClassVar[str | None] = "gaussian_exponential"
    is_density: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.epsilon is not None and not 0 <= self.epsilon < float("inf"):
            raise ValueError(
                f"epsilon must be non-negative and finite, got {self.epsilon}; "
                "it is in units of the bandwidth, None means sqrt(2)"
            )

    @property
    def threshold(self) -> float:
        """Where the exponential takes over, in units of the bandwidth."""
        return _CONTINUOUS_THRESHOLD if self.epsilon is None else float(self.epsilon)

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        near = scaled <= self.threshold**2
        return np.asarray(np.where(near, -0.5 * scaled, -np.sqrt(0.5 * scaled)))

    def half_width(self, n_features: int) -> float:
        # A threshold between the half-widths of the two formulas is where the value jumps past 1/2.
        return max(_EXPONENTIAL_HALF_WIDTH, min(self.threshold, GAUSSIAN_HALF_WIDTH))

    def is_mercer(self, n_features: int) -> bool:
        return False

    def native_parameters(self, n_features: int) -> tuple[float, ...]:
        return (self.threshold,)
