"""The column of labels: classes, and not a measurement."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli._cells import as_days, as_numbers
from parzen.cli._columns import InputColumns, is_missing
from parzen.cli._errors import UserError

_MANY_CLASSES = 20  # A target of more different values may be a measurement.
_MIN_CLASS_ROWS = 5  # A number that fewer rows share is a measured value, not a class.
_MAX_NUMBERED_CLASSES = 100  # More different numbers are measured values.
_MAX_NAMED_CLASSES = 100  # More different texts are classes only if each has two rows on average.


def labels_of(
    columns: InputColumns, target: str, *, as_classes: bool
) -> tuple[NDArray[Any], NDArray[np.bool_], list[str]]:
    """The labels, which rows have one, and what was left out.

    Whole numbers are numbers, all other labels texts as they are written. A target that looks like
    a measurement is refused, unless ``as_classes``.
    """
    texts = columns.texts(target)
    present = ~is_missing(texts)
    path, n_gaps = columns.table.name, int((~present).sum())
    if not present.any():
        raise UserError(f"{path}: the target {target!r} holds no value at all")
    said = [f"{n_gaps} rows without a label left out"] if n_gaps else []
    labels = texts[present].astype(str)
    different, counts = np.unique(labels, return_counts=True)
    if len(different) < 2:
        raise UserError(
            f"{path}: the target {target!r} is {different[0]} in every row; two classes are needed"
        )
    if not as_classes:
        _refuse_measurement(columns, target, different, counts)
    whole = _whole_numbers(different)
    chosen = different if whole is None else whole
    return chosen[np.searchsorted(different, labels)], present, said


def _refuse_measurement(
    columns: InputColumns, target: str, different: NDArray[Any], counts: NDArray[Any]
) -> None:
    path, n = columns.table.name, int(counts.sum())
    numbers, _ = as_numbers(different.tolist(), columns.decimal)
    cure = f"choose another column with --target, or say --categorical {target}"
    if np.isfinite(numbers).all():
        whole = bool((numbers == np.round(numbers)).all())
        rare = counts.min() < _MIN_CLASS_ROWS or len(different) > _MAX_NUMBERED_CLASSES
        if len(different) > _MANY_CLASSES and (not whole or rare):
            raise UserError(
                f"{path}: the target {target!r} has {len(different)} different numbers in {n} "
                f"rows: it looks like a measurement, not a class; {cure}"
            )
    elif len(different) > _MANY_CLASSES and as_days(different.tolist()) is not None:
        raise UserError(f"{path}: the target {target!r} holds dates, not classes; {cure}")
    elif len(different) > max(_MAX_NAMED_CLASSES, n // 2):
        raise UserError(
            f"{path}: the target {target!r} has {len(different)} different texts in {n} rows, "
            f"nearly one for each; {cure}"
        )


def _whole_numbers(labels: NDArray[Any]) -> NDArray[np.int64] | None:
    """The labels as whole numbers where all are written as such; "007" is a text."""
    try:
        numbers = labels.astype(np.float64)
    except ValueError:
        return None
    if not np.isfinite(numbers).all() or np.abs(numbers).max() >= 2**53:
        return None
    whole = numbers.astype(np.int64)
    written = np.array([label.removesuffix(".0") for label in labels])
    return whole if (whole.astype(str) == written).all() else None
