"""Rows in an order of their own, copies merged.

Rows are sorted by the sum of their entries in units of the columns' ranges, then by the entries:
the order of the input, of its columns and its labels does not matter. Copies of a row in a class
become one row with the sum of their frequencies, so that a weight of 2 is two copies to the last
bit, also where rows are dealt out to folds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers.base.labels import Sample

Floats = NDArray[np.float64]


def canonical_rows(sample: Sample) -> tuple[Floats, NDArray[np.intp], Floats | None]:
    """Entries, codes and frequencies of the distinct rows."""
    X = np.where(np.isnan(sample.X), np.inf, sample.X)  # missing entries are equal to each other
    finite = np.where(np.isinf(X), 0.0, X)
    with np.errstate(over="ignore"):
        span = np.maximum(finite.max(axis=0) - finite.min(axis=0), np.finfo(float).tiny)
        key = ((finite - finite.min(axis=0)) / span).sum(axis=1)
    order = np.lexsort((sample.codes, *X.T[::-1], key))
    X, codes = X[order], sample.codes[order]
    w = np.ones(len(X)) if sample.weights is None else sample.weights[order]
    new = np.ones(len(X), dtype=bool)
    new[1:] = (X[1:] != X[:-1]).any(axis=1) | (codes[1:] != codes[:-1])
    starts = np.flatnonzero(new)
    merged = np.add.reduceat(w, starts)
    X = np.where(np.isinf(X[starts]), np.nan, X[starts])
    return X, codes[starts], None if (merged == 1).all() else merged
