"""The smallest of several scores, where scores that differ by rounding alone are equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TIE = 1e-12  # relative difference below which two scores count as equal


def best_place(scores: Floats) -> int:
    """Index of the smallest score; the last one where several are equal."""
    lowest = scores.min()
    if not np.isfinite(lowest):
        return len(scores) - 1 if lowest > 0 else int(np.flatnonzero(scores == lowest)[-1])
    return int(np.flatnonzero(scores <= lowest + TIE * abs(lowest) + np.finfo(float).tiny)[-1])


def is_flat(scores: Floats) -> NDArray[np.bool_]:
    """Whether the scores along the last axis are finite and equal up to rounding."""
    low, high = scores.min(axis=-1), scores.max(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.isfinite(high) & (high - low <= TIE * np.abs(low)))
