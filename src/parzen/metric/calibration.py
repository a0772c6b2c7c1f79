"""Scores to probabilities: softmax(beta F + a), fitted by Newton's method.

    minimise  -sum_i w_i log softmax(beta F_i + a)_{y_i} + 0.05 (beta - 1)^2 + 0.005 |a|^2

over beta >= 0 and a.
The weak pull towards beta = 1 and a = 0 keeps separable samples finite. Many problems of one size
are solved at once, since each of them alone is small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parzen._core import Floats, Ints

_SLOPE_RIDGE = 0.1  # The penalty is half of this times (beta - 1)^2.
_OFFSET_RIDGE = 0.01  # The penalty is half of this times |a|^2.
_MAX_NEWTON_STEPS = 25  # A few are usual: the problem is convex and has few variables.
_MAX_HALVINGS = 12  # A step that is still too long after these halvings is not taken.
_NEGLIGIBLE_DECREASE = 1e-9  # Newton's steps end when they promise less than this for each row.
MOST_OFFSETS = 40  # Classes up to which each has an offset; with more, the Hessian is too large.


class Calibration(NamedTuple):
    """The fits of E sets of scores."""

    slope: Floats  # (E,) beta
    offsets: Floats  # (E, C) a
    loss: Floats  # (E,) mean log-loss


def calibrate(scores: Floats, y: Ints, weights: Floats) -> Calibration:
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
    loss_at = _SoftmaxLoss(scores, y, weights, C <= MOST_OFFSETS)
    theta = np.zeros((E, loss_at.size))
    theta[:, 0] = 1.0
    value, gradient, curvature = loss_at(theta)
    for _ in range(_MAX_NEWTON_STEPS):
        step = _newton_step(theta, gradient, curvature)
        decrease = -np.einsum("ep,ep->e", gradient, step)
        if (decrease <= _NEGLIGIBLE_DECREASE * weights.sum()).all():
            break
        theta, value, gradient, curvature = _line_search(loss_at, theta, step, value)
    offsets = theta[:, 1:] if loss_at.size > 1 else np.zeros((E, C))
    penalty = loss_at.penalty(theta)
    return Calibration(theta[:, 0], offsets, (value - penalty) / max(weights.sum(), 1e-300))


class _SoftmaxLoss:
    """The penalised log-loss of E sets of scores; theta holds (beta, a_1, .., a_C) of each."""

    def __init__(self, F: Floats, y: Ints, w: Floats, offsets: bool) -> None:
        self.F, self.w, self.size = F, w, 1 + F.shape[2] if offsets else 1
        self.rows, self.y = np.arange(len(y)), y
        self.own = np.einsum("en,n->e", F[:, self.rows, y], w)
        self.counts = np.bincount(y, w, minlength=F.shape[2]).astype(np.float64)
        self.ridge = np.array([_SLOPE_RIDGE] + [_OFFSET_RIDGE] * (self.size - 1))

    def penalty(self, theta: Floats) -> Floats:
        away = theta.copy()
        away[:, 0] -= 1.0
        return np.asarray(0.5 * (away**2) @ self.ridge)

    def __call__(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Objective, gradient and Hessian of every set of scores."""
        F, w = self.F, self.w
        logits = theta[:, 0, None, None] * F
        if self.size > 1:
            logits += theta[:, None, 1:]
        top = logits.max(axis=2, keepdims=True)
        P = np.exp(logits - top)
        total = P.sum(axis=2, keepdims=True)
        P /= total
        value = (np.log(total[..., 0]) + top[..., 0]) @ w - theta[:, 0] * self.own
        # With the posteriors P, d/dbeta of a row is E_P[F] - F_y and its curvature Var_P[F];
        # d/da_c is P_c - [y = c], and the Hessian of a is diag(P) - P P'.
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


def _newton_step(theta: Floats, gradient: Floats, H: Floats) -> Floats:
    """Newton's step within beta >= 0.

    A slope at its bound that would become negative is fixed, and the offsets are solved for alone.
    """
    step = -np.linalg.solve(H, gradient[..., None])[..., 0]
    at_bound = (theta[:, 0] <= 0) & (step[:, 0] <= 0)
    if at_bound.any() and theta.shape[1] > 1:
        others = -np.linalg.solve(H[at_bound, 1:, 1:], gradient[at_bound, 1:, None])[..., 0]
        step[at_bound, 1:] = others
    step[at_bound, 0] = 0.0
    step[:, 0] = np.maximum(step[:, 0], -theta[:, 0])
    return np.asarray(step)


def _line_search(
    loss_at: _SoftmaxLoss, theta: Floats, step: Floats, value: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Take the steps; each is halved until its objective does not grow."""
    length = np.ones(len(theta))
    for _ in range(_MAX_HALVINGS):
        trial = theta + length[:, None] * step
        trial_values = loss_at(trial)
        worse = ~(trial_values[0] <= value + 1e-12 * np.abs(value))
        if not worse.any():
            break
        length[worse] *= 0.5
    else:
        length[worse] = 0.0
        trial = theta + length[:, None] * step
        trial_values = loss_at(trial)
    return (trial, *trial_values)
