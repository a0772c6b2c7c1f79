"""Files and named data sets as samples: a frame of features, labels, and what was done to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen import datasets
from parzen.cli._columns import InputColumn, InputColumns, did_you_mean, is_missing, listed
from parzen.cli._errors import UserError
from parzen.cli._features import choose_features, with_hashed_texts
from parzen.cli._labels import labels_of
from parzen.cli._options import DataOptions
from parzen.cli._tables import STDIN, SUFFIXES, open_source
from parzen.compare import reads_itself
from parzen.datasets import Split


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
    kinds, forms : dict of str to str
        "number", "category", "date" or "text" (hashed: several columns of X) for each column of
        the file that is used, and the formats of dates.
    facts : list of str
        What was read, and every guess.
    missing : {"auto", "refuse", "impute"}
        What is to be done with missing values.
    gaps : int
        Rows with missing values.
    decimal : str or None
        The decimal mark of the file, where one was seen.
    weights : array of shape (n,) or None
        How often each row counts.
    splits : tuple
        Official splits, where the data set has some.
    """

    name: str
    X: Any
    y: NDArray[Any]
    target: str
    kinds: dict[str, str]
    forms: dict[str, str]
    facts: list[str]
    missing: str
    gaps: int
    decimal: str | None = None
    weights: NDArray[np.float64] | None = None
    splits: tuple[Split, ...] = field(default=())

    def levels(self) -> dict[str, list[str]]:
        """The levels of each column of categories."""
        categories = [name for name, kind in self.kinds.items() if kind == "category"]
        return {name: sorted({*self.X[name]} - {None}) for name in categories}


def load_labelled(data: str, options: DataOptions) -> LabelledData:
    """A file, or a data set by name."""
    if options.missing not in ("auto", "refuse", "impute"):
        raise UserError(f"--missing must be auto, refuse or impute, got {options.missing!r}")
    path = Path(data)
    by_name = path.suffix.lower() in SUFFIXES or len(path.parts) > 1 or data == STDIN
    if path.exists() or by_name:
        return _from_file(data, options)
    return _from_name(data, options)


def frame_of(columns: dict[str, NDArray[Any]]) -> Any:
    """Columns as a data frame; texts keep the type that marks categories."""
    import pandas

    return pandas.DataFrame({n: pandas.Series(c, dtype=c.dtype) for n, c in columns.items()})


def refuse_gaps(columns: InputColumns, values: dict[str, NDArray[Any]], cure: str) -> None:
    """Name the first missing cell."""
    for name, column in values.items():
        gaps = np.flatnonzero(is_missing(column))
        if len(gaps):
            raise UserError(
                f"{columns.place(gaps[0], name)}: no value ({len(gaps)} of {len(column)} rows); "
                f"{cure}"
            )


def refuse_infinity(columns: InputColumns, name: str, values: NDArray[Any]) -> None:
    """Name the first infinite number."""
    if values.dtype != object and np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        place = columns.place(row, name)
        raise UserError(f"{place}: infinity is no value; give a number, or leave the cell empty")


def _from_name(name: str, options: DataOptions) -> LabelledData:
    try:
        found = datasets.load(name)
    except ValueError:
        raise UserError(
            f"{name!r} is neither a file nor a data set; `parzen datasets` lists the sets"
        ) from None
    if options.target or options.drop or options.categorical or options.weights:
        raise UserError(
            f"--target, --drop, --categorical and --weights are for files, not for the set {name!r}"
        )
    gaps = int(np.isnan(found.X).any(axis=1).sum())
    if gaps and options.missing == "refuse":
        raise UserError(f"{name!r} has missing values in {gaps} of its rows; use --missing impute")
    columns = {f"x{j + 1}": found.X[:, j] for j in range(found.X.shape[1])}
    facts = [
        f"data set {found.name} ({found.source}): {len(found.y)} rows, {len(columns)} columns",
        f"{len(found.classes)} classes: {_class_sizes(found.y)}",
    ]
    kinds = dict.fromkeys(columns, "number")
    return LabelledData(
        found.name, frame_of(columns), found.y, "y", kinds, {}, facts, options.missing, gaps,
        splits=found.splits,
    )  # fmt: skip


