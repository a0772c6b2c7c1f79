"""The page of a paper: what it proposes, how far its figures are met, tables, figures.

One function says what stands on it; a `Page` turns it into HTML, a `MarkdownPage` into Markdown for
the documentation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parzen.papers import paper
from parzen.papers.engine import Cell, Figure, Reproduction, Table, TableRow
from parzen.report.markdown import MarkdownPage
from parzen.report.page import Entry, Page

NOT_RUN = "(not run)"  # stands in a text for a number that was not computed
COUNTS = ["table", "printed numbers", "met", "explained", "open", "met or explained"]
_LEGEND = (
    "A cell of the tables below holds our number: the mean over the splits and, after ±, its "
    "standard deviation. Brackets hold the printed number and, after a comma, the difference "
    "divided by its standard error, which is too small because splits share rows."
)
_MARKS = (
    "A number is met if it lies within one standard deviation of the printed one: the printed "
    "deviation, or ours where none is printed. Cells that are not met are in italics if a stored "
    "run or a known cause explains them, and bold if they are open."
)
_REPEAT = (
    "FOLDER is where the data sets lie that no package brings; without PARZEN_DATA they are left "
    "out."
)


def paper_page(found: Reproduction, folder: Path) -> Page:
    """A page in HTML; figures that are SVG files are put into it.

    Parameters
    ----------
    found : Reproduction
        What :func:`parzen.papers.reproduce` returned.
    folder : path
        Where its figures are.
    """
    page = Page(found.title)
    write_paper(page, found, folder)
    return page


def write_paper(page: Page | MarkdownPage, found: Reproduction, folder: Path) -> None:
    """Write all that is known of a paper onto a page."""
    about = paper(found.paper).about
    page.paragraph(about.proposes)
    if about.formula:
        page.formula(about.formula)
    page.paragraph(f"Estimators: {about.estimators}")
    page.paragraph(f"Protocol: {about.protocol}")
    counted = counts(found)
    if counted:
        page.heading("How far the printed numbers are met")
        page.table(COUNTS, counted)
        page.paragraph(_MARKS, note=True)
        page.paragraph(_LEGEND, note=True)
    shown: dict[str, list[list[str]]] = {}
    for table in found.tables:
        _add_table(page, table, found.standing(table.number), shown)
    for figure in found.figures:
        _add_figure(page, figure, folder)
    learnt = _known([found.filled(text) for text in about.learnt])
    if learnt:
        page.heading("Beyond the paper").items(learnt)
    page.heading("To repeat it").code("\n".join(_commands(found)))
    page.paragraph(_REPEAT)
    made_with = ", ".join(f"{k} {v}" for k, v in found.versions.items())
    page.paragraph(f"Last computed with {made_with}.", note=True)


def counts(found: Reproduction) -> list[list[str]]:
    """Of every table that has printed figures: how many are met, explained, open, as `COUNTS`."""
    rows = []
    for table in found.tables:
        kinds = Counter(found.standing(table.number).values())
        if kinds and not table.explains:
            numbers = [kinds[kind] for kind in ("met", "explained", "open")]
            rows.append([table.number, *with_total(numbers)])
    return rows


def with_total(numbers: Sequence[int]) -> list[str]:
    """All, then those that are met, explained and open, and the share of the first two.

    Examples
    --------
    >>> with_total([7, 2, 1])
    ['10', '7', '2', '1', '90.0 %']
    """
    met, explained, left = numbers
    total = met + explained + left
    share = f"{100 * (met + explained) / total:.1f} %" if total else ""
    return [str(total), *map(str, numbers), share]


def open_cells(found: Reproduction) -> list[tuple[str, str, str]]:
    """Table, cells and what was tried, for every group of cells that stays open.

    The cells are written as rows with their columns in brackets: "Iris (SVM; LS-SVM), Wine (SVM)".
    """
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for table in found.tables:
        if table.explains:
            continue
        for (row, column), kind in found.standing(table.number).items():
            if kind == "open":
                tried = [e.text for e in table.explanations if e.covers(row, column)]
                key = (table.number, " ".join(tried) or "Not explained.")
                groups.setdefault(key, {}).setdefault(row, []).append(column)
    return [
        (number, ", ".join(f"{row} ({'; '.join(names)})" for row, names in rows.items()), tried)
        for (number, tried), rows in groups.items()
    ]


def _commands(found: Reproduction) -> list[str]:
    """Of the whole paper, then of single tables as they were last computed."""
    whole = f"PARZEN_DATA=FOLDER parzen reproduce {found.paper}"
    made = [t.provenance.command for t in found.tables if t.provenance is not None]
    return list(dict.fromkeys([whole, *made]))


def _named(number: str) -> str:
    """The number that the paper gives, or a name of ours in quotes."""
    return number if number[0].isdigit() else f"'{number}'"


def _add_table(
    page: Page | MarkdownPage,
    table: Table,
    standing: dict[Any, str],
    shown: dict[str, list[list[str]]],
) -> None:
    """One table; ``shown`` collects the parameters that stand on the page already, by table."""
    page.heading(f"Table {_named(table.number)}. {table.title}")
    notes = any(row.note for row in table.rows)
    head = ["", *table.columns, *(["splits"] if notes else [])]
    if table.rows:
        page.table(head, [_cells(table, row, standing, notes) for row in table.rows])
    remarks = [*_known(table.remarks()), *_made(table)]
    if remarks:
        page.items(remarks)
    chosen = [] if table.shows_parameters else _parameters(table)
    same = [number for number, parameters in shown.items() if parameters == chosen]
    if chosen and same:
        page.paragraph(f"Parameters: as in Table {_named(same[0])}.", note=True)
    elif chosen:
        shown[table.number] = chosen
        page.paragraph("Parameters, medians where each split chooses its own:", note=True)
        page.table(chosen[0], chosen[1:])


def _known(texts: Sequence[str]) -> list[str]:
    """Without texts whose numbers were not computed in this run."""
    return [text for text in texts if NOT_RUN not in text]


def _made(table: Table) -> list[str]:
    """From which revision of the code a table is, and which of its cells are older."""
    if table.provenance is None:
        return []
    commit = table.provenance.commit
    changed = " and changes to it" if commit.endswith("+") else ""
    made = [f"Computed with revision {commit.rstrip('+')} of the code{changed}."] if commit else []
    old = {
        (row.name, column)
        for row in table.rows
        for column, cell in row.cells.items()
        if cell.sd is not None and cell.values is None
    }
    rows = [r.name for r in table.rows if all((r.name, c) in old for c in r.cells)]
    columns = [c for c in table.columns
               if all((r.name, c) in old for r in table.rows if c in r.cells)]  # fmt: skip
    if len(columns) == len(table.columns) or not old:
        return made
    parts = [f"the rows {'; '.join(rows)}"] if rows else []
    parts += [f"the columns {'; '.join(columns)}"] if columns else []
    return [*made, f"Of an earlier run: {', and '.join(parts) or 'some cells'}."]


def _cells(table: Table, row: TableRow, standing: dict[Any, str], notes: bool) -> list[Entry]:
    shown = [Entry(row.name)]
    for column in table.columns:
        cell = row.cells.get(column)
        mark = standing.get((row.name, column), "met")
        shown.append(
            Entry("", "")
            if cell is None
            else Entry(table.shown(cell), cell.mean, mark="" if mark == "met" else mark)
        )
    return [*shown, *([Entry(row.note)] if notes else [])]


def _parameters(table: Table) -> list[list[str]]:
    """Head and rows of the table of parameters, without empty rows and columns."""
    listed = {r.name: {c: _listed(r.cells.get(c)) for c in table.columns} for r in table.rows}
    columns = [c for c in table.columns if any(row[c] for row in listed.values())]
    rows = [[name, *(row[c] for c in columns)] for name, row in listed.items() if any(row.values())]
    return [["", *columns], *rows] if rows else []


def _listed(cell: Cell | None) -> str:
    chosen = {} if cell is None or cell.parameters is None else cell.parameters
    return ", ".join(f"{k} {_short(v)}" for k, v in chosen.items() if v is not None)


def _short(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_short(v) for v in value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _add_figure(page: Page | MarkdownPage, figure: Figure, folder: Path) -> None:
    page.heading(f"Figure {_named(figure.number)}. {figure.title}")
    for name in figure.files:
        page.picture(folder / Path(name).name, figure.title)
    if figure.notes:
        page.items(figure.notes)
