"""The triweight density, proportional to (1 - r^2/s^2)^3 on the ball of radius s.

k_s(0) = Gamma(d/2 + 4) / (6 pi^(d/2) s^d)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from parzen.kernels.compact import CompactKernel, log1m
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register


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
        return 3.0 * log1m(scaled)

    def log_peak(self, n_features: int) -> float:
        d = n_features
        return float(gammaln(0.5 * d + 4.0) - np.log(6.0) - 0.5 * d * np.log(np.pi))
