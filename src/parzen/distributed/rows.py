"""Answers of a fitted estimator over the chunks of a dask array, and samples brought together."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np

from parzen._core import is_dask

_FAN_IN = 8  # One task joins this many parts.


def as_rows(X: Any) -> Any:
    """A dask array whose chunks hold whole rows, from an array or a dataframe."""
    array = X.to_dask_array() if hasattr(X, "to_dask_array") else X
    if array.ndim == 2 and len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})
    return array


def column_names(X: Any) -> list[Any] | None:
    """The names of the columns of a dataframe; None for arrays."""
    return list(X.columns) if hasattr(X, "columns") else None


def with_names(rows: Any, names: list[Any] | None) -> Any:
    """The rows as a dataframe, where their columns have names."""
    if names is None:
        return rows
    import pandas as pd

    return pd.DataFrame(rows, columns=names)


def pieces_of(values: Any, counts: tuple[int, ...], message: str) -> list[Any]:
    """The values of the rows of each chunk, of which there are ``counts``.

    ``message`` is that of the error where the values are too many or too few: a text with places
    for their number and for that of the rows.
    """
    if values is None:
        return [None] * len(counts)
    if is_dask(values):
        values = as_rows(values).copy()
        if np.isnan(values.chunks[0]).any():
            values = values.compute_chunk_sizes()
    else:
        values = np.asarray(values)
    if len(values) != sum(counts):
        raise ValueError(message.format(len(values), sum(counts)))
    if is_dask(values):
        chunks = {0: counts} | dict.fromkeys(range(1, values.ndim), -1)
        return list(values.rechunk(chunks).to_delayed().ravel())
    return np.split(values, np.cumsum(counts)[:-1])


def in_tree(parts: Sequence[Any], join: Callable[..., Any], *options: Any) -> Any:
    """One delayed value of many, by a tree of delayed tasks ``join(list, *options)``."""
    while len(parts) > 1:
        runs = range(0, len(parts), _FAN_IN)
        parts = [join(list(parts[k : k + _FAN_IN]), *options) for k in runs]
    return parts[0]


def from_blocks(blocks: Sequence[Any], counts: Sequence[int], example: Any) -> Any:
    """A lazy array of delayed blocks of so many rows, each like those of ``example``."""
    chunks = [
        da.from_delayed(block, (count, *example.shape[1:]), dtype=example.dtype)
        for block, count in zip(blocks, counts, strict=True)
    ]
    return da.concatenate(chunks, allow_unknown_chunksizes=True)


def map_rows(model: Any, method: str, X: Any, **options: Any) -> Any:
    """``model.method`` of every chunk: a lazy array with the row chunks of X."""
    names, rows = column_names(X), as_rows(X)
    if rows.ndim != 2:
        raise ValueError(f"X must be a 2-D array (rows are points), got {rows.ndim} dimension(s).")
    row = np.zeros((1, rows.shape[1]), rows.dtype)
    example = _answer(_one_thread(model), method, row, names, options)
    task = dask.delayed(_one_thread(model), traverse=False)
    answer = dask.delayed(_answer, pure=True)
    blocks = [answer(task, method, block, names, options) for block in rows.to_delayed()[:, 0]]
    return from_blocks(blocks, rows.chunks[0], example)


def gather(values: Sequence[Any]) -> list[Any]:
    """The values with everything of dask computed, in one go."""
    computed = iter(compute([v for v in values if is_dask(v)]))
    return [next(computed) if is_dask(v) else v for v in values]


def compute(tasks: Sequence[Any]) -> Any:
    """The values of dask objects, in one go; that their graph is large is no news."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        return dask.compute(*tasks)


def _one_thread(model: Any) -> Any:
    """The model with one thread, as the workers' tasks run side by side."""
    light = copy.copy(model)
    light.n_jobs = 1
    return light


def _answer(
    model: Any, method: str, block: Any, names: list[Any] | None, options: dict[str, Any]
) -> Any:
    return getattr(model, method)(with_names(block, names), **options)
