"""Text tables: bytes become text, the layout is found from the first lines, pandas reads the rest.

Nothing is guessed in silence: what was found out is in the table's remarks. Where pandas stumbles,
a second look with Python's own reader finds the line.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from parzen.cli._errors import UserError, one_line
from parzen.cli._options import Reading

DELIMITERS = "\t;|,"  # where two explain the first lines equally well, the first one
DELIMITER_WORDS = {"\t": "tabs", ";": "semicolons", "|": "bars", " ": "spaces"}
_SAMPLE_RECORDS = 100  # The layout is found from this many records.
_HEAD_CHARACTERS = 1 << 20  # These records are taken from the first characters of a text.
COMMENTS = "comment lines passed over"
_TRUTH_WORDS = {"true", "false"}


@dataclass(frozen=True)
class TextLayout:
    """Where the cells of a text are.

    Attributes
    ----------
    delimiter : str
        What separates cells; a space stands for any number of them.
    names : list of str
        The columns as the file names them; x1, x2, ... where it does not.
    skip : int
        Lines before the first row.
    remarks : list of str
        What was found out.
    """

    delimiter: str
    names: list[str]
    skip: int
    remarks: list[str]


def decoded(name: str, data: bytes, encoding: str | None) -> tuple[str, list[str]]:
    """The text of some bytes, with plain line ends, and how it was decoded."""
    chosen = encoding or _found_encoding(data)
    try:
        text = data.decode(chosen)
    except UnicodeDecodeError as error:
        raise UserError(
            f"{name} is not {chosen} text (byte {error.start}); name another --encoding"
        ) from None
    except LookupError:
        raise UserError(f"--encoding: unknown encoding {encoding!r}; try utf-8, latin-1 or "
                        "utf-16") from None  # fmt: skip
    if "\0" in text:
        raise UserError(f"{name} holds zero bytes: it is no text file")
    said = [] if encoding or chosen == "utf-8-sig" else [f"read as {chosen} text (--encoding)"]
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), said


def _found_encoding(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    head = data[:4096]
    zeros = [head[start::2].count(0) / max(1, len(head) // 2) for start in (0, 1)]
    if max(zeros) > 0.3 and min(zeros) < 0.05:  # letters of UTF-16 have one zero byte
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            return "latin-1"
        return "cp1252"
    return "utf-8-sig"


def find_layout(name: str, text: str, reading: Reading) -> TextLayout:
    """Find delimiter, header and comments from the first lines."""
    text = text[:_HEAD_CHARACTERS]
    start, last_comment = _first_line(text)
    lines = (line for line in islice(io.StringIO(text), start, None) if line.strip())
    sample = list(islice(lines, _SAMPLE_RECORDS))
    if not sample:
        raise UserError(f"{name} is empty")
    delimiter = reading.delimiter or _found_delimiter(sample)
    remarks = []
    if not reading.delimiter and delimiter in DELIMITER_WORDS:
        remarks.append(f"cells separated by {DELIMITER_WORDS[delimiter]} (--delimiter)")
    if start:
        remarks.append(COMMENTS)
    first, line = _first_record(name, text, delimiter, start)
    if not reading.no_header and _looks_like_values(first):
        named = _cells(last_comment.lstrip("#% "), delimiter) if last_comment else []
        if len(named) == len(first) and not _looks_like_values(named):
            remarks.append("columns named by the last comment line")
            return TextLayout(delimiter, named, start, remarks)
        remarks.append("the first line holds values, so the columns are called x1, x2, ...")
    elif not reading.no_header:
        return TextLayout(delimiter, first, line, remarks)
    return TextLayout(delimiter, [f"x{j + 1}" for j in range(len(first))], start, remarks)


def read_frame(
    name: str, text: str, layout: TextLayout, *, texts: Collection[str] | None, last: bool
) -> Any:
    """The rows as a data frame whose index counts the records; the columns have no names yet.

    Columns whose names are in ``texts`` are left as they are written, with None all; with ``last``
    the last column that has a name as well.
    """
    import pandas

    width = _width(text, layout)
    options: dict[str, Any] = {
        "sep": r"\s+" if layout.delimiter == " " else layout.delimiter,
        "header": None, "skiprows": layout.skip, "keep_default_na": False, "na_values": [""],
        "low_memory": False, "skipinitialspace": True,
        "engine": "c",
    }  # fmt: skip
    as_text = _text_columns(text, layout, width, texts, last)
    try:
        frame = pandas.read_csv(io.StringIO(text), dtype=as_text, **options)
    except MemoryError:
        raise
    except Exception as error:
        _refuse_bad_line(name, text, layout, width, strict=True)
        if isinstance(error, pandas.errors.EmptyDataError):
            raise UserError(f"{name} has a header but no rows") from None
        raise UserError(f"{name}: {one_line(error)}") from None
    if len(frame) == 0:
        raise UserError(f"{name} has a header but no rows")
    if frame.shape[1] != width or frame.iloc[:, -1].isna().any():
        _refuse_bad_line(name, text, layout, width)
    return frame


def line_of_record(text: str, layout: TextLayout, record: int) -> int:
    """The line (from 1) on which a record (from 0) ends; the text is read once more for it."""
    for count, (line, _) in enumerate(_records(text, layout.delimiter, layout.skip)):
        if count == record:
            return line
    return 0


def blank_comments(text: str, layout: TextLayout) -> str:
    """The text without comment lines among the rows; empty lines stand in their places."""
    if "\n#" not in text and "\n " not in text:
        return text
    width = len(layout.names)

    def blank(match: re.Match[str]) -> str:
        line = match.group()
        return line if line.strip() and len(_cells(line, layout.delimiter)) == width else ""

    return re.sub(r"(?m)^(#[^\n]*| +)$", blank, text)


def _first_line(text: str) -> tuple[int, str]:
    """The number of blank and comment lines at the start, and the last comment."""
    comment = ""
    for count, line in enumerate(io.StringIO(text)):
        if line.startswith("#"):
            comment = line.strip()
        elif line.strip():
            return count, comment
    return 0, ""


def _found_delimiter(sample: list[str]) -> str:
    """The delimiter that cuts the first line, and most other lines as it cuts the first."""
    best, most = ",", 0.0
    for delimiter in DELIMITERS:
        widths = [len(_cells(line, delimiter)) for line in sample]
        share = sum(width == widths[0] for width in widths) / len(widths)
        if widths[0] > 1 and share > most:
            best, most = delimiter, share
    if not most:
        widths = [len(line.split()) for line in sample]
        if len(widths) > 1 and min(widths) == max(widths) > 1:
            return " "
    return best


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    try:
        found = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return [line]
    return [cell.strip() for cell in found]


def _first_record(name: str, text: str, delimiter: str, skip: int) -> tuple[list[str], int]:
    """The cells of the first row that holds any, and the line on which it ends."""
    try:
        for line, cells in _records(text, delimiter, skip):
            if any(cell.strip() for cell in cells):
                return [cell.strip() for cell in cells], line
    except UserError as error:
        raise UserError(f"{name}, {error}") from None
    raise UserError(f"{name}: the first line holds no names")


def _looks_like_values(cells: list[str]) -> bool:
    """Whether a line holds values: numbers only, or a number with a fraction."""
    numbers = [cell for cell in cells if _is_number(cell)]
    return bool(numbers) and (len(numbers) == len(cells) or any("." in c for c in numbers))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _width(text: str, layout: TextLayout) -> int:
    """The number of cells of a row: that of the names, or one more where all first rows say so."""
    head = _records(text[:_HEAD_CHARACTERS], layout.delimiter, layout.skip)
    widths = {len(cells) for _, cells in islice(head, _SAMPLE_RECORDS)}
    named = len(layout.names)
    return named + 1 if widths == {named + 1} else named


def _text_columns(
    text: str, layout: TextLayout, width: int, texts: Collection[str] | None, last: bool
) -> dict[int, type]:
    """The columns that pandas leaves as they are written, by their places."""
    names = layout.names
    if texts is None:
        return dict.fromkeys(range(width), str)
    wanted = {*texts, *([name for name in names if name][-1:] if last else [])}
    # Where rows are longer than the header, the names may belong to either end.
    shifts = {0, width - len(names)}
    found = {j + shift for j, name in enumerate(names) if name in wanted for shift in shifts}
    return dict.fromkeys(found | _truth_columns(text, layout), str)


def _truth_columns(text: str, layout: TextLayout) -> set[int]:
    """Columns of true and false, which keep the way they are written."""
    _, first = next(_records(text[:_HEAD_CHARACTERS], layout.delimiter, layout.skip), (0, []))
    return {j for j, cell in enumerate(first) if cell.strip().lower() in _TRUTH_WORDS}


def _records(
    text: str, delimiter: str, skip: int, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, after some lines, with the lines on which they end."""
    lines = islice(io.StringIO(text), skip, None)
    if delimiter == " ":
        for line, row in enumerate(lines, start=skip + 1):
            if row.strip():
                yield line, row.split()
        return
    reader = csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=True)
    try:
        for cells in reader:
            if cells:
                yield skip + reader.line_num, cells
    except csv.Error as error:
        what = "a quotation mark is never closed" if "end of data" in str(error) else str(error)
        raise UserError(f"line {skip + reader.line_num}: {what}") from None


def _refuse_bad_line(
    name: str, text: str, layout: TextLayout, width: int, *, strict: bool = False
) -> None:
    """Name the first line that has another number of cells, or a quotation mark too many."""
    try:
        for line, cells in _records(text, layout.delimiter, layout.skip, strict=strict):
            if len(cells) != width:
                raise UserError(f"line {line}: {len(cells)} cells where the first line has "
                                f"{len(layout.names)}")  # fmt: skip
    except UserError as error:
        raise UserError(f"{name}, {error}") from None
