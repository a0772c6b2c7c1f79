"""A few bandwidths, far apart, that cover what is plausible: in distances, labels unseen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth._sample import Floats
from parzen.kernels import get
from parzen.sums import kernel_sums

_MOST_ROWS = 1000  # for distances


def laplacian_ladder(X: Floats) -> Floats:
    """From 1/32 to 1/2 of the mean L1 distance; doubling, so that squares give all but one."""
    mean = float(mean_differences(X[evenly(len(X), _MOST_ROWS)]).sum())
    return np.asarray((mean if mean > 0 else 1.0) * 2.0 ** np.arange(-5, 0))


def gaussian_ladder(X: Floats, count: int = 5) -> Floats:
    """From a quarter of the nearest neighbours' distance to 1.5 root mean squared distances."""
    few = X[evenly(len(X), _MOST_ROWS)]
    rms = float(np.sqrt(2.0 * few.var(axis=0).sum()))
    if not rms > 0:
        return np.array([1.0])
    low = max(float(np.median(_nearest_distances(few, rms))) / 4.0, rms / 20.0)
    return np.geomspace(low, 1.5 * rms, count)


def mean_differences(X: Floats) -> Floats:
    """Mean |x_i - x_j| over all pairs of rows, for every column."""
    n = len(X)
    ranks = 2.0 * np.arange(1, n + 1) - n - 1
    return np.asarray(2.0 * (ranks @ np.sort(X, axis=0)) / max(n * (n - 1), 1))


def evenly(n: int, most: int) -> NDArray[np.intp]:
    """All of n rows, or as many as allowed at even distances."""
    return np.arange(n) if n <= most else (np.arange(most) * n) // most


def _nearest_distances(X: Floats, rms: float) -> Floats:
    """Distance to the nearest other row, read off a kernel too narrow for any other row."""
    h = rms * 1e-4
    sums = kernel_sums(X, X, bandwidths=h, log=True, exclude_self=True, n_jobs=1)[:, 0, 0]
    peak = get("gaussian").log_normalizer(np.array([h]), X.shape[1])[0]
    return np.asarray(h * np.sqrt(np.maximum(2.0 * (peak - sums), 0.0)))
