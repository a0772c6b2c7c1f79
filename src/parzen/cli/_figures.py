"""Figures as files, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from parzen._core import whole_file
from parzen.cli._errors import UserError
from parzen.cli._outputs import check_output

_KINDS = ("svg", "png", "pdf")


def check_figure(
    path: Path | None, *, inputs: Iterable[str | Path] = (), overwrite: bool = False
) -> None:
    """Refuse what cannot be drawn before anything is computed, and draw without a screen."""
    if path is None:
        return
    if path.suffix[1:].lower() not in _KINDS:
        raise UserError(f"{path}: figures are written as .svg, .png or .pdf")
    use_matplotlib()
    check_output(path, "figure", inputs=inputs, overwrite=overwrite)


def use_matplotlib() -> None:
    """Choose the back end that needs no screen, or say how to get matplotlib."""
    if find_spec("matplotlib") is None:
        raise UserError("figures need matplotlib: pip install 'parzen[cli]'")
    import matplotlib

    matplotlib.use("Agg")


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure of matplotlib in the format of the file's ending, and close it."""
    import matplotlib.pyplot as plt

    with whole_file(path, "wb") as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
    plt.close(figure)
