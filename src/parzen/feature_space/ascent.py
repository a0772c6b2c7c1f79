"""Gradient ascent of Fig. 2 of Xiong, Swamy & Ahmad (2005).

    alpha <- alpha + eta(t) (M_0 alpha - J N_0 alpha) / J_2,  eta(t) = eta_0 (1 - t/N)  (14), (15)

and |alpha| = 1 after every step. Along a line J is a ratio of two quadratics, so its maximum is the
root of one more quadratic: the line search stops there if eta(t) would step over it, at no cost,
and J never falls. The number of steps is part of the method: few steps keep the kernel smooth, and
the whole path lies in a space of few dimensions, so that it is computed in coordinates there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, sqrt
from typing import NamedTuple

import numpy as np

from parzen._core import Floats
from parzen.feature_space.explored import Explored
from parzen.feature_space.scatter_products import Scatter
from parzen.solvers import Solution


class AscentPath(NamedTuple):
    """Coefficients after every step, and how the last one was reached."""

    coefficients: Floats  # (steps + 1, p)
    solution: Solution


def climb_separability(
    forms: Scatter,
    start: Floats,
    *,
    n_steps: int,
    learning_rate: float,
    line_search: bool,
    tol: float = 1e-12,
) -> AscentPath:
    """Follow the gradient of J from ``start``, of unit norm.

    The gap is |M_0 alpha - J N_0 alpha| in units of its two terms; the ascent stops early only
    where it falls below ``tol``, or where every class has become a point.
    """
    space = Explored(forms, start, n_steps + 1)
    a = np.ones(1)
    path, J, gap = [a], 0.0, float("inf")
    for t in range(n_steps + 1):
        inside, orthogonal = space.images(a)
        J1, J2 = (inside @ a).tolist()
        if forms.is_rounding(J2, a @ space.basis):
            J, gap = (0.0 if forms.is_rounding(J1, a @ space.basis) else float("inf")), 0.0
            break
        J = J1 / J2
        g, residual = inside[0] - J * inside[1], orthogonal[0] - J * orthogonal[1]
        length, residual_norm = _length(g, residual), sqrt(residual.dot(residual))
        scale = _length(inside[0], orthogonal[0]) + J * _length(inside[1], orthogonal[1])
        gap = length / scale if scale > 0.0 else 0.0
        if gap <= tol or t == n_steps:
            break
        if residual_norm > forms.negligible_share * length and space.count < space.max_dimensions:
            space.add(residual)
            a, g = np.append(a, 0.0), np.append(g, residual_norm)
            inside = space.matrix @ a
        g /= J2
        step = learning_rate * (1.0 - t / n_steps)
        if line_search:
            slopes, curvatures = (inside @ g).tolist(), (space.matrix @ g @ g).tolist()
            step = min(step, best_step((J1, J2), slopes, curvatures))
        a = a + step * g
        a /= sqrt(a.dot(a))
        path.append(a)
    coefficients = space.vectors(path)
    return AscentPath(coefficients, Solution.of(coefficients[-1], J, gap, len(path) - 1, tol))


def best_step(
    values: Sequence[float], slopes: Sequence[float], curvatures: Sequence[float]
) -> float:
    """Where a ratio of values + 2 slopes s + curvatures s^2 first stops rising, over s > 0.

    The derivative has the sign of c0 + c1 s + c2 s^2, which is positive at 0 on the gradient.
    """
    (a0, b0), (a1, b1), (a2, b2) = values, slopes, curvatures
    c0, c1, c2 = a1 * b0 - a0 * b1, a2 * b0 - a0 * b2, a2 * b1 - a1 * b2
    square = c1 * c1 - 4.0 * c0 * c2
    if c0 <= 0.0 or square < 0.0:
        return 0.0 if c0 <= 0.0 else float("inf")
    # Both roots without cancellation: larger / c2 and c0 / larger.
    larger = -0.5 * (c1 + copysign(sqrt(square), c1))
    roots = [larger / c2 if c2 != 0.0 else 0.0, c0 / larger if larger != 0.0 else 0.0]
    return min((root for root in roots if root > 0.0), default=float("inf"))


def _length(inside: Floats, orthogonal: Floats) -> float:
    """The length of a vector in two parts that are orthogonal to each other."""
    return sqrt(inside.dot(inside) + orthogonal.dot(orthogonal))  # half the overhead of @
