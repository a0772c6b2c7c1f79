"""Uniform directions and the unit ball, shared by the radial kernels."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from parzen.kernels._base import Rng
from parzen.kernels._pairs import FloatArray


def unit_vectors(n_samples: int, n_features: int, rng: Rng) -> FloatArray:
    """Draw points uniformly from the unit sphere."""
    normal = rng.standard_normal((n_samples, n_features))
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))


def log_ball_volume(n_features: int) -> float:
    """Return the log volume of the unit ball, pi^(d/2) / Gamma(d/2 + 1)."""
    return float(0.5 * n_features * np.log(np.pi) - gammaln(0.5 * n_features + 1.0))
