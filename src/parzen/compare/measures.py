"""What is measured on the test rows: errors, and how good scores and probabilities are.

error            share of the rows with a wrong label
balanced error   mean over the classes of the share of their rows with a wrong label
log-loss         mean of -log p(true class)
Brier score      mean of sum_c (p_c - [c is the true class])^2, from 0 to 2
AUC              share of pairs of rows, one of the class and one not, that the score of the
class ranks rightly; mean over the classes
set size         mean number of labels in prediction sets that hold the true one in 90 % of rows
reliability      how often the most probable class is the true one, by its probability
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from parzen._core import Floats, last_estimator, last_step
from parzen.classifiers.base import PredictionSets

_SET_LEVEL = 0.1  # Share of rows whose prediction sets may lack the true label.
_N_BINS = 10  # Equal bins of the probability of the most probable class.


def measures(
    estimator: Any, X: Any, y: NDArray[Any], labels: NDArray[Any], weights: Floats | None
) -> dict[str, Any]:
    """All measures of a fitted classifier that predicted ``labels`` for the rows of X."""
    w = np.ones(len(y)) if weights is None else weights
    wrong = labels != y
    found: dict[str, Any] = {
        "error": float(np.average(wrong, weights=w)),
        "balanced_error": _balanced(wrong, y, w),
        "confusion": confusion(y, labels, w),
    }
    classes = np.asarray(estimator.classes_)
    if hasattr(estimator, "predict_proba"):
        proba = np.asarray(estimator.predict_proba(X), dtype=np.float64)
        found |= {
            "log_loss": _log_loss(proba, classes, y, w),
            "brier": _brier(proba, classes, y, w),
            "auc": _auc(proba, classes, y, w),
            "reliability": reliability(proba, classes, y, w).tolist(),
        }
    elif hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        both = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        found["auc"] = _auc(both, classes, y, w) if both.shape[1] == len(classes) else None
    return found | {"set_size": _set_size(estimator, X, w)}


def confusion(
    y: NDArray[Any], labels: NDArray[Any], weights: Floats
) -> dict[str, dict[str, float]]:
    """Weight of the rows by true label and predicted label; pairs that do not occur are absent.

    Examples
    --------
    >>> confusion(np.array(["a", "a", "b"]), np.array(["a", "b", "b"]), np.ones(3))
    {'a': {'a': 1.0, 'b': 1.0}, 'b': {'b': 1.0}}
    """
    found: dict[str, dict[str, float]] = {}
    for true, predicted, weight in zip(y.tolist(), labels.tolist(), weights.tolist(), strict=True):
        row = found.setdefault(str(true), {})
        row[str(predicted)] = row.get(str(predicted), 0.0) + weight
    return {true: dict(sorted(found[true].items())) for true in sorted(found)}


def reliability(proba: Floats, classes: NDArray[Any], y: NDArray[Any], weights: Floats) -> Floats:
    """Weight, summed probability and hits of the most probable class, in ten bins of probability.

    Examples
    --------
    >>> proba = np.array([[0.95, 0.05], [0.97, 0.03], [0.45, 0.55]])
    >>> reliability(proba, np.array([0, 1]), np.array([0, 1, 1]), np.ones(3))[[5, 9]]
    array([[1.  , 0.55, 1.  ],
           [2.  , 1.92, 1.  ]])
    """
    confidence, hit = proba.max(axis=1), classes[proba.argmax(axis=1)] == y
    bins = np.minimum((confidence * _N_BINS).astype(np.intp), _N_BINS - 1)
    sums = [np.bincount(bins, v, _N_BINS) for v in (weights, weights * confidence, weights * hit)]
    return np.column_stack(sums).astype(np.float64)


def expected_calibration_error(bins: Floats) -> float:
    """Mean distance between probability and share of hits over the bins of `reliability`.

    Examples
    --------
    >>> round(expected_calibration_error(np.array([[1.0, 0.55, 1.0], [2.0, 1.92, 1.0]])), 3)
    0.457
    """
    return float(np.abs(bins[:, 1] - bins[:, 2]).sum() / bins[:, 0].sum())


def _set_size(estimator: Any, X: Any, w: Floats) -> float | None:
    """Mean size of prediction sets; None for classifiers that are not ours or have none."""
    if not isinstance(last_estimator(estimator), PredictionSets):
        return None
    last, points = last_step(estimator, X)
    sets = np.asarray(last.predict_set(points, alpha=_SET_LEVEL))
    return float(np.average(sets.sum(axis=1), weights=w))


def _balanced(wrong: NDArray[np.bool_], y: NDArray[Any], w: Floats) -> float:
    shares = [np.average(wrong[y == c], weights=w[y == c]) for c in np.unique(y) if w[y == c].any()]
    return float(np.mean(shares))


def _log_loss(proba: Floats, classes: NDArray[Any], y: NDArray[Any], w: Floats) -> float:
    """Mean of -log p; a class that was not in the training rows has p = 0, which counts as eps."""
    own = np.where(classes[None, :] == y[:, None], proba, 0.0).sum(axis=1)
    return float(np.average(-np.log(np.clip(own, np.finfo(float).eps, 1.0)), weights=w))


def _brier(proba: Floats, classes: NDArray[Any], y: NDArray[Any], w: Floats) -> float:
    hit = classes[None, :] == y[:, None]
    unknown = ~hit.any(axis=1)  # the true class has the probability 0
    return float(np.average(((proba - hit) ** 2).sum(axis=1) + unknown, weights=w))


def _auc(scores: Floats, classes: NDArray[Any], y: NDArray[Any], w: Floats) -> float | None:
    """The mean over the classes that have rows on both sides; None where there are none."""
    if not np.isfinite(scores).all():
        return None
    areas = []
    for c, score in zip(classes, scores.T, strict=True):
        own = y == c
        if w[own].any() and w[~own].any():
            areas.append(roc_auc_score(own, score, sample_weight=w))
    return float(np.mean(areas)) if areas else None
