"""The unit sphere and the unit ball in d dimensions."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from parzen.kernels.base import Rng
from parzen.kernels.pairs import FloatArray


def unit_vectors(n_samples: int, n_features: int, rng: Rng) -> FloatArray:
    """Draw points uniformly from the unit sphere."""
    normal = rng.standard_normal((n_samples, n_features))
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))


def log_ball_volume(n_features: int) -> float:
    """Return the log volume of the unit ball, pi^(d/2) / Gamma(d/2 + 1)."""
    return float(0.5 * n_features * np.log(np.pi) - gammaln(0.5 * n_features + 1.0))


def log_sphere_area(n_features: int) -> float:
    """Return the log area of the unit sphere, 2 pi^(d/2) / Gamma(d/2); on the line it is 2."""
    d = n_features
    return float(np.log(2.0) + 0.5 * d * np.log(np.pi) - gammaln(0.5 * d))
