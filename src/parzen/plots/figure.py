"""What all displays share: matplotlib when it is needed, axes, and the colours of the classes."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen._core import Floats, described

COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple", "tab:brown", "tab:pink",
           "tab:olive", "tab:cyan", "tab:gray")  # fmt: skip
MARKERS = (".", "+", "^", "x", "s", "v", "D", "*", "<", ">")


def pyplot() -> Any:
    """matplotlib.pyplot, or a sentence that says how to get it."""
    if find_spec("matplotlib") is None:
        raise ImportError("parzen.plots draws with matplotlib: pip install 'parzen[plot]'.")
    import matplotlib.pyplot as plt

    return plt


def figure_svg(figure: Any) -> str:
    """A figure of matplotlib as SVG, the same for the same figure; it is closed afterwards."""
    drawn = io.StringIO()
    with pyplot().rc_context({"svg.hashsalt": "parzen", "svg.fonttype": "none"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    pyplot().close(figure)
    return drawn.getvalue()


class Display:
    """A drawing on axes that are given, or on those of a new figure."""

    _descriptions: ClassVar[str] = """
    ax : matplotlib axes, default=None
        Where to draw; None for a new figure.
    axes : pair of matplotlib axes, default=None
        Where to draw; None for a new figure.
    **options
        Passed to ``plot``.
    ax_ : matplotlib axes
        Where ``plot`` drew.
    axes_ : array of two matplotlib axes
        Where ``plot`` drew.
    figure_ : matplotlib figure
        The figure of these axes.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        described(cls)

    def _begin(self, ax: Any) -> None:
        """Axes of one picture, kept as ``ax_``."""
        self.ax_ = pyplot().subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure

    def _begin_pair(self, axes: Any) -> Any:
        """Axes of two pictures side by side, kept as ``axes_``."""
        if axes is None:
            _, axes = pyplot().subplots(1, 2, figsize=(9, 4), layout="constrained")
        self.axes_ = np.asarray(axes)
        self.figure_ = self.axes_[0].figure
        return self.axes_


def colour(code: int) -> str:
    """The colour of a class by its place among the classes."""
    return COLOURS[code % len(COLOURS)]


def scatter_classes(
    ax: Any, points: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], *, size: float
) -> list[Any]:
    """Points in the plane, one artist per class."""
    artists = []
    for code, label in enumerate(classes):
        rows = labels == label
        marker = MARKERS[code % len(MARKERS)]
        shown = ax.scatter(*points[rows].T, s=size, marker=marker, color=colour(code), alpha=0.8,
                           linewidths=0.8, label=str(label))  # fmt: skip
        artists.append(shown)
    return artists


def feature_names(estimator: Any, n_features: int) -> list[str]:
    """Names of the columns the estimator saw, or x0, x1, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    return [str(n) for n in names] if names is not None else [f"x{i}" for i in range(n_features)]


def bars(ax: Any, names: list[str], lengths: Any, colours: Any) -> Any:
    """Bars to the right, and to the left where lengths are negative; the first at the top."""
    places = np.arange(len(names))[::-1]
    drawn = ax.barh(places, lengths, color=colours)
    ax.set_yticks(places, names)
    return drawn


def widened(values: Floats, margin: float) -> tuple[Floats, Floats]:
    """The ends of the range of each column, moved apart by a share of the range on each side."""
    low, high = values.min(axis=0), values.max(axis=0)
    pad = margin * np.where(high > low, high - low, 1.0)
    return low - pad, high + pad
