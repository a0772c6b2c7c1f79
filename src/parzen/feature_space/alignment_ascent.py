"""Gradient ascent of the centred alignment A_c of a conformal kernel, eq. (16).

    A_c = q' (K_0 o T) q / (|K_c|_F |T|_F),   K = Q K_0 Q,  T = Y_c Y_c'
    d|K_c|^2 / dq_i = 4 sum_j (K_c)_ij (K_0)_ij q_j

in Xiong, Swamy & Ahmad (2005), for any number of classes. The denominator is of fourth degree in
alpha, so a step costs O(n^2) and the step length is halved until A_c rises.
"""

from __future__ import annotations

import numpy as np

from parzen._core import Floats
from parzen.feature_space.ascent import AscentPath
from parzen.feature_space.labels import Classes
from parzen.solvers import Solution

_MAX_HALVINGS = 30  # Halvings of a step after which the ascent ends.


class AlignmentObjective:
    """A_c and its gradient as functions of the coefficients."""

    def __init__(self, K0: Floats, K1: Floats, classes: Classes) -> None:
        self.K0, self.squares, self.K1, self.w = K0, K0 * K0, K1, classes.weights
        self.targets = classes.centred_one_hot()
        weighted = self.targets * self.w[:, None]
        self.target_norm = float(np.linalg.norm(self.targets.T @ weighted))

    def __call__(self, alpha: Floats) -> tuple[float, Floats]:
        """A_c and its gradient; both 0 where the centred kernel or target vanishes."""
        q, w = self.K1 @ alpha, self.w
        m = float(w.sum())
        along = self.K0 @ (self.targets * (w * q)[:, None])
        target_gradient = w * (self.targets * along).sum(axis=1)
        target = float(q @ target_gradient)
        rows = self.K0 @ (w * q)
        means = q * rows / m
        mean = float(w @ means) / m
        squares = self.squares @ (w * q * q)
        norm2 = float((w * q * q) @ squares) - 2.0 * m * float(w @ means**2) + (m * mean) ** 2
        if norm2 <= 64.0 * np.finfo(np.float64).eps * (m * mean) ** 2 or self.target_norm == 0.0:
            return 0.0, np.zeros(len(alpha))
        centred = q * squares - (means - mean) * rows - self.K0 @ (means * w * q)
        norm = np.sqrt(norm2) * self.target_norm
        gradient = (target_gradient - target / norm2 * w * centred) * (2.0 / norm)
        return target / norm, np.asarray(self.K1.T @ gradient)


def climb_alignment(
    objective: AlignmentObjective,
    start: Floats,
    *,
    n_steps: int,
    learning_rate: float,
    line_search: bool,
    tol: float = 1e-12,
) -> AscentPath:
    """Follow the gradient of A_c from ``start`` with the steps of eq. (15), |alpha| = 1."""
    alpha = np.array(start, dtype=np.float64)
    value, gradient = objective(alpha)
    path = [alpha]
    for t in range(n_steps):
        step = learning_rate * (1.0 - t / n_steps)
        for _ in range(_MAX_HALVINGS if line_search else 1):
            trial = alpha + step * gradient
            trial /= np.linalg.norm(trial)
            trial_value, trial_gradient = objective(trial)
            if trial_value >= value or not line_search:
                break
            step *= 0.5
        else:
            break
        alpha, value, gradient = trial, trial_value, trial_gradient
        path.append(alpha)
        if np.linalg.norm(gradient) <= tol:
            break
    gap = float(np.linalg.norm(gradient))
    return AscentPath(np.array(path), Solution.of(alpha, value, gap, len(path) - 1, tol))
