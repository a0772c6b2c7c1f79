"""Labels and probabilities from log-densities, as `parzen.classifiers.base.Decision` finds them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parzen.classifiers.base import Decision
from parzen.onnx.tensors import Value, log_softmax, reduced, where

_LOWEST = float(np.finfo(np.float64).min)  # a log-density below it is minus infinity
# The tolerance of `parzen.samples.with_ties`.
_TIE_TOLERANCE = 8.0 * float(np.finfo(np.float64).eps)


class Evidence(NamedTuple):
    """The log-densities or scores of the rows, from which the decision follows."""

    log_densities: Value  # (n, C), or scores
    log_mixture: Value | None = None  # (n, 1), where novelty is judged
    novelty_threshold: float | None = None


def decide(decision: Decision, found: Evidence) -> tuple[Value, Value]:
    """Place of the label, C for an ambiguous and C + 1 for a novel row; probabilities (n, C)."""
    exponent, shift = decision.exponent_and_shift()
    joint = found.log_densities * exponent + shift
    nowhere = reduced("Max", joint, keepdims=True) < _LOWEST
    joint = where(nowhere, decision.log_priors, joint)
    if type(decision) is Decision:  # entries that equal the largest up to rounding are set to it
        largest = reduced("Max", joint, keepdims=True)
        is_tie = joint >= largest - _TIE_TOLERANCE * (1.0 + np.abs(largest))
        joint = where(is_tie, largest, joint)
    posterior = np.exp(log_softmax(joint))
    if decision.costs is None:
        costs = 1.0 - posterior
        codes = posterior.graph.op("ArgMax", posterior, axis=1, keepdims=0)
    else:
        costs = posterior @ decision.costs
        codes = posterior.graph.op("ArgMin", costs, axis=1, keepdims=0)
    C = len(decision.log_priors)
    if decision.reject is not None:
        codes = where(reduced("Min", costs) > decision.reject, np.int64(C), codes)
    if found.novelty_threshold is not None:
        assert found.log_mixture is not None
        novel = reduced("Max", found.log_mixture) < found.novelty_threshold
        codes = where(novel, np.int64(C + 1), codes)
    return codes, posterior


def labels_of(model: Any) -> Any:
    """The labels by their places: the classes, then those of ambiguous and of novel rows."""
    extra = model._rejection_labels() if hasattr(model, "_rejection_labels") else (None, None)
    classes = model.classes_.tolist()
    labels = [*classes, *(classes[0] if label is None else label for label in extra)]
    if all(isinstance(label, str) for label in labels):
        return np.array(labels)
    if all(isinstance(label, int) for label in labels):
        return np.array(labels, np.int64)
    raise TypeError(
        f"ONNX has labels that are whole numbers or texts, and {type(model).__name__} has "
        f"{labels!r}; turn y into texts before fit."
    )
