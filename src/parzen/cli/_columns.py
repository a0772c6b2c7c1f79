"""Columns of a table as numbers, categories and dates, and what was found out about them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli._cells import (
    MISSING_ANYWHERE,
    MISSING_IN_NUMBERS,
    as_days,
    as_numbers,
    days_of,
    is_missing_text,
)
from parzen.cli._errors import UserError
from parzen.cli._options import Reading
from parzen.cli._tables import RawTable, Source, read_raw


@dataclass(frozen=True)
class InputColumn:
    """A column that was understood.

    Attributes
    ----------
    values : array of shape (n,)
        Floats, NaN where missing; or texts, None where missing.
    kind : {"number", "category", "date"}
        What it holds; a date is the number of days since 1970.
    form : str
        The format of dates.
    """

    values: NDArray[Any]
    kind: str
    form: str = ""


@dataclass
class Remarks:
    """What the reader has to tell the user about the columns, by kind of remark."""

    written: dict[str, list[str]] = field(default_factory=dict)
    dates: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """One line for each kind of remark."""
        lines = [
            f"numbers with {how}"
            f"{' (--decimal)' if 'comma' in how or 'thousand' in how else ''}: {listed(names)}"
            for how, names in self.written.items()
        ]
        if self.dates:
            lines.append(f"dates become days since 1970: {listed(self.dates)}")
        return lines + self.values


class InputColumns:
    """The columns of a table, understood one by one on demand.

    Parameters
    ----------
    source : Source
        The file.
    reading : Reading
        What the user said about it.
    kinds : mapping of str to str, default={}
        Columns whose kind is known.
    forms : mapping of str to str, default={}
        Formats of dates that are known.
    label : str or None, default=""
        The column of labels, which is left as it is written; None for the last one.
    decimal : str or None, default=None
        The decimal mark to assume where the file allows both.
    """

    def __init__(
        self,
        source: Source,
        reading: Reading,
        *,
        kinds: Mapping[str, str] | None = None,
        forms: Mapping[str, str] | None = None,
        label: str | None = "",
        decimal: str | None = None,
    ) -> None:
        self.reading, self.kinds, self.forms = reading, dict(kinds or {}), dict(forms or {})
        texts = [name for name, kind in self.kinds.items() if kind == "category"]
        texts += [label] if label else []
        commas = reading.decimal == ","
        self.table: RawTable = read_raw(
            source, reading, texts=None if commas else texts, last=label is None
        )
        self.label = self.names[-1] if label is None else label
        if reading.decimal is None and self._has_decimal_commas():
            commas = True
            self.table = read_raw(source, reading, texts=None)
        likely = "," if commas or self.table.commas else decimal
        self.decimal = reading.decimal or likely
        self.remarks = Remarks()
        self._known: dict[str, InputColumn] = {}

    @property
    def names(self) -> list[str]:
        """All columns of the file."""
        return list(self.table.frame.columns)

    def __len__(self) -> int:
        return len(self.table.frame)

    def column(self, name: str) -> InputColumn:
        """A column as numbers, dates or categories."""
        if name not in self._known:
            self._known[name] = self._column(name)
        return self._known[name]

    def _column(self, name: str) -> InputColumn:
        series, kind = self.table.frame[name], self.kinds.get(name)
        plain = _typed(series)
        if plain is not None and kind != "category":
            if plain.kind == "date":
                self.remarks.dates.append(name)
            return plain
        texts = as_texts(series)
        if kind == "category":
            return InputColumn(self._present(texts, MISSING_ANYWHERE), "category")
        return self._understood(name, texts, kind)

    def texts(self, name: str) -> NDArray[Any]:
        """A column as it is written, None where missing."""
        return self._present(as_texts(self.table.frame[name]), MISSING_ANYWHERE)

    def place(self, row: int, name: str) -> str:
        """The file, line and column of a cell."""
        record = int(self.table.frame.index[row])
        return f"{self.table.name}, {self.table.place(record)}, column {name!r}"

    def _has_decimal_commas(self) -> bool:
        """Whether some column of numbers cannot be read but with decimal commas."""
        for name in self.names:
            series = self.table.frame[name]
            if name == self.label or self.kinds.get(name) == "category" or series.dtype != object:
                continue
            texts = _different(self._present(as_texts(series), MISSING_IN_NUMBERS))
            numbers, written = as_numbers(texts, None)
            if texts and np.isfinite(numbers).all() and written.sure and written.decimal == ",":
                return True
        return False

    def _present(self, texts: NDArray[Any], marks: frozenset[str]) -> NDArray[Any]:
        """Texts, None where a cell is empty or holds a mark of a missing value."""
        gone = [t for t in {*texts} - {None} if is_missing_text(t, self.reading.na, marks)]
        if not gone:
            return texts
        return np.array([None if t in gone else t for t in texts], dtype=object)

    def _understood(self, name: str, texts: NDArray[Any], kind: str | None) -> InputColumn:
        present = self._present(texts, MISSING_IN_NUMBERS)
        different = _different(present)
        if not different:
            return InputColumn(np.full(len(texts), np.nan), "number")
        if kind != "number":
            found = as_days(different, self.forms.get(name))
            if found is not None:
                days, form, sure = found
                guess = "" if sure else ", a guess"
                self.remarks.dates.append(f"{name} ({_in_words(form)}{guess})")
                return InputColumn(_mapped(present, different, days), "date", form)
        if kind == "date":
            row = next(i for i, t in enumerate(present) if t is not None
                       and as_days([t], self.forms.get(name)) is None)  # fmt: skip
            raise UserError(f"{self.place(row, name)}: {shown(present[row])} is no date as in the "
                            f"data of the model ({self.forms.get(name)})")  # fmt: skip
        numbers, written = as_numbers(different, self.decimal)
        values = _mapped(present, different, numbers)
        bad = np.isnan(values) & ~is_missing(present)
        if not bad.any():
            if str(written) != "numbers":
                self.remarks.written.setdefault(str(written), []).append(name)
            return InputColumn(values, "number")
        n_good = sum(t is not None for t in present) - int(bad.sum())
        if kind == "number" or n_good > bad.sum():
            row = int(np.flatnonzero(bad)[0])
            cure = "" if kind == "number" else (
                f", read the column as categories: --categorical {name}, or take the text for a "
                f"missing value: --na {present[row]}")  # fmt: skip
            raise UserError(f"{self.place(row, name)}: {shown(present[row])} is not a number; "
                            f"correct it{cure}")  # fmt: skip
        return self._category(name, texts)

    def _category(self, name: str, texts: NDArray[Any]) -> InputColumn:
        present = self._present(texts, MISSING_ANYWHERE)
        if self.reading.na is None:
            doubtful = MISSING_IN_NUMBERS - MISSING_ANYWHERE
            for text in _different(present):
                if text.lower() in doubtful:
                    self.remarks.values.append(
                        f"column {name!r}: {text!r} counts as a value (--na {text} for missing)"
                    )
        return InputColumn(present, "category")


def as_texts(series: Any) -> NDArray[Any]:
    """The cells as texts without spaces around them, None where there is nothing."""
    import pandas

    codes, different = pandas.factorize(series)
    texts = np.array([*(_text_of(value) for value in different), None], dtype=object)
    return np.asarray(texts[codes])  # the code of what is missing is -1, the last


def is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which entries of a column are missing."""
    if values.dtype == object:
        return np.array([value is None for value in values], dtype=bool)
    return np.asarray(np.isnan(values))


