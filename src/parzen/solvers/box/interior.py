"""Newton's method from the interior of a box, for least squares on the matrix itself.

    min 1/2 |A x - c|^2 + l'x,   0 <= x <= u

The steps are Mehrotra's predictor and corrector, and Gondzio's further correctors where a factor
makes them cheap. With multipliers z, w of the two bounds the optimality conditions are

    A'(A x - c) + l - z + w = 0,   z_i x_i = 0,   w_i (u_i - x_i) = 0

and Newton's step aims at small positive products in place of the zeros. Eliminating the changes of
z and w leaves (D + A'A) d = q with D = z/x + w/(u - x). The number of steps, 6 to 20, hardly
depends on the condition of A, where coordinate descent, projected Newton steps and active sets
stall on wide kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parzen._core import Bools, Floats
from parzen.solvers.box.compress import CompressedMatrix
from parzen.solvers.box.newton_system import Level, NewtonSystem

Direction = tuple[Floats, Floats, float]

_COLD_START = 0.4  # A cold start is at this share of every upper bound.
_STEP_TO_BOUND = 0.995  # A step goes this share of the way to the nearest bound.
_MAX_CORRECTORS = 3  # Gondzio: correctors after Mehrotra's, as long as each lengthens the step.
_STEP_GAIN_AIMED_AT = 0.08  # Gondzio: a corrector aims at a step longer by this share of 1 + step.
_MIN_STEP_RATIO = 1.01  # A corrector is kept if its step is longer by this factor.
_CENTRALITY_BAND = 0.1  # Gondzio: correct complementarity products outside [0.1 mu, 10 mu].
_FIXED_CURVATURE = 1e30  # A coordinate of this curvature does not move in a Newton step.
_SHARE_BEFORE_BOUNDS = 0.2  # Free coordinates are solved to this share of the target gap.
_SNAP_DISTANCE = 1e-9  # A coordinate within this share of the box is set on its bound.
_MIN_ROOM_KEPT = 0.05  # In `step_inside` a coordinate keeps this share of its distance to a bound.
_WARM_START_SHIFT = 0.2  # A warm start moves this share of the way to the cold start.
_WARM_MULTIPLIERS = 0.3  # A warm start has this share of the multipliers of a cold one.
_MIN_COMPLEMENTARITY = 1e-7  # Share of the gap; with smaller products steps become short.


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
    # The sum of multipliers times room is kept at this share of the gap, or above.
    min_complementarity: float = 0.0

    @classmethod
    def start(
        cls,
        matrix: CompressedMatrix,
        c: Floats,
        linear: Floats,
        upper: Floats,
        x: Floats | None,
        threads: int = 1,
    ) -> Interior:
        """A point inside, or a given one moved inwards.

        The multipliers do not satisfy the gradient condition: products whose sum is about the
        objective at 0 took a third fewer steps than the larger products that satisfy it.
        """
        inside = _COLD_START * upper
        newton = NewtonSystem(matrix, threads=threads)
        point = cls(matrix.A, c, linear, upper, inside, np.empty(0), newton)
        point.min_complementarity = _MIN_COMPLEMENTARITY
        # 2n products of loss / n add up to |c|^2 / 2 and the most that l'x could gain.
        loss = 0.25 * float(c @ c) + 0.5 * float(np.maximum(-linear, 0.0) @ upper)
        point.multipliers = max(loss / len(upper), np.finfo(float).tiny) / point.room()
        if x is not None:
            given = np.clip(x, 0.0, upper)
            point.x = given + _WARM_START_SHIFT * (inside - given)
            point.multipliers *= _WARM_MULTIPLIERS
        return point

    def lift(self, gap: float) -> None:
        """Raise multipliers that are so small, relative to the gap, that steps would be short."""
        level = float(np.vdot(self.multipliers, self.room()))
        if level < self.min_complementarity * gap:
            self.multipliers = self.multipliers * (self.min_complementarity * gap / level)

    def gradient(self, x: Floats) -> Floats:
        """A'(A x - c) + l."""
        return np.asarray(self.A.T @ (self.A @ x - self.c) + self.linear)

    def room(self) -> Floats:
        """Distances from the lower and from the upper bounds."""
        return np.stack([self.x, self.upper - self.x])

    def on_bounds(self, share: float, target: float, max_steps: int) -> Floats:
        """The point with the coordinates that belong on a bound set there, the others solved for.

        A coordinate belongs on its nearer bound where the barrier's curvature D_j is at least
        ``share`` times |A_j|^2, the curvature of the objective. For the free coordinates one
        accurate Newton step is often enough; otherwise they go on from the interior.
        """
        low, high = self.room()
        D = (self.multipliers / (low, high)).sum(axis=0)
        at_bound = share * np.einsum("ij,ij->j", self.A, self.A) <= D
        x = np.where(at_bound, np.where(low < high, 0.0, self.upper), self.x)
        free = ~at_bound
        if not free.any():
            return x
        # Where most coordinates are free, a factor of the whole matrix is at hand: those at a
        # bound are held by an enormous curvature. Otherwise the free columns become a programme.
        many = self.newton.level > Level.ROWS and 2 * np.count_nonzero(free) > len(x)
        part = None if many else self._part(free, x)
        if part is None:
            step = self._to_bounds(x, np.where(at_bound, _FIXED_CURVATURE, D))
            d = None if step is None else step[free]
        else:
            d = part._to_bounds(x[free], D[free])
        if d is not None:
            ended = x.copy()
            ended[free] = np.clip(x[free] + d, 0.0, self.upper[free])
            if duality_gap(self.gradient(ended), ended, self.upper - ended) <= target:
                return ended
        part = self._part(free, x) if part is None else part
        if d is not None:
            part.step_inside(d)
        descend(part, target=_SHARE_BEFORE_BOUNDS * target, max_steps=max_steps)
        x[free], self.steps = part.snapped(), part.steps
        return x

    def _to_bounds(self, x: Floats, D: Floats) -> Floats | None:
        """An accurate Newton step with the curvatures D; None if the factor is singular."""
        return self.newton.accurate(-self.gradient(x)) if self.newton.renew(D) else None

    def _part(self, free: Bools, x: Floats) -> Interior:
        """The programme of the free coordinates, the others fixed at x."""
        matrix = CompressedMatrix.of(self.A[:, free])
        c = self.c - self.A @ np.where(free, 0.0, x)
        newton = NewtonSystem(matrix, min(self.newton.level, Level.SINGLE), self.newton.threads)
        return Interior(
            matrix.A, c, self.linear[free], self.upper[free], self.x[free],
            self.multipliers[:, free], newton, self.steps,
        )  # fmt: skip

    def snapped(self) -> Floats:
        """The point, with coordinates very near a bound set on it."""
        low, high = self.room()
        x = np.where(low <= _SNAP_DISTANCE * self.upper, 0.0, self.x)
        return np.where(high <= _SNAP_DISTANCE * self.upper, self.upper, x)

    def step_inside(self, d: Floats) -> None:
        """Take a step in which each coordinate by itself stops short of its bounds.

        Multipliers become those of the full Newton step towards products of zero, -m move / room,
        or a small share of what they were where that is more.
        """
        room = self.room()
        move = np.stack([d, -d])
        self.multipliers = self.multipliers * np.maximum(-move / room, _MIN_ROOM_KEPT)
        self.x = np.clip(
            self.x + d, _MIN_ROOM_KEPT * room[0], self.upper - _MIN_ROOM_KEPT * room[1]
        )


