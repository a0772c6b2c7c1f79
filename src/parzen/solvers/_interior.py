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
_INSIDE = 0.02  # how far off the bounds a warm start is moved, in units of the box
_ROUNDS = 3  # Newton steps on the coordinates that are not on their bounds


@dataclass
class Interior:
    """A point inside the box, with multipliers of its lower and upper bounds, one row each."""

    A: Floats
    c: Floats
    linear: Floats
    upper: Floats
    x: Floats
    multipliers: Floats
    newton: NewtonSystem
    steps: int = 0

    @classmethod
    def start(
        cls, matrix: CompressedMatrix, c: Floats, linear: Floats, upper: Floats, x: Floats | None
    ) -> Interior:
        """A point inside, or a given one moved off the bounds; multipliers to match."""
        x = _START * upper if x is None else np.clip(x, _INSIDE * upper, (1 - _INSIDE) * upper)
        point = cls(matrix.A, c, linear, upper, x, np.empty(0), NewtonSystem(matrix))
        g = point.gradient(x)
        level = max(float(np.abs(g).mean()) * 0.5, np.finfo(float).tiny)
        point.multipliers = np.maximum([g, -g], 0.0) + level
        return point

    def gradient(self, x: Floats) -> Floats:
        """A'(A x - c) + l."""
        return np.asarray(self.A.T @ (self.A @ x - self.c) + self.linear)

    def room(self) -> Floats:
        """Distances from the lower and from the upper bounds."""
        return np.stack([self.x, self.upper - self.x])

    def rounded(self, share: float, target: float) -> Floats | None:
        """A point on its bounds where this one is near them; None when its gap is not reached.

        Near is meant in units of the box. The other coordinates take Newton steps that make up
        for it; those that reach a bound stay there, and those that would leave one are let go.
        """
        rest, x = self._near(share)
        D = (self.multipliers / self.room()).sum(axis=0)
        if not self.newton.renew(np.where(rest, np.inf, D), again=False):
            return None
        g = self.gradient(x)
        for _ in range(_ROUNDS):
            if duality_gap(g, x, self.upper - x) <= target:
                return x
            x = np.clip(x + self.newton.accurate(np.where(rest, np.inf, D), -g), 0.0, self.upper)
            g = self.gradient(x)
            rest = ((x <= 0) & (g >= 0)) | ((x >= self.upper) & (g <= 0))
        return None

    def rounded_inside(self, share: float, target: float, max_steps: int) -> Floats:
        """The same, but the other coordinates stay inside: slower, and hardly ever in vain."""
        rest, x = self._near(share)
        free = ~rest
        if not free.any():
            return x
        matrix = CompressedMatrix.of(self.A[:, free])
        point = Interior(
            matrix.A, self.c - self.A @ np.where(rest, x, 0.0), self.linear[free], self.upper[free],
            self.x[free], self.multipliers[:, free], NewtonSystem(matrix),
            self.steps,
        )  # fmt: skip
        descend(point, target=target, max_steps=max_steps)
        x[free], self.steps = point.x, point.steps
        return x

    def free(self, share: float) -> int:
        """How many coordinates are not near a bound."""
        return int((~self._near(share)[0]).sum())

    def _near(self, share: float) -> tuple[NDArray[np.bool_], Floats]:
        """Which coordinates are near a bound, and the point with these on it."""
        low, high = self.room()
        rest = np.minimum(low, high) <= share * self.upper
        return rest, np.where(rest, np.where(low < high, 0.0, self.upper), self.x)


def descend(at: Interior, *, target: float, max_steps: int) -> None:
    """Newton steps, in place, until the gap is at most ``target`` or no more can be taken."""
    last = np.inf
    while True:
        room, g = at.room(), at.gradient(at.x)
        gap = duality_gap(g, *room)
        if gap <= target or at.steps >= max_steps:
            return
        at.newton.judge(gap / last)
        last = min(gap, last)
        if _step(at, g, room):
            at.steps += 1
        elif not at.newton.sharpen():
            return


def duality_gap(g: Floats, x: Floats, slack: Floats) -> float:
    """Bound on objective - optimum from the gradient: what a linear model could still gain."""
    return float(np.where(g > 0, g * x, -g * slack).sum())


def _step(at: Interior, g: Floats, room: Floats) -> bool:
    """One predictor and corrector; False when rounding leaves no step."""
    m = at.multipliers
    products = m * room
    level = float(products.mean())
    if not level > 0 or not at.newton.renew((m / room).sum(axis=0)):
        return False
    residual = g - m[0] + m[1]

    def direction(aim: Floats) -> tuple[Floats, Floats]:
        """Changes of room and multipliers that change their products by the aim."""
        low, high = aim / room
        d = at.newton.direction(low - high - residual)
        move = np.stack([d, -d])
        return move, (aim - m * move) / room

    move, change = direction(-products)
    a = _longest(room, m, move, change)
    ahead = float(((room + a * move) * (m + a * change)).mean())
    centre = level * (ahead / level) ** 2
    move, change = direction(centre - products - move * change)
    a = _BACK_OFF * _longest(room, m, move, change)
    if not np.isfinite(a) or a < 1e-12:
        return False
    at.x = np.clip(at.x + a * move[0], np.finfo(float).tiny, np.nextafter(at.upper, 0.0))
    at.multipliers = m + a * change
    return True


def _longest(room: Floats, multipliers: Floats, move: Floats, change: Floats) -> float:
    """The longest step, at most 1, that keeps everything positive."""
    worst = -min(float((move / room).min()), float((change / multipliers).min()))
    return 1.0 if worst <= 1.0 else 1.0 / worst
