"""Interpolation of a function by polynomials on cells that are halved until it is accurate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from scipy.interpolate import PPoly

from parzen.kernels.pairs import FloatArray

_DEGREE = 11  # Degree of the polynomial on each cell.
# Chebyshev points of a cell of length 1; its ends are not among them.
_CHEBYSHEV_POINTS = 0.5 + 0.5 * np.cos(np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1))
_BASIS = [Chebyshev.basis(k, domain=[0.0, 1.0]) for k in range(_DEGREE + 1)]
# Column k: the values of the k-th Chebyshev polynomial at the points, and its coefficients of the
# powers of the position in the cell, highest first.
_VALUES = np.stack([basis(_CHEBYSHEV_POINTS) for basis in _BASIS], axis=1)
_POWERS: FloatArray = np.stack(
    [np.pad(b.convert(kind=Polynomial).coef, (0, _DEGREE - k))[::-1] for k, b in enumerate(_BASIS)],
    axis=1,
)
# Halvings after which a cell is accepted in any case.
_MAX_HALVINGS = 24


def adaptive_polynomial(
    function: Callable[[FloatArray], FloatArray], edges: FloatArray, tolerance: float
) -> PPoly:
    """Interpolate ``function`` between the edges, to an absolute error of about ``tolerance``.

    A cell is accepted when the coefficients of its last two Chebyshev polynomials are below the
    tolerance; where values are large, below their rounding error.
    """
    left, width = edges[:-1], np.diff(edges)
    accepted: list[tuple[FloatArray, FloatArray]] = []
    for halvings in range(_MAX_HALVINGS + 1):
        values = function((left[:, None] + width[:, None] * _CHEBYSHEV_POINTS).ravel())
        series = np.linalg.solve(_VALUES, values.reshape(len(left), -1).T)
        size = np.abs(series).max(axis=0)
        is_fine = np.abs(series[-2:]).max(axis=0) <= np.maximum(tolerance, 1e-13 * size)
        is_fine |= halvings == _MAX_HALVINGS
        scales = width ** np.arange(_DEGREE, -1, -1)[:, None]
        powers = np.asarray(_POWERS @ series, dtype=np.float64) / scales
        accepted.append((left[is_fine], powers[:, is_fine]))
        if is_fine.all():
            break
        width = np.repeat(0.5 * width[~is_fine], 2)
        left = np.repeat(left[~is_fine], 2)
        left[1::2] += width[1::2]
    starts = np.concatenate([start for start, _ in accepted])
    order = np.argsort(starts)
    coefficients = np.concatenate([powers for _, powers in accepted], axis=1)[:, order]
    return PPoly(coefficients, np.append(starts[order], edges[-1]))
