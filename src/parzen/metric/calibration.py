"""Scores to probabilities: softmax(beta F + a), fitted by Newton's method.

    minimise  -sum_i w_i log softmax(beta F_i + a)_{y_i} + 0.05 (beta - 1)^2 + 0.005 |a|^2

over beta >= 0 and a.
The weak pull towards beta = 1 and a = 0 keeps separable samples finite. Many problems of one size
are solved at once, since each of them alone is small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TO_ONE = 0.1
_TO_ZERO = 0.01
_STEPS = 25
_HALVINGS = 12
MOST_OFFSETS = 40  # classes beyond which one offset each would cost more than it tells


class Calibration(NamedTuple):
    """The fits of E sets of scores."""

    slope: Floats  # (E,) beta
    offsets: Floats  # (E, C) a
    loss: Floats  # (E,) mean log-loss


def calibrate(scores: Floats, y: NDArray[np.intp], weights: Floats) -> Calibration:
    """Fit every one of ``scores``, shape (E, n, C), finite, to the classes ``y``.

    Examples
    --------
    >>> import numpy as np
    >>> F = np.tile([[3.0, 0.0], [0.0, 3.0]], (50, 1))
    >>> y = np.tile([0, 1], 50)
    >>> y[:40] = y[:40][::-1]
    >>> fit = calibrate(F[None], y, np.ones(100))
    >>> bool(fit.slope[0] < 0.5)
    True
    """
    E, _, C = scores.shape
    problem = _Problem(scores, y, weights, C <= MOST_OFFSETS)
    theta = np.zeros((E, problem.size))
    theta[:, 0] = 1.0
    value, gradient, curvature = problem(theta)
    for _ in range(_STEPS):
        step = _direction(theta, gradient, curvature)
        promise = -np.einsum("ep,ep->e", gradient, step)
        if (promise <= 1e-9 * weights.sum()).all():
            break
        theta, value, gradient, curvature = _take(problem, theta, step, value)
    offsets = theta[:, 1:] if problem.size > 1 else np.zeros((E, C))
    penalty = problem.penalty(theta)
    return Calibration(theta[:, 0], offsets, (value - penalty) / max(weights.sum(), 1e-300))


class _Problem:
    def __init__(self, F: Floats, y: NDArray[np.intp], w: Floats, offsets: bool) -> None:
        self.F, self.w, self.size = F, w, 1 + F.shape[2] if offsets else 1
        self.rows, self.y = np.arange(len(y)), y
        self.own = np.einsum("en,n->e", F[:, self.rows, y], w)
        self.counts = np.bincount(y, w, minlength=F.shape[2]).astype(np.float64)
        self.ridge = np.array([_TO_ONE] + [_TO_ZERO] * (self.size - 1))

    def penalty(self, theta: Floats) -> Floats:
        away = theta.copy()
        away[:, 0] -= 1.0
        return np.asarray(0.5 * (away**2) @ self.ridge)

    def __call__(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Objective, gradient and Hessian of every problem."""
        F, w = self.F, self.w
        logits = theta[:, 0, None, None] * F
        if self.size > 1:
            logits += theta[:, None, 1:]
        top = logits.max(axis=2, keepdims=True)
        P = np.exp(logits - top)
        total = P.sum(axis=2, keepdims=True)
        P /= total
        value = (np.log(total[..., 0]) + top[..., 0]) @ w - theta[:, 0] * self.own
        mean = np.einsum("enc,enc->en", P, F)
        gradient, H = np.empty_like(theta), np.zeros((len(theta), self.size, self.size))
        gradient[:, 0] = mean @ w - self.own
        H[:, 0, 0] = (np.einsum("enc,enc->en", P, F * F) - mean**2) @ w
        if self.size > 1:
            value = value - theta[:, 1:] @ self.counts
            weighted = P * w[:, None]
            mass = weighted.sum(axis=1)
            gradient[:, 1:] = mass - self.counts
            H[:, 0, 1:] = np.einsum("enc,enc->ec", weighted, F - mean[..., None])
            H[:, 1:, 0] = H[:, 0, 1:]
            H[:, 1:, 1:] = -np.swapaxes(weighted, 1, 2) @ P
            H[:, np.arange(1, self.size), np.arange(1, self.size)] += mass
        away = theta.copy()
        away[:, 0] -= 1.0
        H += np.diag(self.ridge)
        return value + self.penalty(theta), gradient + self.ridge * away, H


def _direction(theta: Floats, gradient: Floats, H: Floats) -> Floats:
    """Newton's step; a slope at zero that would become negative stays there."""
    step = -np.linalg.solve(H, gradient[..., None])[..., 0]
    stuck = (theta[:, 0] <= 0) & (step[:, 0] <= 0)
    if stuck.any() and theta.shape[1] > 1:
        inner = -np.linalg.solve(H[stuck, 1:, 1:], gradient[stuck, 1:, None])[..., 0]
        step[stuck, 1:] = inner
    step[stuck, 0] = 0.0
    step[:, 0] = np.maximum(step[:, 0], -theta[:, 0])
    return np.asarray(step)


def _take(
    problem: _Problem, theta: Floats, step: Floats, value: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Steps halved until no objective grows."""
    length = np.ones(len(theta))
    for _ in range(_HALVINGS):
        trial = theta + length[:, None] * step
        found = problem(trial)
        worse = ~(found[0] <= value + 1e-12 * np.abs(value))
        if not worse.any():
            break
        length[worse] *= 0.5
    else:
        length[worse] = 0.0
        trial = theta + length[:, None] * step
        found = problem(trial)
    return (trial, *found)
