"""The overlap of two radial profiles, by quadrature: the self-convolution of a density.

With one profile f at bandwidth 1, the other at bandwidth b, and centres r = 2q apart, it is

    o(r) = integral of f(|x|) f(|x - r e| / b) dx.

In the prolate spheroidal coordinates mu, nu of the two centres the distances from them are
a = q (cosh mu - cos nu) and c = q (cosh mu + cos nu), and d dimensions enter by a power:

    o(r) = S q^d  int int (sinh^2 mu + sin^2 nu) (sinh mu sin nu)^(d-2) f(a) f(c / b) dmu dnu,

where S is the area of the unit sphere of d - 1 dimensions. Cusps at the centres are ends of the
domain in these coordinates, so they cost no accuracy. The half nu < pi/2, nearer to the first
centre, and the half nearer to the second are two integrals of the same form.

`OverlapTable` interpolates the logarithm of o, because a sample has many pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import xlogy

from parzen.kernels.interpolation import adaptive_polynomial
from parzen.kernels.pairs import FloatArray
from parzen.kernels.quadrature import Effort, LogFunction, log_integral
from parzen.kernels.radial import INFINITE_DISTANCE
from parzen.kernels.sphere import log_sphere_area

# The table of profiles without end stops where log o(r) has fallen below
# _LOWEST_LOG + d _LOWEST_LOG_PER_FEATURE, or at _MAX_TABLE_DISTANCE bandwidths. All values of
# log o(r) whose exponentials do not underflow are inside.
_LOWEST_LOG = -1000.0
_LOWEST_LOG_PER_FEATURE = -40.0
_MAX_TABLE_DISTANCE = 1e6
# Error of the tabulated logarithm. Bounded profiles need few points for any accuracy.
_BOUNDED_TOLERANCE = 3e-11
_UNBOUNDED_TOLERANCE = 1e-10
# Numbers of points of the quadrature rule that are tried until two agree.
_RULES = (24, 36, 54, 81, 122, 183)
# Numbers held in one array while a table is computed: 8 MB.
_BLOCK_SIZE = 2**20


@dataclass(frozen=True)
class Profile:
    """A radial profile at a bandwidth: the log of its values, and the distance where it ends."""

    log_shape: LogFunction
    bandwidth: float
    support: float

    def log(self, distance: FloatArray) -> FloatArray:
        return self.log_shape((distance / self.bandwidth) ** 2)

    @property
    def end(self) -> float:
        """The support, or for a profile without end a distance at which it is zero."""
        return min(self.support, INFINITE_DISTANCE)


class OverlapTable:
    """The logarithm of o(r) for many distances, in units of the first profile's bandwidth.

    The table holds g, the logarithm of a slowly varying factor of

        o(r) = leading(r) (1 - (r/e)^2)^((d+1)/2) exp(g(r)),
        leading(r) = f(r / (1+b))^2 + f(r / B),

    where e is the distance from which on two bounded profiles do not meet: there o vanishes like
    the volume of a thin lens. The first term of ``leading`` is what two profiles with light tails
    do at large distances, half way between the centres; the second, with B = max(1, b), is what
    heavy tails do. For bounded profiles the second term is left out, for others the lens.
    """

    def __init__(self, profile: LogFunction, support: float, ratio: float, n_features: int) -> None:
        first = Profile(profile, 1.0, support)
        second = first if ratio == 1.0 else Profile(profile, ratio, support * ratio)
        self._profile, self._ratio, self._n_features = profile, ratio, n_features
        self._end = (1.0 + ratio) * support
        edges = self._first_cells(support)
        tolerance = _BOUNDED_TOLERANCE if np.isfinite(support) else _UNBOUNDED_TOLERANCE
        rule = _enough_points(first, second, edges, n_features, 0.2 * tolerance)

        def slow(r: FloatArray) -> FloatArray:
            return log_overlap(first, second, r, n_features, rule) - self._fast(r)

        with np.errstate(divide="ignore"):
            self._slow = adaptive_polynomial(slow, edges, tolerance)

    def log(self, distance: FloatArray) -> FloatArray:
        """Return log o(r).

        Beyond the table g(r) is continued as a + b log(r) + c / r.
        """
        end = float(self._slow.x[-1])
        with np.errstate(divide="ignore"):
            value = self._fast(distance) + self._slow(np.minimum(distance, end))
        if np.isinf(self._end):
            # With t = r / end: g = g(end) + b log(t) + c (1/t - 1), where b - c and 2 c - b are the
            # first two derivatives in t at 1.
            first, second = end * self._slow(end, nu=1), end**2 * self._slow(end, nu=2)
            ratio = np.maximum(distance, end) / end
            value += (2.0 * first + second) * np.log(ratio) + (first + second) * (1.0 / ratio - 1.0)
        return np.asarray(value)

    def _fast(self, r: FloatArray) -> FloatArray:
        """Return everything but g; -inf from the end on."""
        leading = 2.0 * self._profile((r / (1.0 + self._ratio)) ** 2)
        if np.isinf(self._end):
            return np.asarray(
                np.logaddexp(leading, self._profile((r / max(1.0, self._ratio)) ** 2))
            )
        lens = 0.5 * (self._n_features + 1) * np.log1p(-np.minimum((r / self._end) ** 2, 1.0))
        return np.asarray(leading + lens)

    def _first_cells(self, support: float) -> FloatArray:
        """Return the distances where g is not smooth, or cells that double in length."""
        if np.isfinite(support):
            # Where the boundary or the centre of one ball meets the boundary of the other.
            meetings = support * np.array([0.0, abs(1.0 - self._ratio), 1.0, self._ratio])
            return np.unique(np.append(meetings, self._end))
        doublings = np.append(0.0, np.exp2(np.arange(-2.0, np.log2(_MAX_TABLE_DISTANCE))))
        lowest = _LOWEST_LOG + _LOWEST_LOG_PER_FEATURE * self._n_features
        return doublings[: max(8, int(np.sum(self._fast(doublings) > lowest)))]


def _enough_points(
    first: Profile, second: Profile, edges: FloatArray, n_features: int, tolerance: float
) -> int:
    """Return the first number of points that agrees with the next at some distances."""
    trials = np.concatenate([edges[:-1] + 0.1 * np.diff(edges), edges[1:] - 0.1 * np.diff(edges)])
    trials = np.append(trials, 1e-3)
    values = log_overlap(first, second, trials, n_features, _RULES[0])
    for points, more_points in pairwise(_RULES):
        finer = log_overlap(first, second, trials, n_features, more_points)
        if np.all(np.abs(values - finer) <= np.maximum(tolerance, 1e-13 * np.abs(finer))):
            return points
        values = finer
    return _RULES[-1]


def log_overlap(
    first: Profile, second: Profile, distances: FloatArray, n_features: int, rule_points: int
) -> FloatArray:
    """Return log o(r) at every distance; two profiles that are one object are one profile."""
    half = _log_half_on_the_line if n_features == 1 else _log_half_in_space
    result = np.empty(len(distances))
    rows = max(1, _BLOCK_SIZE // (1 if n_features == 1 else rule_points) // rule_points)
    for start in range(0, len(distances), rows):
        r = distances[start : start + rows]
        one = half(first, second, r, n_features, rule_points)
        other = one if first is second else half(second, first, r, n_features, rule_points)
        result[start : start + rows] = np.logaddexp(one, other)
    return result


def _log_half_on_the_line(
    near: Profile, far: Profile, r: FloatArray, n_features: int, rule_points: int
) -> FloatArray:
    """Integrate over the distance x from the nearer centre, between the centres and beyond."""
    r = np.asarray(r)
    effort = Effort(4, 32, 4 * rule_points)
    between = log_integral(
        lambda x: near.log(x) + far.log(r[:, None] - x),
        np.maximum(r - far.end, 0.0),
        np.minimum(0.5 * r, near.end),
        effort,
    )
    beyond = log_integral(
        lambda x: near.log(x) + far.log(r[:, None] + x),
        np.zeros_like(r),
        np.minimum(near.end, far.end - r),
        effort,
    )
    return np.logaddexp(between, beyond)


def _log_half_in_space(
    near: Profile, far: Profile, r: FloatArray, n_features: int, rule_points: int
) -> FloatArray:
    """Integrate over the half space of the nearer centre, in at least two dimensions."""
    lowest = 2.0 * np.arccos(np.minimum(np.sqrt(far.end / r), 1.0))
    highest = np.minimum(2.0 * np.arcsin(np.minimum(np.sqrt(near.end / r), 1.0)), 0.5 * np.pi)
    # Here the two profiles end at the same mu; the upper end of the inner integral has a kink.
    kink = np.arccos(np.clip((far.end - near.end) / r, 0.0, 1.0)).clip(lowest, highest)

    effort = Effort(3, 12, rule_points, smooth_ends=bool(np.isinf(near.support)))

    def log_slice(nu: FloatArray) -> FloatArray:
        return _log_slice(near, far, r[:, None], nu, n_features, effort)

    def rough(nu: FloatArray) -> FloatArray:
        return _log_slice(near, far, r[:, None], nu, n_features, effort._replace(rule_points=12))

    pieces = [log_integral(log_slice, lowest, kink, effort, rough)]
    if (kink < highest).any():
        pieces.append(log_integral(log_slice, kink, highest, effort, rough))
    log_scale = log_sphere_area(n_features - 1) + n_features * np.log(0.5 * r)
    return np.asarray(log_scale + np.logaddexp.reduce(pieces))


def _log_slice(
    near: Profile, far: Profile, r: FloatArray, nu: FloatArray, n_features: int, effort: Effort
) -> FloatArray:
    """Return the log of the inner integral, over mu, for every distance and nu."""
    sin_squared, cos_squared = np.sin(0.5 * nu) ** 2, np.cos(0.5 * nu) ** 2
    cosh_excess = 2.0 * np.minimum(far.end / r - cos_squared, near.end / r - sin_squared)
    cosh_excess = np.maximum(cosh_excess, 0.0)
    highest = np.log1p(
        cosh_excess + np.sqrt(cosh_excess * (cosh_excess + 2.0))
    )  # arcosh(1 + cosh_excess)
    sin = np.sin(nu)[..., None]
    r, sin_squared, cos_squared = r[..., None], sin_squared[..., None], cos_squared[..., None]

    def log_value(mu: FloatArray) -> FloatArray:
        half = np.sinh(0.5 * mu) ** 2
        sinh_squared = 4.0 * half * (1.0 + half)
        log_volume = np.log(sinh_squared + sin**2)
        log_volume += xlogy(0.5 * (n_features - 2), sinh_squared * sin**2)
        # cosh mu - cos nu = 2 (half + sin_squared), and so on, without cancellation.
        log_volume += near.log(r * (half + sin_squared))
        log_volume += far.log(r * (half + cos_squared))
        return np.asarray(log_volume)

    return log_integral(log_value, np.zeros_like(highest), highest, effort)
