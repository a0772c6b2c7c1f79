"""Kernel sums over pairs of chunks: one task for each pair, then a tree of sums.

    sums(X_i, Y) = sum_j sums(X_i, Y_j)         logarithms: log-sum; scaled: the larger scale

Leaving one out concerns the pairs of a chunk with itself only. No task holds more than two chunks
and their sums, and nothing comes to the client before the result is asked for.
"""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np

from parzen._core import is_dask
from parzen.distributed.rows import as_rows
from parzen.sums import ScaledSums, added

_FAN_IN = 8  # One task adds up this many sums of chunks.


def chunked_sums(
    X: Any,
    Y: Any,
    weights: Any,
    *,
    exclude_self: bool = False,
    scaled: bool = False,
    **options: Any,
) -> Any:
    """``kernel_sums`` where X or Y are dask arrays: a lazy array with the row chunks of X."""
    rows = _chunked(X, None)
    points = rows if X is Y else _chunked(Y, None)
    if exclude_self and X is not Y:
        raise ValueError("exclude_self=True with dask arrays needs the same array as X and as Y.")
    if weights is not None and np.isnan(points.chunks[0]).any():  # they are cut where points are
        points = points.copy().compute_chunk_sizes()
    counts = points.chunks[0]
    columns = [None] * len(counts) if weights is None else _pieces(weights, counts)
    example = _block(
        np.zeros((1, rows.shape[1]), rows.dtype),
        np.zeros((1, points.shape[1]), points.dtype),
        None if weights is None else np.ones((1, *np.shape(weights)[1:])),
        False,
        {**options, "scaled": scaled},
    )
    block, join, found = (dask.delayed(f, pure=True) for f in (_block, _joined, _found))
    mode = "log" if options.get("log") else "plain"
    totals = []
    for i, x in enumerate(rows.to_delayed()[:, 0]):
        parts = [
            block(x, y, w, exclude_self and i == j, {**options, "scaled": scaled})
            for j, (y, w) in enumerate(zip(points.to_delayed()[:, 0], columns))
        ]
        while len(parts) > 1:
            parts = [join(parts[k : k + _FAN_IN], mode) for k in range(0, len(parts), _FAN_IN)]
        totals.append(found(parts[0]))
    if not scaled:
        return _assembled(totals, rows.chunks[0], example)
    return ScaledSums(
        _assembled([t[0] for t in totals], rows.chunks[0], example[0]),
        _assembled([t[1] for t in totals], rows.chunks[0], example[1]),
    )


def _assembled(totals: list[Any], counts: tuple[int, ...], example: Any) -> Any:
    chunks = [
        da.from_delayed(total, (count, *example.shape[1:]), dtype=example.dtype)
        for total, count in zip(totals, counts)
    ]
    return da.concatenate(chunks, allow_unknown_chunksizes=True)


def _block(x: Any, y: Any, w: Any, own: bool, options: dict[str, Any]) -> Any:
    """The sums over one pair of chunks; None where there is nothing to sum over."""
    from parzen.sums import kernel_sums

    points = x if own else y
    if len(points) == 0:
        return None
    return kernel_sums(x, points, w, exclude_self=own, **{**options, "n_jobs": 1})


def _joined(parts: list[Any], mode: str) -> Any:
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else added(total, part, mode)
    return total


def _found(total: Any) -> Any:
    if total is None:
        raise ValueError("Y has no points; at least one is needed.")
    return total


def _chunked(X: Any, size: int | None) -> Any:
    rows = as_rows(X) if is_dask(X) else da.from_array(np.asarray(X), chunks=(-1, -1))
    if rows.ndim != 2:
        raise ValueError(f"points must form a 2-D array, got {rows.ndim} dimension(s).")
    return rows


def _pieces(weights: Any, counts: tuple[int, ...]) -> list[Any]:
    """The weights of each chunk of points."""
    if is_dask(weights):
        frame = hasattr(weights, "to_dask_array")
        weights = weights.to_dask_array(lengths=True) if frame else weights
        if np.isnan(weights.chunks[0]).any():
            weights = weights.copy().compute_chunk_sizes()
    if len(weights) != sum(counts):
        raise ValueError(f"weights have {len(weights)} rows, but Y has {sum(counts)}.")
    if is_dask(weights):
        chunks = {0: counts} | dict.fromkeys(range(1, weights.ndim), -1)
        return list(weights.rechunk(chunks).to_delayed().ravel())
    return np.split(np.asarray(weights), np.cumsum(counts)[:-1])
