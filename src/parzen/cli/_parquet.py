"""Parquet files as columns of numbers and texts."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli._csv import RawTable
from parzen.cli._errors import UserError


def import_pandas() -> Any:
    """The package, or how to get it."""
    try:
        import pandas
    except ImportError:
        raise UserError("reading tables needs pandas: pip install 'parzen[cli]'") from None
    return pandas


def read_parquet(
    path: Path,
    *,
    texts: Collection[str] = (),
    numbers: Collection[str] = (),
    wanted: Collection[str] | None = None,
    unwanted: Collection[str] = (),
) -> RawTable:
    """Read a file; the options are those of `parzen.cli._csv.read_csv`."""
    pandas = import_pandas()
    try:
        frame = pandas.read_parquet(path)
    except ImportError:
        raise UserError("reading Parquet needs pyarrow: pip install 'parzen[parquet]'") from None
    except Exception as error:
        raise UserError(f"{path} is no Parquet file: {' '.join(str(error).split())}") from None
    names = [str(name) for name in frame.columns]
    if len(frame) == 0:
        raise UserError(f"{path} has no rows")
    for j, name in enumerate(names):
        if name in names[:j]:
            raise UserError(f"{path}: two columns are called {name!r}; rename or remove one")
    columns: dict[str, NDArray[Any]] = {}
    for j, name in enumerate(names):
        if (wanted is None or name in wanted) and name not in unwanted:
            columns[name] = _column(frame.iloc[:, j], path, name, name in texts)
            if columns[name].dtype == object and name in numbers:
                raise UserError(f"{path}, column {name!r}: texts where the model has numbers")
    return RawTable(path, columns, np.arange(1, len(frame) + 1), names)


def _column(series: Any, path: Path, name: str, as_text: bool) -> NDArray[Any]:
    types = import_pandas().api.types
    # Truth values are categories, as they are in a text file.
    numeric = types.is_numeric_dtype(series.dtype) and not types.is_bool_dtype(series.dtype)
    if numeric and not as_text:
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if types.is_datetime64_any_dtype(series.dtype) or types.is_timedelta64_dtype(series.dtype):
        raise UserError(f"{path}: column {name!r} holds times; use --drop {name}")
    cells = [None if gap else str(v) for v, gap in zip(series, series.isna(), strict=True)]
    return np.array(cells, dtype=object)
