"""Files and named data sets as samples: a frame of features, labels, and what was done to them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen import datasets
from parzen.cli._csv import RawTable, read_csv
from parzen.cli._errors import UserError
from parzen.cli._options import Options
from parzen.cli._parquet import import_pandas, read_parquet
from parzen.datasets import Split

_FILES = {".csv", ".tsv", ".tab", ".txt", ".data", ".parquet", ".pq"}


@dataclass(frozen=True)
class LabelledData:
    """Features and labels.

    Attributes
    ----------
    name : str
        The file or the data set.
    X : data frame of shape (n, d)
        Numbers, and texts for categories.
    y : array of shape (n,)
        Labels: whole numbers or texts.
    target : str
        Name of the column of labels.
    kinds : dict of str to str
        "number" or "category" for each column of X.
    facts : list of str
        What was read.
    preparation : list of str
        What is done to it for methods that need points.
    splits : tuple
        Official splits, where the data set has some.
    """

    name: str
    X: Any
    y: NDArray[Any]
    target: str
    kinds: dict[str, str]
    facts: list[str]
    preparation: list[str]
    splits: tuple[Split, ...] = field(default=())


def load_labelled(data: str, options: Options) -> LabelledData:
    """A file, or a data set by name."""
    if options.missing not in ("refuse", "impute"):
        raise UserError(f"--missing must be refuse or impute, got {options.missing!r}")
    path = Path(data)
    if path.exists() or path.suffix.lower() in _FILES or len(path.parts) > 1:
        return _from_file(path, options)
    return _from_name(data, options)


def read_table(path: Path, *, header: bool = True, **options: Any) -> RawTable:
    """A file of text or Parquet as columns; the options are those of `read_csv`."""
    if path.is_dir():
        raise UserError(f"{path} is a folder, not a file")
    if not path.exists():
        raise UserError(f"{path} does not exist")
    if path.suffix.lower() in (".parquet", ".pq"):
        return read_parquet(path, **options)
    return read_csv(path, header=header, **options)


def frame_of(columns: dict[str, NDArray[Any]]) -> Any:
    """Columns as a data frame; texts keep the type that marks categories."""
    pandas = import_pandas()
    return pandas.DataFrame({n: pandas.Series(c, dtype=c.dtype) for n, c in columns.items()})


def refuse_gaps(table: RawTable, names: Collection[str], cure: str) -> None:
    """Name the first missing cell."""
    for name in names:
        column = table.columns[name]
        gaps = np.flatnonzero(is_missing(column))
        if len(gaps):
            raise UserError(
                f"{table.path}, line {table.lines[gaps[0]]}, column {name!r}: no value "
                f"({len(gaps)} of {len(column)} rows); {cure}"
            )


def is_missing(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Which entries are missing."""
    if column.dtype == object:
        return np.array([value is None for value in column], dtype=bool)
    return np.asarray(np.isnan(column))


def _from_name(name: str, options: Options) -> LabelledData:
    try:
        found = datasets.load(name)
    except ValueError:
        raise UserError(
            f"{name!r} is neither a file nor a data set; `parzen datasets` lists the sets"
        ) from None
    if options.target or options.drop or options.categorical:
        raise UserError(
            f"--target, --drop and --categorical are for files, not for the set {name!r}"
        )
    gaps = np.isnan(found.X).any(axis=1)
    if gaps.any() and options.missing == "refuse":
        raise UserError(
            f"{name!r} has missing values in {gaps.sum()} of its rows; use --missing impute"
        )
    columns = {f"x{j + 1}": found.X[:, j] for j in range(found.X.shape[1])}
    facts = [
        f"data set {found.name} ({found.source}): {len(found.y)} rows, {len(columns)} columns",
        f"{len(found.classes)} classes: {_shares(found.y)}",
    ]
    kinds = dict.fromkeys(columns, "number")
    preparation = _preparation(kinds, int(gaps.sum()))
    return LabelledData(
        found.name, frame_of(columns), found.y, "y", kinds, facts, preparation, found.splits
    )


