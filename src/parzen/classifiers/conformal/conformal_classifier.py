"""Cross-conformal prediction (Vovk, 2015): p-values for any classifier, by K refits.

    p_c(x) = (1 + sum_k #{i in fold k, y_i = c: s_k(x_i, c) <= s_k(x, c)}) / (n_c + 1)

s_k is the log-probability (or the score) of a label under the classifier that was fitted without
fold k, which has seen neither x_i nor x.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter

from parzen._core import (
    Array,
    CallbackSupport,
    Floats,
    Ints,
    LinkedEstimator,
    available_if,
    steps,
    telling_callbacks,
)
from parzen.classifiers.base import PredictionSets, check_labels, weights_below
from parzen.evidence import Explanation

# What to do where the estimator lacks a method that is handed on to it.
_CURES = {
    "predict_proba": "use a classifier that has it, or the p_values of its labels",
    "novelty_p_values": "use a density classifier such as ParzenClassifier",
    "explain": "use a classifier of this library",
}


def _check_estimator_has(method: str, conformal: ConformalClassifier) -> None:
    if not hasattr(conformal.estimator, method):
        raise AttributeError(f"{conformal.estimator!r} has no {method}; {_CURES[method]}.")


class ConformalClassifier(
    PredictionSets,
    MetaEstimatorMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    CallbackSupport,  # type: ignore[misc]
    LinkedEstimator,
):
    """Prediction sets for any classifier, by cross-validation.

    Read more in the :doc:`guide </guide/prediction_sets>`.

    Parameters
    ----------
    estimator : classifier
        Any classifier with ``predict_proba`` or ``decision_function``. Those of this library with
        held-out densities have prediction sets of their own.
    cv : int, splitter or iterable, default=5
        The folds, each left out once: a number, or anything that scikit-learn takes as ``cv``.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    estimator_ : classifier
        Fitted to all rows: labels and probabilities are its own.
    estimators_ : list of classifiers
        Fitted without one fold each.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of shape (n_features,)
        Names of the columns, where `estimator_` knows them.

    Notes
    -----
    For exchangeable rows the true label is missing from a set at level alpha in at most a share of
    about 2 alpha of the rows of each class, whatever the classifier; in practice the share is near
    alpha. A fit takes cv + 1 fits of the classifier, and p-values take cv predictions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from parzen import ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = ConformalClassifier(SVC()).fit(X[::2], y[::2]).predict_set(X[1::2], alpha=0.1)
    >>> bool(sets[range(75), y[1::2]].mean() > 0.85)
    True
    """

    def __init__(self, estimator: Any, cv: Any = 5) -> None:
        self.estimator = estimator
        self.cv = cv

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier to all rows, and once without each fold.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The sample, in any form that the classifier takes.
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : array of shape (n_samples,), default=None
            Passed to the classifier. In the ranks a row counts with its weight.
        """
        X, y = indexable(X, y)
        labels = check_labels(y, X, type(self).__name__)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        if weights is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"sample_weight was given, but {type(self.estimator).__name__} does not take it."
            )
        with telling_callbacks(self, X, y, sample_weight):
            self._forget()
            folds = check_cv(self.cv, labels, classifier=True)
            rows = np.arange(len(labels))
            splits = [(rows, rows[:0]), *folds.split(np.zeros(len(labels)), labels)]
            fits = [self._fitted(X, labels, weights, train) for train, _ in steps(splits)]
            self.classes_ = np.asarray(fits[0].classes_)
            codes = np.searchsorted(self.classes_, labels)
            self._held_out = [
                (
                    self._scores(fitted, _safe_indexing(X, test))[rows[: len(test)], codes[test]],
                    codes[test],
                    None if weights is None else weights[test],
                )
                for fitted, (_, test) in zip(fits[1:], splits[1:], strict=True)
            ]
            self.estimator_, self.estimators_ = fits[0], fits[1:]
        return self

    def predict(self, X: ArrayLike) -> Array:
        """Labels of the classifier that was fitted to all rows."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))

    @available_if(partial(_check_estimator_has, "predict_proba"))
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the classifier that was fitted to all rows."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(partial(_check_estimator_has, "novelty_p_values"))
    def novelty_p_values(self, X: ArrayLike) -> Floats:
        """P-values of "this row is like those of the sample", by the fit to all rows."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.novelty_p_values(X))

    @available_if(partial(_check_estimator_has, "explain"))
    def explain(self, X: ArrayLike, top: int = 5) -> list[Explanation]:
        """Evidence for the labels of the classifier that was fitted to all rows.

        See `ParzenClassifier.explain`.
        """
        check_is_fitted(self)
        found: list[Explanation] = self.estimator_.explain(X, top)
        return found

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        below = total = np.zeros(len(self.classes_))
        for fitted, held_out in zip(self.estimators_, self._held_out, strict=True):
            part = weights_below(self._scores(fitted, X), *held_out, conditional)
            below, total = below + part[0], total + part[1]
        return np.asarray((1.0 + below) / (1.0 + total))

    def _fitted(self, X: Any, labels: Array, weights: Floats | None, rows: Ints) -> Any:
        options = {} if weights is None else {"sample_weight": weights[rows]}
        return clone(self.estimator).fit(_safe_indexing(X, rows), labels[rows], **options)

    def _scores(self, fitted: Any, X: Any) -> Floats:
        """Log-probabilities or scores of all classes; -inf for a class that the fit did not see."""
        if hasattr(fitted, "predict_log_proba"):
            with np.errstate(divide="ignore"):
                found = np.asarray(fitted.predict_log_proba(X), dtype=np.float64)
        elif hasattr(fitted, "predict_proba"):
            found = np.asarray(fitted.predict_proba(X), dtype=np.float64)
        else:
            found = np.asarray(fitted.decision_function(X), dtype=np.float64)
            found = np.column_stack([-found, found]) if found.ndim == 1 else found
        out = np.full((len(found), len(self.classes_)), -np.inf)
        out[:, np.searchsorted(self.classes_, fitted.classes_)] = found
        return out

    def __sklearn_is_fitted__(self) -> bool:
        """Only a fit that came to its end counts."""
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the columns."""
        return np.asarray(self.estimator_.feature_names_in_)
