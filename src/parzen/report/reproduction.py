"""The page of a paper: what it proposes, how far its figures are met, tables, figures.

One function says what stands on it; a `Page` turns it into HTML, a `MarkdownPage` into Markdown for
the documentation.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from parzen.papers import paper
from parzen.papers.engine import Cell, Figure, Reproduction, Table, TableRow
from parzen.report.markdown import MarkdownPage
from parzen.report.page import Entry, Page

COUNTS = ["table", "printed figures", "within 1 sd", "explained", "open"]
_LEGEND = (
    "Ours, mean ± standard deviation over the splits; in brackets the printed figure and the "
    "difference in standard errors of both, which are too small because splits overlap."
)
_MARKS = (
    "A cell is met if it is within one printed standard deviation (ours where none is printed). "
    "Cells that are not met are set in italics if a stored run or a known cause explains them, and "
    "bold if they are open."
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
    if about is not None:
        page.paragraph(about.proposes)
        page.paragraph(f"Estimators: {about.estimators}")
        page.paragraph(f"Protocol: {about.protocol}")
    counted = counts(found)
    if counted:
        page.heading("How far the printed figures are met")
        page.table(COUNTS, counted)
        page.paragraph(_MARKS, note=True)
    for table in found.tables:
        _add_table(page, table, found.standing(table.number))
    for figure in found.figures:
        _add_figure(page, figure, folder)
    if about is not None and about.learnt:
        page.heading("Beyond the paper")
        page.items([found.filled(text) for text in about.learnt])
    page.heading("To repeat it").code("\n".join(_commands(found)))
    page.paragraph(", ".join(f"{k} {v}" for k, v in found.versions.items()), note=True)


def counts(found: Reproduction) -> list[list[str]]:
    """Of every table that has printed figures: how many are met, explained, open."""
    rows = []
    for table in found.tables:
        kinds = Counter(found.standing(table.number).values())
        if kinds and not table.explains:
            numbers = [kinds[kind] for kind in ("met", "explained", "open")]
            rows.append([table.number, *map(str, (sum(numbers), *numbers))])
    return rows


def open_cells(found: Reproduction) -> list[tuple[str, str, str]]:
    """Table, cells and what was tried, for every group of cells that stays open."""
    groups: dict[tuple[str, str], list[str]] = {}
    for table in found.tables:
        if table.explains:
            continue
        for (row, column), kind in found.standing(table.number).items():
            if kind == "open":
                tried = [e.text for e in table.explanations if e.covers(row, column)]
                key = (table.number, " ".join(tried) or "Not explained.")
                groups.setdefault(key, []).append(f"{row}, {column}")
    return [(number, "; ".join(cells), tried) for (number, tried), cells in groups.items()]


def _commands(found: Reproduction) -> list[str]:
    made = [t.provenance.command for t in found.tables if t.provenance is not None]
    return list(dict.fromkeys(made or [found.command]))


def _add_table(page: Page | MarkdownPage, table: Table, standing: dict[Any, str]) -> None:
    page.heading(f"Table {table.number}. {table.title}")
    notes = any(row.note for row in table.rows)
    head = ["", *table.columns, *(["splits"] if notes else [])]
    page.table(head, [_cells(table, row, standing, notes) for row in table.rows])
    if any(c.printed is not None for row in table.rows for c in row.cells.values()):
        page.paragraph(_LEGEND, note=True)
    older = any(c.sd is not None and c.values is None for r in table.rows for c in r.cells.values())
    remarks = table.remarks()
    if table.provenance is not None:
        old = ["Cells without values of the splits are of an earlier run."] if older else []
        made = [f"Made at {table.provenance.commit}."] if table.provenance.commit else []
        remarks = [*remarks, *old, *made]
    if remarks:
        page.items(remarks)
    chosen = [_parameters(row, table.columns) for row in table.rows]
    if not table.shows_parameters and any(entry for row in chosen for entry in row[1:]):
        page.paragraph("Parameters, medians where each split chooses its own:", note=True)
        page.table(["", *table.columns], chosen)


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


def _parameters(row: TableRow, columns: list[str]) -> list[str]:
    return [row.name, *(_listed(row.cells.get(c)) for c in columns)]


def _listed(cell: Cell | None) -> str:
    chosen = {} if cell is None or cell.parameters is None else cell.parameters
    return ", ".join(f"{k} {_short(v)}" for k, v in chosen.items() if v is not None)


def _short(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_short(v) for v in value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _add_figure(page: Page | MarkdownPage, figure: Figure, folder: Path) -> None:
    page.heading(f"Figure {figure.number}. {figure.title}")
    for name in figure.files:
        page.picture(folder / Path(name).name, figure.title)
    if figure.notes:
        page.items(figure.notes)
