"""Figures of matplotlib as elements of a page."""

from __future__ import annotations

import re
from typing import Any

from parzen import plots


def figure_svg(figure: Any) -> str:
    """A matplotlib figure as SVG, closed afterwards.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> figure_svg(plt.figure()).startswith("<svg")
    True
    """
    return bare_svg(plots.figure_svg(figure))


def bare_svg(text: str) -> str:
    """The element alone: no prologue, and no metadata, which would name addresses outside."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return svg[svg.index("<svg") :]
