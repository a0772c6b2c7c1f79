"""What a reproduction returns: tables whose cells hold our figure beside the printed one.

    z = (ours - printed) / sqrt(sd^2 / n + printed_sd^2 / printed_n + rounding^2)

Splits overlap, so these standard errors are too small; |z| above 3 is worth an explanation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from textwrap import fill
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.compare import write_atomically
from parzen.papers.engine.explanation import KnownDifference, filled
from parzen.papers.engine.provenance import Provenance

_FORMAT_VERSION = 2  # Version of the format of stored results.
# Percent of draws. A printed figure of one draw is explained by the draw if at least so many of
# ours are like it, or as far from their mean.
COMMON_SHARE = 5.0


@dataclass(frozen=True)
class Cell:
    """A figure of ours, and the printed one.

    Attributes
    ----------
    mean, sd : float
        Over the splits; ``sd`` None for a single number.
    n : int
        Number of splits.
    printed, printed_sd : float or None
        As in the paper.
    printed_n : int
        Splits behind the printed figure.
    digits : int
        Digits after the point, which also say how far the printed figure is rounded.
    agrees : bool or None
        Whether ours and the printed figure say the same, where no deviation can tell.
    values : list of float or None
        Of every split, to four digits after the point.
    parameters : dict or None
        Which the method had.

    Examples
    --------
    >>> cell = Cell.of([10.0, 11.0, 12.0], printed=10.0, printed_sd=1.0, printed_n=3)
    >>> cell.text(), round(cell.z, 2)
    ('11.0±1.0 (10.0, +1.2)', 1.22)
    """

    mean: float
    sd: float | None = None
    n: int = 1
    printed: float | None = None
    printed_sd: float | None = None
    printed_n: int = 1
    digits: int = 1
    agrees: bool | None = None
    values: list[float] | None = None
    parameters: dict[str, Any] | None = None

    @classmethod
    def of(cls, values: ArrayLike, **printed: Any) -> Self:
        """From the values of all splits."""
        v = np.asarray(values, dtype=np.float64)
        sd = float(v.std(ddof=1)) if len(v) > 1 else None
        return cls(float(v.mean()), sd, len(v), values=v.round(4).tolist(), **printed)

    @property
    def z(self) -> float | None:
        """The difference in its standard errors, None without a printed figure or a spread."""
        if self.printed is None or self.sd is None:
            return None
        variance = self.sd**2 / self.n + 10.0 ** (-2 * self.digits) / 12
        if self.printed_sd is not None:
            variance += self.printed_sd**2 / self.printed_n
        return float((self.mean - self.printed) / np.sqrt(variance))

    @property
    def is_met(self) -> bool | None:
        """Whether ours is within one standard deviation of the printed figure; None without one.

        The deviation is the printed one, or ours where none is printed; numbers without either
        must be equal as they are printed.
        """
        if self.printed is None or self.agrees is not None:
            return self.agrees
        deviation = self.printed_sd if self.printed_sd is not None else self.sd
        rounding = 0.5 * 10.0**-self.digits
        return abs(self.mean - self.printed) <= max(deviation or 0.0, rounding) + 1e-9

    def text(self) -> str:
        """Mean and deviation; in brackets the printed figure and z."""
        own = f"{self.mean:.{self.digits}f}"
        if self.sd is not None:
            own += f"±{self.sd:.{self.digits}f}"
        if self.printed is None:
            return own
        z = "" if self.z is None else f", {self.z:+.1f}"
        return f"{own} ({self.printed:.{self.digits}f}{z})"


@dataclass(frozen=True)
class TableRow:
    """A named row; columns may be missing."""

    name: str
    cells: dict[str, Cell]
    note: str = ""

    def joined(self, newer: Self) -> Self:
        """The newer row, with the cells of this one that it lacks."""
        lacking = set(self.cells) - set(newer.cells)
        is_other = lacking and self.note not in ("", newer.note)
        note = f"{newer.note}; earlier run: {self.note}" if is_other else newer.note
        return replace(newer, cells={**self.cells, **newer.cells}, note=note)


@dataclass(frozen=True)
class Table:
    """A table of a paper, computed anew.

    Attributes
    ----------
    number : str
        As in the paper, or a name for tables beyond it.
    title : str
        What it shows, with the unit.
    columns : list of str
        In order.
    rows : list of TableRow
        One per data set, as a rule.
    notes : list of str
        What the run has to say: protocol and deviations.
    skipped : dict of str to str
        Rows that could not be computed here, and why.
    explanations : list of KnownDifference
        What is known about differences from the printed figures. They belong to the paper, and are
        no part of a stored result.
    provenance : Provenance or None
        How it was made; None in results of an older format.
    explains : str
        Tables whose cells of the same name are explained where those here are met: "2,3".
    shows_parameters : bool
        Whether the parameters stand in the cells.
    is_compared : bool
        Whether its cells count as met or not; times of another machine do not.
    """

    number: str
    title: str
    columns: list[str]
    rows: list[TableRow]
    notes: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    explanations: list[KnownDifference] = field(default_factory=list)
    provenance: Provenance | None = None
    explains: str = ""
    shows_parameters: bool = False
    is_compared: bool = True

    def joined(self, newer: Self) -> Self:
        """The newer table, with the cells and rows of this one that it lacks."""
        own = {row.name: row for row in self.rows}
        new = {row.name: row for row in newer.rows}
        rows = [
            own[name].joined(new[name]) if name in own and name in new else row
            for name, row in (own | new).items()
        ]
        columns = list(dict.fromkeys([*self.columns, *newer.columns]))
        left_out = {name: why for name, why in newer.skipped.items() if name not in own}
        return replace(newer, rows=rows, columns=columns, skipped=left_out)

    def remarks(self) -> list[str]:
        """All that is said below the table."""
        left_out = [f"Left out: {name}: {reason}" for name, reason in self.skipped.items()]
        return [*self.notes, *(e.text for e in self.explanations), *left_out]

    def cells(self) -> list[list[str]]:
        """The head and the rows as text."""
        body = [
            [row.name, *(self.shown(row.cells[c]) if c in row.cells else "" for c in self.columns)]
            for row in self.rows
        ]
        notes = [row.note for row in self.rows]
        if any(notes):
            return [["", *self.columns, "splits"], *([*b, n] for b, n in zip(body, notes))]
        return [["", *self.columns], *body]

    def shown(self, cell: Cell) -> str:
        """A cell as text, with its parameters where the table shows them."""
        if not (self.shows_parameters and cell.parameters):
            return cell.text()
        listed = ", ".join(f"{name} {value:g}" for name, value in cell.parameters.items())
        return f"{cell.text()} at {listed}"

    def text(self) -> str:
        """The table in columns of equal width, with its notes."""
        lines = self.cells()
        widths = [max(map(len, column)) for column in zip(*lines)]
        shown = ["  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in lines]
        remarks = [fill(remark, 100) for remark in self.remarks()]
        return "\n".join([f"Table {self.number}. {self.title}", *shown, *remarks])

    def _meets(self, row: str, column: str) -> bool:
        return any(r.name == row and column in r.cells and r.cells[column].is_met is True
                   for r in self.rows)  # fmt: skip

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The inverse of ``dataclasses.asdict``."""
        rows = [
            TableRow(r["name"], {c: Cell(**v) for c, v in r["cells"].items()}, r["note"])
            for r in plain["rows"]
        ]
        made = plain.get("provenance")
        return cls(**{**plain, "rows": rows, "provenance": made and Provenance(**made)})


