"""Stub."""

from pathlib import Path


def write(folder: Path) -> None:
    """Nothing yet."""
