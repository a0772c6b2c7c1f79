"""Numbers of a radial profile in d dimensions, by quadrature: support, mass, moments, samples.

A profile is the logarithm L of a kernel in units of its peak, as a function of u = r^2 in units of
the squared bandwidth. Its integral over space is the area of the unit sphere times

    integral of r^(d-1) exp(L(r^2)) dr   over r > 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import xlogy

from parzen._core import Bools
from parzen.kernels.interpolation import adaptive_polynomial
from parzen.kernels.pairs import FloatArray
from parzen.kernels.quadrature import Effort, LogFunction, important_part, log_integral

# Distance, in bandwidths, that integrals without end run to; its square does not overflow.
INFINITE_DISTANCE = 1e40
# Bandwidths up to which the end of a support is searched.
_LARGEST_SUPPORT = 1e6
_EFFORT = Effort(n_grids=8, grid_points=64, rule_points=400)
# Error of the interpolated density of distances, whose largest value is 1.
_DENSITY_TOLERANCE = 1e-11
_HALVINGS = 40  # Halvings of a cell by which the integral of that density is inverted.


def support_of(profile: LogFunction) -> float:
    """Return the distance from which on the profile is zero, infinity where there is none."""
    if np.isfinite(profile(np.array([_LARGEST_SUPPORT**2]))[0]):
        return float("inf")
    return float(np.sqrt(_crossing(lambda u: ~np.isfinite(profile(u)), _LARGEST_SUPPORT**2)))


def half_width_of(log_value: LogFunction) -> float:
    """Return the distance at which a function of the distance has fallen to one half."""
    log_half = -float(np.log(2.0))
    return _crossing(lambda r: log_value(r) <= log_half, INFINITE_DISTANCE)


def _crossing(is_beyond: Callable[[FloatArray], Bools], high: float) -> float:
    """Return the smallest positive number that is beyond, by bisection; ``high`` has to be.

    Positive floats have the order of their bit patterns, so 63 halvings reach any scale.
    """
    low_bits, high_bits = 0, int(np.float64(high).view(np.int64))
    while high_bits - low_bits > 1:
        bits = (low_bits + high_bits) // 2
        if is_beyond(np.array([bits]).view(np.float64))[0]:
            high_bits = bits
        else:
            low_bits = bits
    return float(np.int64(high_bits).view(np.float64))


def log_moment(profile: LogFunction, power: float, support: float) -> float:
    """Return the log of the integral of r^power exp(L(r^2)) over r > 0."""

    def log_value(r: FloatArray) -> FloatArray:
        return np.asarray(xlogy(power, r) + profile(r**2))

    return float(
        log_integral(log_value, np.zeros(()), np.asarray(min(support, INFINITE_DISTANCE)), _EFFORT)
    )


def distances_at(
    shares: FloatArray, profile: LogFunction, n_features: int, support: float
) -> FloatArray:
    """Return the distances from the centre below which the given shares of the mass lie."""

    def log_value(r: FloatArray) -> FloatArray:
        return np.asarray(xlogy(n_features - 1, r) + profile(r**2))

    end = np.asarray(min(support, INFINITE_DISTANCE))
    part = important_part(log_value, np.zeros(()), end, _EFFORT)
    largest = float(log_value(part.scale) + np.log(part.scale))

    def density(x: FloatArray) -> FloatArray:
        return np.exp(log_value(part.scale * np.expm1(x)) + x + np.log(part.scale) - largest)

    ends = np.array([part.start, part.end])
    mass = adaptive_polynomial(density, ends, _DENSITY_TOLERANCE).antiderivative()
    target = mass(part.end) * shares
    cell = np.searchsorted(mass(mass.x), target).clip(1, len(mass.x) - 1)
    left, right = mass.x[cell - 1], mass.x[cell]
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        is_below = mass(middle) < target
        left, right = np.where(is_below, middle, left), np.where(is_below, right, middle)
    return np.asarray(part.scale * np.expm1(0.5 * (left + right)))
