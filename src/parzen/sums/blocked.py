"""Kernel sums for kernels without native code, in blocks of queries.

The pair measure of a block of rows is formed once and serves every bandwidth and column. The block
is as large as scikit-learn's ``working_memory`` allows, so the full matrix is never stored.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Array, Floats
from parzen.kernels import Kernel

_ARRAYS_ALIVE = 6  # Arrays of a block's size that exist at the same time.


def blocked_sums(
    X: Array,
    Y: Array,
    weights: Array,
    kernel: Kernel,
    bandwidths: Floats,
    *,
    mode: str,
    exclude_self: bool,
    factors: Array | None = None,
    out: Array,
    log_scale: Array | None,
) -> None:
    """Fill ``out`` (queries, columns, bandwidths), and ``log_scale`` (queries, bandwidths)."""
    width = X.shape[1] if kernel.measure == "coordinates" else 1
    row_bytes = _ARRAYS_ALIVE * 8 * len(Y) * width
    rows = get_chunk_n_rows(row_bytes=row_bytes, max_n_rows=max(1, len(X)))
    for batch in [slice(0, len(X))] if rows >= len(X) else gen_batches(len(X), rows):
        pairs = kernel.pairs(X[batch], Y)
        for b, h in enumerate(bandwidths):
            w = weights[:, :, b if weights.shape[2] > 1 else 0]
            if kernel.measure == "inner":
                values = kernel.profile(pairs, h, X.shape[1])
                if exclude_self:
                    values[np.arange(len(pairs)), np.arange(batch.start, batch.stop)] = 0
                out[batch, :, b] = values @ w
                if log_scale is not None:
                    log_scale[batch, b] = 0
                continue
            widths = h if factors is None else h * factors
            logs = kernel.log_profile(pairs, widths, X.shape[1])
            if exclude_self:
                logs[np.arange(len(pairs)), np.arange(batch.start, batch.stop)] = -np.inf
            normalizer = kernel.log_normalizer(h, X.shape[1])
            if mode == "log":
                for c in range(w.shape[1]):
                    out[batch, c, b] = _factored(logs, w[:, c]) + normalizer
            elif mode == "scaled":
                assert log_scale is not None
                largest = _largest(logs[:, (w != 0).any(axis=1)])
                out[batch, :, b] = np.exp(logs - largest[:, None]) @ w
                log_scale[batch, b] = largest + normalizer
            else:
                out[batch, :, b] = np.exp(logs + normalizer) @ w


def _largest(logs: Array) -> Array:
    """Row maxima, 0 where a row has no term at all."""
    if logs.shape[1] == 0:
        return np.zeros(len(logs))
    largest = logs.max(axis=1)
    return np.where(np.isfinite(largest), largest, 0.0)


def _factored(logs: Array, weights: Array) -> Array:
    kept = weights > 0
    largest = _largest(logs[:, kept])
    with np.errstate(divide="ignore"):
        return np.asarray(
            np.log(np.exp(logs[:, kept] - largest[:, None]) @ weights[kept]) + largest
        )
