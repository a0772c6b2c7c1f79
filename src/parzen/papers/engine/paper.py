"""A paper as a list of tables and figures, each with the function that makes it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from parzen._core import listening
from parzen.compare import Progress, Runner, write_atomically
from parzen.papers.engine.explanation import About, KnownDifference, known_differences
from parzen.papers.engine.result import Figure, Table
from parzen.plots import figure_svg


@dataclass(frozen=True)
class Setting:
    """What a function that makes a table or a figure is given."""

    runner: Runner
    quick: bool
    out: Path

    def saved(self, figure: Any, paper: str, number: str, title: str, notes: list[str]) -> Figure:
        """Save and close a figure of matplotlib."""
        name = f"{paper}_figure_{number}.svg"
        write_atomically(self.out / name, _short(figure_svg(figure)))
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


Numbers = tuple[str, ...]  # of tables, or of figures, that come from one computation


@dataclass(frozen=True)
class Paper:
    """A document and what of it can be computed.

    Attributes
    ----------
    name : str
        The word by which it is asked for.
    title : str
        Authors, title, place.
    tables, figures : dict of tuple of str to callable
        The function that makes some tables or figures, by their numbers, which are the paper's or
        names for what goes beyond it.
    """

    name: str
    title: str
    tables: dict[Numbers, Callable[[Setting], list[Table]]]
    figures: dict[Numbers, Callable[[Setting], list[Figure]]]

    @cached_property
    def explanations(self) -> dict[str, list[KnownDifference]]:
        """By the number of a table: why figures differ from the printed ones, as far as known."""
        return known_differences(self.name)

    @cached_property
    def about(self) -> About:
        """What a reader should know before the tables."""
        return About.of(self.name)

    def table_numbers(self) -> list[str]:
        """All tables."""
        return [number for numbers in self.tables for number in numbers]

    def figure_numbers(self) -> list[str]:
        """All figures."""
        return [number for numbers in self.figures for number in numbers]

    def make_tables(self, wanted: Iterable[str], setting: Setting) -> list[Table]:
        """The wanted tables, in the paper's order."""
        return [
            replace(table, explanations=list(self.explanations.get(table.number, ())))
            for table in _made(self.tables, set(wanted), setting)
        ]

    def make_figures(self, wanted: Iterable[str], setting: Setting) -> list[Figure]:
        """The wanted figures, in the paper's order."""
        asked, progress = set(wanted), setting.runner.progress
        makers = {numbers: make for numbers, make in self.figures.items() if asked & set(numbers)}
        found: list[Figure] = []
        for i, (numbers, make) in enumerate(makers.items()):
            title = f"figure {', '.join(numbers)}"
            with nullcontext() if progress is None else _told(progress, i, len(makers), title):
                found += _made({numbers: make}, asked, setting)
        return found


def _told(progress: Progress, before: int, total: int, title: str) -> AbstractContextManager[None]:
    progress(before, total, title)
    return listening(lambda share: progress(before + share, total, title))


def _made(makers: Mapping[Numbers, Any], wanted: set[str], setting: Setting) -> Iterable[Any]:
    for numbers, make in makers.items():
        if wanted & set(numbers):
            yield from (result for result in make(setting) if result.number in wanted)
