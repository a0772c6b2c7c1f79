"""Kernel sums of sparse matrices: dense blocks of rows, whose sums are added up.

Nearly all entries of a kernel matrix differ from zero, whatever the rows look like, and distances
from inner products lose digits. So blocks become dense, within scikit-learn's ``working_memory``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np
import scipy.sparse as sp

from parzen._core import dense_blocks
from parzen.sums.call import ScaledSums
from parzen.sums.partial_sums import added


def sparse_sums(
    sums: Callable[..., Any],
    X: Any,
    Y: Any,
    weights: Any,
    *,
    exclude_self: bool = False,
    log: bool = False,
    scaled: bool = False,
    **options: Any,
) -> Any:
    """What ``sums``, a function like `kernel_sums`, gives for dense X and Y."""
    if exclude_self and X is not Y and not (X.shape == Y.shape and abs(X - Y).max() == 0):
        raise ValueError("exclude_self=True needs X equal to Y.")
    w = None if weights is None else np.asarray(weights)
    options |= {"log": log, "scaled": scaled}
    if exclude_self:
        X = Y = sp.csr_array(X)  # the same blocks of both
    mode = "log" if log else "plain"  # `added` knows scaled sums by their type
    found = []
    for rows, queries in dense_blocks(X):
        parts = [
            sums(queries, points, None if w is None else w[columns],
                 exclude_self=exclude_self and rows == columns, **options)
            for columns, points in dense_blocks(Y)
        ]  # fmt: skip
        found.append(reduce(partial(added, mode=mode), parts))
    if scaled:
        return ScaledSums(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
    return np.concatenate(found)