def _from_file(data: str, options: DataOptions) -> LabelledData:
    kinds = dict.fromkeys(options.categorical, "category")
    columns = InputColumns(open_source(data), options, kinds=kinds, label=options.target)
    target = columns.label
    _check_names(columns, target, options)
    y, present, said = labels_of(columns, target, as_classes=target in options.categorical)
    beside = {target, *options.drop, options.weights}
    features = [name for name in columns.names if name not in beside]
    if not features:
        raise UserError(f"{columns.table.name} has no column beside the target {target!r}")
    found = {name: _rows_of(columns.column(name), present) for name in features}
    for name in features:
        refuse_infinity(columns, name, columns.column(name).values)
    kept, left_out = choose_features(found, options.use, options.categorical)
    if not kept:
        raise UserError(f"{columns.table.name} has no column to learn from; {'; '.join(left_out)}")
    values = {name: column.values for name, column in kept.items()}
    gaps = int(np.any([is_missing(v) for v in values.values()], axis=0).sum())
    if options.missing == "refuse":
        whole = {name: columns.column(name).values for name in kept}
        refuse_gaps(columns, whole, "use --missing impute, or --drop the column")
    facts = [
        f"{columns.table.name}: {len(y)} rows, {len(kept)} columns, target {target!r}"
        + (f", dropped {', '.join(options.drop)}" if options.drop else ""),
        f"{len(np.unique(y))} classes: {_class_sizes(y)}",
        *said, *columns.table.remarks, *columns.remarks.lines(), *left_out,
    ]  # fmt: skip
    kinds = {name: column.kind for name, column in kept.items()}
    return LabelledData(
        columns.table.name, frame_of(with_hashed_texts(values, kinds)), y, target, kinds,
        {name: column.form for name, column in kept.items() if column.form},
        facts, options.missing, gaps, columns.decimal,
        _weights(columns, options.weights, present),
    )  # fmt: skip


def _check_names(columns: InputColumns, target: str, options: DataOptions) -> None:
    names, path = columns.names, columns.table.name
    if all(name in options.drop for name in names):
        raise UserError(f"{path}: every column is dropped")
    asked = {"--target": (target,), "--drop": options.drop, "--categorical": options.categorical,
             "--use": options.use,
             "--weights": (options.weights,) if options.weights else ()}  # fmt: skip
    for option, given in asked.items():
        for name in given:
            if name not in names:
                question = did_you_mean(name, names)
                known = f"it has {listed(names)}"
                raise UserError(f"{path} has no column {name!r} ({option}){question}; {known}")
    if target in options.drop:
        raise UserError(f"{path}: the target {target!r} is dropped; choose another with --target")
    if target == options.weights:
        raise UserError(f"{path}: {target!r} cannot be both the target and the weights")


def _weights(
    columns: InputColumns, name: str | None, present: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    if name is None:
        return None
    values = columns.column(name).values
    if values.dtype == object:
        raise UserError(f"{columns.table.name}: the weights {name!r} are texts, not numbers")
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        raise UserError(f"{columns.place(wrong[0], name)}: a weight must be 0 or more")
    if not values[present].any():
        raise UserError(f"{columns.table.name}: all weights {name!r} are 0")
    return np.asarray(values[present], dtype=np.float64)


def _rows_of(column: InputColumn, rows: NDArray[np.bool_]) -> InputColumn:
    return column if rows.all() else InputColumn(column.values[rows], column.kind, column.form)


def preparation(sample: LabelledData, modes: Mapping[str, str]) -> list[str]:
    """What is done to the table for methods, whose ways with missing values are given.

    Examples
    --------
    >>> import pandas
    >>> kinds = {"a": "number"}
    >>> sample = LabelledData("", pandas.DataFrame(), np.array([]), "y", kinds, {}, [], "auto", 3)
    >>> preparation(sample, {"auto": "keep", "l2": "impute"})[-1]
    '3 rows with missing values: auto by the columns that they have, l2 by medians (--missing)'
    """
    readers = [name for name in modes if reads_itself(name, sample.missing)]
    encoded = [name for name in modes if name not in readers]
    categories = [name for name, kind in sample.kinds.items() if kind == "category"]
    facts = []
    if readers:
        facts.append(f"{', '.join(readers)}: the table as it is")
    if encoded:
        facts.append(f"{', '.join(encoded)}: numbers standardised with the training rows' means "
                     "and deviations")  # fmt: skip
        if categories:
            facts[-1] += f", categories as indicators: {listed(categories)}"
    ways = {"keep": "by the columns that they have", "impute": "by medians"}
    if sample.gaps:
        kept = [
            f"{', '.join(name for name in modes if modes[name] == mode)} {way}"
            for mode, way in ways.items() if mode in modes.values()
        ]  # fmt: skip
        level = ", a missing category is a level of its own" if encoded and categories else ""
        facts.append(
            f"{sample.gaps} rows with missing values: {', '.join(kept)}{level} (--missing)"
        )
    return facts


def _class_sizes(y: NDArray[Any]) -> str:
    labels, counts = np.unique(y, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    shown = [f"{labels[i]} ({counts[i]})" for i in order[:6]]
    return ", ".join([*shown, "..."] if len(labels) > 6 else shown)
