"""What a column of texts holds: numbers in one of the usual ways of writing them, dates, or words.

    1,5   1.234,5   1 234.5   1'234   12%   $3.50   3,50 EUR       numbers
    2024-03-01   1.3.2024   03/01/2024 12:30                       dates, as days since 1970
    none   NA   red                                                words

A column is read in one way throughout; a few texts that do not fit are taken for mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen._core import Floats

MISSING_ANYWHERE = frozenset({"", "?", "nan", "n/a", "#n/a", "null", "<na>"})
MISSING_IN_NUMBERS = MISSING_ANYWHERE | {"na", "none", "nil", "-", "--", "."}
_CURRENCIES = r"[$€£¥]|EUR|USD|GBP|CHF|JPY"
_GROUPS = {".": r"[,' \u00a0\u202f]", ",": r"[.' \u00a0\u202f]"}  # thousands, by decimal mark
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")
_CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M:%S%z", " %H:%M:%S.%f", "T%H:%M:%S.%f")
_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y")
_SECONDS_PER_DAY = 86400.0  # Seconds of a day without a change of the clocks.


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : str
        The decimal mark.
    sign : str
        "%", a currency, or nothing.
    grouped : bool
        Whether thousands are separated.
    commas : bool
        Whether commas are decimal marks.
    sure : bool
        Whether the texts allow no other decimal mark.
    """

    decimal: str
    sign: str
    grouped: bool
    commas: bool
    sure: bool

    def __str__(self) -> str:
        parts = ["decimal commas"] if self.commas else []
        parts += ["thousands separators"] if self.grouped else []
        parts += [f"the sign {self.sign}"] if self.sign else []
        return " and ".join(parts) or "numbers"


def is_missing_text(text: str, na: Sequence[str] | None, marks: frozenset[str]) -> bool:
    """Whether a cell is empty, or holds one of the marks for a missing value."""
    return not text or (text in na if na is not None else text.lower() in marks)


def as_numbers(texts: Sequence[str], decimal: str | None) -> tuple[Floats, NumberFormat]:
    """The numbers in some texts, NaN where there is none, and how they are written.

    Parameters
    ----------
    texts : sequence of str
        Different texts, without the marks of missing values.
    decimal : str or None
        The decimal mark where the texts themselves allow both.

    Examples
    --------
    >>> as_numbers(["1,5", "22,25"], None)[0].tolist()
    [1.5, 22.25]
    >>> numbers, written = as_numbers(["$1,200", "$3.50"], None)
    >>> numbers.tolist(), str(written)
    ([1200.0, 3.5], 'thousands separators and the sign $')
    """
    bare, sign = _without_sign(texts)
    found = {mark: _parsed(bare, mark) for mark in ".,"}
    counts = {mark: int(np.isfinite(numbers).sum()) for mark, numbers in found.items()}
    sure = counts["."] != counts[","]
    chosen = max(".,", key=lambda mark: counts[mark]) if sure else (decimal or ".")
    group = re.compile(rf"\d{_GROUPS[chosen]}\d")
    grouped = any(group.search(text) for text in bare)
    commas = chosen == "," and any("," in text for text in bare)
    return found[chosen], NumberFormat(chosen, sign, grouped, commas, sure)


def as_days(texts: Sequence[str], form: str | None = None) -> tuple[Floats, str, bool] | None:
    """Dates as days since 1970, their format, and whether no other format fits; None for others.

    Examples
    --------
    >>> as_days(["2024-03-01", "2024-02-29"])[0].tolist()
    [19783.0, 19782.0]
    >>> as_days(["red"]) is None
    True
    """
    if not texts or not all(_DATE.match(text) for text in texts[:20]):
        return None
    fits = []
    for candidate in [form] if form else [day + clock for day in _DAYS for clock in _CLOCKS]:
        days = _days(texts, candidate)
        if days is not None:
            fits.append((days, candidate))
    return (*fits[0], len(fits) == 1) if fits else None


def days_of(times: Any) -> Floats:
    """Times of pandas as days since 1970, NaN where missing."""
    import pandas

    epoch = pandas.Timestamp(0, tz=times.dt.tz)
    return np.asarray((times - epoch).dt.total_seconds() / _SECONDS_PER_DAY, dtype=np.float64)


def _days(texts: Sequence[str], form: str) -> Floats | None:
    import pandas

    try:
        times = pandas.to_datetime(pandas.Series(list(texts)), format=form, utc="%z" in form)
    except (ValueError, TypeError):
        return None
    return days_of(times)


def _without_sign(texts: Sequence[str]) -> tuple[list[str], str]:
    """Texts without their per cent sign or currency; per cent only where all have it."""
    if texts and all(text.endswith("%") for text in texts):
        return [text[:-1].rstrip() for text in texts], "%"
    before = re.compile(rf"^([-+]?)\s*({_CURRENCIES})\s*(?=[-+\d.,])")
    after = re.compile(rf"(?<=\d)\s*({_CURRENCIES})$")
    signs, bare = set(), []
    for text in texts:
        found = before.search(text) or after.search(text)
        if found:
            signs.add(found.groups()[-1])
            text = before.sub(r"\1", after.sub("", text))
        bare.append(text)
    return bare, "/".join(sorted(signs))


def _parsed(texts: Sequence[str], decimal: str) -> Floats:
    """Numbers written with a decimal mark and perhaps thousands separators, NaN for other texts."""
    plain = _plain_numbers(texts, decimal)
    if plain is not None:
        return plain
    mark = re.escape(decimal)
    shape = re.compile(
        rf"[-+]?(?:[1-9]\d{{0,2}}(?:(?P<g>{_GROUPS[decimal]})\d{{3}})(?:(?P=g)\d{{3}})*|\d*)"
        rf"(?:{mark}\d*)?(?:[eE][-+]?\d+)?"
    )
    group = re.compile(_GROUPS[decimal])
    out = np.full(len(texts), np.nan)
    for i, text in enumerate(texts):
        if shape.fullmatch(text) or text.lower() in ("inf", "-inf", "infinity", "-infinity"):
            try:
                out[i] = float(group.sub("", text).replace(decimal, "."))
            except ValueError:
                continue
    return out


def _plain_numbers(texts: Sequence[str], decimal: str) -> Floats | None:
    """The numbers at once, where no text has thousands separators or anything else; or None."""
    other = "." if decimal == "," else ","
    if any(other in text or "_" in text for text in texts):
        return None
    try:
        return np.array([float(text.replace(decimal, ".")) for text in texts], dtype=np.float64)
    except ValueError:
        return None
