"""The report of a reproduction: its tables, its figures, and the command that made them."""

from __future__ import annotations

from pathlib import Path

from parzen.papers.engine import Figure, Reproduction, Table, TableRow
from parzen.report.page import Entry, Page
from parzen.report.svg import bare_svg


def reproduction_page(found: Reproduction, folder: Path) -> Page:
    """A page with the tables and figures of a paper; figures that are SVG files are put into it.

    Parameters
    ----------
    found : Reproduction
        What :func:`parzen.papers.reproduce` returned.
    folder : path
        Where its files are.
    """
    page = Page(found.title)
    for table in found.tables:
        _add_table(page, table)
    for figure in found.figures:
        _add_figure(page, figure, folder)
    page.heading("To repeat it").code(found.command)
    page.paragraph(", ".join(f"{k} {v}" for k, v in found.versions.items()), note=True)
    return page


def _add_table(page: Page, table: Table) -> None:
    page.heading(f"Table {table.number}. {table.title}")
    page.table(["", *table.columns], [_cells(row, table.columns) for row in table.rows])
    page.paragraph(
        "Ours, in brackets the printed figure and the difference in standard errors.", note=True
    )
    if table.remarks():
        page.items(table.remarks())


def _cells(row: TableRow, columns: list[str]) -> list[Entry]:
    shown = [
        Entry(row.cells[c].text(), row.cells[c].mean) if c in row.cells else Entry("", "")
        for c in columns
    ]
    return [Entry(f"{row.name} ({row.note})" if row.note else row.name), *shown]


def _add_figure(page: Page, figure: Figure, folder: Path) -> None:
    page.heading(f"Figure {figure.number}. {figure.title}")
    for name in figure.files:
        path = folder / Path(name).name
        if path.suffix == ".svg" and path.is_file():
            page.figure(bare_svg(path.read_text(encoding="utf-8")), figure.title)
        else:
            page.paragraph(str(name), note=True)
    if figure.notes:
        page.items(figure.notes)
