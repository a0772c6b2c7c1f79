"""One estimator on one split: fit on the training rows, judge on the test rows, never fail.

An estimator that raises gives an outcome that says why, so that one bad combination does not cost
the other results. Warnings are collected for the same reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from parzen._core import listening, portion, tell
from parzen.bandwidth import EndOfGridWarning
from parzen.compare.measures import measures

_FIT_SHARE = 0.9  # About this share of the work is the fit with its model selection.
# Parameters that a model selection may choose, into an attribute of the name and an underscore.
_CHOSEN = ("bandwidth", "eta", "C", "margin", "regularization", "threshold", "ridge")


@dataclass(frozen=True)
class Outcome:
    """What one estimator did on one split.

    Attributes
    ----------
    name : str
        The estimator.
    split : int
        Number of the split.
    error : float
        Share of the test rows that were misclassified; NaN where it failed.
    balanced_error : float
        Mean over the classes of the share of their rows that were misclassified.
    log_loss, brier : float or None
        Mean of -log p of the true class, and Brier score; None without probabilities.
    auc : float or None
        Area under the ROC curve, the mean of each class against the others; None without scores.
    set_size : float or None
        Mean size of prediction sets that hold the true label in 90 % of rows; None without them.
    reliability : list of [float, float, float] or None
        Weight, summed probability and hits of the most probable class in ten bins of probability.
    confusion : dict of str to dict of str to float
        Weight of the test rows by true and predicted label.
    kept : float or None
        Share of the training rows that carry a kernel; None where there are no kernels.
    fit_seconds, predict_seconds : float
        Time, the model selection included.
    parameters : dict
        What the model selection chose.
    warnings : list of str
        What it warned about, but for choices at the end of their grids.
    ends_of_grids : list of str
        Its warnings about choices at the end of their grids.
    failure : str or None
        Why there is no result.
    """

    name: str
    split: int
    error: float = float("nan")
    balanced_error: float = float("nan")
    log_loss: float | None = None
    brier: float | None = None
    auc: float | None = None
    set_size: float | None = None
    reliability: list[list[float]] | None = None
    confusion: dict[str, dict[str, float]] = field(default_factory=dict)
    kept: float | None = None
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    parameters: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    ends_of_grids: list[str] = field(default_factory=list)
    failure: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; NaN becomes None."""
        plain = asdict(self)
        return {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in plain.items()}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Outcome:
        """The inverse of `as_dict`; what is None there is NaN or None by default."""
        names = cls.__dataclass_fields__
        return cls(**{k: v for k, v in plain.items() if k in names and v is not None})


def judge(
    name: str,
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    split: int,
    train: Any,
    test: Any,
    listener: Callable[[float], None] | None = None,
    sample_weight: NDArray[Any] | None = None,
    clock: Callable[[], float] = perf_counter,
) -> Outcome:
    """Fit a clone on the training rows and judge it on the test rows; ``clock`` times both."""
    listened = nullcontext() if listener is None else listening(listener)
    with warnings.catch_warnings(record=True) as caught, listened:
        warnings.simplefilter("always")
        try:
            found = _judge(clone(estimator), X, y, train, test, sample_weight, clock)
        except Exception as reason:
            found = {"failure": _one_line(reason)}
        tell(1.0)
    ends = [w for w in caught if issubclass(w.category, EndOfGridWarning)]
    others = [w for w in caught if w not in ends]
    return Outcome(name, split, warnings=_texts(others), ends_of_grids=_texts(ends), **found)


def _texts(caught: list[warnings.WarningMessage]) -> list[str]:
    """The texts of the warnings, each once."""
    return list(dict.fromkeys(_one_line(w.message) for w in caught))


def final_estimator(estimator: Any) -> Any:
    """What decides in the end: the last step of a pipeline, the best of a search."""
    while True:
        if isinstance(estimator, Pipeline):
            estimator = estimator[-1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return estimator


def fit_arguments(estimator: Any, sample_weight: NDArray[Any] | None) -> dict[str, Any]:
    """The keywords that hand the weights of rows to ``fit``, through a pipeline as well.

    Examples
    --------
    >>> fit_arguments(None, None)
    {}
    """
    if sample_weight is None:
        return {}
    if not isinstance(estimator, Pipeline):
        return {"sample_weight": sample_weight}
    return {f"{name}__sample_weight": sample_weight for name, _ in estimator.steps}


def share_kept(estimator: Any, n_train: int) -> float | None:
    """Share of the training rows that carry a kernel, None where there are none."""
    fitted = final_estimator(estimator)
    if hasattr(fitted, "support_"):
        return len(fitted.support_) / n_train
    if hasattr(fitted, "expansion_"):
        return len(fitted.expansion_.points) / n_train
    return 1.0 if hasattr(fitted, "columns_") or hasattr(fitted, "experts_") else None


def chosen_parameters(estimator: Any) -> dict[str, Any]:
    """What the model selection chose, as plain values; several numbers as their median.

    Examples
    --------
    >>> from parzen import ParzenClassifier
    >>> fitted = ParzenClassifier(bandwidth=2.0).fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    >>> chosen_parameters(fitted)
    {'bandwidth': 2.0}
    """
    if isinstance(estimator, Pipeline):
        return chosen_parameters(estimator[-1])
    if hasattr(estimator, "best_params_"):
        return {name: _plain(value) for name, value in estimator.best_params_.items()}
    if hasattr(estimator, "experts_"):
        return _family_weights(estimator)
    found = {name: getattr(estimator, f"{name}_", None) for name in _CHOSEN}
    return {name: _plain(value) for name, value in found.items() if value is not None}


def _family_weights(stack: Any) -> dict[str, float]:
    """Weights of the families in a stack of densities."""
    shares: dict[str, float] = {}
    for expert, weight in zip(stack.experts_, stack.weights_, strict=True):
        shares[expert.family] = shares.get(expert.family, 0.0) + float(weight)
    return shares


def _judge(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    train: Any,
    test: Any,
    sample_weight: NDArray[Any] | None,
    clock: Callable[[], float],
) -> dict[str, Any]:
    X_train, X_test = _safe_indexing(X, train), _safe_indexing(X, test)
    weights = None if sample_weight is None else sample_weight[train]
    start = clock()
    with portion(0, _FIT_SHARE):
        estimator.fit(X_train, y[train], **fit_arguments(estimator, weights))
    fitted = clock()
    with portion(_FIT_SHARE, (1 + _FIT_SHARE) / 2):
        labels = np.asarray(estimator.predict(X_test))
    end = clock()
    judged = None if sample_weight is None else sample_weight[test]
    return measures(estimator, X_test, y[test], labels, judged) | {
        "kept": share_kept(estimator, len(train)),
        "fit_seconds": fitted - start,
        "predict_seconds": end - fitted,
        "parameters": chosen_parameters(estimator),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        finite = value[np.isfinite(value)]
        return float(np.median(finite)) if finite.size else None
    return value.item() if isinstance(value, np.generic) else value


def _one_line(reason: Any) -> str:
    text = " ".join(str(reason).split())
    return text if not isinstance(reason, Exception) or text else type(reason).__name__
