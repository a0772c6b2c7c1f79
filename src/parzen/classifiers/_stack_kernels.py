"""Members of a stack that are plug-in rules at given bandwidths.

    iso, lap, mix   one metric that no label has shaped: exact leave-one-out in one pass
    white, cov      the classes' pooled covariance, or their own: fitted anew without each fold

Bandwidths are few and far apart; the pool mixes what lies between them. They follow from distances
between points, labels unseen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth import _outside
from parzen.bandwidth._logs import log
from parzen.bandwidth._sample import Sample as JudgedSample
from parzen.classifiers._class_metric import class_sums
from parzen.classifiers._stack_stage import ABSENT, Candidate, Floats, Stage
from parzen.classifiers._stack_table import Blocks
from parzen.expansion import KernelExpansion
from parzen.kernels import get
from parzen.sums import kernel_sums
from parzen.whitening import Whitening, fit_whitening, pooled_whitening

_MOST_ROWS = 1000  # for distances
MOST_COLUMNS = 300  # of a covariance


@dataclass(frozen=True, eq=False)
class KernelRule:
    """A kernel expansion on one block: log pi_c + b_c + tau (log f_c - log k_c(0))."""

    block: str
    expansion: KernelExpansion
    log_shares: Floats
    temperature: float = 1.0
    offsets: Floats | None = None
    space: Whitening | None = None  # a map of the block that all classes share

    def scores(self, blocks: Blocks, **options: Any) -> Floats:
        X = getattr(blocks, self.block)
        if self.space is not None:
            X = self.space.apply(X, 0)
        logs = self.expansion.log_sums(X, **options)
        if self.offsets is None:
            return np.asarray(logs + self.log_shares)
        relative = self.temperature * (logs - self.expansion.log_peaks())
        return np.asarray(relative + self.offsets + self.log_shares)


def expansion_of(stage: Stage, X: Floats, kernel: str, bandwidth: Any, **options: Any) -> Any:
    """The mean of kernels of every class."""
    counts = np.bincount(stage.codes, stage.frequencies, minlength=stage.n_classes)
    return KernelExpansion(
        points=X,
        kernel=get(kernel),
        bandwidth=np.asarray(bandwidth, np.float64),
        n_classes=stage.n_classes,
        labels=stage.codes,
        weights=stage.weights,
        log_factors=-np.log(counts),
        **options,
    )


def leave_one_out_family(name: str, block: str, kernel: str, stage: Stage) -> list[Candidate]:
    """Candidates at every bandwidth, each row left out of all of them in one pass."""
    X = getattr(stage.blocks, block)
    grid = laplacian_grid(X) if kernel == "laplacian" else gaussian_grid(X)
    sample = stage.sample(X, kernel)
    scores = leave_one_out_scores(sample, grid, stage.judged) + stage.log_shares[:, None]

    def fit(h: float) -> KernelRule:
        return KernelRule(block, expansion_of(stage, X, kernel, h), stage.log_shares)

    return [
        Candidate(name, float(h), scores[:, :, b], partial(fit, float(h)))
        for b, h in enumerate(grid)
    ]


def leave_one_out_scores(
    sample: JudgedSample, grid: Floats, rows: NDArray[np.intp] | None = None
) -> Floats:
    """Log f_c of rows without themselves, shape (rows, C, bandwidths)."""
    parts = [
        _log_means(part.log_sums, part.sizes)
        for part in _outside.leave_one_out(sample, grid, rows)
    ]
    return np.concatenate(parts)


def pooled_family(stage: Stage) -> list[Candidate]:
    """Gaussians after whitening by the pooled within-class covariance."""

    def sums(train: JudgedSample, X: Floats, grid: Floats) -> Floats:
        present, inner = np.unique(train.y, return_inverse=True)
        space = pooled_whitening(train.X, inner, len(present), train.weights)
        columns = [space.apply(part, 0) for part in (X, train.X)]
        labels = _outside.class_log_sums(columns[0], train, columns[1], grid)
        return np.asarray(labels + space.log_volumes[0])

    def fit(h: float) -> KernelRule:
        space = pooled_whitening(stage.blocks.plain, stage.codes, stage.n_classes, stage.weights)
        points = space.apply(stage.blocks.plain, 0)
        return KernelRule(
            "plain", expansion_of(stage, points, "gaussian", h), stage.log_shares, space=space
        )

    return _refitted_family("white", stage, sums, fit)


def class_family(stage: Stage) -> list[Candidate]:
    """Gaussians in each class's own shrunk covariance."""

    def sums(train: JudgedSample, X: Floats, grid: Floats) -> Floats:
        return class_sums(X, train, grid)

    def fit(h: float) -> KernelRule:
        X = stage.blocks.plain
        own = fit_whitening(X, stage.codes, stage.n_classes, stage.weights)
        return KernelRule(
            "plain", expansion_of(stage, X, "gaussian", h, whitening=own), stage.log_shares
        )

    return _refitted_family("cov", stage, sums, fit)


