"""Which columns the pool looks at: their share of the distances in its learned metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parzen.classifiers._stack_bayes import BayesRule
from parzen.classifiers._stack_kernels import KernelRule
from parzen.classifiers._stack_pool import Expert
from parzen.classifiers._stack_stage import Floats
from parzen.classifiers._stack_table import Table


def relevance(experts: Sequence[Expert], weights: Floats, table: Table, n_features: int) -> Floats:
    """One number per column of the input, summing to 1; columns that nobody weighs are alike."""
    total = np.zeros(n_features)
    for expert, v in zip(experts, weights, strict=True):
        own = _of_metric(expert.rule, table, n_features)
        if own is not None:
            total += v * own
    if not total.any():
        for expert, v in zip(experts, weights, strict=True):
            if isinstance(expert.rule, BayesRule) and expert.rule.weights.any():
                share = expert.rule.weights / expert.rule.weights.sum()
                np.add.at(total, table.kept, v * share)
    if not total.any():
        total[table.kept] = 1.0
    return np.asarray(total / total.sum()) if total.any() else total


def _of_metric(rule: object, table: Table, n_features: int) -> Floats | None:
    """Share of each column in the mean distance of two points; None without a learned metric."""
    if not isinstance(rule, KernelRule) or rule.offsets is None or rule.space is not None:
        return None
    h, X = rule.expansion.bandwidth, rule.expansion.points
    if rule.expansion.kernel.measure == "l1":
        n = len(X)
        ranks = 2.0 * np.arange(1, n + 1) - n - 1
        distance = (ranks @ np.sort(X, axis=0)) / np.exp(np.log(h).mean(axis=0))
    else:
        distance = X.var(axis=0) / np.exp(2.0 * np.log(h).mean(axis=0))
    out = np.zeros(n_features)
    columns = table.mixed_columns()
    np.add.at(out, columns, distance[: len(columns)])
    return out / out.sum() if out.any() else None
