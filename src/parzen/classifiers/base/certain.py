"""Certain decisions of large models: labels of exact sums from a small part of the pairs.

A query is refined until the bounds on the cost-weighted densities decide its label, or that it is
to be rejected; most of them need a few nodes of the trees. What is too close to call within
rounding is left undecided here, and decided by exact sums. The trees of a model are built when it
is first asked for many labels, and kept as long as the model is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from parzen._core import effective_threads
from parzen.classifiers.base.decision import Decision
from parzen.expansion import KernelExpansion
from parzen.sums import (
    ENOUGH,
    MANY,
    MOST_COLUMNS,
    MOST_FEATURES,
    PILOT,
    Column,
    Forest,
    Rule,
    build_seconds,
    check_serves,
    dense_seconds,
    need_parts,
    refuses_kernel,
)

Floats = NDArray[Any]
Codes = NDArray[np.int32]

_SMALL = 20_000  # points; below that exact sums are quick
# How much longer than building the trees exact sums must take, which threads share: in many
# dimensions trees may turn out not to pay, and then building them should have taken little.
_ROOM, _MORE_ROOM, _FEW_FEATURES = 4.0, 25.0, 5
_MARGIN = {"f": 1e-4, "d": 1e-10}  # relative, far above the rounding of exact sums


class _Model(NamedTuple):
    """The trees of an expansion's classes, and what their sums are to be multiplied by.

    Weights of both signs make two columns of a class: ``signs`` says whose, and with what sign.
    """

    forest: Forest
    log_levels: NDArray[np.float64]
    signs: list[tuple[int, float]]


_models: WeakKeyDictionary[KernelExpansion, _Model] = WeakKeyDictionary()
_paid: WeakKeyDictionary[KernelExpansion, bool] = WeakKeyDictionary()  # when some were last tried
_lock = threading.Lock()


def certain_codes(
    expansion: KernelExpansion,
    decision: Decision,
    X: Floats,
    *,
    method: str,
    rtol: float,
    n_jobs: int | None,
) -> Codes | None:
    """The class of each row or why it has none; None where exact sums are to decide them all."""
    return _codes(expansion, _density_rule(decision), X, method, rtol, n_jobs)


def takes_trees(
    expansion: KernelExpansion,
    decision: Decision,
    X: Floats,
    *,
    method: str,
    rtol: float,
    n_jobs: int | None,
) -> bool:
    """Whether trees decide the rows; they are built for that where they may pay."""
    rule_of, threads = _density_rule(decision), effective_threads(n_jobs)
    return _prepared(expansion, rule_of, X, method, rtol, threads) is not None


def _density_rule(decision: Decision) -> Callable[[_Model], Rule]:
    def rule_of(model: _Model) -> Rule:
        exponent, shift = decision.exponent_and_shift()
        return Rule(
            log_shift=shift + exponent * model.log_levels,
            exponent=exponent,
            costs=decision.costs,
            reject=decision.reject,
            novelty=decision.novelty_threshold,
        )

    return rule_of


def certain_signed_codes(
    expansion: KernelExpansion, X: Floats, *, method: str, rtol: float, n_jobs: int | None
) -> Codes | None:
    """The class of the largest signed sum, of two classes by the sign of one; None as above."""

    def rule_of(model: _Model) -> Rule:
        costs = np.zeros((len(model.signs), max(2, expansion.n_classes)))
        for j, (c, sign) in enumerate(model.signs):
            costs[j, 1 if expansion.n_classes == 1 else c] = -sign
        return Rule(log_shift=model.log_levels, costs=costs)

    return _codes(expansion, rule_of, X, method, rtol, n_jobs)


def _codes(
    expansion: KernelExpansion,
    rule_of: Callable[[_Model], Rule],
    X: Floats,
    method: str,
    rtol: float,
    n_jobs: int | None,
) -> Codes | None:
    threads = effective_threads(n_jobs)
    prepared = _prepared(expansion, rule_of, X, method, rtol, threads)
    if prepared is None:
        return None
    forest, rule, spaces = prepared
    return forest.decide([m(X) for m in spaces], rule, threads)[0]


def _prepared(
    expansion: KernelExpansion,
    rule_of: Callable[[_Model], Rule],
    X: Floats,
    method: str,
    rtol: float,
    threads: int,
) -> tuple[Forest, Rule, list[Callable[[Floats], Floats]]] | None:
    """The trees, the rule and the columns' spaces; None where exact sums are to decide."""
    if rtol == 0 or method not in ("auto", "tree") or len(X) == 0:
        return None
    if need_parts(expansion.weights, np.float64):
        return None
    if method == "tree":
        check_serves(method, expansion.kernel, X.shape[1])
    elif not _may_pay(expansion, X):
        return None
    model = _model_of(expansion, threads)
    dtype = np.result_type(X, expansion.points)
    rule = rule_of(model)._replace(margin=_MARGIN[dtype.char])
    spaces = expansion.maps()
    if len(spaces) > 1:
        spaces = [spaces[c] for c, _ in model.signs]
    if method == "auto" and not _pays(expansion, model.forest, spaces, X, rule):
        return None
    return model.forest, rule, spaces


def _may_pay(expansion: KernelExpansion, X: Floats) -> bool:
    """What can be said before there are trees."""
    n, d = expansion.points.shape
    if (
        n < _SMALL
        or d > MOST_FEATURES
        or expansion.n_classes > MOST_COLUMNS
        or refuses_kernel(expansion.kernel, d) is not None
    ):
        return False
    room = _ROOM if d <= _FEW_FEATURES else _MORE_ROOM
    return expansion in _models or dense_seconds(n * len(X), d) > room * build_seconds(n, d)


def _pays(
    expansion: KernelExpansion, forest: Forest, spaces: Sequence[Any], X: Floats, rule: Rule
) -> bool:
    """Whether a few of the queries, or the last that were tried, took less work than exact sums."""
    if expansion in _paid and len(X) < MANY:
        return _paid[expansion]
    some = X[:: max(1, len(X) // PILOT)]
    _, work = forest.decide([m(some) for m in spaces], rule, 1)
    exact = dense_seconds(len(some) * forest.n_points, forest.n_features)
    _paid[expansion] = work.seconds(forest.n_features) < ENOUGH * exact
    return _paid[expansion]


def _model_of(expansion: KernelExpansion, threads: int) -> _Model:
    with _lock:
        model = _models.get(expansion)
    if model is None:
        columns, levels, signs = [], [], []
        for c, column in enumerate(expansion.class_columns()):
            for sign, weights in _by_sign(column.weights):
                columns.append(Column(column.points, weights, column.bandwidth))
                levels.append(column.log_level)
                signs.append((c, sign))
        model = _Model(Forest(columns, expansion.kernel, threads), np.array(levels), signs)
        with _lock:
            _models[expansion] = model
    return model


def _by_sign(weights: Floats | None) -> list[tuple[float, Floats | None]]:
    """The weights as one or two non-negative columns."""
    if weights is None or not (weights < 0).any():
        return [(1.0, weights)]
    return [(1.0, np.maximum(weights, 0.0)), (-1.0, np.maximum(-weights, 0.0))]
