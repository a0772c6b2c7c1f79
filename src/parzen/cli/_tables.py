"""Files as tables: text, JSON lines, Excel and Parquet, packed or not, or the standard input."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from parzen.cli import _text
from parzen.cli._errors import UserError, one_line
from parzen.cli._options import Reading

STDIN = "-"
# Endings of the names of tables; a name with another ending may be that of a data set.
SUFFIXES = frozenset({
    ".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ".parquet", ".pq", ".json", ".jsonl",
    ".ndjson", ".xlsx", ".gz", ".bz2", ".xz",
})  # fmt: skip


@dataclass(frozen=True)
class RawTable:
    """A table as it was found: columns of numbers, times or texts.

    Attributes
    ----------
    name : str
        The file.
    frame : data frame
        The rows, with one name for each column; the index counts the records of the file.
    place : callable
        Tells where a record is, such as "line 7".
    remarks : list of str
        What was found out on the way.
    commas : bool
        Whether semicolons separate the cells, which goes with decimal commas.
    """

    name: str
    frame: Any
    place: Callable[[int], str]
    remarks: list[str]
    commas: bool = False


@dataclass(frozen=True)
class Source:
    """A file's name and what it holds, unpacked."""

    name: str
    data: bytes


def open_source(path: Path | str) -> Source:
    """The contents of a file, or of the standard input."""
    if str(path) == STDIN:
        return Source("standard input", _unpacked("standard input", sys.stdin.buffer.read()))
    file = Path(path)
    if file.is_dir():
        raise UserError(f"{path} is a folder, not a file")
    if not file.exists():
        raise UserError(f"{path} does not exist")
    return Source(str(path), _unpacked(str(path), file.read_bytes()))


def read_raw(
    source: Source, reading: Reading, *, texts: Collection[str] | None = (), last: bool = False
) -> RawTable:
    """Read a table whose columns in ``texts`` are left as they are written; None stands for all.

    With ``last``, the last column, too, is left as it is written.
    """
    name, data = source.name, source.data
    kind = _kind(data, name)
    if kind == "text":
        table = _read_text(name, data, reading, texts, last)
    elif kind == "json":
        table = _read_json(name, data)
    elif kind == "excel":
        table = _read_excel(name, data, not reading.no_header)
    else:
        table = _read_parquet(name, data)
    return _tidied(table)


def _unpacked(name: str, data: bytes) -> bytes:
    import bz2
    import gzip
    import lzma
    import zlib

    packers = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ": lzma.decompress}
    for mark, unpack in packers.items():
        if data.startswith(mark):
            try:
                return unpack(data)
            except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
                raise UserError(f"{name} is damaged: {one_line(error)}") from None
    if data.startswith(b"PK\x03\x04"):
        return _unzipped(name, data)
    return data


