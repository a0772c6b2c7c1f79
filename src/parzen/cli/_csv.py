"""Text tables, read twice: once to see what the columns hold, once to keep it.

The first pass checks the shape and counts numbers, gaps and texts; the second stores numbers as
doubles and every text once. So nothing is kept that is not needed, and a message can name the line.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Collection, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli._console import progress
from parzen.cli._errors import UserError

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
_DELIMITERS = ",;\t|"
_LARGE = 4 << 20  # bytes that take about a second
_TOLD = 10_000  # rows between two moves of the bar


@dataclass(frozen=True)
class RawTable:
    """Columns of numbers (NaN where missing) or of texts (None where missing).

    Attributes
    ----------
    path : Path
        Where it came from.
    columns : dict of str to array
        Float or object arrays.
    lines : array of int
        The line of each row; rows are counted from 1 where there are no lines.
    names : list of str
        All columns of the file, those that were passed over as well.
    """

    path: Path
    columns: dict[str, NDArray[Any]]
    lines: NDArray[np.int64]
    names: list[str]

    def __len__(self) -> int:
        return len(self.lines)


@dataclass
class _Kind:
    """What a column was seen to hold."""

    numbers: int = 0
    missing: int = 0
    texts: int = 0
    first_text: tuple[int, str] = (0, "")

    def see(self, cell: str, line: int) -> None:
        if cell.lower() in MISSING:
            self.missing += 1
        elif number(cell) is not None:
            self.numbers += 1
        else:
            if not self.texts:
                self.first_text = line, cell
            self.texts += 1


def number(cell: str) -> float | None:
    """The number a cell holds, None for a text.

    Examples
    --------
    >>> number("1e3"), number("1_000"), number("red")
    (1000.0, None, None)
    """
    if "_" in cell:
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def read_csv(
    path: Path,
    *,
    header: bool = True,
    texts: Collection[str] = (),
    numbers: Collection[str] = (),
    wanted: Collection[str] | None = None,
    unwanted: Collection[str] = (),
) -> RawTable:
    """Read a file of comma, semicolon, tab or bar separated values.

    Parameters
    ----------
    path : Path
        The file; UTF-8.
    header : bool, default=True
        Whether the first line names the columns; otherwise they are x1, x2, ...
    texts, numbers : collection of str, default=()
        Columns that hold texts or numbers whatever they look like.
    wanted : collection of str, default=None
        Columns to keep; None keeps all.
    unwanted : collection of str, default=()
        Columns to pass over.
    """
    names = _names(path, header)
    kinds = [_Kind() for _ in names]
    n_rows = 0
    for line, cells in _rows(path, len(names), header, "checking"):
        n_rows += 1
        for kind, cell in zip(kinds, cells, strict=True):
            kind.see(cell, line)
    if n_rows == 0:
        raise UserError(f"{path} has a header but no rows")
    kept = [
        j
        for j, name in enumerate(names)
        if (wanted is None or name in wanted) and name not in unwanted
    ]
    is_text = {j: _is_text(path, names[j], kinds[j], texts, numbers) for j in kept}
    return _collect(path, names, is_text, header)


def _collect(path: Path, names: list[str], is_text: dict[int, bool], header: bool) -> RawTable:
    lines = array("q")
    stores: dict[int, Any] = {j: [] if text else array("d") for j, text in is_text.items()}
    once: dict[str, str] = {}
    for line, cells in _rows(path, len(names), header, "reading"):
        lines.append(line)
        for j, store in stores.items():
            cell = cells[j]
            if cell.lower() in MISSING:
                store.append(None if is_text[j] else float("nan"))
            else:
                store.append(once.setdefault(cell, cell) if is_text[j] else float(cell))
    columns = {
        names[j]: np.array(store, dtype=object) if is_text[j] else np.array(store)
        for j, store in stores.items()
    }
    return RawTable(path, columns, np.array(lines), names)


def _is_text(
    path: Path, name: str, kind: _Kind, texts: Collection[str], numbers: Collection[str]
) -> bool:
    """Whether a column holds categories; a few texts among numbers are taken for a mistake."""
    if name in texts:
        return True
    if kind.texts and (name in numbers or kind.numbers > kind.texts):
        line, cell = kind.first_text
        cure = (
            "" if name in numbers else f", or read the column as categories: --categorical {name}"
        )
        raise UserError(
            f"{path}, line {line}, column {name!r}: {_shown(cell)} is not a number; "
            f"correct it{cure}"
        )
    return kind.texts > 0


def _names(path: Path, header: bool) -> list[str]:
    first = next(_records(path), None)
    if first is None:
        raise UserError(f"{path} is empty")
    cells = [cell.strip() for cell in first[1]]
    if not header:
        return [f"x{j + 1}" for j in range(len(cells))]
    if cells and all(number(cell) is not None for cell in cells):
        raise UserError(f"{path}: the first line holds numbers, not names; use --no-header")
    for j, name in enumerate(cells):
        if not name:
            raise UserError(f"{path}: column {j + 1} has no name in the header; name or remove it")
        if name in cells[:j]:
            raise UserError(f"{path}: two columns are called {name!r}; rename or remove one")
    return cells


def _rows(path: Path, width: int, header: bool, doing: str) -> Iterator[tuple[int, list[str]]]:
    """Lines and cells of the rows under the header, with a bar where there are many."""
    size = path.stat().st_size
    with progress(doing) if size > _LARGE else nullcontext() as tell:
        records = _records(path)
        if header:
            next(records, None)
        seen = 0
        for count, (line, cells) in enumerate(records, start=1):
            if len(cells) != width:
                raise UserError(
                    f"{path}, line {line}: {len(cells)} cells where the first line has {width}"
                )
            if tell is not None:
                seen += sum(map(len, cells)) + width
                if count % _TOLD == 0:
                    tell(min(seen, size), size, f"{doing} {path.name}")
            yield line, [cell.strip() for cell in cells]


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Numbered records that are not blank."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            start = file.readline(1 << 20)
            delimiter = max(_DELIMITERS, key=start.count)
            file.seek(0)
            reader = csv.reader(_text_only(file, path), delimiter=delimiter, strict=True)
            for cells in reader:
                if any(cell.strip() for cell in cells) or len(cells) > 1:
                    yield reader.line_num, cells
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as CSV in UTF-8"
        ) from None
    except csv.Error as error:
        what = "a quotation mark is never closed" if "end of data" in str(error) else error
        raise UserError(f"{path}, line {reader.line_num}: {what}") from None


def _text_only(lines: Any, path: Path) -> Iterator[str]:
    for line in lines:
        if "\0" in line:
            raise UserError(f"{path} holds zero bytes: it is no text file")
        yield line


def _shown(cell: str) -> str:
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")
