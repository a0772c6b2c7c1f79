"""Checks of what the user says about decisions; errors name parameter, value and cure."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.class_weight import compute_class_weight

Floats = NDArray[np.float64]


def check_decision_parameters(estimator: Any) -> None:
    """What can be said before the classes are known."""
    given = [
        name
        for name in ("priors", "class_weight", "costs")
        if getattr(estimator, name, None) is not None
    ]
    gamma = getattr(estimator, "gamma", None)
    if gamma is not None:
        _check_number(gamma, "gamma", "a number >= 0", low=0.0)
        if given:
            raise ValueError(
                f"gamma={gamma!r} stands for priors and costs, but {given[0]} is given too; "
                "use one or the other."
            )
    if "priors" in given and "class_weight" in given:
        raise ValueError("priors and class_weight say the same thing; give one of them.")
    _check_names(estimator)
    if estimator.reject is not None:
        _check_number(estimator.reject, "reject", "an expected cost >= 0", low=0.0)
    if estimator.novelty is not None:
        _check_number(estimator.novelty, "novelty", "a rate in [0, 1)", low=0.0, below=1.0)


def _check_names(estimator: Any) -> None:
    priors = getattr(estimator, "priors", None)
    if isinstance(priors, str) and priors != "uniform":
        raise ValueError(f"priors={priors!r} is unknown; give None, 'uniform' or an array.")
    weight = getattr(estimator, "class_weight", None)
    named = isinstance(weight, str) and weight == "balanced"
    if not (weight is None or named or isinstance(weight, dict)):
        raise ValueError(f"class_weight={weight!r} is unknown; give None, 'balanced' or a dict.")


def _check_number(value: Any, name: str, wanted: str, *, low: float, below: float = np.inf) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {wanted} or None, got {value!r}.")
    if not low <= float(value) < below:
        raise ValueError(f"{name}={value!r} must be {wanted}.")


def resolve_priors(estimator: Any, classes: NDArray[Any], counts: Floats) -> tuple[Floats, bool]:
    """Prior probabilities in the order of ``classes``, and whether they are the observed shares."""
    gamma = getattr(estimator, "gamma", None)
    if gamma is not None:
        if len(classes) != 2:
            raise ValueError(f"gamma is for two classes, but y has {len(classes)}; use priors.")
        return np.array([gamma / (1.0 + gamma), 1.0 / (1.0 + gamma)]), False
    weight = estimator.class_weight
    uniform = np.full(len(classes), 1.0 / len(classes))
    if isinstance(weight, dict):
        shares = counts * compute_class_weight(weight, classes=classes, y=classes)
        if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0):
            raise ValueError(f"class_weight={weight!r} must hold numbers >= 0, not all zero.")
        return np.asarray(shares / shares.sum()), False
    if weight == "balanced" or isinstance(estimator.priors, str):
        return uniform, False
    if estimator.priors is None:
        return np.asarray(counts / counts.sum()), True
    return _given_priors(estimator.priors, classes), False


def _numbers(value: ArrayLike, name: str, wanted: str) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}={value!r} is no array of numbers; give {wanted}.") from error


def _given_priors(priors: ArrayLike, classes: NDArray[Any]) -> Floats:
    array = _numbers(priors, "priors", "None, 'uniform' or one number per class")
    if array.shape != (len(classes),):
        raise ValueError(
            f"priors must have one entry per class in the order of classes_ ({len(classes)}), "
            f"got shape {array.shape}."
        )
    if not (np.isfinite(array).all() and (array >= 0).all() and abs(array.sum() - 1) < 1e-8):
        raise ValueError(f"priors must be >= 0 and sum to 1, got {array}.")
    return np.asarray(array / array.sum())


def resolve_costs(costs: ArrayLike | None, n_classes: int) -> Floats | None:
    """The cost matrix, refused where a right decision costs more than a wrong one."""
    if costs is None:
        return None
    array = _numbers(costs, "costs", "None or a matrix costs[true, predicted]")
    if array.shape != (n_classes, n_classes):
        raise ValueError(
            f"costs must be a matrix costs[true, predicted] of shape ({n_classes}, {n_classes}), "
            f"got {array.shape}."
        )
    if not np.isfinite(array).all() or (array < 0).any():
        wrong = array[~np.isfinite(array) | (array < 0)][0]
        raise ValueError(f"costs must be finite and not negative, got {wrong}.")
    net = array - np.diag(array)[:, None]
    if (net < 0).any():
        j, k = np.argwhere(net < 0)[0]
        raise ValueError(
            f"costs[{j}, {j}] exceeds costs[{j}, {k}]: a right decision must not cost the most."
        )
    if n_classes > 1 and not net.any():
        raise ValueError("costs are the same for every decision; give wrong ones a higher cost.")
    return array
