"""The uniform density, k_s(r) = 1 / (V_d s^d) on the ball of radius s, which includes its sphere.

V_d is the volume of the unit ball.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen.kernels.base import Rng
from parzen.kernels.compact import CompactKernel
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register
from parzen.kernels.sphere import log_ball_volume, unit_vectors


@register
@dataclass(frozen=True)
class Uniform(CompactKernel):
    """The uniform density on a ball.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("uniform")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.5, 0.5, 0. ]])
    """

    name: ClassVar[str] = "uniform"
    native_name: ClassVar[str | None] = "uniform"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return np.where(scaled > 1.0, -np.inf, 0.0).astype(scaled.dtype)

    def log_peak(self, n_features: int) -> float:
        return -log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return 0.0

    def second_moment(self, n_features: int) -> float:
        return 1.0 / (n_features + 2)

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        radius = rng.uniform(size=(n_samples, 1)) ** (1.0 / n_features)
        return np.asarray(radius * unit_vectors(n_samples, n_features, rng))
