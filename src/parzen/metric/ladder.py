"""A few bandwidths, far apart, that cover what is plausible: in distances, labels unseen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parzen.kernels import get
from parzen.samples import Floats
from parzen.sums import kernel_sums

_MOST_ROWS = 1000  # for distances
_MOST_MORE = 8  # steps below the usual ones


def laplacian_ladder(X: Floats) -> Floats:
    """From 1/32 to 1/2 of the mean L1 distance; doubling, so that squares give all but one."""
    few = X[evenly(len(X), _MOST_ROWS)]
    mean = float(mean_differences(few).sum())
    if not mean > 0:
        return np.array([1.0])
    ladder = np.asarray(mean * 2.0 ** np.arange(-5, 0), np.float64)
    return _down_to_neighbours(ladder, few, "laplacian")


def gaussian_ladder(X: Floats) -> Floats:
    """From 1/20 to 1.5 root mean squared distances, in steps of 2.3."""
    few = X[evenly(len(X), _MOST_ROWS)]
    rms = float(np.sqrt(2.0 * few.var(axis=0).sum()))
    if not rms > 0:
        return np.array([1.0])
    return _down_to_neighbours(np.geomspace(rms / 20.0, 1.5 * rms, 5), few, "gaussian")


def _down_to_neighbours(ladder: Floats, X: Floats, kernel: str) -> Floats:
    """The ladder, with more steps where half the rows have a neighbour closer than the lowest.

    A ladder whose lower steps see no neighbour at all loses them.
    """
    nearest = float(np.median(_nearest_distances(X, ladder[-1], kernel)))
    ratio = ladder[1] / ladder[0]
    more = np.ceil(np.log(ladder[0] / max(nearest, ladder[0] * ratio**-_MOST_MORE)) / np.log(ratio))
    places = np.arange(-int(max(more, 0)), len(ladder))
    ladder = ladder[0] * ratio ** places.astype(np.float64)
    seen = ladder >= min(nearest / 8.0, ladder[-2])
    return np.asarray(ladder[seen])


def mean_differences(X: Floats) -> Floats:
    """Mean |x_i - x_j| over all pairs of rows, for every column."""
    n = len(X)
    ranks = 2.0 * np.arange(1, n + 1) - n - 1
    return np.asarray(2.0 * (ranks @ np.sort(X, axis=0)) / max(n * (n - 1), 1))


def evenly(n: int, most: int) -> NDArray[np.intp]:
    """All of n rows, or as many as allowed at even distances."""
    return np.arange(n) if n <= most else (np.arange(most) * n) // most


def _nearest_distances(X: Floats, unit: float, kernel: str) -> Floats:
    """Distance to the nearest other row, read off a kernel too narrow for any other row."""
    h, k = unit * 1e-4, get(kernel)
    if len(X) < 2:
        return np.array([unit])
    sums = kernel_sums(X, X, kernel=k, bandwidths=h, log=True, exclude_self=True, n_jobs=1)
    depth = k.log_normalizer(np.array([h]), X.shape[1])[0] - sums[:, 0, 0]
    depth = np.maximum(depth, 0.0)
    return np.asarray(h * (depth if kernel == "laplacian" else np.sqrt(2.0 * depth)))
