"""Figures of matplotlib as text: SVG that is the same for the same figure."""

from __future__ import annotations

import io
import re
from typing import Any


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
    import matplotlib
    import matplotlib.pyplot as plt

    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "parzen", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return bare_svg(out.getvalue())


def bare_svg(text: str) -> str:
    """The element alone: no prologue, and no metadata, which would name addresses outside."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return svg[svg.index("<svg") :]
