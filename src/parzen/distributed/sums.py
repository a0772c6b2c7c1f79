"""Kernel sums over pairs of chunks: one task for each pair, then a tree of sums.

    sums(X_i, Y) = sum_j sums(X_i, Y_j)         logarithms: log-sum; scaled: the larger scale

Leaving one out concerns the pairs of a chunk with itself only. No task holds more than two chunks
and their sums, and nothing comes to the client before the result is asked for.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import dask
import dask.array as da
import numpy as np

from parzen._core import is_dask
from parzen.distributed.rows import as_rows, from_blocks, in_tree, pieces_of
from parzen.sums import ScaledSums, added, kernel_sums


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
    rows = _chunked(X)
    points = rows if X is Y else _chunked(Y)
    if exclude_self and X is not Y:
        raise ValueError("exclude_self=True with dask arrays needs the same array as X and as Y.")
    if weights is not None and np.isnan(points.chunks[0]).any():  # they are cut where points are
        points = points.copy().compute_chunk_sizes()
    counts = points.chunks[0]
    columns = pieces_of(weights, counts, "weights have {} rows, but Y has {}.")
    options["scaled"] = scaled
    example = _block(
        np.zeros((1, rows.shape[1]), rows.dtype),
        np.zeros((1, points.shape[1]), points.dtype),
        None if weights is None else np.ones((1, *np.shape(weights)[1:])),
        False,
        options,
    )
    block, join, found = (dask.delayed(f, pure=True) for f in (_block, _joined, _found))
    mode = "log" if options.get("log") else "plain"
    totals = []
    for i, x in enumerate(rows.to_delayed()[:, 0]):
        parts = [
            block(x, y, w, exclude_self and i == j, options)
            for j, (y, w) in enumerate(zip(points.to_delayed()[:, 0], columns))
        ]
        totals.append(found(in_tree(parts, join, mode)))
    if not scaled:
        return from_blocks(totals, rows.chunks[0], example)
    return ScaledSums(
        from_blocks([t[0] for t in totals], rows.chunks[0], example[0]),
        from_blocks([t[1] for t in totals], rows.chunks[0], example[1]),
    )


def _block(x: Any, y: Any, w: Any, own: bool, options: dict[str, Any]) -> Any:
    """The sums over one pair of chunks; None where there is nothing to sum over."""
    points = x if own else y
    if len(points) == 0:
        return None
    return kernel_sums(x, points, w, exclude_self=own, **{**options, "n_jobs": 1})


def _joined(parts: list[Any], mode: str) -> Any:
    present = [part for part in parts if part is not None]
    return reduce(partial(added, mode=mode), present) if present else None


def _found(total: Any) -> Any:
    if total is None:
        raise ValueError("Y has no points; at least one is needed.")
    return total


def _chunked(X: Any) -> Any:
    rows = as_rows(X) if is_dask(X) else da.from_array(np.asarray(X), chunks=(-1, -1))
    if rows.ndim != 2:
        raise ValueError(f"points must form a 2-D array, got {rows.ndim} dimension(s).")
    return rows
