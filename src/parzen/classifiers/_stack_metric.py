"""Members of a stack whose columns are weighted by a learned metric.

    ard    Gaussian, on numbers and indicators
    ardl   product Laplacian, on numbers and indicators
    ardw   Gaussian, in the space whitened by the pooled covariance

Start, metric and temperature are learned on the other folds; then, for new points, on all rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from parzen._threads import run_tasks
from parzen.bandwidth._calibration import calibrate
from parzen.bandwidth._metric import RIDGES, ridge_path, systematic_rows
from parzen.bandwidth._metric_loss import Metric, MetricLoss
from parzen.bandwidth._sample import Sample as JudgedSample
from parzen.classifiers._stack_kernels import (
    MOST_COLUMNS,
    KernelRule,
    expansion_of,
    gaussian_grid,
    laplacian_grid,
    leave_one_out_scores,
)
from parzen.classifiers._stack_stage import ABSENT, Candidate, Floats, Stage
from parzen.expansion import KernelExpansion
from parzen.whitening import Whitening, pooled_whitening

OUTER_ROWS = 400  # rows of the likelihood; all points stay centres
_TOLERANCE = 1e-5
_MOST_SCALES = 40  # classes beyond which none gets a scale of its own
_LEAST = -300.0


def metric_family(name: str, kernel: str, whitened: bool, stage: Stage) -> list[Candidate]:
    """Candidates at every ridge."""
    block = "plain" if whitened else "mixed"
    X = getattr(stage.blocks, block)
    if whitened and X.shape[1] > MOST_COLUMNS:
        return []
    sample = stage.sample(X, kernel)
    splits = stage.splits()

    def learn(part: JudgedSample) -> tuple[Whitening | None, JudgedSample, list[Metric]]:
        space = _space(part) if whitened else None
        mapped = part if space is None else replace(part, X=space.apply(part.X, 0))
        return space, mapped, learned_path(mapped)

    tasks = [partial(learn, sample.rows(train)) for train, _ in splits] + [partial(learn, sample)]
    *parts, final = run_tasks(tasks, stage.threads)
    scores = stage.nothing(len(RIDGES))
    for (_, places), (space, train, path) in zip(splits, parts, strict=True):
        queries = X[stage.judged[places]]
        mapped = queries if space is None else space.apply(queries, 0)
        for r, metric in enumerate(path):
            scores[r, places] = metric_scores(train, metric, mapped)
    scores += stage.log_shares

    def fit(r: int) -> KernelRule:
        space, mapped, path = final
        metric = path[r]
        expansion = expansion_of(stage, mapped.X, kernel, metric_bandwidth(metric, kernel))
        tau = float(np.exp(metric.log_temperature))
        return KernelRule(block, expansion, stage.log_shares, tau, metric.offsets, space)

    return [Candidate(name, ridge, scores[r], partial(fit, r)) for r, ridge in enumerate(RIDGES)]


def _space(part: JudgedSample) -> Whitening:
    present, inner = np.unique(part.y, return_inverse=True)
    return pooled_whitening(part.X, inner, len(present), part.weights)


def learned_path(sample: JudgedSample, most: int = OUTER_ROWS) -> list[Metric]:
    """The metrics of all ridges, from the best common bandwidth and its temperature."""
    start = isotropic_start(sample, most)
    loss = MetricLoss.leave_one_out(sample, systematic_rows(sample, most))
    if len(loss.y) == 0 or loss.n_classes < 2:
        return [start] * len(RIDGES)
    size = float(sample.frequencies.sum())
    return ridge_path(loss, start, RIDGES, size=size, tolerance=_TOLERANCE)


def isotropic_start(sample: JudgedSample, most: int) -> Metric:
    """The common bandwidth whose tempered leave-one-out posteriors are best, on some rows."""
    absolute = sample.kernel.measure == "l1"
    grid = laplacian_grid(sample.X) if absolute else gaussian_grid(sample.X)
    rows = np.flatnonzero(systematic_rows(sample, most) > 0)
    present = np.unique(sample.y)
    rows = rows[sample.companions()[rows] > 0]
    d = sample.X.shape[1]
    place, tau = len(grid) // 2, 1.0
    if len(rows) and len(present) > 1:
        logs = leave_one_out_scores(sample, grid, rows)[:, present]
        relative = np.moveaxis(logs - logs.max(axis=1, keepdims=True), 2, 0)
        fits = calibrate(
            np.maximum(relative, _LEAST),
            np.searchsorted(present, sample.y[rows]),
            sample.frequencies[rows],
        )
        place = int(np.argmin(fits.loss))
        tau = float(np.clip(fits.slope[place], 1e-2, 1e2))
    log_rate = -np.log(grid[place]) * (1.0 if absolute else 2.0)
    return Metric.plain(np.full(d, log_rate), len(present), float(np.log(tau)))


def metric_bandwidth(metric: Metric, kernel: str) -> Floats:
    """The bandwidths of every class and column, one row where the classes share them."""
    logs = metric.log_scales[:, None] - metric.log_weights
    if (metric.log_scales == metric.log_scales[0]).all():
        logs = logs[:1]
    return np.asarray(np.exp(logs if kernel == "laplacian" else 0.5 * logs))


def metric_scores(train: JudgedSample, metric: Metric, X: Floats) -> Floats:
    """Scores b_c + tau log(mean kernel) at the rows of X; classes that are absent get a floor."""
    present, labels = np.unique(train.y, return_inverse=True)
    expansion = KernelExpansion(
        points=train.X,
        kernel=train.kernel,
        bandwidth=metric_bandwidth(metric, train.kernel.name),
        n_classes=len(present),
        labels=labels,
        weights=train.weights,
        log_factors=-np.log(train.sizes[present]),
        unit_peak=True,
    )
    scores = np.full((len(X), train.n_classes), ABSENT)
    tau = np.exp(metric.log_temperature)
    scores[:, present] = tau * expansion.log_sums(X, n_jobs=train.n_jobs) + metric.offsets
    return scores
