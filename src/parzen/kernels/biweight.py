"""The biweight density, proportional to (1 - r^2/s^2)^2 on the ball of radius s.

It is also called quartic.

k_s(0) = Gamma(d/2 + 3) / (2 pi^(d/2) s^d)
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
        return 2.0 * log1m(scaled)

    def log_peak(self, n_features: int) -> float:
        d = n_features
        return float(gammaln(0.5 * d + 3.0) - np.log(2.0) - 0.5 * d * np.log(np.pi))
