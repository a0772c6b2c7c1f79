"""Least squares in a box whose loss weighs positive residuals differently.

    min 1/2 sum_i c_i(r_i) r_i^2,   r = A x - b,   c_i(r) = v_i for r < 0,   over v_i for r > 0

v are the row weights, and ``over`` is the factor for positive residuals. The objective is convex
and piecewise quadratic. With the weights c of the present residuals it is box least squares, whose
solution gives a descent direction for an exact line search. After a few rounds the signs of the
residuals, and so the weights, do not change any more. The gap is that of the true objective.
"""

from __future__ import annotations

import numpy as np

from parzen._core import Floats
from parzen.solvers.box.interior import duality_gap
from parzen.solvers.box.least_squares import box_least_squares
from parzen.solvers.solution import Solution

_MAX_ROUNDS = 60  # Rounds, each with the weights of the present residuals; a few are usual.
_BISECTIONS = 60  # Bisections of the line search; they reach the rounding of the step.


def asymmetric_box_least_squares(
    A: Floats,
    b: Floats,
    row_weights: Floats,
    over: float,
    *,
    upper: Floats,
    linear: Floats,
    tol: float,
    max_iter: int,
    start: Floats | None = None,
    n_jobs: int | None = None,
) -> Solution:
    """Minimise over 0 <= x <= upper; ``gap`` is relative to the objective at 0."""
    x = np.zeros(A.shape[1]) if start is None else np.clip(start, 0.0, upper)
    scale = max(_loss(-b, row_weights, over), np.finfo(float).tiny)
    steps, gap = 0, np.inf
    for _ in range(_MAX_ROUNDS):
        r = A @ x - b
        g = A.T @ (_weights(r, row_weights, over) * r) + linear
        gap = duality_gap(g, x, upper - x) / scale
        if gap <= tol or steps >= max_iter:
            break
        root = np.sqrt(_weights(r, row_weights, over))
        inner = box_least_squares(
            root[:, None] * A, root * b,
            upper=upper, linear=linear, tol=0.1 * tol, max_iter=max_iter, start=x, n_jobs=n_jobs,
        )  # fmt: skip
        steps += inner.iterations
        d = inner.weights - x
        x = np.clip(x + _line_search(r, A @ d, row_weights, over, float(linear @ d)) * d, 0, upper)
    objective = _loss(A @ x - b, row_weights, over) + float(linear @ x)
    return Solution.of(x, objective, float(gap), steps, tol)


def _weights(r: Floats, row_weights: Floats, over: float) -> Floats:
    return np.where(r > 0, over * row_weights, row_weights)


def _loss(r: Floats, row_weights: Floats, over: float) -> float:
    return 0.5 * float(_weights(r, row_weights, over) @ r**2)


def _line_search(r: Floats, Ad: Floats, row_weights: Floats, over: float, slope: float) -> float:
    """The step in (0, 1] where the derivative, which is increasing, vanishes."""

    def derivative(step: float) -> float:
        at = r + step * Ad
        return float((_weights(at, row_weights, over) * at) @ Ad) + slope

    if derivative(1.0) <= 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if derivative(middle) <= 0 else (low, middle)
    return 0.5 * (low + high)
