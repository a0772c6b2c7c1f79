"""The Gaussian kernel, k_s(r) = (2 pi s^2)^(-d/2) exp(-r^2 / 2 s^2).

Its convolution with itself is the Gaussian of bandwidth sqrt(s^2 + t^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen.kernels._base import Native, Rng
from parzen.kernels._pairs import FloatArray
from parzen.kernels._stable import StableKernel


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

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return -0.5 * scaled

    def log_peak(self, n_features: int) -> float:
        return -0.5 * n_features * float(np.log(2.0 * np.pi))

    def join_bandwidths(self, s: float | FloatArray, t: float | FloatArray) -> float | FloatArray:
        return np.hypot(s, t)

    def is_mercer(self, n_features: int) -> bool:
        return True

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        return rng.standard_normal((n_samples, n_features))

    def native(self, n_features: int) -> Native:
        return "gaussian", ()
