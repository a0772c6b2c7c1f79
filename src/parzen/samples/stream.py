"""The rows of a stream that still count: the latest ones, or all with weights that decay.

    after every row, the weights of the earlier ones are multiplied by 1 - forget

Rows whose weight has fallen to a millionth are dropped, so a stream of any length is kept in memory
for about 14 / forget rows, or for ``window`` rows.
"""

from __future__ import annotations

import numpy as np

from parzen.samples.sample import Sample

_LEAST_WEIGHT = 1e-6  # Share of its first weight below which a row is dropped.


def recent_rows(
    old: Sample | None, new: Sample, *, window: int | None = None, forget: float = 0.0
) -> Sample:
    """The rows of two samples of the same classes that still count, the older ones first."""
    if old is not None:
        X = np.concatenate([old.X, new.X], dtype=np.result_type(old.X, new.X))
        codes = np.concatenate([old.codes, new.codes])
        given = old.weights is not None or new.weights is not None
        weights = np.concatenate([old.frequencies, new.frequencies]) if given else None
        kept = old.X.shape[0]
    else:
        X, codes, weights, kept = new.X, new.codes, new.weights, 0
    if forget > 0:
        rows_since = np.append(np.full(kept, len(new)), np.arange(len(new), 0, -1) - 1)
        weights = (np.ones(len(X)) if weights is None else weights) * (1 - forget) ** rows_since
        counts = weights >= _LEAST_WEIGHT * weights.max(initial=0.0)
        X, codes, weights = X[counts], codes[counts], weights[counts]
    if window is not None and len(X) > window:
        latest = slice(len(X) - window, None)
        X, codes, weights = X[latest], codes[latest], None if weights is None else weights[latest]
    return Sample.coded(X, codes, weights, new.classes)
