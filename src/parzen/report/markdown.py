"""A page in Markdown, with the methods of the page in HTML."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from parzen.report.page import Entry

_EMPHASIS = {"": "", "explained": "*", "open": "**"}  # Around a cell, by its mark.


@dataclass
class MarkdownPage:
    """A page under construction; every method adds to its end.

    Examples
    --------
    >>> print(MarkdownPage("Errors").heading("All").table(["", "l2"], [["Iris", "4.1"]]).text())
    # Errors
    <BLANKLINE>
    ## All
    <BLANKLINE>
    |  | l2 |
    | --- | --- |
    | Iris | 4.1 |
    <BLANKLINE>
    """

    title: str
    place: Path = Path()
    parts: list[str] = field(default_factory=list)

    def heading(self, text: str) -> Self:
        """A heading."""
        return self._add(f"## {text}")

    def paragraph(self, text: str, *, note: bool = False) -> Self:
        """A paragraph."""
        return self._add(_plain(text))

    def items(self, texts: Sequence[str]) -> Self:
        """A list."""
        return self._add("\n".join(f"- {_plain(text)}" for text in texts))

    def formula(self, latex: str) -> Self:
        """A formula on lines of its own."""
        return self._add(f"$$\n{latex}\n$$")

    def code(self, text: str) -> Self:
        """Text as it is typed."""
        return self._add(f"```\n{text}\n```")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Entry | str]]) -> Self:
        """A table; explained cells are in italics, open ones bold."""
        lines = [list(columns), ["---"] * len(columns), *([_cell(c) for c in row] for row in rows)]
        return self._add("\n".join("| " + " | ".join(line) + " |" for line in lines))

    def picture(self, path: Path, caption: str) -> Self:
        """A file with a picture, by its place relative to that of the page."""
        return self._add(f"![{caption}]({os.path.relpath(path, self.place)})")

    def text(self) -> str:
        """The whole page."""
        return "\n\n".join([f"# {self.title}", *self.parts]) + "\n"

    def _add(self, part: str) -> Self:
        self.parts.append(part)
        return self


def _cell(cell: Entry | str) -> str:
    if isinstance(cell, str):
        return cell
    sign = _EMPHASIS[cell.mark] if cell.text else ""
    return f"{sign}{cell.text}{sign}"


def _plain(text: str) -> str:
    """Signs that Markdown would read as its own, outside code."""
    pieces = text.split("`")
    pieces[::2] = [p.replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")
                   for p in pieces[::2]]  # fmt: skip
    return "`".join(pieces)
