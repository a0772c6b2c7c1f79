"""What the user said about a file, in plain values."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reading:
    """How a file is read; None where the reader finds out.

    Attributes
    ----------
    header : bool
        Whether the first line names the columns.
    delimiter, decimal, encoding : str or None
        What separates cells, the decimal mark ("." or ","), and the encoding of the text.
    na : tuple of str or None
        What stands for a missing value, beside the empty cell.
    """

    header: bool = True
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    na: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Options:
    """What the user said about a file and its columns."""

    target: str | None = None
    drop: tuple[str, ...] = ()
    use: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    weights: str | None = None
    missing: str = "auto"
    reading: Reading = field(default_factory=Reading)
