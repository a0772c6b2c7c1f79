"""The figures of a comparison: errors with their spread, and error against kernels and time."""

from __future__ import annotations

from typing import Any

import numpy as np

from parzen.compare import METHODS, Comparison, Row
from parzen.plots import pyplot

_METHOD_COLOUR, _BASELINE_COLOUR = "tab:blue", "tab:gray"


def draw_errors(comparison: Comparison, *, title: str = "", alpha: float = 0.05) -> Any:
    """Every split's error as a dot, their mean as a bar; the best on top, a star at p < alpha."""
    rows = _judged(comparison)
    figure, ax = pyplot().subplots(figsize=(6.4, 0.6 + 0.32 * len(rows)), layout="constrained")
    for place, row in enumerate(rows):
        errors = 100 * comparison.errors(row.name)
        shift = np.linspace(-0.22, 0.22, len(errors)) if len(errors) > 1 else np.zeros(1)
        shade = _colour(row.name)
        ax.plot(errors, place + shift, "o", color=shade, alpha=0.45, ms=4, mew=0)
        ax.plot([100 * row.error] * 2, [place - 0.34, place + 0.34], color=shade, lw=2.5)
    names = [f"{row.name} *" if row.pvalue < alpha else row.name for row in rows]
    ax.set_yticks(range(len(rows)), names)
    ax.invert_yaxis()
    ax.set_xlabel("test error in %, one dot per split")
    ax.set_title(title, loc="left", fontsize="medium")
    ax.grid(axis="x", alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def draw_costs(comparison: Comparison) -> Any:
    """Error against the time to predict."""
    figure, ax = pyplot().subplots(figsize=(6.4, 3.6), layout="constrained")
    for row in _judged(comparison):
        x, y = 1e3 * row.predict_seconds, 100 * row.error
        ax.plot(x, y, "o", color=_colour(row.name), ms=4 + 8 * np.sqrt(row.kept or 0.0))
        ax.annotate(row.name, (x, y), xytext=(6, 4), textcoords="offset points", fontsize="small")
    ax.set(xscale="log", xlabel="prediction of the test rows, ms", ylabel="test error, %")
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def _judged(comparison: Comparison) -> list[Row]:
    """The rows of the estimators that did not fail on every split."""
    return [row for row in comparison.rows() if row.error == row.error]


def _colour(name: str) -> str:
    return _METHOD_COLOUR if name in METHODS else _BASELINE_COLOUR
