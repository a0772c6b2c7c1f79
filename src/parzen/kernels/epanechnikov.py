"""The Epanechnikov density, k_s(r) = (d+2) / (2 V_d s^d) (1 - r^2/s^2) on the ball of radius s.

V_d is the volume of the unit ball.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen.kernels.base import Rng
from parzen.kernels.compact import CompactKernel, log1m
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register
from parzen.kernels.sphere import log_ball_volume, unit_vectors


@register
@dataclass(frozen=True)
class Epanechnikov(CompactKernel):
    """The density whose graph is a paraboloid.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("epanechnikov")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.75  , 0.5625, 0.    ]])
    """

    name: ClassVar[str] = "epanechnikov"
    native_name: ClassVar[str | None] = "epanechnikov"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return log1m(scaled)

    def log_peak(self, n_features: int) -> float:
        return float(np.log1p(0.5 * n_features)) - log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return float(np.log1p(0.25 * n_features))

    def second_moment(self, n_features: int) -> float:
        return 1.0 / (n_features + 4)

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        radius = np.sqrt(rng.beta(0.5 * n_features, 2.0, size=(n_samples, 1)))
        return np.asarray(radius * unit_vectors(n_samples, n_features, rng))
