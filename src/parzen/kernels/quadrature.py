"""Integrals over parts of the positive axis of functions that are known by their logarithm.

In many dimensions nearly all of an integral may come from a small part of its interval, and for
heavy tails from many orders of magnitude. So the integral is computed in two steps.

1. A search on grids, each finer than the last, finds the mode c of p exp(log_value(p)) in log p,
   and then the part of the interval that counts in x = log(1 + p/c). For small p the variable x is
   p/c, so all values far below the mode fall close together; for large p it is log(p/c), so a heavy
   tail is short.
2. Gauss-Legendre quadrature is applied to this part. Where the integrand may have half-integer
   powers of the distance from an end, as at the tip of a lens, the variable is y with
   x = 3 y^2 - 2 y^3 on the unit interval; in y these powers are smooth.

All functions work on arrays of intervals; an integrand takes an array with one more axis.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from parzen.kernels.pairs import FloatArray

LogFunction = Callable[[FloatArray], FloatArray]

# Parts of an integrand below this logarithm, relative to its largest value, are left out.
_LOG_NEGLIGIBLE = -32.0
# The search begins at this logarithm of p, relative to the upper end of the interval.
_LOG_SMALLEST = -100.0


class Effort(NamedTuple):
    """How an integral is computed: the grids of the search, and the points of each grid and rule.

    With ``smooth_ends`` the integrand is smooth up to the ends of its interval.
    """

    n_grids: int
    grid_points: int
    rule_points: int
    smooth_ends: bool = False


class Substitution(NamedTuple):
    """The variable x = log(1 + p/scale), from ``start`` to ``end``."""

    scale: FloatArray
    start: FloatArray
    end: FloatArray

    def at(self, fractions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return p and log dp/dx at these fractions of the way from start to end."""
        x = self.start[..., None] + (self.end - self.start)[..., None] * fractions
        scale = self.scale[..., None]
        return scale * np.expm1(x), x + np.log(scale)


def log_integral(
    log_value: LogFunction,
    low: FloatArray,
    high: FloatArray,
    effort: Effort,
    rough: LogFunction | None = None,
) -> FloatArray:
    """Return the log of the integral of exp(log_value(p)) for p from ``low`` to ``high``.

    It is -inf where the interval is empty. The search may use a rough form of ``log_value``.
    """
    is_empty = ~(high > low)
    low, high = np.where(is_empty, 1.0, low), np.where(is_empty, 2.0, high)
    part = important_part(rough or log_value, low, high, effort)
    nodes, log_weights = _rule(effort.rule_points, effort.smooth_ends)
    p, log_slope = part.at(nodes)
    value = logsumexp(log_value(p) + log_slope + log_weights, axis=-1)
    return np.asarray(np.where(is_empty, -np.inf, value + np.log(part.end - part.start)))


def important_part(
    log_value: LogFunction, low: FloatArray, high: FloatArray, effort: Effort
) -> Substitution:
    """Return the substitution whose interval is the part that counts."""
    grid = np.linspace(0.0, 1.0, effort.grid_points)
    scale = _mode(log_value, low, high, grid)
    part = Substitution(scale, np.log1p(low / scale), np.log1p(high / scale))
    for _ in range(effort.n_grids):
        p, log_slope = part.at(grid)
        values = log_value(p) + log_slope
        counts = values >= values.max(axis=-1, keepdims=True) + _LOG_NEGLIGIBLE
        # One more point on either side belongs to the part, as the integrand counts up to there.
        first = np.maximum(np.argmax(counts, axis=-1) - 1, 0)
        last = np.maximum(np.argmax(counts[..., ::-1], axis=-1) - 1, 0)
        width = part.end - part.start
        part = Substitution(scale, part.start + grid[first] * width, part.end - grid[last] * width)
    return part


def _mode(
    log_value: LogFunction, low: FloatArray, high: FloatArray, grid: FloatArray
) -> FloatArray:
    """Return the mode of p exp(log_value(p)) on a grid in log p, refined once."""
    with np.errstate(divide="ignore"):
        first = np.maximum(np.log(low), np.log(high) + _LOG_SMALLEST)
    width = np.log(high) - first
    for _ in range(2):
        points = first[..., None] + width[..., None] * grid
        values = points + log_value(np.exp(points))
        best = np.argmax(values, axis=-1)
        mode = np.take_along_axis(points, best[..., None], -1)[..., 0]
        first = first + grid[np.maximum(best - 1, 0)] * width
        width = width * (grid[np.minimum(best + 1, len(grid) - 1)] - grid[np.maximum(best - 1, 0)])
    return np.exp(mode)


@cache
def _rule(n_points: int, smooth_ends: bool) -> tuple[FloatArray, FloatArray]:
    """Return nodes in (0, 1) and the logarithms of their weights."""
    t, weights = np.polynomial.legendre.leggauss(n_points)
    y, z = 0.5 * (1.0 + t), 0.5 * (1.0 - t)
    if smooth_ends:
        return y, np.log(0.5 * weights)
    return y**2 * (1.0 + 2.0 * z), np.log(3.0 * weights * y * z)