def _from_file(path: Path, options: Options) -> LabelledData:
    table = read_table(
        path, header=options.header, texts=options.categorical, unwanted=options.drop
    )
    names = table.names
    if all(name in options.drop for name in names):
        raise UserError(f"{path}: every column is dropped")
    target = names[-1] if options.target is None else options.target
    for name, what in [(target, "--target"), *((d, "--drop") for d in options.drop),
                       *((c, "--categorical") for c in options.categorical)]:  # fmt: skip
        if name not in names:
            raise UserError(f"{path} has no column {name!r} ({what}); it has {_listed(names)}")
    if target in options.drop:
        raise UserError(f"{path}: the target {target!r} is dropped; choose another with --target")
    features = [name for name in names if name != target and name not in options.drop]
    if not features:
        raise UserError(f"{path} has no column beside the target {target!r}")
    y = _labels(table, target)
    kinds = {n: "category" if table.columns[n].dtype == object else "number" for n in features}
    _check_features(table, features, options.missing)
    gaps = np.any([is_missing(table.columns[n]) for n in features], axis=0)
    facts = [
        f"{path}: {len(table)} rows, {len(features)} columns, target {target!r}"
        + (f", dropped {', '.join(options.drop)}" if options.drop else ""),
        f"{len(np.unique(y))} classes: {_shares(y)}",
    ]
    X = frame_of({n: table.columns[n] for n in features})
    preparation = _preparation(kinds, int(gaps.sum()))
    return LabelledData(str(path), X, y, target, kinds, facts, preparation)


def _check_features(table: RawTable, features: list[str], missing: str) -> None:
    for name in features:
        column = table.columns[name]
        if is_missing(column).all():
            raise UserError(
                f"{table.path}: column {name!r} holds no value at all; use --drop {name}"
            )
        if column.dtype != object and np.isinf(column).any():
            line = table.lines[np.flatnonzero(np.isinf(column))[0]]
            raise UserError(f"{table.path}, line {line}, column {name!r}: infinity is no value")
        if column.dtype == object and (levels := len({*column} - {None})) > 100:
            raise UserError(
                f"{table.path}: column {name!r} holds {levels} different texts, too many for "
                f"categories; use --drop {name}"
            )
    if missing == "refuse":
        refuse_gaps(table, features, "use --missing impute, or --drop the column")


def _labels(table: RawTable, target: str) -> NDArray[Any]:
    refuse_gaps(table, [target], "remove the rows: a label cannot be guessed")
    column = table.columns[target]
    values = np.unique(column.astype(str) if column.dtype == object else column)
    if len(values) < 2:
        raise UserError(
            f"{table.path}: the target {target!r} is {values[0]} in every row; "
            "two classes are needed"
        )
    if column.dtype == object:
        if len(values) > max(100, len(column) // 2):
            raise UserError(
                f"{table.path}: the target {target!r} has {len(values)} different texts in "
                f"{len(column)} rows; choose another column with --target"
            )
        return column.astype(str)
    if not np.isfinite(column).all():
        raise UserError(f"{table.path}: the target {target!r} holds infinity")
    whole = bool((column == np.round(column)).all() and np.abs(column).max() < 2**53)
    if len(values) > 20 and (not whole or len(values) > len(column) / 2):
        raise UserError(
            f"{table.path}: the target {target!r} has {len(values)} different numbers: it looks "
            "like a measurement, not a class; choose another column with --target"
        )
    return column.astype(np.int64) if whole else np.array([f"{v:g}" for v in column])


def _preparation(kinds: dict[str, str], gaps: int) -> list[str]:
    categories = [name for name, kind in kinds.items() if kind == "category"]
    facts = ["numbers standardised with the training rows' means and deviations"]
    if categories:
        facts.append(f"categories as indicators: {_listed(categories)}")
    if gaps:
        facts.append(f"{gaps} rows with missing values: medians, and a level of their own")
    return facts


def _shares(y: NDArray[Any]) -> str:
    labels, counts = np.unique(y, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    shown = [f"{labels[i]} ({counts[i]})" for i in order[:6]]
    return ", ".join([*shown, "..."] if len(labels) > 6 else shown)


def _listed(names: list[str]) -> str:
    return ", ".join([*names[:12], "..."] if len(names) > 12 else names)
