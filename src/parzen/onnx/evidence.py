"""Log-densities, or scores, of every classifier as ONNX graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from parzen import classifiers
from parzen.expansion import KernelExpansion
from parzen.onnx.columns import column_sum
from parzen.onnx.decisions import Evidence
from parzen.onnx.stack import stacked
from parzen.onnx.sums import log_sums, scores
from parzen.onnx.tensors import UnsupportedError, Value, joined, log_sum, zeros


def densities(model: Any, X: Value) -> Evidence:
    """Log-densities of a classifier that is one kernel expansion."""
    return _with_mixture(model, log_sums(model.expansion_, X))


def naive_bayes(model: classifiers.KernelNaiveBayes, X: Value) -> Evidence:
    """Log-densities that are products of one-dimensional ones."""
    columns = model.columns_
    return _with_mixture(model, column_sum(columns, np.ones(len(columns)), X))


def stack(model: classifiers.StackedDensityClassifier, X: Value) -> Evidence:
    """Log-densities of a stack of classifiers."""
    return _with_mixture(model, stacked(model, X))


def laplacian(model: classifiers.LaplacianClassifier, X: Value) -> Evidence:
    """Logarithms of the sums of each class; novelty is judged by the density of all points."""
    logs = log_sums(model.expansion_, X)
    if model._novel_below is None:
        return Evidence(logs)
    assert model._density is not None
    mixture = log_sum(log_sums(model._density, X)) - np.log(model.class_count_.sum())
    return Evidence(logs, mixture, model._novel_below)


def least_squares(model: Any, X: Value) -> Evidence:
    """Scores of the classes from those of two-class problems; `density_` judges novelty."""
    if not isinstance(model.expansion_, KernelExpansion):
        if len(model.expansion_.points):
            raise UnsupportedError(f"kernel={model.kernel!r}, which is no kernel of the library,")
        found = zeros(X, len(model.expansion_.offset)) + model.expansion_.offset
    else:
        found = scores(model.expansion_, X)
    found = _class_scores(model, found)
    if model.novelty is None:
        return Evidence(found)
    density = densities(model.density_, X)
    return Evidence(found, density.log_mixture, density.novelty_threshold)


def _class_scores(model: Any, found: Value) -> Value:
    """Scores of the classes from those of the columns of the code book."""
    book = model.code_book_
    if len(book) == 2:
        one = found if book.shape[1] == 1 else 0.5 * (found.columns([1]) - found.columns([0]))
        return joined([zeros(found, 1), one])
    if model.coding == "one_vs_rest" or len(book) == 1:
        return found
    return found @ (book / np.abs(book).sum(axis=1, keepdims=True)).T


def _with_mixture(model: Any, logs: Value) -> Evidence:
    decision = model.decision_
    if decision.novelty_threshold is None:
        return Evidence(logs)
    return Evidence(logs, log_sum(logs + decision.log_priors), decision.novelty_threshold)


EVIDENCE_OF: dict[type, Callable[[Any, Value], Evidence]] = {
    classifiers.ParzenClassifier: densities,
    classifiers.L2Classifier: densities,
    classifiers.KernelNaiveBayes: naive_bayes,
    classifiers.StackedDensityClassifier: stack,
    classifiers.LaplacianClassifier: laplacian,
    **dict.fromkeys(
        (
            classifiers.BMachineClassifier,
            classifiers.KernelFisherClassifier,
            classifiers.KernelLassoClassifier,
            classifiers.KernelMSEClassifier,
            classifiers.LSSVMClassifier,
            classifiers.RLSClassifier,
        ),
        least_squares,
    ),
}
