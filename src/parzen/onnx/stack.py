"""A fitted `StackedDensityClassifier` as an ONNX graph."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from parzen._core import Bools
from parzen.classifiers import StackedDensityClassifier
from parzen.classifiers.stack import (
    LOG_ODDS_PER_SCORE,
    MIN_LOG_POSTERIOR,
    BayesRule,
    Blocks,
    Expert,
    KernelRule,
    LeastSquaresRule,
)
from parzen.metric import ColumnScores
from parzen.onnx.columns import column_sum
from parzen.onnx.sums import log_sums, scores
from parzen.onnx.tensors import (
    UnsupportedError,
    Value,
    joined,
    log_add,
    log_softmax,
    log_sum,
    reduced,
    where,
    zeros,
)


def stacked(model: StackedDensityClassifier, X: Value) -> Value:
    """Log f_c by Bayes' rule from the posteriors of the stack, and the density of all classes."""
    blocks = _TensorBlocks(model._table, X)
    shares = model._log_shares
    logits = zeros(X, len(shares)) + (model.offsets_ if model.experts_ else shares)
    for expert, weight in zip(model.experts_, model.weights_, strict=True):
        logits = logits + float(weight) * _log_posterior(expert, blocks)
    found = log_softmax(logits)
    if model.doubt_:
        floor = np.log(model.doubt_) - np.log(len(shares))
        found = log_add(found + np.log1p(-model.doubt_), floor)
    found = found - shares
    if model.novelty is None:
        return found
    return found + log_sum(_scores(model._reference.rule, blocks))


def _log_posterior(expert: Expert, blocks: _TensorBlocks) -> Value:
    lp = np.maximum(log_softmax(_scores(expert.rule, blocks)), MIN_LOG_POSTERIOR)
    bent = lp if np.isinf(expert.squash) else -expert.squash * np.log1p(lp / -expert.squash)
    return log_softmax(expert.slope * bent + expert.offsets)


def _scores(rule: Any, blocks: _TensorBlocks) -> Value:
    if isinstance(rule, BayesRule):
        return column_sum(rule.columns, rule.weights, blocks.columns) + rule.log_shares
    if not isinstance(rule, KernelRule | LeastSquaresRule):
        raise UnsupportedError(f"the member {type(rule).__name__} of a stack")
    X = getattr(blocks, rule.block)
    if isinstance(rule, LeastSquaresRule):
        return LOG_ODDS_PER_SCORE * scores(rule.expansion, X) + rule.log_shares
    if rule.space is not None:
        X = (X - rule.space.centres[0]) @ rule.space.roots[0]
    logs = log_sums(rule.expansion, X)
    if rule.offsets is None:
        return logs + rule.log_shares
    relative = rule.temperature * (logs - rule.expansion.log_peaks())
    return relative + rule.offsets + rule.log_shares


class _TensorBlocks(Blocks):
    """The forms of a table whose entries are known only when the graph runs."""

    X: Value

    @cached_property
    def _raw(self) -> Value:
        return self.X.columns(self.table.kept)

    @cached_property
    def gapped(self) -> Value:
        return self.plain  # a graph takes whole rows

    @cached_property
    def columns(self) -> Value:
        return self._choose(self.table.is_discrete, self._raw, self._amounts)

    @cached_property
    def scores(self) -> Value:
        categorical = self.table.categorical
        return self._choose(categorical, self._raw, self._normal_scores_of(~categorical))

    @cached_property
    def _amounts(self) -> Value:
        return (self._raw - self.table.centres) / self.table.scales

    @cached_property
    def _ranked(self) -> Value:
        ranked = self.table.is_ranked
        return self._choose(ranked, self._normal_scores_of(ranked), self._amounts)

    def _choose(self, marks: Bools, yes: Value, no: Value) -> Value:
        if len(self.table.kept) == 0:
            return zeros(self.X, 1)
        return joined([(yes if mark else no).columns([j]) for j, mark in enumerate(marks)])

    def _normal_scores_of(self, wanted: Bools) -> Value:
        columns = [
            _interpolated(self.table.scores[j], self._raw.columns([j])) if mark
            else zeros(self.X, 1)
            for j, mark in enumerate(wanted)
        ]  # fmt: skip
        return joined(columns) if columns else zeros(self.X, 1)

    def _joined(self, amounts: Value, form: str) -> Value:
        as_indicators = self.table.categorical if form == "plain" else self.table.is_discrete
        if len(self.table.kept) == 0:
            return zeros(self.X, 1)
        parts = []
        for j, kind in enumerate(self.table.indicators):
            if kind is not None and as_indicators[j]:
                parts.append(where(self._raw.columns([j]) == kind.values, kind.height, 0.0))
            else:
                parts.append(amounts.columns([j]))
        return joined(parts)


def _interpolated(column: ColumnScores, x: Value) -> Value:
    """Linear between the values, constant beyond the ends."""
    values, found = column.values, column.scores
    if len(values) < 2:
        return zeros(x, 1) + float(found[0])
    slopes = np.diff(found) / np.diff(values)
    inside = np.minimum(np.maximum(x, values[0]), values[-1])
    # The last value at which the entry, or a later one, lies: its place among the pieces.
    above = where(inside >= values[None, 1:-1], 1.0, 0.0) if len(values) > 2 else zeros(x, 1)
    place = reduced("Sum", above).cast(7)
    at = [x.graph.op("Gather", a, place, axis=0) for a in (values[:-1], found[:-1], slopes)]
    start, level, slope = (x.graph.op("Unsqueeze", a, [1]) for a in at)
    # At the last value itself the score is exact.
    return where(inside >= values[-1], float(found[-1]), level + slope * (inside - start))
