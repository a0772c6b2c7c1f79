"""What the user said about a file, in plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """What the user said about a file."""

    target: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: str = "refuse"
    header: bool = True
