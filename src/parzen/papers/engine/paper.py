"""A paper as a list of tables and figures, each with the function that makes it."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from parzen._core import listening
from parzen.compare import Progress, Runner, write_atomically
from parzen.papers.engine.explanation import About, Explanation
from parzen.papers.engine.result import Figure, Table
from parzen.plots import pyplot


@dataclass(frozen=True)
class Setting:
    """What a function that makes a table or a figure is given."""

    runner: Runner
    quick: bool
    out: Path

    def saved(self, figure: Any, paper: str, number: str, title: str, notes: list[str]) -> Figure:
        """Save and close a figure of matplotlib."""
        name = f"{paper}_figure_{number}.svg"
        drawn = io.StringIO()
        with pyplot().rc_context({"svg.hashsalt": "parzen", "svg.fonttype": "none"}):
            figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
        pyplot().close(figure)
        write_atomically(self.out / name, _short(drawn.getvalue()))
        return Figure(number, title, [name], notes)


def _short(svg: str) -> str:
    """The same picture in fewer characters: a tenth of a point is not seen."""
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\.\d)\d+", r"\1", tag[0]), svg)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*\n\s*", "\n", svg).replace("\nL ", "L")
    styles: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        style = found[2]
        styles[style] = f"s{zlib.crc32(style.encode()):x}"
        return f'{found[1]}class="{styles[style]}"'

    svg = re.sub(r'(<use [^>]*?)style="([^"]*)"', named, svg)
    rules = "".join(f".{name}{{{style}}}" for style, name in styles.items())
    return svg.replace("<defs>", f"<style>{rules}</style><defs>", 1)


@dataclass(frozen=True)
class TableItem:
    """Some tables that come from one computation."""

    numbers: tuple[str, ...]
    make: Callable[[Setting], list[Table]]


@dataclass(frozen=True)
class FigureItem:
    """Some figures that come from one computation."""

    numbers: tuple[str, ...]
    make: Callable[[Setting], list[Figure]]


@dataclass(frozen=True)
class Paper:
    """A document and what of it can be computed.

    Attributes
    ----------
    name : str
        The word by which it is asked for.
    title : str
        Authors, title, place.
    tables : list of TableItem
        Numbers are the paper's, or names for tables beyond it.
    figures : list of FigureItem
        Likewise.
    explanations : dict of str to list of Explanation
        By the number of a table: why figures differ from the printed ones, as far as is known.
    about : About or None
        What a reader should know before the tables.
    """

    name: str
    title: str
    tables: list[TableItem]
    figures: list[FigureItem]
    explanations: dict[str, list[Explanation]] = field(default_factory=dict)
    about: About | None = None

    def table_numbers(self) -> list[str]:
        """All tables."""
        return [number for item in self.tables for number in item.numbers]

    def figure_numbers(self) -> list[str]:
        """All figures."""
        return [number for item in self.figures for number in item.numbers]

    def make_tables(self, wanted: Iterable[str], setting: Setting) -> list[Table]:
        """The wanted tables, in the paper's order."""
        return [
            replace(table, explanations=list(self.explanations.get(table.number, ())))
            for table in _made(self.tables, set(wanted), setting)
        ]

    def make_figures(self, wanted: Iterable[str], setting: Setting) -> list[Figure]:
        """The wanted figures, in the paper's order."""
        numbers, progress = set(wanted), setting.runner.progress
        items = [item for item in self.figures if numbers & set(item.numbers)]
        found: list[Figure] = []
        for i, item in enumerate(items):
            title = f"figure {', '.join(item.numbers)}"
            with nullcontext() if progress is None else _told(progress, i, len(items), title):
                found += _made([item], numbers, setting)
        return found


def _told(progress: Progress, before: int, total: int, title: str) -> AbstractContextManager[None]:
    progress(before, total, title)
    return listening(lambda share: progress(before + share, total, title))


def _made(items: Iterable[Any], wanted: set[str], setting: Setting) -> Iterable[Any]:
    for item in items:
        if wanted & set(item.numbers):
            yield from (result for result in item.make(setting) if result.number in wanted)
