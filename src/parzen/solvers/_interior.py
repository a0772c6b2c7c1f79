"""Newton's method from the interior of a box, for least squares on the matrix itself.

    min 1/2 |A x - c|^2 + l'x,   0 <= x <= u

Mehrotra's predictor and corrector. With multipliers z, w of the two bounds and
D = z/x + w/(u - x), a step solves (D + M'M) d = q. The gradient is that of A; M is A compressed, as
coarsely as the steps allow, or its triangular factor. The number of steps, 8 to 25, hardly depends
on the condition of A, where coordinate descent and projected Newton steps stall on wide kernels.
Coordinates that have come to rest at a bound are fixed there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from parzen.solvers._compress import CompressedMatrix
from parzen.solvers._newton_matrix import NewtonMatrix

Floats = NDArray[np.float64]

_AT_REST = 0.1  # a column at rest moves its own gradient by less than this share over n
_FEWER = 0.8  # columns are taken out when no more than this share remains
_START = 0.2  # where a cold start lies, in units of the box
_BACK_OFF = 0.995  # share of the way to the nearest bound
_INSIDE = 0.05  # how far off the bounds a warm start is moved, in units of the box
_COARSE = 2.0  # what Newton's matrix may miss of A, in units of the root of the gap
_ENOUGH = 800.0  # near the optimum few columns move, and what is missed of the others is harmless
_SINGLE = 1e-5  # what single precision misses of A, in units of its norm and of n^1/2
_SMALL = 100  # columns below which single precision saves nothing
_SLOW = 0.7  # a step that leaves more than this share of the gap had a matrix too coarse
_FINER = 0.3  # and what the next may miss is less by this factor


@dataclass
class Interior:
    """The programme on the columns that still move, and a point inside its box.

    ``columns`` are their places in the whole programme, ``whole`` a point of the whole, and
    ``coarse`` gives rows that stand for its matrix. Steps are taken with ``newton``, which misses
    about ``missing`` of A.
    """

    A: Floats
    c: Floats
    linear: Floats
    upper: Floats
    x: Floats
    z: Floats
    w: Floats
    columns: NDArray[np.intp]
    whole: Floats
    coarse: CompressedMatrix
    newton: NewtonMatrix
    missing: float = np.inf
    steps: int = 0

    @classmethod
    def start(
        cls, matrix: CompressedMatrix, c: Floats, linear: Floats, upper: Floats, x: Floats | None
    ) -> Interior:
        """A point inside, or a given one moved off the bounds; multipliers to match."""
        x = _START * upper if x is None else np.clip(x, _INSIDE * upper, (1 - _INSIDE) * upper)
        A, all_columns = matrix.A, np.arange(len(x))
        newton = NewtonMatrix(A)
        point = cls(A, c, linear, upper, x, x, x, all_columns, x.copy(), matrix, newton)
        g = point.gradient()
        level = max(float(np.abs(g).mean()) * 0.5, np.finfo(float).tiny)
        point.z, point.w = np.maximum(g, 0) + level, np.maximum(-g, 0) + level
        return point

    def gradient(self) -> Floats:
        """A'(A x - c) + l."""
        return np.asarray(self.A.T @ (self.A @ self.x - self.c) + self.linear)

    def sharpen(self, delta: float) -> None:
        """Take steps with a matrix that misses about delta of A, if that is not so already."""
        if self.missing <= delta:
            return
        M = self.coarse.rows(delta, self.columns) if delta > 0 else None
        if M is None or len(M) >= _FEWER * len(self.x):
            self._factorise(delta)
        else:
            self.newton, self.missing = NewtonMatrix(M), self.coarse.left

    def _factorise(self, delta: float) -> None:
        n = len(self.x)
        rounding = _SINGLE * float(np.linalg.norm(self.A)) * n**0.5 if n >= _SMALL else np.inf
        dtype, self.missing = (np.float32, rounding) if rounding <= delta else (np.float64, 0.0)
        self.newton = NewtonMatrix.factor(self.A, dtype)

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
        other = replace(self, whole=self.solution().copy())
        other.fix(near)
        return other

    def fix(self, rest: NDArray[np.bool_]) -> None:
        """Take coordinates out of the programme, each on the bound that it is nearer to."""
        self.solution()
        moving = ~rest
        low = self.x[rest] < self.upper[rest] - self.x[rest]
        bound = np.where(low, 0.0, self.upper[rest])
        self.whole[self.columns[rest]] = bound
        self.c = self.c - self.A[:, rest] @ bound
        self.A = self.A[:, moving]
        for name in ("linear", "upper", "x", "z", "w", "columns"):
            setattr(self, name, getattr(self, name)[moving])
        if not self.newton.triangular and len(self.newton.M) >= _FEWER * len(self.x):
            self._factorise(self.missing)
        else:
            self.newton = self.newton.columns(moving)


def descend(at: Interior, *, target: float, tol: float, max_steps: int, may_fix: bool) -> bool:
    """Newton steps, in place, until the gap is at most ``target``; whether it was reached.

    ``tol`` is the gap that the steps are made for.
    """
    norms = np.einsum("ij,ij->j", at.A, at.A)
    last, coarse = np.inf, _COARSE / float(at.upper.max())
    while True:
        if may_fix:
            norms = at.fix_resting(norms)
        slack = at.upper - at.x
        g = at.gradient()
        gap = duality_gap(g, at.x, slack)
        if gap <= target:
            return True
        if gap > _SLOW * last:
            coarse *= _FINER
        last = min(gap, last)
        at.sharpen(coarse * np.sqrt(max(gap, _ENOUGH * tol)))
        if at.steps >= max_steps:
            return False
        if _step(at, g, slack):
            at.steps += 1
        elif at.missing > 0:
            at.sharpen(0.0)
        else:
            return False


def duality_gap(g: Floats, x: Floats, slack: Floats) -> float:
    """Bound on objective - optimum from the gradient: what a linear model could still gain."""
    return float(np.where(g > 0, g * x, -g * slack).sum())


def _step(at: Interior, g: Floats, slack: Floats) -> bool:
    """One predictor and corrector; False when rounding leaves no step."""
    x, z, w = at.x, at.z, at.w
    solve = at.newton.solver(z / x + w / slack)
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
