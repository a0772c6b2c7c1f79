"""The learned metric from start to end: a common bandwidth, then the path of ridges.

The start is the bandwidth of a short ladder (few bandwidths, far apart, that cover the plausible
ones; distances decide, not labels) whose tempered leave-one-out posteriors are best, and its
temperature. The likelihood is summed over some rows; all points stay centres.
"""

from __future__ import annotations

import numpy as np

from parzen._core import Floats
from parzen.kernels import get
from parzen.metric.calibration import calibrate
from parzen.metric.column_weights import RIDGES, held_out_losses, ridge_path, systematic_rows
from parzen.metric.loss import Metric, MetricLoss
from parzen.samples import KernelSample, best_place, evenly, left_out_log_means
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


OUTER_ROWS = 400  # Rows whose posteriors enter the likelihood; all points stay centres.
_DESCENT_TOLERANCE = 1e-5  # Relative decrease of the loss at which L-BFGS stops.
_MIN_LOG_RATIO = -300.0  # Log-densities relative to the largest of their row are cut off here.


def learned_path(
    sample: KernelSample,
    start: Metric | None = None,
    *,
    ridges: tuple[float, ...] = RIDGES,
    most: int = OUTER_ROWS,
) -> list[Metric]:
    """The start, standing for an infinite ridge, and the metrics of all ridges after it."""
    start = isotropic_start(sample, most) if start is None else start
    loss = MetricLoss.leave_one_out(sample, systematic_rows(sample, most))
    if len(loss.y) == 0 or loss.n_classes < 2:
        return [start] * (1 + len(ridges))
    size = float(sample.frequencies.sum())
    return [start, *ridge_path(loss, start, ridges, size=size, tolerance=_DESCENT_TOLERANCE)]


def choose_metric(sample: KernelSample, start: Metric | None, folds: int) -> tuple[Metric, Floats]:
    """The metric whose ridge has the smallest held-out loss, and the losses of the path.

    A class without rows has nothing to learn from: it gets the common scale and no offset.
    """

    def path_of(part: KernelSample) -> list[Metric]:
        n_classes = int(np.count_nonzero(part.counts))
        return learned_path(part, None if start is None else _with_classes(start, n_classes))

    losses = held_out_losses(sample, min(folds, len(sample)), path_of) / sample.frequencies.sum()
    place = best_place(losses, "smallest")
    present = np.unique(sample.codes)
    found = path_of(sample)[place]
    metric = _with_classes(found, sample.n_classes)
    metric.log_scales[present], metric.offsets[present] = found.log_scales, found.offsets
    return metric, losses


def isotropic_start(sample: KernelSample, most: int) -> Metric:
    """The common bandwidth whose tempered leave-one-out posteriors are best, on some rows."""
    absolute = sample.kernel.measure == "l1"
    grid = laplacian_ladder(sample.X) if absolute else gaussian_ladder(sample.X)
    rows = np.flatnonzero(
        (systematic_rows(sample, most) > 0) & (sample.same_class_weight_without_self() > 0)
    )
    present = np.unique(sample.codes)
    place, tau = len(grid) // 2, 1.0
    if len(rows) and len(present) > 1:
        logs = left_out_log_means(sample, grid, rows)[:, present]
        relative = np.moveaxis(logs - logs.max(axis=1, keepdims=True), 2, 0)
        y = np.searchsorted(present, sample.codes[rows])
        fits = calibrate(np.maximum(relative, _MIN_LOG_RATIO), y, sample.frequencies[rows])
        place = int(np.argmin(fits.loss))
        tau = float(np.clip(fits.slope[place], 1e-2, 1e2))
    log_rate = -np.log(grid[place]) * (1.0 if absolute else 2.0)
    return Metric.plain(np.full(sample.X.shape[1], log_rate), len(present), float(np.log(tau)))


def metric_bandwidth(metric: Metric, *, absolute: bool) -> Floats:
    """The bandwidths of every class and column, one row where the classes share them."""
    logs = metric.log_scales[:, None] - metric.log_weights
    if (metric.log_scales == metric.log_scales[0]).all():
        logs = logs[:1]
    return np.asarray(np.exp(logs if absolute else 0.5 * logs))


def column_shares(X: Floats, bandwidth: Floats, *, absolute: bool) -> Floats:
    """Share of each column in the mean distance of two rows: its relevance. Sums to 1."""
    log_h = np.log(bandwidth).mean(axis=0)
    mean = mean_differences(X) / np.exp(log_h) if absolute else X.var(axis=0) / np.exp(2 * log_h)
    total = mean.sum()
    return np.asarray(mean / total if total > 0 else np.full(len(mean), 1.0 / len(mean)))


def _with_classes(start: Metric, n_classes: int) -> Metric:
    return Metric.plain(start.log_weights, n_classes, start.log_temperature)
