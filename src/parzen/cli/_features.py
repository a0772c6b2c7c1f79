"""Which columns are learned from: identifiers, empty columns and free texts are left out."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from parzen.cli._columns import Column, is_missing, listed

MOST_LEVELS = 100  # of a column of categories
_MIN_ROWS = 20  # before columns are called identifiers
_IDENTIFIER_NAME = re.compile(r"(?i)(^|[_\s.-])(id|uuid|guid|index|idx|row name|rownames?|nr|no)$")


def choose_features(
    columns: dict[str, Column], use: Collection[str], categorical: Collection[str]
) -> tuple[dict[str, Column], list[str]]:
    """The columns to learn from, and a line for each kind of column that is left out.

    Parameters
    ----------
    columns : dict of str to Column
        All but the target.
    use, categorical : collection of str
        Columns that the user wants; those to be used are kept whatever they look like.
    """
    reasons: dict[str, list[str]] = {"empty": [], "identifiers": [], "free texts": []}
    kept = {}
    for name, column in columns.items():
        reason = None if name in use else _reason(name, column, name in categorical)
        if reason is None:
            kept[name] = column
        else:
            reasons[reason].append(name)
    lines = []
    if reasons["empty"]:
        lines.append(f"empty columns left out: {listed(reasons['empty'])}")
    if reasons["identifiers"]:
        names = reasons["identifiers"]
        lines.append(f"identifiers left out: {listed(names)} (--use {names[0]})")
    if reasons["free texts"]:
        lines.append(
            f"texts of more than {MOST_LEVELS} different values left out: "
            f"{listed(reasons['free texts'])}"
        )
    return kept, lines


def _reason(name: str, column: Column, wanted: bool) -> str | None:
    values = column.values
    there = ~is_missing(values)
    if not there.any():
        return "empty"
    if column.kind == "category":
        different = len({*values[there]})
        if not wanted and len(values) >= _MIN_ROWS and different == there.sum() > MOST_LEVELS / 4:
            return "identifiers"
        if different > MOST_LEVELS:
            return "identifiers" if different > there.sum() / 2 else "free texts"
        return None
    return "identifiers" if column.kind == "number" and _numbers_rows(name, values) else None


def _numbers_rows(name: str, values: NDArray[np.float64]) -> bool:
    """Whether whole numbers count the rows, or have the name of an identifier and never repeat."""
    if len(values) < _MIN_ROWS or not np.isfinite(values).all():
        return False
    if not (values == np.round(values)).all():
        return False
    ordered = np.sort(values)
    steps = np.diff(ordered)
    if (steps == 1).all() and (values == ordered).all():
        return True
    return bool((steps > 0).all()) and _IDENTIFIER_NAME.search(name) is not None
