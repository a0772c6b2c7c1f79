"""Members of a stack that are plug-in rules at given bandwidths.

    iso, lap, mix   one metric that no label has shaped: exact leave-one-out in one pass
    white, cov      the classes' pooled covariance, or their own: fitted anew without each fold

lap, white and cov have a second form on normal scores, whose candidates compete with the first.

Bandwidths are few and far apart; the stack mixes what lies between them. They follow from distances
between points, whatever the labels are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from parzen._core import Floats, Ints, steps
from parzen.classifiers.stack.table import Blocks
from parzen.classifiers.stack.training_set import Candidate, StackTrainingSet, candidates
from parzen.expansion import KernelExpansion
from parzen.kernels import Kernel, get
from parzen.metric import (
    Whitening,
    class_sums,
    fit_whitening,
    gaussian_ladder,
    laplacian_ladder,
    pooled_whitening,
)
from parzen.samples import ABSENT, KernelSample, class_log_sums, left_out_log_means, log_means

MOST_COLUMNS = 300  # No covariance of more columns is estimated.
_FARTHEST = 1e12  # Standardised values are cut off here in single precision, to stay in its range.


@dataclass(frozen=True, eq=False)
class KernelRule:
    """A kernel expansion on one block: log pi_c + b_c + tau (log f_c - log k_c(0))."""

    block: str
    expansion: KernelExpansion
    log_shares: Floats
    temperature: float = 1.0
    offsets: Floats | None = None
    space: Whitening | None = None  # a map of the block that all classes share
    rows: Ints | None = None  # numbers of the points among the distinct rows of the fit

    @property
    def terms(self) -> int:
        return int(self.expansion.points.size)

    def scores(self, blocks: Blocks, **options: Any) -> Floats:
        logs = self.expansion.log_sums(self.mapped(blocks), **options)
        if self.offsets is None:
            return np.asarray(logs + self.log_shares)
        relative = self.temperature * (logs - self._log_peaks)
        return np.asarray(relative + self.offsets + self.log_shares)

    @cached_property
    def _log_peaks(self) -> Floats:
        return self.expansion.log_peaks()

    def mapped(self, blocks: Blocks) -> Floats:
        """The rows in the space of the points."""
        X: Floats = getattr(blocks, self.block)
        if self.expansion.points.dtype == np.float32:
            X = np.clip(X, -_FARTHEST, _FARTHEST).astype(np.float32)
        return X if self.space is None else self.space.apply(X, 0)


def expansion_of(
    training: StackTrainingSet, X: Floats, kernel: str | Kernel, bandwidth: Any, **options: Any
) -> KernelExpansion:
    """The mean of kernels of every class; product Laplacians of a part in single precision."""
    single = training.is_part and kernel == "laplacian"
    X = X.astype(np.float32) if single else X
    counts = np.bincount(training.codes, training.frequencies, minlength=training.n_classes)
    return KernelExpansion(
        points=X,
        kernel=get(kernel),
        bandwidth=np.asarray(bandwidth, np.float64),
        n_classes=training.n_classes,
        labels=training.codes,
        weights=training.weights,
        log_factors=-np.log(counts),
        **options,
    )


def log_means_of_present(
    train: KernelSample,
    bandwidth: Floats,
    X: Floats,
    *,
    temperature: float = 1.0,
    offsets: Floats | float = 0.0,
    unit_peak: bool = False,
) -> Floats:
    """b_c + tau log(mean kernel) of every class at the rows of X; a floor for those absent."""
    present, labels = np.unique(train.codes, return_inverse=True)
    expansion = KernelExpansion(
        points=train.X,
        kernel=train.kernel,
        bandwidth=bandwidth,
        n_classes=len(present),
        labels=labels,
        weights=train.weights,
        log_factors=-np.log(train.counts[present]),
        unit_peak=unit_peak,
    )
    scores = np.full((len(X), train.n_classes), ABSENT)
    scores[:, present] = temperature * expansion.log_sums(X, n_jobs=train.n_jobs) + offsets
    return scores


def pooled_space(train: KernelSample) -> Whitening:
    """The space whitened by the pooled covariance of the classes that are present."""
    present, inner = np.unique(train.codes, return_inverse=True)
    return pooled_whitening(train.X, inner, len(present), train.weights)


def leave_one_out_family(
    family: str, block: str, kernel: str, training: StackTrainingSet
) -> list[Candidate]:
    """Candidates at every bandwidth, each row left out of all of them in one pass."""
    return training.once(
        f"{family} {block}", partial(_left_out_candidates, family, block, kernel, training)
    )


def _left_out_candidates(
    family: str, block: str, kernel: str, training: StackTrainingSet
) -> list[Candidate]:
    if not _has_form(training, block):
        return []
    X = getattr(training.blocks, block)
    full = np.nan_to_num(X)  # the ladder takes distances over all columns: a gap is the mean, 0
    grid = laplacian_ladder(full) if kernel == "laplacian" else gaussian_ladder(full)
    sample = training.sample(X, kernel)
    scores = left_out_log_means(sample, grid, training.scored_rows) + training.log_shares[:, None]

    def fit(h: float) -> KernelRule:
        expansion = expansion_of(training, X, kernel, h)
        return KernelRule(block, expansion, training.log_shares, rows=training.numbers)

    return candidates(family, _label(family, block), grid, np.moveaxis(scores, 2, 0), fit)


def pooled_family(block: str, training: StackTrainingSet) -> list[Candidate]:
    """Gaussians after whitening by the pooled within-class covariance."""

    def sums(train: KernelSample, X: Floats, grid: Floats) -> Floats:
        space = pooled_space(train)
        found = class_log_sums(space.apply(X, 0), train, space.apply(train.X, 0), grid)
        return np.asarray(found + space.log_volumes[0])

    def fit(h: float) -> KernelRule:
        X, codes = getattr(training.blocks, block), training.codes
        space = pooled_whitening(X, codes, training.n_classes, training.weights)
        expansion = expansion_of(training, space.apply(X, 0), "gaussian", h)
        return KernelRule(block, expansion, training.log_shares, space=space, rows=training.numbers)

    return _refitted_family("white", block, training, sums, fit)


def class_family(block: str, training: StackTrainingSet) -> list[Candidate]:
    """Gaussians in each class's own shrunk covariance."""

    def fit(h: float) -> KernelRule:
        X = getattr(training.blocks, block)
        own = fit_whitening(X, training.codes, training.n_classes, training.weights)
        expansion = expansion_of(training, X, "gaussian", h, whitening=own)
        return KernelRule(block, expansion, training.log_shares, rows=training.numbers)

    return _refitted_family(
        "cov", block, training, lambda train, X, grid: class_sums(X, train, grid), fit
    )


def _refitted_family(
    family: str,
    block: str,
    training: StackTrainingSet,
    sums: Callable[[KernelSample, Floats, Floats], Floats],
    fit: Callable[[float], KernelRule],
) -> list[Candidate]:
    X = getattr(training.blocks, block)
    if X.shape[1] > MOST_COLUMNS or not _has_form(training, block):
        return []
    grid = gaussian_ladder(X)
    sample = training.sample(X, "gaussian")
    scores = training.unfilled_scores(len(grid))
    for train, places in steps(training.splits(fine=True)):
        part = sample.rows(train)
        found = sums(part, X[training.scored_rows[places]], grid)
        scores[:, places] = np.moveaxis(log_means(found, part.counts), 2, 0)
    scores += training.log_shares
    return candidates(family, _label(family, block), grid, scores, fit)


def _has_form(training: StackTrainingSet, block: str) -> bool:
    """Whether normal scores change any column, so that a form q is worth trying."""
    return not block.endswith("_q") or bool(training.blocks.table.is_ranked.any())


def _label(family: str, block: str) -> str:
    return f"{family} q" if block.endswith("_q") else family
