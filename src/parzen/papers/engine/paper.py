"""A paper as a list of tables and figures, each with the function that makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from parzen._core import listening
from parzen.compare import Progress, Runner
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
        self.out.mkdir(parents=True, exist_ok=True)
        name = f"{paper}_figure_{number}.svg"
        figure.savefig(self.out / name, dpi=110)
        pyplot().close(figure)
        return Figure(number, title, [name], notes)


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
    explanations : dict of str to list of str
        By the number of a table: why figures differ from the printed ones, as far as is known.
    """

    name: str
    title: str
    tables: list[TableItem]
    figures: list[FigureItem]
    explanations: dict[str, list[str]] = field(default_factory=dict)

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