def _unzipped(name: str, data: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.namelist()
            if any(m.startswith("xl/") for m in members) or "header.json" in members:
                return data
            if len(members) == 1:
                return archive.read(members[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise UserError(f"{name} is damaged: {one_line(error)}") from None
    raise UserError(f"{name} is an archive of {len(members)} files; name one table")


def _kind(data: bytes, name: str) -> str:
    suffixes = Path(name).suffixes
    if data.startswith(b"PAR1") or any(s in (".parquet", ".pq") for s in suffixes):
        return "parquet"
    if data.startswith(b"PK\x03\x04"):
        if b"header.json" in data[:64]:
            raise UserError(f"{name} is a model file, not a table")
        return "excel"
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise UserError(f"{name} is an old Excel file; save it as .xlsx or CSV")
    if any(s in (".json", ".jsonl", ".ndjson") for s in suffixes) or data.startswith(b'{"'):
        return "json"
    return "text"


def _read_text(
    name: str, data: bytes, reading: Reading, texts: Collection[str] | None, last: bool
) -> RawTable:
    text, said = _text.decoded(name, data, reading.encoding)
    layout = _text.find_layout(name, text, reading)
    rows = _text.blank_comments(text, layout)
    if rows.count("\n#") < text.count("\n#") and _text.COMMENTS not in layout.remarks:
        said.append(_text.COMMENTS)
    text = rows
    frame = _text.read_frame(name, text, layout, texts=texts, last=last)
    frame.columns = _fitted_names(layout.names, frame)

    def place(record: int) -> str:
        return f"line {_text.line_of_record(text, layout, record)}"

    return RawTable(name, frame, place, [*said, *layout.remarks], layout.delimiter == ";")


def _fitted_names(names: list[str], frame: Any) -> list[str]:
    """One name more where every row has one cell more: row names, or a comma at the end."""
    if frame.shape[1] == len(names):
        return names
    return [*names, ""] if frame.iloc[:, -1].isna().all() else ["", *names]


def _read_json(name: str, data: bytes) -> RawTable:
    import pandas

    text, said = _text.decoded(name, data, None)
    is_list = text.lstrip().startswith("[")
    word, rows = "row" if is_list else "line", []  # rows with their places
    if is_list:
        try:
            rows = list(enumerate(json.loads(text), start=1))
        except ValueError as error:
            raise UserError(f"{name} is no JSON: {one_line(error)}") from None
    else:
        for line, record in enumerate(text.split("\n"), start=1):
            if record.strip():
                try:
                    rows.append((line, json.loads(record)))
                except ValueError as error:
                    raise UserError(f"{name}, line {line}: {one_line(error)}") from None
    for place, row in rows:
        if not isinstance(row, dict) or any(isinstance(v, dict | list) for v in row.values()):
            raise UserError(f"{name}, {word} {place}: not one flat object of names and values")
    if not rows:
        raise UserError(f"{name} has no rows")
    frame = pandas.DataFrame([row for _, row in rows])
    return RawTable(name, frame, lambda i: f"{word} {rows[i][0]}", said)


def _read_excel(name: str, data: bytes, header: bool) -> RawTable:
    import pandas

    try:
        book = pandas.ExcelFile(io.BytesIO(data), engine="openpyxl")
        frame = pandas.read_excel(book, header=0 if header else None, dtype=object, na_filter=False)
    except ImportError:
        raise UserError("reading Excel needs openpyxl: pip install 'parzen[excel]'") from None
    except Exception as error:
        raise UserError(f"{name} is no Excel file: {one_line(error)}") from None
    if not header:
        frame.columns = [f"x{j + 1}" for j in range(frame.shape[1])]
    frame.columns = ["" if str(c).startswith("Unnamed: ") else str(c) for c in frame.columns]
    frame = frame.where(frame != "", None)
    sheets = [str(sheet) for sheet in book.sheet_names]
    said = [f"the first of {len(sheets)} sheets, {sheets[0]!r}"] if len(sheets) > 1 else []
    return RawTable(name, frame, lambda i: f"row {i + 1 + header}", said)


def _read_parquet(name: str, data: bytes) -> RawTable:
    import pandas

    try:
        frame = pandas.read_parquet(io.BytesIO(data))
    except ImportError:
        raise UserError("reading Parquet needs pyarrow: pip install 'parzen[parquet]'") from None
    except Exception as error:
        raise UserError(f"{name} is no Parquet file: {one_line(error)}") from None
    if not isinstance(frame.index, pandas.RangeIndex):
        named = [n for n in frame.index.names if n]
        frame = frame.reset_index(drop=not named)
    return RawTable(name, frame, lambda i: f"row {i + 1}", [])


def _tidied(table: RawTable) -> RawTable:
    """Names that are unique, and neither empty rows nor nameless empty columns."""
    frame, remarks = table.frame, list(table.remarks)
    frame.columns = [str(name).strip() for name in frame.columns]
    frame = frame.reset_index(drop=True)
    bare = [not name and frame.iloc[:, j].isna().all() for j, name in enumerate(frame.columns)]
    frame = frame.loc[:, ~np.array(bare, dtype=bool)]
    if any(bare):
        remarks.append("an empty column without a name left out")
    empty = frame.isna().all(axis=1) if frame.shape[1] > 1 else None
    if empty is not None and empty.any():
        remarks.append(f"{int(empty.sum())} empty rows left out")
        frame = frame.loc[~empty]
    if len(frame) == 0 or frame.shape[1] == 0:
        raise UserError(f"{table.name} has no rows")
    names = list(frame.columns)
    for j, name in enumerate(names):
        if not name:
            names[j] = "row name" if j == 0 and "row name" not in names else f"column {j + 1}"
        elif name in names[:j]:
            raise UserError(f"{table.name}: two columns are called {name!r}; rename or remove one")
    frame.columns = names
    # pandas 3 has a type of its own for texts; pandas 2 keeps them as objects.
    texts = [name for name in names if frame[name].dtype.name in ("str", "string")]
    frame = frame.astype(dict.fromkeys(texts, object))
    return replace(table, frame=frame, remarks=remarks)