@dataclass(frozen=True)
class Figure:
    """A figure of a paper: files, and what is seen in numbers."""

    number: str
    title: str
    files: list[str]
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The title, the files and the numbers."""
        return "\n".join([f"Figure {self.number}. {self.title}", *self.files, *self.notes])


@dataclass(frozen=True)
class Reproduction:
    """Tables and figures of one paper, how they were made, and with what."""

    paper: str
    title: str
    command: str
    versions: dict[str, str]
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    def text(self) -> str:
        """All of it for a terminal."""
        items: Sequence[Table | Figure] = [*self.tables, *self.figures]
        return "\n\n".join([self.title, *(item.text() for item in items)])

    def table(self, number: str | int) -> Table:
        """A table by its number."""
        found = [t for t in self.tables if t.number == str(number)]
        if not found:
            raise LookupError(f"table {number} is not in this reproduction of {self.paper!r}.")
        return found[0]

    def standing(self, number: str) -> dict[tuple[str, str], str]:
        """Of every cell of a table with a printed figure: "met", "explained" or "open".

        A cell is explained by a sentence that names it, or by a run that was made to explain the
        table and meets the printed figure.
        """
        table = self.table(number)
        runs = [t for t in self.tables if number in t.explains.split(",")]
        found = {}
        for row in table.rows if table.is_compared else ():
            for column, cell in row.cells.items():
                place = (row.name, column)
                if cell.is_met:
                    found[place] = "met"
                elif cell.is_met is False:
                    said = any(e.covers(*place) and not e.is_open for e in table.explanations)
                    met = any(run._meets(*place) for run in runs)
                    found[place] = "explained" if said or met else "open"
        return found

    def with_numbers(self) -> Self:
        """The same with the places in its explanations filled in."""
        tables = [
            replace(t, explanations=[replace(e, text=self.filled(e.text)) for e in t.explanations])
            for t in self.tables
        ]
        return replace(self, tables=tables)

    def filled(self, text: str) -> str:
        """A text with the numbers of this result in its places."""
        return filled(text, self._number)

    def _number(self, number: str, row: str, column: str, is_printed: bool) -> str:
        cells = {(t.number, r.name): r.cells for t in self.tables for r in t.rows}
        cell = cells.get((number, row), {}).get(column)
        value = None if cell is None else cell.printed if is_printed else cell.mean
        return "(not run)" if cell is None or value is None else f"{value:.{cell.digits}f}"

    def save(self, path: Path | str) -> None:
        """Write JSON, whole or not at all."""
        plain = asdict(self)
        for table in plain["tables"]:
            del table["explanations"]
            for row in table["rows"]:
                row["cells"] = {
                    column: {k: v for k, v in cell.items() if v is not None}
                    for column, cell in row["cells"].items()
                }
        plain["format"] = _FORMAT_VERSION
        text = json.dumps(plain, indent=1, ensure_ascii=False)
        flat = re.sub(r"\[[-\d.,e\s]+\]", lambda found: " ".join(found[0].split()), text)
        write_atomically(Path(path), flat + "\n")

    def joined(self, newer: Self, tables: Sequence[str], figures: Sequence[str]) -> Self:
        """Both, with the newer cells in the place of the older, in the order of the numbers."""
        by_table = {t.number: t for t in self.tables}
        for table in newer.tables:
            old = by_table.get(table.number)
            by_table[table.number] = table if old is None else old.joined(table)
        by_figure = {f.number: f for f in (*self.figures, *newer.figures)}
        return replace(
            newer,
            tables=[by_table[n] for n in tables if n in by_table],
            figures=[by_figure[n] for n in figures if n in by_figure],
        )

    @classmethod
    def from_json(
        cls, plain: dict[str, Any], known: Mapping[str, Sequence[KnownDifference]]
    ) -> Self:
        """Rebuild what ``save`` wrote, with the explanations that are ``known`` today by table."""
        mixed = plain.pop("format", 1) < _FORMAT_VERSION  # explanations stood among the notes
        tables = []
        for table in plain["tables"]:
            words = list(known.get(table["number"], ()))
            notes = [] if mixed and words else table["notes"]
            tables.append(Table.from_dict({**table, "notes": notes, "explanations": words}))
        figures = [Figure(**f) for f in plain["figures"]]
        return cls(**{**plain, "tables": tables, "figures": figures}).with_numbers()
