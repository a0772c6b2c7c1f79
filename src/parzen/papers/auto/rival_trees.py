"""Rivals made of trees, with the settings of their libraries; some need the extra ``rivals``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)


class CodedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is given labels 0 .. C - 1, whatever the classes are called."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to the codes of the labels."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.estimator.fit(np.asarray(X), codes)
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probabilities in the order of ``classes_``."""
        return np.asarray(self.estimator.predict_proba(np.asarray(X)), dtype=np.float64)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable label."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _catboost() -> Any:
    from catboost import CatBoostClassifier

    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    return CodedClassifier(CatBoostClassifier(random_seed=0, **quiet))


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return CodedClassifier(LGBMClassifier(random_state=0, verbose=-1, n_jobs=1))


def _xgboost() -> Any:
    from xgboost import XGBClassifier

    return CodedClassifier(XGBClassifier(random_state=0, n_jobs=1))


TREES: dict[str, Callable[[], Any]] = {
    "forest": lambda: RandomForestClassifier(500, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(500, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "catboost": _catboost,
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
}


def absent_rivals() -> dict[str, str]:
    """The rivals whose library is not installed, with the cure."""
    return {
        name: f"{name} is not installed: pip install 'parzen[rivals]'."
        for name in ("catboost", "lightgbm", "xgboost")
        if find_spec(name) is None
    }
