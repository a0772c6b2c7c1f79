"""Newton's method from the interior of a box, for least squares on the matrix itself.

    min 1/2 |M x - c|^2 + l'x,   0 <= x <= u

Mehrotra's predictor and corrector. With multipliers z, w of the two bounds and D = z/x + w/(u - x),
a step solves (D + M'M) d = q, for a compressed M (few rows) through I + M D^-1 M', which is never
singular however singular M is. The number of steps, 8 to 25, hardly depends on the condition
of M, where coordinate descent and projected Newton steps stall on wide kernels. Coordinates that
have come to rest at a bound are fixed there, and the programme shrinks to the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

Floats = NDArray[np.float64]
Solver = Callable[[Floats], Floats]

_AT_REST = 0.1  # a column at rest moves its own gradient by less than this share over n
_FEWER = 0.8  # columns are taken out when no more than this share remains
_START = 0.2  # where a cold start lies, in units of the box
_BACK_OFF = 0.995  # share of the way to the nearest bound
_INSIDE = 0.05  # how far off the bounds a warm start is moved, in units of the box


@dataclass
class Interior:
    """The programme on the columns that still move, and a point inside its box.

    ``columns`` are their places in the whole programme, ``whole`` a point of the whole.
    """

    M: Floats
    c: Floats
    linear: Floats
    upper: Floats
    x: Floats
    z: Floats
    w: Floats
    columns: NDArray[np.intp]
    whole: Floats
    metric: Floats | None
    steps: int = 0
    scratch: Floats | None = None

    @classmethod
    def start(
        cls, M: Floats, c: Floats, linear: Floats, upper: Floats, x: Floats | None
    ) -> Interior:
        """A point inside, or a given one moved off the bounds; multipliers to match."""
        x = _START * upper if x is None else np.clip(x, _INSIDE * upper, (1 - _INSIDE) * upper)
        g = M.T @ (M @ x - c) + linear
        level = max(float(np.abs(g).mean()) * 0.5, np.finfo(float).tiny)
        z, w = np.maximum(g, 0) + level, np.maximum(-g, 0) + level
        metric = dsyrk(1.0, M.T, lower=1) if 2 * len(M) > len(x) else None
        return cls(M, c, linear, upper, x, z, w, np.arange(len(x)), x.copy(), metric)

    def solution(self) -> Floats:
        """The point in the whole programme."""
        self.whole[self.columns] = np.clip(self.x, 0.0, self.upper)
        return self.whole

    def fix_resting(self, norms: Floats) -> Floats:
        """Set coordinates at rest onto their bounds, if enough are; return the norms left."""
        with np.errstate(divide="ignore", over="ignore"):
            D = self.z / self.x + self.w / (self.upper - self.x)
            rest = norms / D <= _AT_REST / len(norms)
        if rest.all() or rest.mean() < 1 - _FEWER:
            return norms
        self.fix(rest)
        return norms[~rest]

    def rounded(self, share: float) -> Interior | None:
        """A copy with coordinates near a bound, in units of the box, on it; None without any."""
        near = np.minimum(self.x, self.upper - self.x) <= share * self.upper
        if near.all() or not near.any():
            return None
        other = replace(self, whole=self.solution().copy(), scratch=None)
        other.fix(near)
        return other

    def fix(self, rest: NDArray[np.bool_]) -> None:
        """Take coordinates out of the programme, each on the bound that it is nearer to."""
        self.solution()
        moving = ~rest
        low = self.x[rest] < self.upper[rest] - self.x[rest]
        bound = np.where(low, 0.0, self.upper[rest])
        self.whole[self.columns[rest]] = bound
        self.c = self.c - self.M[:, rest] @ bound
        self.M = np.ascontiguousarray(self.M[:, moving])
        if self.metric is not None:
            self.metric = self.metric.T[np.ix_(moving, moving)].T  # stays in Fortran's order
            self.scratch = None
        for name in ("linear", "upper", "x", "z", "w", "columns"):
            setattr(self, name, getattr(self, name)[moving])


def descend(at: Interior, *, target: float, max_steps: int, may_fix: bool) -> bool:
    """Newton steps, in place, until the gap is at most ``target``; whether it was reached."""
    norms = np.einsum("ij,ij->j", at.M, at.M)
    while True:
        if may_fix:
            norms = at.fix_resting(norms)
        slack = at.upper - at.x
        g = at.M.T @ (at.M @ at.x - at.c) + at.linear
        if duality_gap(g, at.x, slack) <= target:
            return True
        if at.steps >= max_steps or not _step(at, g, slack):
            return False
        at.steps += 1


def duality_gap(g: Floats, x: Floats, slack: Floats) -> float:
    """Bound on objective - optimum from the gradient: what a linear model could still gain."""
    return float(np.where(g > 0, g * x, -g * slack).sum())


def _step(at: Interior, g: Floats, slack: Floats) -> bool:
    """One predictor and corrector; False when rounding leaves no step."""
    x, z, w = at.x, at.z, at.w
    solve = _newton_solver(at, z / x + w / slack)
    if solve is None:
        return False
    residual = g - z + w
    level = (z @ x + w @ slack) / (2 * len(x))
    if not level > 0:
        return False

    def direction(low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
        d = solve(low / x - high / slack - residual)
        return d, (low - z * d) / x, (high + w * d) / slack

    dx, dz, dw = direction(-z * x, -w * slack)
    a = _longest(at, slack, dx, dz, dw)
    ahead = ((z + a * dz) @ (x + a * dx) + (w + a * dw) @ (slack - a * dx)) / (2 * len(x))
    centre = level * (ahead / level) ** 2
    dx, dz, dw = direction(centre - z * x - dx * dz, centre - w * slack + dx * dw)
    a = _BACK_OFF * _longest(at, slack, dx, dz, dw)
    if not np.isfinite(a) or a < 1e-12:
        return False
    at.x, at.z, at.w = x + a * dx, z + a * dz, w + a * dw
    return True


def _newton_solver(at: Interior, D: Floats) -> Solver | None:
    """Solve (D + M'M) d = q."""
    solver = None if at.metric is None else _through_columns(at, at.metric, D)
    return _through_rows(at.M, D) if solver is None else solver


def _through_rows(M: Floats, D: Floats) -> Solver | None:
    """By the Cholesky factor of I + M D^-1 M': as many rows as M, and never singular."""
    S = dsyrk(1.0, (M / np.sqrt(D)).T, trans=1, lower=1)
    S.flat[:: len(M) + 1] += 1.0
    factor, info = dpotrf(S, lower=1, clean=0, overwrite_a=1)
    if info != 0:
        return None

    def solve(q: Floats) -> Floats:
        scaled = q / D
        y = dpotrs(factor, M @ scaled, lower=1)[0]
        return np.asarray(scaled - (M.T @ y) / D)

    return solve


def _through_columns(at: Interior, metric: Floats, D: Floats) -> Solver | None:
    """By a factor of D + metric, a quarter of the work where M has full rank.

    The metric M'M steers the steps only; the gradient and the gap that they are judged by are
    computed with M. None where rounding spoils the factor.
    """
    if at.scratch is None:
        at.scratch = np.empty_like(metric, order="F")
    S = at.scratch
    np.copyto(S, metric)
    S.flat[:: len(D) + 1] += D
    factor, info = dpotrf(S, lower=1, clean=0, overwrite_a=1)
    if info != 0:
        return None

    def solve(q: Floats) -> Floats:
        return np.asarray(dpotrs(factor, q, lower=1)[0])

    return solve


def _longest(at: Interior, slack: Floats, dx: Floats, dz: Floats, dw: Floats) -> float:
    """The longest step, at most 1, that keeps everything positive."""
    worst = max(
        float((-dx / at.x).max()),
        float((dx / slack).max()),
        float((-dz / at.z).max()),
        float((-dw / at.w).max()),
    )
    return 1.0 if worst <= 1.0 else 1.0 / worst
