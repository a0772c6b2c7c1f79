"""Answers of a fitted estimator over the chunks of a dask array, and samples brought together."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np

from parzen._core import is_dask


def as_rows(X: Any) -> Any:
    """A dask array whose chunks hold whole rows, from an array or a dataframe."""
    array = X.to_dask_array() if hasattr(X, "to_dask_array") else X
    if array.ndim == 2 and len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})
    return array


def map_rows(model: Any, method: str, X: Any, **options: Any) -> Any:
    """``model.method`` of every chunk: a lazy array with the row chunks of X."""
    names = list(X.columns) if hasattr(X, "columns") else None
    rows = as_rows(X)
    if rows.ndim != 2:
        raise ValueError(f"X must be a 2-D array (rows are points), got {rows.ndim} dimension(s).")
    row = np.zeros((1, rows.shape[1]), rows.dtype)
    example = _answer(_one_thread(model), method, row, names, options)
    task = dask.delayed(_one_thread(model), traverse=False)
    answer = dask.delayed(_answer, pure=True)
    chunks = [
        da.from_delayed(
            answer(task, method, block, names, options),
            (count, *example.shape[1:]),
            dtype=example.dtype,
        )
        for block, count in zip(rows.to_delayed()[:, 0], rows.chunks[0])
    ]
    return da.concatenate(chunks, allow_unknown_chunksizes=True)


def gather(values: Sequence[Any]) -> list[Any]:
    """The values with everything of dask computed, in one go."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        computed = iter(dask.compute(*[v for v in values if is_dask(v)]))
    return [next(computed) if is_dask(v) else v for v in values]


def _one_thread(model: Any) -> Any:
    """The model with one thread, as the workers' tasks run side by side."""
    light = copy.copy(model)
    light.n_jobs = 1
    return light


def _answer(
    model: Any, method: str, block: Any, names: list[Any] | None, options: dict[str, Any]
) -> Any:
    if names is not None:
        import pandas as pd

        block = pd.DataFrame(block, columns=names)
    return getattr(model, method)(block, **options)
