"""The parameters of a decision, shared by all density classifiers: allowed values, descriptions."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.class_weight import compute_class_weight

from parzen._core import Anything, Array, Checked, Constraints, Floats, Number, declared
from parzen.samples import Sample


def _check_priors(priors: Any) -> None:
    if isinstance(priors, str) and priors != "uniform":
        raise ValueError(f"priors={priors!r} is unknown; give None, 'uniform' or an array.")


def _check_class_weight(weight: Any) -> None:
    named = isinstance(weight, str) and weight == "balanced"
    if not (weight is None or named or isinstance(weight, dict)):
        raise ValueError(f"class_weight={weight!r} is unknown; give None, 'balanced' or a dict.")


@declared
class PriorsAndCosts:
    """The parameters that say how much each class and each error counts."""

    _constraints: ClassVar[Constraints] = {
        "priors": Checked(_check_priors),
        "class_weight": Checked(_check_class_weight),
        "costs": Anything(),  # priors and costs depend on the classes
        "gamma": Number("[0, inf)", also=(None,)),
    }
    _descriptions: ClassVar[str] = """
    priors : None, "uniform" or array of shape (n_classes,), default=None
        Prior probabilities; None for the shares of the sample.
    class_weight : None, "balanced" or dict, default=None
        ``"balanced"`` is another name of uniform priors; a dict multiplies the observed shares.
    costs : array of shape (n_classes, n_classes), default=None
        costs[true, predicted]; None counts errors.
    gamma : float, default=None
        Two classes: costs[0, 1] pi_0 / (costs[1, 0] pi_1) in one number. It acts as the odds of the
        priors and excludes ``priors``, ``class_weight`` and ``costs``.
    classes_ : array of shape (n_classes,)
        The labels.
    class_count_ : array of shape (n_classes,)
        Sum of the frequencies of each class.
    priors_ : array of shape (n_classes,)
        Prior probabilities in use.
    expansion_ : KernelExpansion
        The fitted model.
    """

    _: KW_ONLY
    priors: ArrayLike | str | None = None
    class_weight: dict[Any, float] | str | None = None
    costs: ArrayLike | None = None
    gamma: float | None = None


@declared
class DecisionParameters(PriorsAndCosts):
    """The parameters of a decision: what each error costs, and when to reject."""

    _constraints: ClassVar[Constraints] = {
        "reject": Number("[0, inf)", also=(None,), wanted="an expected cost >= 0"),
        "reject_label": Anything(),
        "novelty": Number("[0, 1)", also=(None,), wanted="a rate in [0, 1)"),
        "novelty_label": Anything(),
    }
    _descriptions: ClassVar[str] = """
    reject : float, default=None
        Reject as ambiguous where the expected cost of the best decision exceeds this. Without
        ``costs`` that is the probability of an error, at most 1 - 1 / n_classes.
    reject_label : object, default=None
        Label of ambiguous rows; None for -1, or "rejected" where classes are no numbers.
    novelty : float, default=None
        Reject as novel where the density is smaller than at all but this share of the training
        points, each left out of the estimate.
    novelty_label : object, default=None
        Label of novel rows; None for -2, or "novel" where classes are no numbers.
    decision_ : Decision
        Priors, costs and thresholds in use.
    loo_predictions_ : array of shape (n_samples,)
        Labels of the training rows of positive weight, each predicted without itself.
    """

    _: KW_ONLY
    reject: float | None = None
    reject_label: Any = None
    novelty: float | None = None
    novelty_label: Any = None


def check_decision_parameters(estimator: PriorsAndCosts) -> None:
    """Refuse parameters of the decision that exclude each other."""
    names = "priors", "class_weight", "costs"
    given = [name for name in names if getattr(estimator, name) is not None]
    if estimator.gamma is not None and given:
        raise ValueError(
            f"gamma={estimator.gamma!r} stands for priors and costs, but {given[0]} is given too; "
            "use one or the other."
        )
    if "priors" in given and "class_weight" in given:
        raise ValueError("priors and class_weight say the same thing; give one of them.")


def resolve_priors(
    estimator: PriorsAndCosts, classes: Array, counts: Floats
) -> tuple[Floats, bool]:
    """Prior probabilities in the order of ``classes``, and whether they are the observed shares."""
    gamma = estimator.gamma
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


def error_weights(class_weight: Any, classes: Array) -> Floats:
    """How much an error counts, for each class, when a bandwidth is chosen.

    A dict of class weights weighs the errors too, as sample weights would. The weights are
    relative to the largest, so that leaving one out still removes a whole row.
    """
    if not isinstance(class_weight, dict):
        return np.ones(len(classes))
    weights = compute_class_weight(class_weight, classes=classes, y=classes)
    return np.asarray(weights / weights.max())


def selector_options(
    sample: Sample, class_weight: Any, priors: Floats, observed: bool
) -> dict[str, Any]:
    """Weights and priors with which a selector scores the plug-in rule."""
    if isinstance(class_weight, dict):
        errors = error_weights(class_weight, sample.classes)
        return {"sample_weight": sample.frequencies * errors[sample.codes], "priors": None}
    return {"sample_weight": sample.weights, "priors": None if observed else priors}


def _numbers(value: ArrayLike, name: str, wanted: str) -> Floats:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}={value!r} is no array of numbers; give {wanted}.") from error


def _given_priors(priors: ArrayLike, classes: Array) -> Floats:
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
