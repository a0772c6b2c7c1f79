"""Explanations of score classifiers, whose expansion has a kernel with a name or none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.classifiers.least_squares.coding import class_scores
from parzen.classifiers.least_squares.gram_expansion import GramExpansion
from parzen.evidence import Duel, Explanation, explain_scores, kernel_values
from parzen.expansion import KernelExpansion
from parzen.kernels import PRECOMPUTED, gram

SignedExpansion = KernelExpansion | GramExpansion


def explain_signed(estimator: Any, X: Array, top: int) -> list[Explanation]:
    """Explain the rows of X by a fitted score classifier."""
    points, expansion = X.astype(np.float64, copy=False), estimator.expansion_
    of_classes = partial(class_scores, book=estimator.code_book_, coding=estimator.coding)
    weights = of_classes(np.asarray(expansion.weights, np.float64))

    def joint(of: SignedExpansion, queries: Floats) -> Floats:
        scores = np.asarray(of.scores(queries, **estimator._sums_options()), np.float64)
        return np.asarray(estimator.decision_.joint(of_classes(scores)))

    def terms(queries: Floats, label: Ints, rival: Ints) -> Floats:
        return kernels_of(expansion, queries) * (weights[:, label] - weights[:, rival]).T

    duel = Duel.of(joint(expansion, points))
    without = [joint(less, queries) for less, queries in without_columns(expansion, points)]
    return explain_scores(terms, points, duel, without, estimator.classes_, estimator.support_, top)


def kernels_of(expansion: SignedExpansion, X: Floats) -> Floats:
    """The kernels of all points at the queries, shape (m, points)."""
    if isinstance(expansion, KernelExpansion):
        return kernel_values(expansion, X)
    if isinstance(expansion.kernel, str) and expansion.kernel == PRECOMPUTED:
        return X[:, expansion.points]
    return gram(X, expansion.points, expansion.kernel, 1.0)


def without_columns(
    expansion: SignedExpansion, X: Floats
) -> Iterator[tuple[SignedExpansion, Floats]]:
    """The expansion and the queries with the distance along each column set to zero.

    The columns of a Gram matrix are rows of the sample: there are none to leave out.
    """
    if isinstance(expansion.kernel, str):
        return
    for column in range(X.shape[1]):
        points, queries = expansion.points.copy(), X.copy()
        points[:, column] = queries[:, column] = 0.0
        yield replace(expansion, points=points), queries
