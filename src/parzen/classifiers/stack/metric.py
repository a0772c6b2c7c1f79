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

from parzen._core import run_tasks
from parzen.classifiers.stack.kernels import MOST_COLUMNS, KernelRule, expansion_of
from parzen.classifiers.stack.stage import Candidate, Floats, Stage
from parzen.expansion import KernelExpansion
from parzen.metric import (
    RIDGES,
    Metric,
    Whitening,
    learned_path,
    metric_bandwidth,
    pooled_whitening,
)
from parzen.samples import ABSENT, KernelSample


def metric_family(name: str, kernel: str, whitened: bool, stage: Stage) -> list[Candidate]:
    """Candidates at every ridge."""
    block = "plain" if whitened else "mixed"
    X = getattr(stage.blocks, block)
    if whitened and X.shape[1] > MOST_COLUMNS:
        return []
    sample = stage.sample(X.astype(np.float32), kernel)  # a search needs no more digits
    splits = stage.splits()

    def learn(part: KernelSample) -> tuple[Whitening | None, KernelSample, list[Metric]]:
        space = _space(part) if whitened else None
        mapped = part if space is None else replace(part, X=space.apply(part.X, 0))
        return space, mapped, learned_path(mapped)[1:]

    tasks = [partial(learn, sample.rows(train)) for train, _ in splits] + [partial(learn, sample)]
    *parts, final = run_tasks(tasks, stage.threads)
    scores = stage.nothing(len(RIDGES))
    for (_, places), (space, train, path) in zip(splits, parts, strict=True):
        queries = sample.X[stage.judged[places]]
        mapped = queries if space is None else space.apply(queries, 0)
        for r, metric in enumerate(path):
            scores[r, places] = metric_scores(train, metric, mapped)
    scores += stage.log_shares

    def fit(r: int) -> KernelRule:
        space, _, path = final
        metric = path[r]
        points = X if space is None else space.apply(X, 0)
        expansion = expansion_of(
            stage, points, kernel, metric_bandwidth(metric, absolute=kernel == "laplacian")
        )
        tau = float(np.exp(metric.log_temperature))
        return KernelRule(block, expansion, stage.log_shares, tau, metric.offsets, space)

    return [Candidate(name, ridge, scores[r], partial(fit, r)) for r, ridge in enumerate(RIDGES)]


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
