"""Timing several contenders side by side on a machine that others use too.

The contenders take turns, so a slow moment hits all of them, and each keeps its best CPU time and
its best wall time over all rounds. Only ratios of times from the same run are worth printing.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

Contender = Callable[[], Any]
printed: list[dict[str, Any]] = []  # Every table of this process, in order, for ``--store``.


@dataclass(frozen=True)
class Times:
    """Best CPU and wall seconds of one contender, over all threads of this process."""

    cpu: float
    wall: float


def time_once(contender: Contender) -> Times:
    """CPU and wall seconds of one call."""
    cpu, wall = time.process_time(), time.perf_counter()
    contender()
    return Times(time.process_time() - cpu, time.perf_counter() - wall)


def interleaved(
    contenders: Mapping[str, Contender], *, rounds: int = 5, seconds: float = 20.0
) -> dict[str, Times]:
    """Best times of every contender over `rounds` rounds in which each runs once.

    A round before these warms up and is not counted. No round is begun once `seconds` have gone
    by, but at least one is counted.
    """
    for contender in contenders.values():
        contender()
    best: dict[str, Times] = {}
    begun = time.perf_counter()
    for count in range(rounds):
        if count > 0 and time.perf_counter() - begun > seconds:
            break
        for name, contender in contenders.items():
            now = time_once(contender)
            old = best.get(name, now)
            best[name] = Times(min(old.cpu, now.cpu), min(old.wall, now.wall))
    return best


def optional(module: str) -> ModuleType | None:
    """The module of a peer, or None after a line that says it is skipped."""
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"skipped: {module} is not installed")
        return None


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under a title; numbers get three significant digits."""
    cells = [[*map(str, head)], *([_cell(value) for value in row] for row in rows)]
    printed.append({"title": title, "head": cells[0], "rows": cells[1:]})
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    print(f"\n{title}")
    for row in cells:
        first, *others = (cell.ljust(w) if i == 0 else cell.rjust(w)
                          for i, (cell, w) in enumerate(zip(row, widths, strict=True)))  # fmt: skip
        print("  " + "  ".join([first, *others]))


def verdict(ratio: float, *, at_most: float | None = None, at_least: float | None = None) -> str:
    """How a measured ratio compares with what is wanted: "<= 1.1 yes"."""
    if at_most is not None:
        return f"<= {at_most:g} {'yes' if ratio <= at_most else 'NO'}"
    if at_least is not None:
        return f">= {at_least:g} {'yes' if ratio >= at_least else 'NO'}"
    raise ValueError("give at_most or at_least")


def _cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
