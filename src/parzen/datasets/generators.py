"""Data sets that are defined by a formula: a fresh sample for every seed.

    twonorm    N(+-a, I) in 20 dimensions, a = (2/sqrt 20)(1, ..., 1)                   Breiman
    ringnorm   N(0, 4I) against N(a, I)                                                 Breiman
    waveform   random convex combinations of two of three triangular waves, plus noise  Breiman
    monks      three rules over all 432 combinations of six attributes                  Thrun et al.

and the toy problems of the papers: a one-dimensional mixture (L2 kernel classification, section 6),
a ring around a Gaussian and 100 against 5 Gaussian points (the Laplacian classifier), and the
Gaussian parity problem (the B-machine).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Drawn = tuple[NDArray[np.float64], NDArray[np.int64]]  # Rows and labels.
_NORM_MEAN = 2.0 / np.sqrt(20.0)  # Every coordinate of the means of twonorm and ringnorm.


def _signs(n: int, rng: Any) -> NDArray[np.int64]:
    return np.where(rng.uniform(size=n) < 0.5, -1, 1).astype(np.int64)


def make_twonorm(n_samples: int = 7400, *, random_state: Any = None) -> Drawn:
    """Two Gaussians of unit covariance in 20 dimensions; the Bayes error is 2.3 %.

    Examples
    --------
    >>> X, y = make_twonorm(100, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 20), [-1, 1])
    """
    rng = check_random_state(random_state)
    y = _signs(n_samples, rng)
    return rng.standard_normal((n_samples, 20)) + _NORM_MEAN * y[:, None], y


def make_ringnorm(n_samples: int = 7400, *, random_state: Any = None) -> Drawn:
    """A wide Gaussian (+1) around a narrow one (-1) in 20 dimensions; the Bayes error is 1.3 %."""
    rng = check_random_state(random_state)
    y = _signs(n_samples, rng)
    noise = rng.standard_normal((n_samples, 20))
    return np.where(y[:, None] == 1, 2.0 * noise, noise + _NORM_MEAN), y


def make_waveform(n_samples: int = 5000, *, random_state: Any = None) -> Drawn:
    """Breiman's waves in 21 dimensions: +1 is the second class, -1 the first and the third."""
    rng = check_random_state(random_state)
    i = np.arange(1, 22)
    waves = np.stack([np.maximum(6 - np.abs(i - centre), 0) for centre in (11, 15, 7)])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    kind = rng.randint(3, size=n_samples)
    u = rng.uniform(size=(n_samples, 1))
    first, second = waves[pairs[kind, 0]], waves[pairs[kind, 1]]
    X = u * first + (1 - u) * second + rng.standard_normal((n_samples, 21))
    return X, np.where(kind == 1, 1, -1).astype(np.int64)


def make_monks(problem: int) -> Drawn:
    """All 432 points of MONK problem 1, 2 or 3 with their noise-free labels (0, 1)."""
    if problem not in (1, 2, 3):
        raise ValueError(f"problem must be 1, 2 or 3, got {problem!r}.")
    grid = np.indices((3, 3, 2, 3, 4, 2)).reshape(6, -1).T + 1
    a1, a2, _, a4, a5, _ = grid.T
    if problem == 1:
        label = (a1 == a2) | (a5 == 1)
    elif problem == 2:
        label = (grid == 1).sum(axis=1) == 2
    else:
        label = ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3))
    return grid.astype(np.float64), label.astype(np.int64)


def make_mixture(n_samples: int = 200, *, random_state: Any = None) -> Drawn:
    """One dimension, equal priors: 0.2 N(4, 2) + 0.8 N(8, 1) against 0.7 N(0, 1) + 0.3 N(10, 2)."""
    rng = check_random_state(random_state)
    y = _signs(n_samples, rng)
    first = rng.uniform(size=n_samples) < np.where(y == 1, 0.2, 0.7)
    mean = np.where(y == 1, np.where(first, 4.0, 8.0), np.where(first, 0.0, 10.0))
    wide = (y == 1) == first
    X = mean + np.where(wide, np.sqrt(2.0), 1.0) * rng.standard_normal(n_samples)
    return X[:, None], y


def make_ring(n_ring: int = 63, n_centre: int = 200, *, random_state: Any = None) -> Drawn:
    """A noisy ring (+1) of radius 4 around a standard Gaussian (-1) in the plane."""
    rng = check_random_state(random_state)
    angle = rng.uniform(0, 2 * np.pi, n_ring)
    radius = 4 + 0.25 * rng.standard_normal(n_ring)
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    X = np.vstack([ring, 0.8 * rng.standard_normal((n_centre, 2))])
    return X, np.repeat([1, -1], [n_ring, n_centre]).astype(np.int64)


def make_unbalanced(n_frequent: int = 100, n_rare: int = 5, *, random_state: Any = None) -> Drawn:
    """Unit Gaussians at (2, 2), frequent (-1), and at (0.6, 0.6), rare (+1)."""
    rng = check_random_state(random_state)
    y = np.repeat([-1, 1], [n_frequent, n_rare]).astype(np.int64)
    means = np.where(y[:, None] == 1, 0.6, 2.0)
    return rng.standard_normal((len(y), 2)) + means, y


def make_parity(n_samples: int = 200, *, spread: float = 0.3, random_state: Any = None) -> Drawn:
    """Four Gaussians at (+-1, +-1); the label is the product of the signs."""
    rng = check_random_state(random_state)
    corners = rng.choice([-1.0, 1.0], size=(n_samples, 2))
    X = corners + spread * rng.standard_normal((n_samples, 2))
    return X, corners.prod(axis=1).astype(np.int64)
