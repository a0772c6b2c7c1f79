"""The tricube density, proportional to (1 - r^3/s^3)^3 on the ball of radius s.

k_s(0) = 3 / (B(d/3, 4) A_d s^d), with A_d the area of the unit sphere
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import betaln

from parzen.kernels.compact import CompactKernel, log1m
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register
from parzen.kernels.sphere import log_sphere_area


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
        return 3.0 * log1m(np.minimum(scaled, 1.0) ** 1.5)

    def log_peak(self, n_features: int) -> float:
        d = n_features
        return float(np.log(3.0) - betaln(d / 3.0, 4.0) - log_sphere_area(d))
