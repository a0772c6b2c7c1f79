"""Sums of exponentials in logarithms; log 0 = -inf is a value like any other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Floats, Ints

# Relative rounding error of a logarithm that a few operations led to.
_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)


def log(values: ArrayLike) -> Floats:
    """Logarithm, with log 0 = -inf and no warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.asarray(values, np.float64)))


def log_sum(logs: Floats, axis: int, weights: Floats | None = None) -> Floats:
    """Log of the (weighted) sum of exponentials along an axis; weights are along that axis."""
    if weights is None and logs.shape[axis] == 2:  # in a third of the time
        return log_add(*np.moveaxis(logs, axis, 0))
    largest = np.max(logs, axis=axis, keepdims=True, initial=-np.inf)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    terms = np.exp(logs - largest)
    total = terms.sum(axis=axis) if weights is None else np.tensordot(weights, terms, (0, axis))
    return np.asarray(log(total) + np.squeeze(largest, axis))


def rounding(logs: Floats) -> Floats:
    """How far apart two logarithms of that size may be by rounding alone."""
    return np.asarray(_ROUNDING * (1.0 + np.abs(logs)))


def with_ties(joint: Floats) -> Floats:
    """Set entries that equal the largest of their row (along axis 1) up to rounding to the largest.

    A uniform kernel counts points, so classes are often tied exactly; the sums of logarithms of
    their counts and priors differ by rounding.
    """
    largest = joint.max(axis=1, keepdims=True, initial=-np.inf)
    return np.where(joint >= largest - rounding(largest), largest, joint)


def first_largest(joint: Floats) -> Ints:
    """Place of the first that is, up to rounding, the largest of its row (along axis 1)."""
    largest = joint.max(axis=1, keepdims=True, initial=-np.inf)
    return np.asarray((joint >= largest - rounding(largest)).argmax(axis=1))


def log_add(first: Floats, second: Floats) -> Floats:
    """Log of the sum of two exponentials, -inf where both are."""
    return np.asarray(np.logaddexp(first, second))


def signed_sum(signs: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Sign and logarithm of sum_a signs[a] exp(logs[a]), along the first axis."""
    largest = np.max(logs, axis=0)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    total = (signs * np.exp(logs - largest)).sum(axis=0)
    return np.sign(total), log(np.abs(total)) + largest
