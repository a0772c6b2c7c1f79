"""A page of headings, texts, tables that sort and figures, in one file that stands alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Self

from parzen import plots
from parzen.compare import write_atomically
from parzen.report.assets import FORMULAS, SCRIPT, STYLE


@dataclass(frozen=True)
class Entry:
    """A cell of a table: what is shown, and by what it is sorted.

    Attributes
    ----------
    text : str
        What is shown.
    key : float or str or None
        By what it is sorted; None for the text. An empty string sorts last.
    wide : bool
        Whether it is running text.
    mark : str
        "explained" or "open" for a figure that differs from a printed one.
    """

    text: str
    key: float | str | None = None
    wide: bool = False
    mark: str = ""

    @classmethod
    def number(cls, value: float | None, form: str) -> Self:
        """A number in a format; nothing where there is none."""
        if value is None or value != value:
            return cls("", "")
        return cls(format(value, form), value)

    def html(self) -> str:
        """The cell."""
        attributes = "" if self.key is None else f' data-key="{escape(str(self.key))}"'
        attributes += ' class="text"' if self.wide else ""
        attributes += f' class="{self.mark}"' if self.mark else ""
        return f"<td{attributes}>{escape(self.text)}</td>"


@dataclass
class Page:
    """A report under construction; every method adds to its end.

    Examples
    --------
    >>> page = Page("Errors").heading("All").table(["method", "error"], [["l2", "0.1"]])
    >>> "<h2>All</h2>" in page.html()
    True
    """

    title: str
    parts: list[str] = field(default_factory=list)

    def heading(self, text: str) -> Self:
        """A heading."""
        return self._add(f"<h2>{escape(text)}</h2>")

    def paragraph(self, text: str, *, note: bool = False) -> Self:
        """A paragraph; a note is set smaller."""
        return self._add(f"<p{' class=note' if note else ''}>{_text(text)}</p>")

    def items(self, texts: Sequence[str]) -> Self:
        """A list."""
        return self._add("<ul>" + "".join(f"<li>{_text(t)}</li>" for t in texts) + "</ul>")

    def formula(self, latex: str) -> Self:
        """A formula as MathML, which browsers draw themselves; in LaTeX if it is not known."""
        drawn = FORMULAS.get(latex)
        return (
            self.code(latex) if drawn is None else self._add(f'<div class="formula">{drawn}</div>')
        )

    def code(self, text: str) -> Self:
        """Text as it is typed."""
        return self._add(f"<pre><code>{escape(text)}</code></pre>")

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[Entry | str]], *, best: int = -1
    ) -> Self:
        """A table that sorts by a click on a column's head; ``best`` marks a row."""
        head = "".join(
            f'<th scope="col"><button type="button">{escape(c) or "&nbsp;"}</button></th>'
            for c in columns
        )
        body = "".join(_row(row, marked=i == best) for i, row in enumerate(rows))
        return self._add(
            f'<div class="scroll" tabindex="0"><table class="sortable"><thead><tr>{head}</tr>'
            f"</thead><tbody>{body}</tbody></table></div>"
        )

    def figure(self, svg: str, caption: str) -> Self:
        """A figure in SVG; see :func:`parzen.report.figure_svg`."""
        number = sum("<figure>" in part for part in self.parts)
        label = f'<svg role="img" aria-label="{escape(caption)}"'
        own = _with_own_names(svg, f"f{number}-").replace("<svg", label, 1)
        return self._add(f"<figure>{own}<figcaption>{escape(caption)}</figcaption></figure>")

    def picture(self, path: Path, caption: str) -> Self:
        """A file: the figure itself if it is SVG, else its name."""
        if path.suffix == ".svg" and path.is_file():
            return self.figure(_element(path.read_text(encoding="utf-8")), caption)
        return self.paragraph(path.name, note=True)

    def html(self) -> str:
        """The whole page."""
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<link rel="icon" href="data:,">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f"<h1>{escape(self.title)}</h1>\n"
            + "\n".join(self.parts)
            + f"\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
        )

    def write(self, path: Path | str) -> None:
        """Write the page, whole or not at all."""
        write_atomically(Path(path), self.html())

    def _add(self, part: str) -> Self:
        self.parts.append(part)
        return self


def figure_svg(figure: Any) -> str:
    """A matplotlib figure as SVG, closed afterwards.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> figure_svg(plt.figure()).startswith("<svg")
    True
    """
    return _element(plots.figure_svg(figure))


def _element(text: str) -> str:
    """The figure alone: no prologue, and no metadata, which would name addresses outside."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return svg[svg.index("<svg") :]


def _text(text: str) -> str:
    """Running text; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _row(cells: Sequence[Entry | str], *, marked: bool) -> str:
    entries = [Entry(cell) if isinstance(cell, str) else cell for cell in cells]
    mark = ' class="best"' if marked else ""
    return f"<tr{mark}>" + "".join(entry.html() for entry in entries) + "</tr>"


def _with_own_names(svg: str, prefix: str) -> str:
    """Names inside a figure must not meet those of the next one on the page."""
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}", svg)
    return re.sub(r'(xlink:href|href)="#', rf'\1="#{prefix}', svg)
