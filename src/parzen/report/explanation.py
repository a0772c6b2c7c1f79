"""The page of explained rows: what each row says, and which rows and columns decided its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from parzen.evidence import Explanation
from parzen.plots import ExplanationDisplay
from parzen.report.page import Entry, Page, figure_svg


def explanation_page(
    title: str,
    found: Mapping[int, Explanation],
    columns: Sequence[str],
    values: Sequence[Mapping[str, str]],
) -> Page:
    """A page with the evidence for the labels of some rows.

    Parameters
    ----------
    title : str
        The page's title.
    found : dict of int to `parzen.evidence.Explanation`
        The evidence, by the number of the row.
    columns : list of str
        Names of the columns whose effects it has.
    values : list of dict of str to str
        What each of these rows holds, by the names of the columns in the table.
    """
    page = Page(title)
    for (row, one), entries in zip(found.items(), values, strict=True):
        page.heading(f"Row {row}: {one.label}, not {one.rival}")
        page.paragraph(f"The log-odds of {one.label} over {one.rival} are {one.log_odds:.3g}.")
        page.table(["column", "value"], [[name, Entry(text)] for name, text in entries.items()])
        display = ExplanationDisplay(explanation=one, columns=list(columns)).plot()
        page.figure(
            figure_svg(display.figure_),
            f"Row {row}: shares of training rows for {one.label} and for {one.rival}, and effects "
            "of columns on the log-odds.",
        )
        page.table(["training row", "speaks for", "share, %"], _rows(one))
        largest = np.argsort(-np.abs(one.column_effects), kind="stable")
        page.table(
            ["column", "effect on the log-odds"],
            [[columns[j], Entry.number(float(one.column_effects[j]), "+.3g")] for j in largest],
        )
    return page


def _rows(one: Explanation) -> list[list[Entry | str]]:
    """The training rows with their shares, those for the label first."""
    sides = zip(
        one.row_labels(),
        (one.label, one.rival),
        (one.supporting_shares, one.opposing_shares),
        strict=True,
    )
    return [
        [name, str(label), Entry.number(100 * float(share), ".3g")]
        for names, label, shares in sides
        for name, share in zip(names, shares, strict=True)
    ]