def _refitted_family(
    name: str,
    stage: Stage,
    sums: Callable[[JudgedSample, Floats, Floats], Floats],
    fit: Callable[[float], KernelRule],
) -> list[Candidate]:
    X = stage.blocks.plain
    if X.shape[1] > MOST_COLUMNS:
        return []
    grid = gaussian_grid(X)
    sample = stage.sample(X, "gaussian")
    scores = stage.nothing(len(grid))
    for train, places in stage.splits(finer=True):
        part = sample.rows(train)
        found = sums(part, X[stage.judged[places]], grid)
        scores[:, places] = np.moveaxis(_log_means(found, part.sizes), 2, 0)
    scores += stage.log_shares
    return [
        Candidate(name, float(h), scores[b], partial(fit, float(h))) for b, h in enumerate(grid)
    ]


def _log_means(log_sums: Floats, sizes: Floats) -> Floats:
    """Log f_c from sums over the classes, a finite number where a class is absent."""
    means = log_sums - log(np.where(sizes > 0, sizes, 1.0))[..., None]
    return np.asarray(np.where(np.isneginf(log_sums), ABSENT, means))


def laplacian_grid(X: Floats) -> Floats:
    """From 1/32 to 1/2 of the mean L1 distance; doubling, so that squares give all but one."""
    few = X[_evenly(len(X), _MOST_ROWS)]
    n = len(few)
    ranks = 2.0 * np.arange(1, n + 1) - n - 1
    mean = 2.0 * float((ranks @ np.sort(few, axis=0)).sum()) / max(n * (n - 1), 1)
    return np.asarray((mean if mean > 0 else 1.0) * 2.0 ** np.arange(-5, 0))


def gaussian_grid(X: Floats, count: int = 5) -> Floats:
    """From a quarter of the nearest neighbours' distance to 1.5 root mean squared distances.

    In units of columns with deviation 1; squares have the ratio of a power of two where that
    covers the range.
    """
    few = X[_evenly(len(X), _MOST_ROWS)]
    rms = float(np.sqrt(2.0 * few.var(axis=0).sum()))
    if not rms > 0:
        return np.array([1.0])
    nearest = _nearest_distances(few, rms)
    low = max(float(np.median(nearest)) / 4.0, rms / 20.0)
    return np.geomspace(low, 1.5 * rms, count)


def _nearest_distances(X: Floats, rms: float) -> Floats:
    """Distance to the nearest other row, read off a kernel too narrow for any other row."""
    h = rms * 1e-4
    sums = kernel_sums(X, X, bandwidths=h, log=True, exclude_self=True, n_jobs=1)[:, 0, 0]
    peak = get("gaussian").log_normalizer(np.array([h]), X.shape[1])[0]
    return np.asarray(h * np.sqrt(np.maximum(2.0 * (peak - sums), 0.0)))


def _evenly(n: int, most: int) -> NDArray[np.intp]:
    return np.arange(n) if n <= most else (np.arange(most) * n) // most
