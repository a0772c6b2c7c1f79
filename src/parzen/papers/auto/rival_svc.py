"""The fair rival: an SVC whose columns, C and width are searched, with calibrated probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from parzen.classifiers.stack import StackTable


class EncodedColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Standardised columns, those of few values as indicators if asked for."""

    def __init__(self, indicators: bool = False) -> None:
        self.indicators = indicators

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Find centres, scales and values."""
        points = np.asarray(X, dtype=np.float64)
        self.table_ = StackTable.fit(points, np.zeros(points.shape[1], dtype=bool), None)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The columns in one of the two forms."""
        blocks = self.table_.apply(np.asarray(X, dtype=np.float64))
        return blocks.mixed if self.indicators else blocks.plain


class FairSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An SVC over 8 values of C, 10 widths and both forms of the columns, five folds.

    Labels are the machine's own; probabilities are Platt's sigmoid on five more folds.
    """

    def __init__(self, n_jobs: int | None = None, random_state: int = 0) -> None:
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Search and calibrate."""
        folds = StratifiedKFold(5, shuffle=True, random_state=self.random_state)
        grid: dict[str, Any] = {
            "svc__C": 10.0 ** np.linspace(-1, 4, 8),
            "svc__gamma": 2.0 ** np.linspace(-13, 3, 10),
        }
        if EncodedColumns().fit(X).table_.is_discrete.any():
            grid["columns__indicators"] = [False, True]
        machine = Pipeline([("columns", EncodedColumns()), ("svc", SVC())])
        search = GridSearchCV(machine, grid, cv=folds, n_jobs=self.n_jobs).fit(X, y)
        self.best_estimator_, self.classes_ = search.best_estimator_, search.classes_
        # Folds need every class; where one is too small the sigmoid is fitted to the sample itself.
        smallest = int(np.unique(np.asarray(y), return_counts=True)[1].min())
        fitted = search.best_estimator_
        machine = fitted if smallest >= 5 else FrozenEstimator(fitted)
        self.calibrated_ = CalibratedClassifierCV(machine, ensemble=False).fit(X, y)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels of the machine itself."""
        return np.asarray(self.best_estimator_.predict(X))

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Calibrated probabilities."""
        return np.asarray(self.calibrated_.predict_proba(X))
