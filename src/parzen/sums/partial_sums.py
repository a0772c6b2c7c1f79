"""Some rows and columns of a call, by the cheapest of given strategies.

Where each row leaves itself out, the queries must be the points. Some rows of such a call are
therefore computed in two parts: the rows among themselves, each without itself, and the rows
against all other points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from parzen._core import Array, Ints
from parzen.sums.call import Call, ScaledSums
from parzen.sums.strategy import Strategy
from parzen.sums.tree import TreeStore


def sums_at(
    call: Call,
    rows: Ints,
    columns: slice,
    strategies: Sequence[Strategy],
    rtol: float,
    threads: int,
) -> Array | ScaledSums:
    """The sums of these rows; one column, or all of them."""
    if not call.exclude_self:
        part = _one_column(call._replace(X=call.X[rows], same=False), columns)
        return _run(part, strategies, rtol, threads)
    queries = call.X[rows]
    among = _points(call, rows)._replace(X=queries, Y=queries)
    others = np.delete(np.arange(len(call.Y)), rows)
    first = _run(among, strategies, rtol, threads)
    if len(others) == 0:
        return first
    apart = _points(call, others)._replace(X=queries, same=False, exclude_self=False)
    return added(first, _run(apart, strategies, rtol, threads), call.mode)


def put(result: Array | ScaledSums, rows: Array, columns: slice, patch: Array | ScaledSums) -> None:
    """Write such sums over those of a result; all columns where they share a scale."""
    if isinstance(result, ScaledSums):
        assert isinstance(patch, ScaledSums)
        result.mantissa[rows], result.log_scale[rows] = patch
    else:
        result[rows, columns] = patch


def cheapest(strategies: Iterable[Strategy], call: Call, rtol: float) -> Strategy:
    """The strategy that serves a call in the shortest time; the first one serves every call.

    A strategy is given the time of the best one before it: an estimate for trees is not free.
    """
    best, least = None, float("inf")
    for strategy in strategies:
        if (
            strategy.refuses_kernel(call.kernel, call.n_features) is None
            and strategy.refuses(call, rtol) is None
        ):
            cost = strategy.cost(call, rtol, least)
            if best is None or cost < least:
                best, least = strategy, cost
    assert best is not None
    return best


def _run(
    call: Call, strategies: Sequence[Strategy], rtol: float, threads: int
) -> Array | ScaledSums:
    strategy = strategies[0] if call.needs_all_pairs else cheapest(strategies, call, rtol)
    return strategy.run(call, rtol, threads)


def _points(call: Call, rows: Ints) -> Call:
    """The call on some of its points."""
    weights = None if call.weights is None else np.ascontiguousarray(call.weights[rows])
    labels = None if call.labels is None else np.ascontiguousarray(call.labels[rows])
    factors = None if call.factors is None else np.ascontiguousarray(call.factors[rows])
    points = np.ascontiguousarray(call.Y[rows])
    part = call._replace(Y=points, weights=weights, labels=labels, factors=factors)
    return unprepared(part)


def unprepared(call: Call) -> Call:
    """The call without what was prepared for its former points and weights."""
    return call._replace(trees=TreeStore(), in_parts=None, plan=None)


def _one_column(call: Call, columns: slice) -> Call:
    """The call for one of its columns, on the points that feed it; all columns stay as they are."""
    if columns == slice(None) or call.columns == 1:
        return call
    if call.labels is not None:
        only = _points(call, np.flatnonzero(call.labels == columns.start))
        return only._replace(labels=None, columns=1)
    assert call.weights is not None
    weights = np.ascontiguousarray(call.weights[:, columns])
    return unprepared(call._replace(weights=weights, columns=1))


def added(a: Array | ScaledSums, b: Array | ScaledSums, mode: str) -> Array | ScaledSums:
    """The sums over two parts of the points."""
    if isinstance(a, ScaledSums):
        assert isinstance(b, ScaledSums)
        return a.plus(b)
    return np.logaddexp(a, b) if mode == "log" else np.asarray(a + b)
