"""Gradient ascent of Fig. 2 of Xiong, Swamy & Ahmad (2005).

    alpha <- alpha + eta(t) (M_0 alpha - J N_0 alpha) / J_2,  eta(t) = eta_0 (1 - t/N)  (14), (15)

and |alpha| = 1 after every step. Along a line J is a ratio of two quadratics, so its maximum is the
root of one more quadratic: the line search stops there if eta(t) would step over it, at no cost,
and J never falls. The number of steps is part of the method: few steps keep the kernel smooth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.feature_space._labels import Floats
from parzen.feature_space._scatter import ScatterForms
from parzen.solvers import Solution
from parzen.solvers._solution import Status


class Path(NamedTuple):
    """Coefficients after every step, and how the last one was reached."""

    coefficients: NDArray[np.float64]  # (steps + 1, p)
    solution: Solution


def climb_separability(
    forms: ScatterForms,
    start: Floats,
    *,
    n_steps: int,
    learning_rate: float,
    line_search: bool,
    tol: float = 1e-12,
) -> Path:
    """Follow the gradient of J from ``start``; two products with a p x p matrix per step.

    The gap is |M_0 alpha - J N_0 alpha| in units of its two terms; the ascent stops early only
    where it falls below ``tol``, or where every class has become a point.
    """
    M, N = forms.between, forms.within
    alpha = np.array(start, dtype=np.float64)
    between, within = M @ alpha, N @ alpha
    path, J, gap = [alpha], 0.0, float("inf")
    for t in range(n_steps + 1):
        J1, J2 = float(alpha @ between), float(alpha @ within)
        if forms.floor(alpha) >= J2:
            J, gap = forms.separability(alpha), 0.0
            break
        J = J1 / J2
        residual = between - J * within
        gap = _relative(residual, between, J * within)
        if gap <= tol or t == n_steps:
            break
        g = residual / J2
        up, across = M @ g, N @ g
        step = learning_rate * (1.0 - t / n_steps)
        if line_search:
            slopes = float(g @ between), float(g @ within)
            step = min(step, best_step(J1, J2, *slopes, float(g @ up), float(g @ across)))
        alpha = alpha + step * g
        length = np.linalg.norm(alpha)
        alpha, between, within = alpha / length, (between + step * up) / length, (
            within + step * across) / length  # fmt: skip
        path.append(alpha)
    status: Status = "optimal" if gap <= tol else "max_iter"
    return Path(np.array(path), Solution(alpha, J, gap, len(path) - 1, status))


def best_step(a0: float, b0: float, a1: float, b1: float, a2: float, b2: float) -> float:
    """Where (a0 + 2 a1 s + a2 s^2) / (b0 + 2 b1 s + b2 s^2) first stops rising on s > 0.

    The derivative has the sign of c0 + c1 s + c2 s^2, which is positive at 0 on the gradient.
    """
    c0, c1, c2 = a1 * b0 - a0 * b1, a2 * b0 - a0 * b2, a2 * b1 - a1 * b2
    square = c1 * c1 - 4.0 * c0 * c2
    if c0 <= 0.0 or square < 0.0:
        return 0.0 if c0 <= 0.0 else float("inf")
    # Both roots without cancellation: larger / c2 and c0 / larger.
    larger = -0.5 * (c1 + float(np.copysign(np.sqrt(square), c1)))
    roots = [larger / c2 if c2 != 0.0 else 0.0, c0 / larger if larger != 0.0 else 0.0]
    return min((float(root) for root in roots if root > 0.0), default=float("inf"))


def _relative(residual: Floats, *parts: Floats) -> float:
    scale = sum(float(np.linalg.norm(part)) for part in parts)
    return float(np.linalg.norm(residual)) / scale if scale > 0.0 else 0.0
