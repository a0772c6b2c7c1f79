"""Members of a stack whose columns are weighted by a learned metric.

    ard    Gaussian, on numbers and indicators
    ardl   product Laplacian, on numbers and indicators
    ardw   Gaussian, in the space whitened by the pooled covariance

Start, metric and temperature are learned on the other folds; then, for new points, on all rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from parzen._core import Floats, Ints, run_tasks
from parzen.classifiers.stack.kernels import MOST_COLUMNS, KernelRule, expansion_of
from parzen.classifiers.stack.training_set import Candidate, StackTrainingSet
from parzen.expansion import KernelExpansion
from parzen.metric import (
    OUTER_ROWS,
    RIDGES,
    Metric,
    Whitening,
    learned_path,
    metric_bandwidth,
    pooled_whitening,
)
from parzen.samples import ABSENT, KernelSample, evenly

# Limits where densities see only a part of the rows. Least squares uses the Gaussian metric again,
# so its likelihood takes more rows than that of a Laplacian.
_PART_OUTER_ROWS = 1000  # Rows whose posteriors enter the likelihood of a Gaussian metric, at most.
_PART_TERMS = 1.5e8  # Kernel terms that one gradient may sum: rows times centres times columns.
_PART_LEAST_CENTRES = 2000  # Centres that are kept whatever the time of a gradient.
_PART_RIDGES = (16.0, 3.0)  # Ridges that are tried.
# Ridges of ardl that are tried where densities see all rows.
LAPLACIAN_RIDGES = (16.0, 3.0, 0.5, 0.1)
PENALTIES = {"ard": RIDGES, "ardl": LAPLACIAN_RIDGES, "ardw": RIDGES}


class LearnedPath(NamedTuple):
    """The metrics of every ridge, learned on some rows."""

    train: KernelSample  # the rows, mapped where there is a space
    metrics: list[Metric]
    space: Whitening | None


class FoldPaths(NamedTuple):
    """Paths learned without each fold, and on all rows."""

    splits: list[tuple[Ints, Ints]]
    without_fold: list[LearnedPath]
    on_all: LearnedPath


def laplacian_paths(training: StackTrainingSet) -> FoldPaths:
    """The metrics of ardl, which other families use again."""
    ridges = ridges_of(training, LAPLACIAN_RIDGES)
    return training.once(
        "ardl", partial(_fold_paths, training, "mixed", "laplacian", False, ridges)
    )


def ridges_of(training: StackTrainingSet, usual: tuple[float, ...]) -> tuple[float, ...]:
    """The penalties that are tried; with many rows the weakest ones differ little."""
    return _PART_RIDGES if training.is_part else usual


def laplacian_family(training: StackTrainingSet) -> list[Candidate]:
    """Product Laplacians at every ridge."""
    paths, ridges = laplacian_paths(training), ridges_of(training, LAPLACIAN_RIDGES)
    return _candidates("ardl", "mixed", "laplacian", ridges, training, paths)


def gaussian_family(family: str, whitened: bool, training: StackTrainingSet) -> list[Candidate]:
    """Gaussians at every ridge."""
    return training.once(family, partial(_gaussian_candidates, family, whitened, training))


def _gaussian_candidates(
    family: str, whitened: bool, training: StackTrainingSet
) -> list[Candidate]:
    block = "plain" if whitened else "mixed"
    if whitened and getattr(training.blocks, block).shape[1] > MOST_COLUMNS:
        return []
    ridges = ridges_of(training, RIDGES)
    paths = _fold_paths(training, block, "gaussian", whitened, ridges)
    return _candidates(family, block, "gaussian", ridges, training, paths)


def _fold_paths(
    training: StackTrainingSet,
    block: str,
    kernel: str,
    whitened: bool,
    ridges: tuple[float, ...],
) -> FoldPaths:
    X = getattr(training.blocks, block)
    sample = training.sample(X.astype(np.float32), kernel)  # a search needs no more digits
    splits = training.splits()
    _, most, centres = extent_of_paths(training, kernel, *X.shape)

    def learn(part: KernelSample) -> LearnedPath:
        space = _space(part) if whitened else None
        mapped = part if space is None else replace(part, X=space.apply(part.X, 0))
        few = mapped.rows(evenly(len(mapped), centres))
        return LearnedPath(mapped, learned_path(few, ridges=ridges, most=most)[1:], space)

    tasks = [partial(learn, sample.rows(train)) for train, _ in splits]
    if not training.is_part:  # else the one path, of nearly all rows, serves new points as well
        tasks.append(partial(learn, sample))
    parts = run_tasks(tasks, training.threads)
    return FoldPaths(splits, parts[: len(splits)], parts[-1])


def extent_of_paths(
    training: StackTrainingSet, kernel: str, n: int, d: int
) -> tuple[int, int, int]:
    """Number of paths; most rows of the likelihood of each, and centres.

    Where rows are many, as many of both as the time of one gradient allows, rows of the likelihood
    first: they decide how well the metric is known.
    """
    if not training.is_part:
        folds = len(np.unique(training.fold_of_row[training.scored_rows]))
        return folds + 1, OUTER_ROWS, n
    most = _PART_OUTER_ROWS if kernel == "gaussian" else OUTER_ROWS
    rows = int(np.clip(_PART_TERMS / (_PART_LEAST_CENTRES * d), OUTER_ROWS, most))
    return 1, rows, int(np.clip(_PART_TERMS / (rows * d), _PART_LEAST_CENTRES, n))


def _candidates(
    family: str,
    block: str,
    kernel: str,
    ridges: tuple[float, ...],
    training: StackTrainingSet,
    paths: FoldPaths,
) -> list[Candidate]:
    X = getattr(training.blocks, block)
    scores = training.unfilled_scores(len(ridges))
    for (_, places), path in zip(paths.splits, paths.without_fold, strict=True):
        queries = X[training.scored_rows[places]].astype(np.float32)
        mapped = queries if path.space is None else path.space.apply(queries, 0)
        for r, metric in enumerate(path.metrics):
            scores[r, places] = metric_scores(path.train, metric, mapped)
    scores += training.log_shares

    def fit(r: int) -> KernelRule:
        _, metrics, space = paths.on_all
        points = X if space is None else space.apply(X, 0)
        expansion = expansion_of(
            training, points, kernel, metric_bandwidth(metrics[r], absolute=kernel == "laplacian")
        )
        tau = float(np.exp(metrics[r].log_temperature))
        return KernelRule(
            block, expansion, training.log_shares, tau, metrics[r].offsets, space, training.numbers
        )

    return [
        Candidate(family, family, ridge, scores[r], partial(fit, r))
        for r, ridge in enumerate(ridges)
    ]


def _space(part: KernelSample) -> Whitening:
    present, inner = np.unique(part.codes, return_inverse=True)
    return pooled_whitening(part.X, inner, len(present), part.weights)


def metric_scores(train: KernelSample, metric: Metric, X: Floats) -> Floats:
    """Scores b_c + tau log(mean kernel) at the rows of X; classes that are absent get a floor."""
    present, labels = np.unique(train.codes, return_inverse=True)
    expansion = KernelExpansion(
        points=train.X,
        kernel=train.kernel,
        bandwidth=metric_bandwidth(metric, absolute=train.kernel.measure == "l1"),
        n_classes=len(present),
        labels=labels,
        weights=train.weights,
        log_factors=-np.log(train.counts[present]),
        unit_peak=True,
    )
    scores = np.full((len(X), train.n_classes), ABSENT)
    tau = np.exp(metric.log_temperature)
    scores[:, present] = tau * expansion.log_sums(X, n_jobs=train.n_jobs) + metric.offsets
    return scores
