"""Sums of a sample over itself by trees, each row without its own term.

    sum_{j != i} w_j k(x_i, x_j) = S_i - w_i k(0)

The own term is known exactly. Where it is at most half of S_i, taking it off costs one bit and
doubles the relative error, for which S_i is computed to half the tolerance. In all other rows
(outliers, or everyone where the bandwidth is small) it is skipped, never subtracted: such rows are
summed among themselves by the exact strategy, and over the other points by trees.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.sums._call import Call

Floats = NDArray[np.float64]
MOST = 0.5  # of a sum: the largest own term that is taken off
SHARPER = 1.0 - MOST  # tolerance of the sum, so that what is left keeps the one asked for


class WithoutOwn(NamedTuple):
    """Tree sums of some rows without their own terms, and where these are too large for that."""

    values: Floats  # (rows, columns)
    poor: NDArray[np.bool_]  # (rows,)


def without_own(
    call: Call, rows: slice, signs: list[tuple[int, float]], values: Floats, levels: Floats
) -> WithoutOwn:
    """Take the own terms off values * exp(levels); see `_tree.Trees` for the signs of columns."""
    weights = _own_weights(call, signs)[rows]
    with np.errstate(over="ignore", invalid="ignore"):
        own = np.where(weights > 0, weights * np.exp(-levels), 0.0)
    poor = np.asarray((own > MOST * values).any(axis=1))
    return WithoutOwn(np.maximum(values - own, 0.0), poor)


def _own_weights(call: Call, signs: list[tuple[int, float]]) -> Floats:
    """What every row itself weighs in each column of the trees, (rows, columns)."""
    n = len(call.Y)
    if call.labels is not None:
        out = np.zeros((n, call.columns))
        out[np.arange(n), call.labels] = 1.0 if call.weights is None else call.weights[:, 0, 0]
        return out
    if call.weights is None:
        return np.ones((n, 1))
    w: NDArray[Any] = call.weights[:, :, 0]
    return np.stack([np.maximum(sign * w[:, c], 0.0) for c, sign in signs], axis=1)
