"""Dask objects are recognised here, without importing dask; `parzen.distributed` serves them."""

from __future__ import annotations

from typing import Any


def is_dask(*values: Any) -> bool:
    """Whether one of the values is a dask array, dataframe or series.

    Examples
    --------
    >>> is_dask([1.0], None)
    False
    """
    return any(type(v).__module__.partition(".")[0] in ("dask", "dask_expr") for v in values)
