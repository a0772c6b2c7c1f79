"""Grids over which an L2 classifier chooses: ten bandwidths, ten values of eta.

    s_k = s_0 2^(k/2),  k = -6 .. 3,      s_0 Silverman's rule for all points

The squares double, so kernel sums over the grid cost one exponential per pair. eta runs
geometrically from 1 to k_tau(0) / k_rho(0): sqrt(2)^d for the Gaussian without smoothing.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from parzen._core import Array, Floats
from parzen.bandwidth import silverman
from parzen.kernels import Kernel
from parzen.l2 import L2Form

DEFAULT_SIZE = 10  # Number of bandwidths, and of values of eta, in a grid by default.
# The smallest bandwidth lies this many factors of sqrt(2) below Silverman's.
_HALF_DOUBLINGS_BELOW_RULE = 6
_WIDENING = 1.5  # Factors of 2 that a grid is widened by at the end where the choice was.


def check_grid(grid: Any, name: str) -> None:
    """Refuse what is neither None, nor a number of values, nor positive values."""
    if grid is None:
        return
    if isinstance(grid, Integral) and not isinstance(grid, bool):
        if grid < 1:
            raise ValueError(f"{name}={grid!r} must be at least 1.")
        return
    try:
        values = np.asarray(grid, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}={grid!r} must be None, an integer or an array.") from error
    if values.ndim not in (1, 2) or values.size == 0:
        raise ValueError(f"{name} must be a 1-D array of values, got shape {values.shape}.")
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ValueError(f"{name} must hold positive finite numbers only.")


def bandwidth_grid(
    grid: Any, X: Array, weights: Floats | None, kernel: Kernel, n_classes: int
) -> tuple[Floats, float]:
    """Bandwidths, ascending, and the doublings by which they may be widened.

    They have shape (bandwidths,), or (bandwidths, n_classes) where they were given like that.
    """
    size = DEFAULT_SIZE if grid is None else grid
    if isinstance(size, Integral):
        rule = silverman(X, kernel=kernel, weights=weights)
        # A finer grid covers the same range.
        largest = DEFAULT_SIZE - 1 - _HALF_DOUBLINGS_BELOW_RULE
        places = np.linspace(-_HALF_DOUBLINGS_BELOW_RULE, largest, int(size))
        return rule * 2.0 ** (places / 2.0), _WIDENING
    values = np.asarray(grid, dtype=np.float64)
    if values.ndim == 1:
        return np.sort(values), 0.0
    if values.shape[1] != n_classes:
        raise ValueError(
            f"grid has shape {values.shape}, but there are {n_classes} classes; give shape "
            f"(bandwidths,), or (bandwidths, {n_classes}) for one bandwidth per class."
        )
    means = np.log(values).mean(axis=1)
    return values[np.argsort(-means, kind="stable")[::-1]], 0.0  # of equal ones the first wins


def per_class(grid: Floats, n_classes: int) -> Floats:
    """The bandwidths of a grid for every class, (bandwidths, n_classes) or with features."""
    return np.tile(grid[:, None], (1, n_classes)) if grid.ndim == 1 else grid


def eta_grid(eta: Any, grid: Any, form: L2Form, n_features: int) -> Floats:
    """Values of eta in rising order."""
    if eta != "cv":
        return np.array([float(eta)])
    if grid is not None and not isinstance(grid, Integral):
        return np.sort(np.asarray(grid, dtype=np.float64).ravel())
    largest = form.largest_eta(1.0, n_features)
    if not 1.0 < largest < np.inf:
        return np.ones(1)
    return np.geomspace(1.0, largest, DEFAULT_SIZE if grid is None else int(grid))
