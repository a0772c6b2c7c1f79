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

from parzen._core import steps
from parzen.classifiers.stack.stage import Candidate, Floats, Stage
from parzen.classifiers.stack.table import Blocks
from parzen.expansion import KernelExpansion
from parzen.kernels import get
from parzen.metric import (
    Whitening,
    class_sums,
    fit_whitening,
    gaussian_ladder,
    laplacian_ladder,
    pooled_whitening,
)
from parzen.samples import KernelSample, class_log_sums, left_out_log_means, log_means

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


def expansion_of(
    stage: Stage, X: Floats, kernel: str, bandwidth: Any, **options: Any
) -> KernelExpansion:
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
    grid = laplacian_ladder(X) if kernel == "laplacian" else gaussian_ladder(X)
    sample = stage.sample(X, kernel)
    scores = left_out_log_means(sample, grid, stage.judged) + stage.log_shares[:, None]

    def fit(h: float) -> KernelRule:
        return KernelRule(block, expansion_of(stage, X, kernel, h), stage.log_shares)

    return [
        Candidate(name, float(h), scores[:, :, b], partial(fit, float(h)))
        for b, h in enumerate(grid)
    ]


def pooled_family(stage: Stage) -> list[Candidate]:
    """Gaussians after whitening by the pooled within-class covariance."""

    def sums(train: KernelSample, X: Floats, grid: Floats) -> Floats:
        present, inner = np.unique(train.codes, return_inverse=True)
        space = pooled_whitening(train.X, inner, len(present), train.weights)
        columns = [space.apply(part, 0) for part in (X, train.X)]
        labels = class_log_sums(columns[0], train, columns[1], grid)
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

    def sums(train: KernelSample, X: Floats, grid: Floats) -> Floats:
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
    sums: Callable[[KernelSample, Floats, Floats], Floats],
    fit: Callable[[float], KernelRule],
) -> list[Candidate]:
    X = stage.blocks.plain
    if X.shape[1] > MOST_COLUMNS:
        return []
    grid = gaussian_ladder(X)
    sample = stage.sample(X, "gaussian")
    scores = stage.nothing(len(grid))
    for train, places in steps(stage.splits(finer=True)):
        part = sample.rows(train)
        found = sums(part, X[stage.judged[places]], grid)
        scores[:, places] = np.moveaxis(log_means(found, part.counts), 2, 0)
    scores += stage.log_shares
    return [
        Candidate(name, float(h), scores[b], partial(fit, float(h))) for b, h in enumerate(grid)
    ]