def listed(names: Sequence[str]) -> str:
    """Names on one line, the first dozen of them."""
    return ", ".join([*names[:12], f"and {len(names) - 12} more"] if len(names) > 12 else names)


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A question that names the column of nearly the same name, if there is one."""
    by_folded_name = {other.casefold(): other for other in names}
    similar = get_close_matches(name.casefold(), by_folded_name, n=1)
    return f" (did you mean {by_folded_name[similar[0]]!r}?)" if similar else ""


def shown(text: str) -> str:
    """A text in quotation marks, shortened."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _typed(series: Any) -> InputColumn | None:
    """A column that comes with a type: numbers or times. None for texts and truth values."""
    import pandas

    types = pandas.api.types
    if series.dtype == object:
        present = {type(v) for v in series[series.notna()]}
        if present and all(issubclass(t, int | float) and t is not bool for t in present):
            series = pandas.to_numeric(series)
        elif present and all(issubclass(t, datetime | date) for t in present):
            series = pandas.to_datetime(series)
        else:
            return None
    if types.is_bool_dtype(series.dtype):
        return None
    if types.is_numeric_dtype(series.dtype):
        return InputColumn(np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan)), "number")
    if types.is_datetime64_any_dtype(series.dtype):
        return InputColumn(days_of(series), "date")
    if types.is_timedelta64_dtype(series.dtype):
        return InputColumn(np.asarray(series.dt.total_seconds(), dtype=np.float64), "number")
    return None


def _text_of(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def _different(texts: Collection[Any]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text is not None]


def _mapped(
    texts: NDArray[Any], different: list[str], numbers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The number that each text stands for, NaN where a text is missing."""
    value = dict(zip(different, numbers.tolist(), strict=True))
    return np.array([np.nan if t is None else value[t] for t in texts], dtype=np.float64)


def _in_words(form: str) -> str:
    """A format of dates for a reader: "%Y-%m-%dT%H:%M:%S" is year-month-day time."""
    for code, word in {"%Y": "year", "%m": "month", "%d": "day", "%H:%M": "time"}.items():
        form = form.replace(code, word)
    return re.sub("%[Sfz]", "", form).replace("T", " ").rstrip(":. ")
