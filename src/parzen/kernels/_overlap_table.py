"""The overlap of two densities on balls as a fast function of the distance of their centres.

With centres 2q bandwidths apart, 0 <= q <= 1, the overlap is

    (k*k)(2q) = (k*k)(0) (1 - q^2)^edge_power exp(g(q)),

where g varies slowly: near 0 on the scale d^(-1/2), and with a weak singularity at q = 1/2, where
the centre of one ball leaves the other. Per dimension g is interpolated once by polynomials of
degree 7, on cells that grow away from these two points. The error of g is below 1e-10.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.interpolate import PPoly

from parzen.kernels._pairs import FloatArray

LogOverlap = Callable[[FloatArray, int], FloatArray]

_DEGREE = 7
_CELL_GROWTH = 0.15
_FINE_SCALE = 0.03


def log_overlap_by_table(
    squared_distance: FloatArray, n_features: int, log_overlap: LogOverlap, edge_power: float
) -> FloatArray:
    """Return log (k*k)(r) / (k*k)(0) at bandwidth 1, -inf from distance 2 on.

    ``log_overlap(q, n_features)`` is the exact function, up to a constant, for 0 < q < 1.
    """
    q = np.minimum(0.5 * np.sqrt(np.asarray(squared_distance, dtype=np.float64)), 1.0)
    smooth = _table(n_features, log_overlap, edge_power)(q)
    with np.errstate(divide="ignore"):
        edge = edge_power * np.log1p(-(q**2))
    return np.asarray(smooth + edge, dtype=np.asarray(squared_distance).dtype)


@lru_cache(maxsize=64)
def _table(n_features: int, log_overlap: LogOverlap, edge_power: float) -> PPoly:
    """Interpolate g at the Chebyshev points of every cell."""
    edges = _cell_edges(n_features)
    widths = np.diff(edges)
    points = 0.5 * (1.0 + np.cos(np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1)))
    q = edges[:-1, None] + widths[:, None] * points
    smooth = np.array([log_overlap(row, n_features) for row in q]) - edge_power * np.log1p(-(q**2))
    coefficients = np.linalg.solve(np.vander(points), smooth.T)
    coefficients /= widths ** np.arange(_DEGREE, -1, -1)[:, None]
    coefficients[-1] -= coefficients[-1, 0]  # g(0) = 0, whatever constant log_overlap carries
    return PPoly(coefficients, edges)


def _cell_edges(n_features: int) -> FloatArray:
    origin = _clustered(0.25, min(_FINE_SCALE, 1.0 / float(np.sqrt(n_features))))
    inner, outer = 0.5 - _clustered(0.25, _FINE_SCALE), 0.5 + _clustered(0.5, _FINE_SCALE)
    return np.concatenate([origin[:-1], inner[:0:-1], outer])


def _clustered(length: float, scale: float) -> FloatArray:
    """Return cell edges from 0 to ``length`` whose widths grow with the distance from 0."""
    span = np.log1p(length / scale)
    edges = scale * np.expm1(np.linspace(0.0, span, int(np.ceil(span / _CELL_GROWTH)) + 1))
    return np.asarray(length * edges / edges[-1])
