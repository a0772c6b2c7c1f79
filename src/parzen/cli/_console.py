"""What is printed where: results to the output, progress and remarks to a terminal only.

When the output is no terminal there are no colours, no frames, no bars; errors are one line.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any

from parzen._core import listening


def say(*lines: str) -> None:
    """Print lines of the result; without any, an empty one."""
    print("\n".join(lines), flush=True)


def remark(text: str) -> None:
    """A line for the person at a terminal; nothing otherwise."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def caution(text: str) -> None:
    """Something that the user should know, on standard error, at a terminal or not."""
    print(f"parzen: note: {text}", file=sys.stderr, flush=True)


def tell_warnings(caught: Iterable[Any]) -> None:
    """Warnings that were caught, each once."""
    tell_texts(" ".join(str(w.message).split()) for w in caught)


def tell_texts(texts: Iterable[str]) -> None:
    """Texts of warnings, each once."""
    for text in dict.fromkeys(texts):
        print(f"parzen: warning: {text}", file=sys.stderr, flush=True)


def say_json(value: Any) -> None:
    """Print a result for machines; numbers that are not finite, which JSON lacks, become null."""
    print(json.dumps(_finite(value), indent=1, ensure_ascii=False, allow_nan=False, default=str))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    texts: Collection[int] = (0,),
    expendable: Sequence[str] = (),
) -> None:
    """Print a table; the columns ``texts`` begin at the left, numbers end at the right.

    On a narrow screen the columns ``expendable`` are left out one by one, and named below.
    """
    columns, rows, gone = narrowed(columns, rows, expendable, screen_width())
    if sys.stdout.isatty():
        _rich_table(columns, rows, texts)
    else:
        print(plain_table(columns, rows, texts=texts))
    if gone:
        print(f"left out, as the screen is narrow: {', '.join(gone)}")


def screen_width() -> int:
    """The width of the terminal, or COLUMNS; without both there is no limit."""
    return shutil.get_terminal_size((10_000, 24)).columns


def narrowed(
    columns: Sequence[str], rows: Sequence[Sequence[str]], expendable: Sequence[str], width: int
) -> tuple[list[str], list[list[str]], list[str]]:
    """The columns that a screen has room for, their cells, and the names of the others.

    Examples
    --------
    >>> narrowed(["name", "rows"], [["iris", "150"]], ["rows"], 8)
    (['name'], [['iris']], ['rows'])
    """
    widths = {c: max(len(c), *(len(row[j]) for row in rows)) for j, c in enumerate(columns)}
    gone: list[str] = []
    for name in expendable:
        if sum(widths[c] + 2 for c in columns if c not in gone) - 2 <= width:
            break
        gone.append(name)
    places = [j for j, c in enumerate(columns) if c not in gone]
    return [columns[j] for j in places], [[row[j] for j in places] for row in rows], gone


def plain_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, texts: Collection[int] = (0,)
) -> str:
    """A table as text, in columns of equal width.

    Examples
    --------
    >>> print(plain_table(["name", "rows"], [["iris", "150"]]))
    name  rows
    iris   150
    """
    lines = [list(columns), *map(list, rows)]
    widths = [max(len(line[j]) for line in lines) for j in range(len(columns))]
    shown = (
        "  ".join(
            cell.ljust(width) if j in texts else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    return "\n".join(line.rstrip() for line in shown)


def watched() -> bool:
    """Whether a progress bar would be seen."""
    return sys.stderr.isatty()


@contextmanager
def progress(title: str) -> Iterator[Callable[[float, float, str], None]]:
    """A bar with the time left, on a terminal; call it with (done, total, title)."""
    if not watched():
        yield lambda done, total, text: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(bar_width=20),
        TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left,"), TimeElapsedColumn(),
        TextColumn("gone"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total, text: bar.update(
            task, completed=done, total=total, description=text or title
        )


@contextmanager
def following(
    tell: Callable[[float, float, str], None], before: float, total: float, title: str
) -> Iterator[None]:
    """Move a bar from ``before`` to ``before + 1`` as the work inside proceeds."""
    tell(before, total, title)
    if not watched():
        yield
        return
    with listening(lambda share: tell(before + share, total, title)):
        yield


def _rich_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], texts: Collection[int]
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for j, name in enumerate(columns):
        shown.add_column(name, justify="left" if j in texts else "right", no_wrap=j == 0)
    for row in rows:
        shown.add_row(*map(Text, row))
    Console().print(shown)
