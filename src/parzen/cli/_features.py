"""Which columns are learned from: identifiers and empty columns are left out.

Texts of many values become numbers by skrub's MinHashEncoder, or are left out where skrub is not
installed. It learns nothing from the rows, so a model file need not carry it: the kind of the
column says that its texts are hashed again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib.util import find_spec
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli._columns import InputColumn, is_missing, listed
from parzen.cli._errors import UserError

MAX_LEVELS = 100  # A column of more different texts holds free texts, not categories.
NUMBERS_PER_TEXT = 10  # A free text is replaced by this many hashes.
_MIN_ROWS_TO_JUDGE = 20  # In a shorter table no column is called an identifier.
_MANY_TEXTS = f"texts of more than {MAX_LEVELS} different values"
# What is said of the columns that are left out or hashed, by the reason for it.
_LINES = {
    "empty": "empty columns left out: {names}",
    "identifiers": "identifiers left out: {names} (--use {first})",
    "free texts": _MANY_TEXTS + " left out: {names} (pip install 'parzen[skrub]' to use them)",
    "hashed texts": f"{_MANY_TEXTS} become {NUMBERS_PER_TEXT} numbers each (skrub's "
    "MinHashEncoder): {names} (--drop {first})",
}
_IDENTIFIER_NAME = re.compile(r"(?i)(^|[_\s.-])(id|uuid|guid|index|idx|row name|rownames?|nr|no)$")


def choose_features(
    columns: dict[str, InputColumn], use: Collection[str], categorical: Collection[str]
) -> tuple[dict[str, InputColumn], list[str]]:
    """The columns to learn from, and a line for each kind that is hashed or left out.

    Parameters
    ----------
    columns : dict of str to InputColumn
        All but the target.
    use, categorical : collection of str
        Columns that the user wants; those to be used are kept whatever they look like.
    """
    groups: dict[str, list[str]] = {group: [] for group in _LINES}
    kept = {}
    for name, column in columns.items():
        group = None if name in use else _reason(name, column, name in categorical)
        if (group == "free texts" or (name in use and _is_text(column))) and find_spec("skrub"):
            group, column = "hashed texts", replace(column, kind="text")
        if group in (None, "hashed texts"):
            kept[name] = column
        if group is not None:
            groups[group].append(name)
    lines = [
        _LINES[group].format(names=listed(names), first=quote(names[0]))
        for group, names in groups.items()
        if names
    ]
    return kept, lines


def with_hashed_texts(
    values: Mapping[str, NDArray[Any]], kinds: Mapping[str, str]
) -> dict[str, NDArray[Any]]:
    """The columns, those of the kind "text" as numbers: texts of like letters have like ones."""
    found: dict[str, NDArray[Any]] = {}
    for name, column in values.items():
        if kinds[name] != "text":
            found[name] = column
            continue
        for i, numbers in enumerate(_hashes(name, column).T):
            found[f"{name} (hash {i + 1})"] = numbers
    return found


def _hashes(name: str, texts: NDArray[Any]) -> NDArray[np.float64]:
    import pandas

    try:
        from skrub import MinHashEncoder
    except ImportError:
        raise UserError(
            f"column {name!r} holds texts, for which the model needs skrub: "
            "pip install 'parzen[skrub]'"
        ) from None
    series = pandas.Series(texts, dtype="string", name=name)
    hashed = (
        MinHashEncoder(n_components=NUMBERS_PER_TEXT).fit_transform(series).to_numpy(np.float64)
    )
    return np.where(is_missing(texts)[:, None], np.nan, hashed)


def _is_text(column: InputColumn) -> bool:
    return column.kind == "category" and len({*column.values} - {None}) > MAX_LEVELS


def _reason(name: str, column: InputColumn, wanted: bool) -> str | None:
    values = column.values
    present = ~is_missing(values)
    if not present.any():
        return "empty"
    if column.kind == "category":
        different = len({*values[present]})
        never_repeats = different == present.sum() > MAX_LEVELS / 4
        if not wanted and len(values) >= _MIN_ROWS_TO_JUDGE and never_repeats:
            return "identifiers"
        if different > MAX_LEVELS:
            return "identifiers" if different > present.sum() / 2 else "free texts"
        return None
    return "identifiers" if column.kind == "number" and _numbers_rows(name, values) else None


def _numbers_rows(name: str, values: NDArray[np.float64]) -> bool:
    """Whether whole numbers count the rows, or have the name of an identifier and never repeat."""
    if len(values) < _MIN_ROWS_TO_JUDGE or not np.isfinite(values).all():
        return False
    if not (values == np.round(values)).all():
        return False
    ordered = np.sort(values)
    steps = np.diff(ordered)
    if (steps == 1).all() and (values == ordered).all():
        return True
    return bool((steps > 0).all()) and _IDENTIFIER_NAME.search(name) is not None
