"""What a paper prints: ``printed.toml`` in its room, whose tables are read into numbers."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

Printed = dict[str, dict[str, dict[str, Any]]]


def contents(paper: str, name: str) -> dict[str, Any]:
    """What a TOML file in the room of a paper holds."""
    text = files("parzen.papers").joinpath(paper, f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def read(text: str, columns: Sequence[str]) -> Printed:
    """Rows of a name and cells such as 11.1±0.6, as arguments of `Cell`; "-" is no figure.

    Examples
    --------
    >>> read("Banana 11.1±0.6 -", ["L2", "other"])
    {'Banana': {'L2': {'printed': 11.1, 'printed_sd': 0.6}}}
    """
    found: Printed = {}
    for line in text.strip().splitlines():
        name, *cells = line.split()
        found[name] = {
            column: _numbers(cell) for column, cell in zip(columns, cells) if cell != "-"
        }
    return found


def _numbers(cell: str) -> dict[str, Any]:
    mean, _, sd = cell.partition("±")
    return {"printed": float(mean)} | ({"printed_sd": float(sd)} if sd else {})
