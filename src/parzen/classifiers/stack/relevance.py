"""Relevance of the columns: their share of the distances in the learned metrics of a stack."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parzen._core import Floats
from parzen.classifiers.stack.bayes import BayesRule
from parzen.classifiers.stack.kernels import KernelRule
from parzen.classifiers.stack.least_squares import LeastSquaresRule
from parzen.classifiers.stack.pool import Expert
from parzen.classifiers.stack.table import StackTable
from parzen.expansion import KernelExpansion
from parzen.metric import column_shares


def relevance(
    experts: Sequence[Expert], weights: Sequence[float], table: StackTable, n_features: int
) -> Floats:
    """One number per column of the input, summing to 1; columns that no member weighs are alike."""
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


def _learned(rule: object) -> KernelExpansion | None:
    """The expansion of a member whose columns have learned bandwidths."""
    if isinstance(rule, KernelRule) and rule.offsets is not None and rule.space is None:
        return rule.expansion
    if isinstance(rule, LeastSquaresRule) and rule.expansion.bandwidth.ndim == 2:
        return rule.expansion
    return None


def _of_metric(rule: object, table: StackTable, n_features: int) -> Floats | None:
    """Share of each column in the mean distance of two points; None without a learned metric."""
    expansion, columns = _learned(rule), table.origins("mixed")
    if expansion is None:
        return None
    absolute = expansion.kernel.measure == "l1"
    shares = column_shares(expansion.points, expansion.bandwidth, absolute=absolute)
    found = np.bincount(columns, shares[: len(columns)], minlength=n_features)
    return found.astype(np.float64)
