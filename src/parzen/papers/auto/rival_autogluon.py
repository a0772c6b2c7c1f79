"""AutoGluon's stack of bagged models, a rival where the package is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

SECONDS = 100  # time limit of a fit
ABSENT = (
    "autogluon is not installed: pip install 'autogluon.tabular[catboost,lightgbm,xgboost]'."
    if find_spec("autogluon") is None
    else None
)
_LABEL = "label"


class StackedAutoGluon(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Preset ``best_quality``, chosen by log-loss, within a time limit and on one thread."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to the codes of the labels, in a folder that lives as long as the model."""
        from autogluon.tabular import TabularPredictor

        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.folder_ = TemporaryDirectory()
        predictor = TabularPredictor(
            _LABEL, path=str(Path(self.folder_.name) / "models"), eval_metric="log_loss",
            verbosity=0,
        )  # fmt: skip
        self.predictor_ = predictor.fit(
            _frame(X).assign(**{_LABEL: codes}), presets="best_quality", time_limit=self.seconds,
            num_cpus=1, num_gpus=0, dynamic_stacking=False,
            ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
        )  # fmt: skip
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probabilities in the order of ``classes_``."""
        found = self.predictor_.predict_proba(_frame(X))
        P = found[np.arange(len(self.classes_))].to_numpy(dtype=np.float64)
        return np.asarray(P / P.sum(axis=1, keepdims=True))  # exact, of numbers in single precision

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable label."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _frame(X: ArrayLike) -> Any:
    import pandas as pd

    points = np.asarray(X, dtype=np.float64)
    return pd.DataFrame(points, columns=[f"x{j}" for j in range(points.shape[1])])