def descend(point: Interior, *, target: float, max_steps: int) -> None:
    """Newton steps, in place, until the gap is at most ``target`` or no more can be taken."""
    last = np.inf
    while True:
        room, g = point.room(), point.gradient(point.x)
        gap = duality_gap(g, *room)
        if gap <= target or point.steps >= max_steps:
            return
        point.lift(gap)
        point.newton.adapt_accuracy(gap / last)
        last = min(gap, last)
        if _step(point, g, room):
            point.steps += 1
        elif not point.newton.sharpen():
            return


def duality_gap(g: Floats, x: Floats, slack: Floats) -> float:
    """Bound on objective - optimum: the most that the linear model at x could gain in the box.

    A convex objective lies above its linear model, so it cannot gain more.
    """
    return float(np.where(g > 0, g * x, -g * slack).sum())


def _step(point: Interior, g: Floats, room: Floats) -> bool:
    """A predictor, a corrector and, where they are cheap, some more; False without a step."""
    m, count = point.multipliers, room.size
    products = m * room
    level = float(np.vdot(m, room)) / count
    if not level > 0 or not point.newton.renew((m / room).sum(axis=0)):
        return False
    residual = g - m[0] + m[1]  # of the gradient condition

    # With products m_i room_i changed by aim_i, the changes of the multipliers are
    # (aim - m move) / room; put into the gradient condition they leave
    # (D + A'A) d = aim_low / x - aim_high / (u - x) - residual.

    def direction(aim: Floats) -> Direction:
        """Changes of room and multipliers that change their products by the aim."""
        low, high = aim / room
        move = np.empty_like(room)
        move[0] = point.newton.direction(low - high - residual)
        np.negative(move[0], out=move[1])
        change = (aim - m * move) / room
        return move, change, _longest(room, m, move, change)

    # Predictor: the step that would take every product to zero.
    move, change, a = direction(-products)
    ahead = float(np.vdot(room + a * move, m + a * change)) / count  # mean product it leads to
    # Corrector (Mehrotra): aim at the products that the predictor suggests, with its second-order
    # term; the cube centres hard where the predictor got nowhere.
    centre = level * (ahead / level) ** 3
    aim = centre - products - move * change
    move, change, a = direction(aim)
    for _ in range(_MAX_CORRECTORS if point.newton.direct else 0):
        # Further correctors (Gondzio): pull the products of a longer step into the band; those
        # far above it by no more than its upper end, lest they determine the whole direction.
        far = min(1.0, a + _STEP_GAIN_AIMED_AT * (1.0 + a))
        there = (room + far * move) * (m + far * change)
        wanted = np.minimum(np.maximum(there, _CENTRALITY_BAND * centre), centre / _CENTRALITY_BAND)
        aim = aim + np.maximum(wanted - there, -centre / _CENTRALITY_BAND)
        better = direction(aim)
        if not better[2] > _MIN_STEP_RATIO * a:
            break
        move, change, a = better
    # Point and multipliers take steps of one length: the gradient condition couples them.
    a *= _STEP_TO_BOUND
    if not np.isfinite(a) or a < 1e-12:
        return False
    point.x = np.clip(point.x + a * move[0], np.finfo(float).tiny, np.nextafter(point.upper, 0.0))
    point.multipliers = m + a * change
    return True


def _longest(room: Floats, multipliers: Floats, move: Floats, change: Floats) -> float:
    """The longest step, at most 1, that keeps everything positive."""
    worst = -min(float((move / room).min()), float((change / multipliers).min()))
    return 1.0 if worst <= 1.0 else 1.0 / worst
