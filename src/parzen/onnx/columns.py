"""The columns of naive Bayes as ONNX graphs: log f_c of one number or one category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from parzen.classifiers.naive_bayes import CategoricalColumn, ColumnDensities, NumericColumn
from parzen.onnx.sums import log_sums
from parzen.onnx.tensors import Value, as_array, joined, log_add, log_sum, where, zeros


def column_sum(columns: Sequence[ColumnDensities], weights: Iterable[float], X: Value) -> Value:
    """The sum over the columns of weight times log f_c, shape (n, C)."""
    total = zeros(X, columns[0].n_classes)
    for j, (column, weight) in enumerate(zip(columns, weights, strict=True)):
        if weight > 0 and isinstance(column, NumericColumn | CategoricalColumn):
            total = total + float(weight) * _log_densities(column, X.columns([j]))
    return total


def _log_densities(column: NumericColumn | CategoricalColumn, x: Value) -> Value:
    if isinstance(column, NumericColumn):
        # A missing entry is computed at 0 and left out afterwards.
        found = _numbers(column, where(np.isnan(x), 0.0, x))
        return where(np.isnan(x), 0.0, found)
    total = column.counts.sum(axis=1) + column.smoothing * len(column.categories)
    logs = np.log((column.counts.T + column.smoothing) / total)
    is_value = where(x == as_array(column.categories), 1.0, 0.0)
    return is_value @ as_array(logs)


def _numbers(column: NumericColumn, x: Value) -> Value:
    logs = log_sums(column.expansion, x)
    empty = column.counts == 0
    if empty.any():
        shares = column.counts[~empty] / column.counts.sum()
        mixture = log_sum(logs.columns(np.flatnonzero(~empty)) + np.log(shares))
        parts = [mixture if e else logs.columns([c]) for c, e in enumerate(empty)]
        logs = joined(parts)
    share, floor = column.log_background
    return logs if np.isneginf(floor) else log_add(logs + share, floor)
