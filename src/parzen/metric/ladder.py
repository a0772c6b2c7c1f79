"""A few bandwidths, far apart, that cover the plausible ones; distances decide, not labels."""

from __future__ import annotations

import numpy as np

from parzen._core import Floats, Ints
from parzen.kernels import get
from parzen.sums import kernel_sums

_MAX_ROWS_FOR_DISTANCES = 1000  # Rows among which distances are measured.
_MAX_LOWER_STEPS = 8  # Steps that a ladder may be continued below its usual end.


def laplacian_ladder(X: Floats) -> Floats:
    """From 1/32 to 1/2 of the mean L1 distance; each is twice the one before.

    Squaring then gives every kernel value from that of the widest bandwidth.
    """
    rows = X[evenly(len(X), _MAX_ROWS_FOR_DISTANCES)]
    mean = float(mean_differences(rows).sum())
    if not mean > 0:
        return np.array([1.0])
    ladder = np.asarray(mean * 2.0 ** np.arange(-5, 0), np.float64)
    return _down_to_neighbours(ladder, rows, "laplacian")


def gaussian_ladder(X: Floats) -> Floats:
    """From 1/20 to 1.5 root mean squared distances, in steps of 2.3."""
    rows = X[evenly(len(X), _MAX_ROWS_FOR_DISTANCES)]
    rms = float(np.sqrt(2.0 * rows.var(axis=0).sum()))
    if not rms > 0:
        return np.array([1.0])
    return _down_to_neighbours(np.geomspace(rms / 20.0, 1.5 * rms, 5), rows, "gaussian")


def _down_to_neighbours(ladder: Floats, X: Floats, kernel: str) -> Floats:
    """The ladder, continued down to the median distance of nearest neighbours.

    Steps below an eighth of that distance are dropped: no row has a neighbour within reach.
    """
    nearest = float(np.median(_nearest_distances(X, ladder[-1], kernel)))
    ratio = ladder[1] / ladder[0]
    lower_steps = np.ceil(
        np.log(ladder[0] / max(nearest, ladder[0] * ratio**-_MAX_LOWER_STEPS)) / np.log(ratio)
    )
    places = np.arange(-int(max(lower_steps, 0)), len(ladder))
    ladder = ladder[0] * ratio ** places.astype(np.float64)
    in_use = ladder >= min(nearest / 8.0, ladder[-2])
    return np.asarray(ladder[in_use])


def mean_differences(X: Floats) -> Floats:
    """Mean |x_i - x_j| over all pairs of rows, for every column."""
    # Among sorted values, the k-th is added k - 1 times and subtracted n - k times.
    n = len(X)
    ranks = 2.0 * np.arange(1, n + 1) - n - 1
    return np.asarray(2.0 * (ranks @ np.sort(X, axis=0)) / max(n * (n - 1), 1))


def evenly(n: int, most: int) -> Ints:
    """Places of all n rows, or of ``most`` rows at equal steps."""
    return np.arange(n) if n <= most else (np.arange(most) * n) // most


def _nearest_distances(X: Floats, unit: float, kernel: str) -> Floats:
    """Distance of each row to its nearest other row.

    The kernel is so narrow that the nearest row alone makes up the log-sum; its distance follows.
    """
    h, k = unit * 1e-4, get(kernel)
    if len(X) < 2:
        return np.array([unit])
    sums = kernel_sums(X, X, kernel=k, bandwidths=h, log=True, exclude_self=True, n_jobs=1)
    log_ratio = k.log_normalizer(np.array([h]), X.shape[1])[0] - sums[:, 0, 0]
    log_ratio = np.maximum(log_ratio, 0.0)
    return np.asarray(h * (log_ratio if kernel == "laplacian" else np.sqrt(2.0 * log_ratio)))
