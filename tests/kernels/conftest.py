"""Integrals of kernels by plain quadrature, sharing nothing with the formulas under test.

The rule is tanh-sinh on every piece between given breaks; it does not mind singular ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

from parzen.kernels import Kernel

Nodes = tuple[np.ndarray, np.ndarray]


def _unit_rule(step: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tanh-sinh nodes x on (0, 1), the distances 1 - x without rounding, and log weights."""
    t = np.arange(-3.6, 3.6, step)
    g = np.pi * np.sinh(t)
    x, rest = 1.0 / (1.0 + np.exp(-g)), 1.0 / (1.0 + np.exp(g))
    return x, rest, np.log(step * np.pi * np.cosh(t) * x * rest)


def _piecewise_rule(breaks: Sequence[float], step: float) -> Nodes:
    """Nodes and log weights on the pieces between the breaks; the last may be infinite."""
    x, rest, log_weight = _unit_rule(step)
    ends = sorted(set(breaks))
    nodes, log_weights = [], []
    for low, high in pairwise(ends):
        if np.isinf(high):
            nodes.append(low + x / rest)
            log_weights.append(log_weight - 2.0 * np.log(rest))
        else:
            nodes.append(low + (high - low) * x)
            log_weights.append(log_weight + np.log(high - low))
    return np.concatenate(nodes), np.concatenate(log_weights)


def _log_sphere(d: int) -> float:
    """Log area of the unit sphere in d dimensions."""
    return float(np.log(2.0) + 0.5 * d * np.log(np.pi) - gammaln(0.5 * d))


def _log_density(kernel: Kernel, squared: np.ndarray, d: int) -> np.ndarray:
    return np.asarray(kernel.log_normalizer(1.0, d) + kernel.log_profile(squared, 1.0, d))


def _breaks(kernel: Kernel, d: int, *more: float) -> list[float]:
    """The kernel's range, cut where its mass lies in d dimensions and wherever else is asked."""
    end = kernel.support_radius(1.0)
    return [0.0, end, *(b for b in (1.0, d / 2, d, 2 * d, *more) if 0.0 < b < end)]


def _radial_log_mass(kernel: Kernel, d: int, step: float = 1 / 24) -> float:
    r, log_weight = _piecewise_rule(_breaks(kernel, d), step)
    terms = log_weight + (d - 1) * np.log(r) + _log_density(kernel, r**2, d)
    return float(_log_sphere(d) + logsumexp(terms))


def _radial_log_overlap(kernel: Kernel, r: float, d: int, step: float = 1 / 24) -> float:
    """Log of (k*k)(r) at bandwidth 1, in polar coordinates about one of the two centres."""
    end = kernel.support_radius(1.0)
    a, log_weight = _piecewise_rule(_breaks(kernel, d, r, abs(end - r)), step)
    outer = log_weight + _log_density(kernel, a**2, d)
    if d == 1:
        both = np.stack([(a - r) ** 2, (a + r) ** 2])
        return float(logsumexp(outer + _log_density(kernel, both, d)))
    inner = _log_angular_integral(kernel, a, r, d, step)
    return float(_log_sphere(d - 1) + logsumexp(outer + (d - 1) * np.log(a) + inner))


def _log_angular_integral(
    kernel: Kernel, a: np.ndarray, r: float, d: int, step: float
) -> np.ndarray:
    end = kernel.support_radius(1.0)
    least = (a**2 + r**2 - min(end, 1e9) ** 2) / (2.0 * a * r)
    last_angle = np.arccos(np.clip(least, -1.0, 1.0))[:, None]
    x, _, log_weight = _unit_rule(step)
    angle = np.maximum(last_angle * x, 1e-300)
    squared = (a[:, None] - r) ** 2 + 4.0 * a[:, None] * r * np.sin(0.5 * angle) ** 2
    terms = log_weight + (d - 2) * np.log(np.sin(angle)) + _log_density(kernel, squared, d)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(last_angle[:, 0]) + logsumexp(terms, axis=1))


@pytest.fixture(scope="session")
def radial_log_mass() -> Callable[..., float]:
    return _radial_log_mass


@pytest.fixture(scope="session")
def radial_log_overlap() -> Callable[..., float]:
    return _radial_log_overlap


@pytest.fixture(scope="session")
def piecewise_rule() -> Callable[..., Nodes]:
    return _piecewise_rule
