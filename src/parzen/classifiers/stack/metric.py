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

from parzen._core import Ints, run_tasks
from parzen.classifiers.stack.kernels import (
    MOST_COLUMNS,
    KernelRule,
    expansion_of,
    log_means_of_present,
    pooled_space,
)
from parzen.classifiers.stack.training_set import Candidate, StackTrainingSet, candidates
from parzen.metric import (
    OUTER_ROWS,
    RIDGES,
    Metric,
    Whitening,
    learned_path,
    metric_bandwidth,
)
from parzen.samples import KernelSample, evenly

# Limits where densities see only a part of the rows. Least squares uses the Gaussian metric again,
# so its likelihood takes more rows than that of a Laplacian.
_PART_OUTER_ROWS = 1000  # Rows whose posteriors enter the likelihood of a Gaussian metric, at most.
_PART_TERMS = 1.5e8  # Kernel terms that one gradient may sum: rows times centres times columns.
_PART_LEAST_CENTRES = 2000  # Centres that are kept whatever the time of a gradient.
_PART_RIDGES = (16.0, 3.0)  # Ridges that are tried.


class MetricFamily(NamedTuple):
    """What the metrics of a family are learned for."""

    block: str
    kernel: str
    ridges: tuple[float, ...]  # penalties that are tried where densities see all rows
    whitened: bool = False


METRIC_FAMILIES = {
    "ard": MetricFamily("mixed", "gaussian", RIDGES),
    "ardl": MetricFamily("mixed", "laplacian", (16.0, 3.0, 0.5, 0.1)),
    "ardw": MetricFamily("plain", "gaussian", RIDGES, whitened=True),
}


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


def ridges_of(family: str, training: StackTrainingSet) -> tuple[float, ...]:
    """The penalties that are tried; with many rows the weakest ones differ little."""
    return _PART_RIDGES if training.is_part else METRIC_FAMILIES[family].ridges


def metric_family(family: str, training: StackTrainingSet) -> list[Candidate]:
    """Densities at every ridge, which other families use again."""
    return training.once(f"candidates of {family}", partial(_candidates, family, training))


def metric_paths(family: str, training: StackTrainingSet) -> FoldPaths:
    """The metrics of a family, which other families use again."""
    return training.once(family, partial(_fold_paths, family, training))


def _fold_paths(family: str, training: StackTrainingSet) -> FoldPaths:
    block, kernel, _, whitened = METRIC_FAMILIES[family]
    X = getattr(training.blocks, block)
    sample = training.sample(X.astype(np.float32), kernel)  # a search needs no more digits
    splits, ridges = training.splits(), ridges_of(family, training)
    _, most, centres = extent_of_paths(family, training)

    def learn(part: KernelSample) -> LearnedPath:
        space = pooled_space(part) if whitened else None
        mapped = part if space is None else replace(part, X=space.apply(part.X, 0))
        few = mapped.rows(evenly(len(mapped), centres))
        return LearnedPath(mapped, learned_path(few, ridges=ridges, most=most)[1:], space)

    tasks = [partial(learn, sample.rows(train)) for train, _ in splits]
    if not training.is_part:  # else the one path, of nearly all rows, serves new points as well
        tasks.append(partial(learn, sample))
    parts = run_tasks(tasks, training.threads)
    return FoldPaths(splits, parts[: len(splits)], parts[-1])


def extent_of_paths(family: str, training: StackTrainingSet) -> tuple[int, int, int]:
    """Number of paths; most rows of the likelihood of each, and centres.

    Where rows are many, as many of both as the time of one gradient allows, rows of the likelihood
    first: they decide how well the metric is known.
    """
    block, kernel, *_ = METRIC_FAMILIES[family]
    n, d = getattr(training.blocks, block).shape
    if not training.is_part:
        folds = len(np.unique(training.fold_of_row[training.scored_rows]))
        return folds + 1, OUTER_ROWS, n
    most = _PART_OUTER_ROWS if kernel == "gaussian" else OUTER_ROWS
    rows = int(np.clip(_PART_TERMS / (_PART_LEAST_CENTRES * d), OUTER_ROWS, most))
    return 1, rows, int(np.clip(_PART_TERMS / (rows * d), _PART_LEAST_CENTRES, n))


def _candidates(family: str, training: StackTrainingSet) -> list[Candidate]:
    block, kernel, _, whitened = METRIC_FAMILIES[family]
    X, absolute = getattr(training.blocks, block), kernel == "laplacian"
    if whitened and X.shape[1] > MOST_COLUMNS:
        return []
    paths, ridges = metric_paths(family, training), ridges_of(family, training)
    scores = training.unfilled_scores(len(ridges))
    for (_, places), path in zip(paths.splits, paths.without_fold, strict=True):
        queries = X[training.scored_rows[places]].astype(np.float32)
        mapped = queries if path.space is None else path.space.apply(queries, 0)
        for r, metric in enumerate(path.metrics):
            scores[r, places] = log_means_of_present(
                path.train, metric_bandwidth(metric, absolute=absolute), mapped,
                temperature=np.exp(metric.log_temperature), offsets=metric.offsets, unit_peak=True,
            )  # fmt: skip
    scores += training.log_shares

    def fit(ridge: float) -> KernelRule:
        metric, space = paths.on_all.metrics[ridges.index(ridge)], paths.on_all.space
        points = X if space is None else space.apply(X, 0)
        h = metric_bandwidth(metric, absolute=absolute)
        return KernelRule(
            block, expansion_of(training, points, kernel, h), training.log_shares,
            float(np.exp(metric.log_temperature)), metric.offsets, space, training.numbers,
        )  # fmt: skip

    return candidates(family, family, ridges, scores, fit)
