"""The scale of a sample, which every rule and every default grid is proportional to.

    sigma_X^2 = (1/d) sum_l Sigma_ll      Jenssen et al. (2006), below (21); covariance with N - 1

Weights are frequencies: N is their sum. A constant column tells nothing: bandwidths are chosen
without it. A sample without any spread has no scale of its own; then the scale is max|x| (1 for
zeros), with a warning.
"""

from __future__ import annotations

import numpy as np

from parzen._core import Array, Bools, Floats, warn

_MAX_RATIO_OF_SPREADS = 10.0  # Columns whose deviations differ more are brought to one scale.


def sample_size(X: Array, weights: Floats | None) -> float:
    """Number of rows, or the sum of their frequencies; less than one observation counts as one."""
    return float(len(X)) if weights is None else max(1.0, float(weights.sum()))


def column_deviations(X: Array, weights: Floats | None) -> Floats:
    """Standard deviation of every column, safe at any scale."""
    if np.isnan(X).any():
        return np.array([_seen_deviation(x, weights) for x in X.T])
    w = np.ones(len(X)) if weights is None else weights
    n = w.sum()
    points = X.astype(np.float64, copy=False)
    # A power of two: the division rounds nothing, so that a large offset costs no digits.
    size = np.ldexp(1.0, np.frexp(np.abs(points).max(axis=0))[1] - 1)
    units = points / size
    centred = units - (w @ units) / n
    centred -= (w @ centred) / n  # a second pass takes out the rounding of a large offset
    return np.asarray(size * np.sqrt((w @ centred**2) / (n - 1 if n > 1 else n)))


def _seen_deviation(x: Array, weights: Floats | None) -> float:
    """Standard deviation of the entries that are there, 0 where there are none."""
    seen = ~np.isnan(x)
    w = None if weights is None else weights[seen]
    return float(column_deviations(x[seen, None], w)[0]) if seen.any() else 0.0


def column_medians(values: Floats, weights: Floats | None) -> Floats:
    """Medians of the columns, as of a sample in which each row stands as often as it weighs."""
    if weights is None:
        return np.asarray(np.nanmedian(values, axis=0))
    return np.array([_median(column, weights) for column in values.T])


def _median(column: Floats, weights: Floats) -> float:
    there = ~np.isnan(column)
    order = np.argsort(column[there], kind="stable")
    ordered, sums = column[there][order], np.cumsum(weights[there][order])
    half = sums[-1] / 2
    below = min(int(np.searchsorted(sums, half, side="left")), len(ordered) - 1)
    above = min(int(np.searchsorted(sums, half, side="right")), len(ordered) - 1)
    return float((ordered[below] + ordered[above]) / 2)


def _sizes(X: Array) -> Array:
    """Largest |x| of every column, 0 where every entry is missing."""
    sizes = np.fmax.reduce(np.abs(X), axis=0)
    return np.where(np.isnan(sizes), 0.0, sizes)


def scales_that_differ(X: Array, weights: Floats | None) -> Floats | None:
    """Standard deviations of the columns; None where the largest is at most ten times the smallest.

    Constant columns do not count; their scale is the geometric mean of the others.
    """
    deviations = column_deviations(X, weights)
    varies = deviations > 4 * np.finfo(X.dtype).eps * _sizes(X)
    own = deviations[varies]
    if len(own) < 2 or own.max() <= _MAX_RATIO_OF_SPREADS * own.min():
        return None
    return np.where(varies, deviations, np.exp(np.log(own).mean()))


def varying_columns(X: Array) -> Bools:
    """Columns whose entries differ by more than rounding; missing entries do not count."""
    spread = np.fmax.reduce(X, axis=0).astype(np.float64) - np.fmin.reduce(X, axis=0)
    return np.asarray(spread > 4 * np.finfo(X.dtype).eps * _sizes(X))


def has_spread(X: Array) -> bool:
    """Whether the rows differ by more than rounding."""
    if len(X) < 2:
        return False
    if np.isnan(X).any():
        spreads = [np.ptp(x[~np.isnan(x)]) for x in X.T if not np.isnan(x).all()]
        return max(map(float, spreads), default=0.0) > resolution(X)
    return float(np.ptp(X, axis=0).max()) > resolution(X)


def resolution(X: Array) -> float:
    """Differences up to this size are the rounding of the entries."""
    return 4 * float(np.finfo(X.dtype).eps) * float(_sizes(X).max())


def sample_scale(X: Array, weights: Floats | None) -> float:
    """sigma_X: root mean square of the columns' standard deviations, never zero."""
    scale = scale_of_spread(X, weights)
    if scale is not None:
        return scale
    size = float(_sizes(X if weights is None else X[weights > 0]).max())
    floor = size if size > 0 else 1.0
    warn(
        f"all points are equal, so they have no scale; the bandwidth falls back to {floor:g}.",
    )
    return floor


def scale_of_spread(X: Array, weights: Floats | None) -> float | None:
    """The same; None where the rows of positive weight differ by no more than rounding."""
    deviations = column_deviations(X, weights)
    largest = float(deviations.max())
    if not largest > resolution(X if weights is None else X[weights > 0]):
        return None
    return float(largest * np.sqrt(np.mean((deviations / largest) ** 2)))


def feature_scales(X: Array, weights: Floats | None) -> Floats:
    """Standard deviation of every column; constant columns have the scale of the sample."""
    deviations = column_deviations(X, weights)
    flat = deviations <= 4 * np.finfo(X.dtype).eps * _sizes(X)
    return np.where(flat, sample_scale(X, weights), deviations) if flat.any() else deviations
