"""The triangular density, k_s(r) = (d+1) / (V_d s^d) (1 - r/s) on the ball of radius s.

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
class Triangular(CompactKernel):
    """The density whose graph is a cone.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("triangular")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[1. , 0.5, 0. ]])
    """

    name: ClassVar[str] = "triangular"
    native_name: ClassVar[str | None] = "triangular"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return log1m(np.sqrt(scaled))

    def log_peak(self, n_features: int) -> float:
        return float(np.log(n_features + 1.0)) - log_ball_volume(n_features)

    def log_overlap_ratio(self, n_features: int) -> float:
        return float(np.log1p(0.5 * n_features))

    def second_moment(self, n_features: int) -> float:
        return (n_features + 1.0) / ((n_features + 2.0) * (n_features + 3.0))

    def sample(self, n_samples: int, n_features: int, rng: Rng) -> FloatArray:
        radius = rng.beta(n_features, 2.0, size=(n_samples, 1))
        return radius * unit_vectors(n_samples, n_features, rng)

    def is_mercer(self, n_features: int) -> bool:
        """In one dimension only: (1 - r)_+^p needs p >= (d+1)/2 (Askey)."""
        return n_features == 1
