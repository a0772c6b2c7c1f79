"""Certain decisions of large models: the labels of exact sums, from a small part of the pairs.

The bounds on a query's cost-weighted densities are refined until they decide its label, or that it
is rejected; most queries need a few nodes of the trees. A query so close that rounding could decide
either way is left undecided here, and decided by exact sums. The trees are those of the prepared
expansion, which its sums use as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import Array, Floats, effective_threads
from parzen.classifiers.base.decision import Decision
from parzen.expansion import KernelExpansion, PreparedExpansion
from parzen.sums import (
    MAX_COLUMNS,
    MAX_FEATURES,
    MAX_TIME_SHARE,
    MIN_QUERIES_FOR_PILOT,
    N_PILOT_QUERIES,
    DecisionRule,
    Forest,
    build_seconds,
    check_serves,
    dense_seconds,
    need_parts,
    refuses_kernel,
)

Codes = NDArray[np.int32]

_MIN_POINTS = 20_000  # Points of a model below which exact sums are quick enough.
# Build trees for labels only if exact sums take this many times the build. In many dimensions trees
# may turn out not to pay, and then their build should have been a small part of the time.
_MIN_SPEEDUP_TO_BUILD, _MIN_SPEEDUP_IN_MANY_FEATURES = 4.0, 25.0
_FEW_FEATURES = 5  # Features up to which the first of these two speedups suffices.
# Relative distance from a tie, by dtype, up to which exact sums decide: far above their rounding.
_MARGIN = {"f": 1e-4, "d": 1e-10}


class _Trees(NamedTuple):
    """The trees of an expansion, and the levels and signs of their sums."""

    forest: Forest
    log_levels: Floats
    signs: list[tuple[int, float]]  # The class of each tree, and its sign in the class.


RuleOf = Callable[[_Trees], DecisionRule]


def certain_codes(
    expansion: KernelExpansion,
    decision: Decision,
    X: Array,
    *,
    method: str,
    rtol: float,
    n_jobs: int | None,
) -> Codes | None:
    """The class of each row or why it has none; None where exact sums should decide all rows."""

    def rule_of(trees: _Trees) -> DecisionRule:
        exponent, shift = decision.exponent_and_shift()
        return DecisionRule(
            log_shift=shift + exponent * trees.log_levels,
            exponent=exponent,
            costs=decision.costs,
            reject=decision.reject,
            novelty=decision.novelty_threshold,
        )

    return _codes(expansion, rule_of, X, method, rtol, n_jobs)


def certain_signed_codes(
    expansion: KernelExpansion, X: Array, *, method: str, rtol: float, n_jobs: int | None
) -> Codes | None:
    """The class of the largest signed sum, of two classes by the sign of one; None as above."""

    def rule_of(trees: _Trees) -> DecisionRule:
        costs = np.zeros((len(trees.signs), max(2, expansion.n_classes)))
        for j, (c, sign) in enumerate(trees.signs):
            costs[j, 1 if expansion.n_classes == 1 else c] = -sign
        return DecisionRule(log_shift=trees.log_levels, costs=costs)

    return _codes(expansion, rule_of, X, method, rtol, n_jobs)


def _codes(
    expansion: KernelExpansion,
    rule_of: RuleOf,
    X: Array,
    method: str,
    rtol: float,
    n_jobs: int | None,
) -> Codes | None:
    # Checked first: to count the threads takes a system call.
    if method == "auto" and not _may_pay(expansion, X):
        return None
    if rtol == 0 or method not in ("auto", "tree") or len(X) == 0:
        return None
    if need_parts(expansion.weights, np.float64):
        return None
    if method == "tree":
        check_serves(method, expansion.kernel_in_space, X.shape[1])
    prepared, threads = expansion.prepared, effective_threads(n_jobs)
    trees = _Trees(*prepared.forest(threads))
    rule = rule_of(trees)._replace(margin=_MARGIN[np.result_type(X, expansion.points).char])
    if method == "auto" and not _pays(prepared, trees.forest, X, rule):
        return None
    return trees.forest.decide(prepared.queries(X), rule, threads)[0]


def _may_pay(expansion: KernelExpansion, X: Array) -> bool:
    """Whether the sizes of model and queries allow that trees are faster."""
    n, d = expansion.points.shape
    if (
        n < _MIN_POINTS
        or d > MAX_FEATURES
        or expansion.n_classes > MAX_COLUMNS
        or refuses_kernel(expansion.kernel_in_space, d) is not None
    ):
        return False
    speedup = _MIN_SPEEDUP_TO_BUILD if d <= _FEW_FEATURES else _MIN_SPEEDUP_IN_MANY_FEATURES
    return expansion.prepared.trees.is_built or dense_seconds(
        n * len(X), d
    ) > speedup * build_seconds(n, d)


def _pays(prepared: PreparedExpansion, forest: Forest, X: Array, rule: DecisionRule) -> bool:
    """Whether trees take less time than exact sums, by a count of the work at a few queries."""
    if prepared.labels_pay is None or len(X) >= MIN_QUERIES_FOR_PILOT:
        pilot = X[:: max(1, len(X) // N_PILOT_QUERIES)]
        _, work = forest.decide(prepared.queries(pilot), rule, 1)
        exact = dense_seconds(len(pilot) * forest.n_points, forest.n_features)
        prepared.labels_pay = work.seconds(forest.n_features) < MAX_TIME_SHARE * exact
    return prepared.labels_pay
