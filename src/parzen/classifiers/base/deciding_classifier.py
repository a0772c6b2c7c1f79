"""What every classifier does with its scores: probabilities, costs, rejections, labels.

A subclass says how to fit, and what the logarithms of its densities, or its scores, are at new
points; the frozen `Decision` in ``decision_`` turns them into probabilities and labels:

    log f_c -> priors -> posteriors -> costs -> a label or a rejection
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Array,
    Floats,
    LinkedEstimator,
    constraints_of,
    declared,
    is_other_array,
    validate_points,
)
from parzen.base import SumsOptions
from parzen.classifiers.base.decision import Decision
from parzen.classifiers.base.decision_parameters import (
    DecisionParameters,
    check_decision_parameters,
    resolve_priors,
)
from parzen.classifiers.base.labels import rejection_label, with_label
from parzen.sums import AMBIGUOUS, NOVEL

_ARRAYS_OF_DENSITIES = 4  # Arrays of (rows, classes) that exist at once when labels are found.


@declared
class DecidingClassifier(DecisionParameters, SumsOptions, ClassifierMixin, LinkedEstimator, ABC):  # type: ignore[misc]
    """Base of all classifiers: the parameters of the decision, and what follows from it.

    A subclass defines ``fit``, which keeps ``classes_`` and ``class_count_``, calls `_set_priors`
    first, and `_set_decision` last.
    """

    classes_: Array = field(init=False)
    class_count_: Floats = field(init=False)
    decision_: Decision = field(init=False)

    # What a subclass says

    @abstractmethod
    def _log_densities(self, X: Array) -> Array:
        """What the decision compares at each row, shape (n, C): log f_c, or scores."""

    @abstractmethod
    def _set_decision(self) -> None:
        """Keep ``decision_``; set last, it marks the fit as done."""

    def _codes_at(self, X: Array) -> NDArray[np.int32]:
        """The class of each row, or why it has none."""
        return self.decision_.codes(self._log_densities(X))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_decision_parameters(self)

    def _validate(self, X: ArrayLike, *, reset: bool) -> Array:
        return validate_points(self, X, reset=reset)

    # What every classifier does

    def predict(self, X: ArrayLike) -> Array:
        """The label of least expected cost at each row, or a label of rejection."""
        if is_other_array(X):
            return self._answer_other("predict", X)
        self._check_fitted()
        points = self._validate(X, reset=False)
        budget = get_config()["working_memory"] * 2**20
        size = max(1, int(budget / (_ARRAYS_OF_DENSITIES * 8 * len(self.classes_))))
        if len(points) <= size:
            return self._labels_at(points)
        starts = range(0, len(points), size)
        return np.concatenate([self._labels_at(points[i : i + size]) for i in starts])

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the classes, shape (n, C)."""
        if is_other_array(X):
            return self._answer_other("predict_proba", X)
        log_densities = self._densities_at(X)
        return self.decision_.posterior(log_densities)

    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Logarithms of the probabilities, right where the probabilities underflow."""
        if is_other_array(X):
            return self._answer_other("predict_log_proba", X)
        log_densities = self._densities_at(X)
        return self.decision_.log_posterior(log_densities)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Scores of the classes.

        Two classes: the logarithm of the ratio of pi_1 f_1 to pi_0 f_0 (times the costs of their
        errors); positive means ``classes_[1]``. Otherwise log pi_c f_c, shape (n, C).
        """
        if is_other_array(X):
            return self._answer_other("decision_function", X)
        log_densities = self._densities_at(X)
        return self.decision_.scores(log_densities)

    def with_decision(self, **parameters: Any) -> Self:
        """Return a fitted copy that decides differently, without fitting anew.

        Parameters
        ----------
        **parameters
            Any of ``priors``, ``class_weight``, ``costs``, ``gamma``, ``reject``,
            ``reject_label``, ``novelty`` and ``novelty_label``.
        """
        check_is_fitted(self)
        allowed = set(constraints_of(DecisionParameters)) & set(self.get_params(deep=False))
        unknown = sorted(set(parameters) - allowed)
        if unknown:
            raise TypeError(f"{unknown[0]!r} is no decision parameter; they are {sorted(allowed)}.")
        other = copy.copy(self)
        for name, value in parameters.items():
            setattr(other, name, value)
        other._check_parameters()
        other._set_priors()
        other._set_decision()
        return other

    def __sklearn_is_fitted__(self) -> bool:
        """Only a fit that came to its end counts."""
        return hasattr(self, "decision_")

    # How it is done

    def _set_priors(self) -> None:
        self.priors_, self._observed_priors = resolve_priors(self, self.classes_, self.class_count_)

    def _labels_at(self, X: Array) -> Array:
        codes = self._codes_at(X)
        labels = self.classes_[np.maximum(codes, 0)]
        reject_label, novelty_label = self._rejection_labels()
        if self.reject is not None:
            labels = with_label(labels, codes == AMBIGUOUS, reject_label)
        if self.novelty is not None:
            labels = with_label(labels, codes == NOVEL, novelty_label)
        return labels

    def _rejection_labels(self) -> tuple[Any, Any]:
        """The labels of ambiguous and of novel rows, checked where they are in use."""
        reject_label = novelty_label = None
        if self.reject is not None:
            reject_label = rejection_label(
                self.classes_, self.reject_label, "reject_label", -1, "rejected"
            )
        if self.novelty is not None:
            novelty_label = rejection_label(
                self.classes_, self.novelty_label, "novelty_label", -2, "novel"
            )
        return reject_label, novelty_label

    def _densities_at(self, X: ArrayLike) -> Array:
        self._check_fitted()
        return self._log_densities(self._validate(X, reset=False))
