"""Rivals made of trees, with the settings of their libraries; some need the extra ``rivals``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from sklearn.model_selection import GridSearchCV, StratifiedKFold


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


def _search(classifier: Any, grid: Mapping[str, Any]) -> Any:
    """The setting of smallest log-loss, three folds."""
    return CodedClassifier(
        GridSearchCV(
            classifier,
            grid,
            scoring="neg_log_loss",
            cv=StratifiedKFold(3, shuffle=True, random_state=0),
        )
    )


def _tuned_lightgbm() -> Any:
    grid = {"num_leaves": [4, 15], "learning_rate": [0.03, 0.1], "n_estimators": [100, 300]}
    return _search(_lightgbm().estimator, grid)


def _tuned_catboost() -> Any:
    return _search(_catboost().estimator.set_params(iterations=300), {"depth": [2, 4, 6]})


TREES: dict[str, Callable[[], Any]] = {
    "forest": lambda: RandomForestClassifier(500, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(500, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "lightgbm tuned": _tuned_lightgbm,
    "catboost": _catboost,
    "catboost tuned": _tuned_catboost,
}


_LIBRARIES = ("catboost", "lightgbm", "xgboost")


def absent_rivals() -> dict[str, str]:
    """The rivals whose library is not installed, with the cure."""
    return {
        name: f"{name} is not installed: pip install 'parzen[rivals]'."
        for name in TREES
        if name.split()[0] in _LIBRARIES and find_spec(name.split()[0]) is None
    }
