"""Newton's method from the interior of a box, for least squares on the matrix itself.

    min 1/2 |A x - c|^2 + l'x,   0 <= x <= u

Mehrotra's predictor and corrector. With multipliers z, w of the two bounds and
D = z/x + w/(u - x), a step solves (D + A'A) d = q; the gradient is that of A. The number of steps,
7 to 30, hardly depends on the condition of A, where coordinate descent, projected Newton steps and
active sets stall on wide kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.solvers._compress import CompressedMatrix
from parzen.solvers._newton_system import NewtonSystem

Floats = NDArray[np.float64]

_START = 0.2  # where a cold start lies, in units of the box
_BACK_OFF = 0.995  # share of the way to the nearest bound
_INSIDE = 0.05  # how far off the bounds a warm start is moved, in units of the box
_ROUNDS = 4  # Newton steps on the coordinates that are not on their bounds
_SLOW = 0.7  # a step that leaves more than this share of the gap may have been inaccurate


@dataclass
class Interior:
    """A point inside the box, with multipliers of its bounds."""

    A: Floats
    c: Floats
    linear: Floats
    upper: Floats
    x: Floats
    z: Floats
    w: Floats
    newton: NewtonSystem
    steps: int = 0

    @classmethod
    def start(
        cls, matrix: CompressedMatrix, c: Floats, linear: Floats, upper: Floats, x: Floats | None
    ) -> Interior:
        """A point inside, or a given one moved off the bounds; multipliers to match."""
        x = _START * upper if x is None else np.clip(x, _INSIDE * upper, (1 - _INSIDE) * upper)
        point = cls(matrix.A, c, linear, upper, x, x, x, NewtonSystem(matrix))
        g = point.gradient(x)
        level = max(float(np.abs(g).mean()) * 0.5, np.finfo(float).tiny)
        point.z, point.w = np.maximum(g, 0) + level, np.maximum(-g, 0) + level
        return point

    def gradient(self, x: Floats) -> Floats:
        """A'(A x - c) + l."""
        return np.asarray(self.A.T @ (self.A @ x - self.c) + self.linear)

    def diagonal(self, slack: Floats) -> Floats:
        """D = z/x + w/(u - x), what the bounds add to A'A."""
        return self.z / self.x + self.w / slack

    def rounded(self, share: float, target: float) -> Floats | None:
        """A point on its bounds where this one is near them; None when its gap is not reached.

        Near is meant in units of the box. The other coordinates take Newton steps that make up
        for it; those that reach a bound stay there, and those that would leave one are let go.
        """
        slack = self.upper - self.x
        rest = np.minimum(self.x, slack) <= share * self.upper
        x = np.where(rest, np.where(self.x < slack, 0.0, self.upper), self.x)
        g = self.gradient(x)
        D = self.diagonal(slack)
        if not self.newton.renew(np.where(rest, np.inf, D), again=False):
            return None
        for _ in range(_ROUNDS):
            if duality_gap(g, x, self.upper - x) <= target:
                return x
            x = np.clip(x + self.newton.accurate(np.where(rest, np.inf, D), -g), 0.0, self.upper)
            g = self.gradient(x)
            rest = ((x <= 0) & (g >= 0)) | ((x >= self.upper) & (g <= 0))
        return None


def descend(at: Interior, *, target: float, max_steps: int) -> None:
    """Newton steps, in place, until the gap is at most ``target`` or no more can be taken."""
    last = np.inf
    while True:
        slack = at.upper - at.x
        g = at.gradient(at.x)
        gap = duality_gap(g, at.x, slack)
        if gap <= target or at.steps >= max_steps:
            return
        if gap > _SLOW * last:
            at.newton.doubt()
        last = min(gap, last)
        if _step(at, g, slack):
            at.steps += 1
        elif not at.newton.sharpen():
            return


def duality_gap(g: Floats, x: Floats, slack: Floats) -> float:
    """Bound on objective - optimum from the gradient: what a linear model could still gain."""
    return float(np.where(g > 0, g * x, -g * slack).sum())


def _step(at: Interior, g: Floats, slack: Floats) -> bool:
    """One predictor and corrector; False when rounding leaves no step."""
    x, z, w = at.x, at.z, at.w
    level = (z @ x + w @ slack) / (2 * len(x))
    if not level > 0 or not at.newton.renew(at.diagonal(slack)):
        return False
    residual = g - z + w

    def direction(low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
        d = at.newton.direction(low / x - high / slack - residual)
        return d, (low - z * d) / x, (high + w * d) / slack

    dx, dz, dw = direction(-z * x, -w * slack)
    a = _longest(at, slack, dx, dz, dw)
    ahead = ((z + a * dz) @ (x + a * dx) + (w + a * dw) @ (slack - a * dx)) / (2 * len(x))
    centre = level * (ahead / level) ** 2
    dx, dz, dw = direction(centre - z * x - dx * dz, centre - w * slack + dx * dw)
    a = _BACK_OFF * _longest(at, slack, dx, dz, dw)
    if not np.isfinite(a) or a < 1e-12:
        return False
    at.x = np.clip(x + a * dx, np.finfo(float).tiny, np.nextafter(at.upper, 0.0))
    at.z, at.w = z + a * dz, w + a * dw
    return True


def _longest(at: Interior, slack: Floats, dx: Floats, dz: Floats, dw: Floats) -> float:
    """The longest step, at most 1, that keeps everything positive."""
    worst = max(
        float((-dx / at.x).max()),
        float((dx / slack).max()),
        float((-dz / at.z).max()),
        float((-dw / at.w).max()),
    )
    return 1.0 if worst <= 1.0 else 1.0 / worst
