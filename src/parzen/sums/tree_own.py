"""Sums of a sample over itself by trees, each row without its own term.

    sum_{j != i} w_j k(x_i, x_j)

The own point is skipped, never subtracted: the search starts from the siblings of all nodes on the
path from the root to the point's leaf, and from the other points of that leaf. A tree has the
points of one column only; `own_places` says which of them each row is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parzen._core import Bools
from parzen.sums.call import Call

Places = NDArray[np.int64]


def own_places(call: Call, signs: list[tuple[int, float]]) -> list[Places]:
    """For every tree the place of each row among its points, -1 where it is none of them.

    See `tree.Trees` for the signs of columns; a tree has no points without weight.
    """
    w = call.weights
    if call.labels is not None:
        counts = True if w is None else w[:, 0, 0] > 0
        return [_ranks((call.labels == c) & counts) for c in range(call.columns)]
    if w is None:
        return [np.arange(len(call.Y), dtype=np.int64)]
    return [_ranks(sign * w[:, c, 0] > 0) for c, sign in signs]


def _ranks(members: Bools) -> Places:
    return np.where(members, np.cumsum(members, dtype=np.int64) - 1, -1)
