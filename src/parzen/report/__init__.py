"""Reports: one HTML page each, with tables that sort and figures in SVG, without the network."""

from parzen.report.comparison import comparison_page
from parzen.report.explanation import explanation_page
from parzen.report.figures import draw_costs, draw_errors
from parzen.report.markdown import MarkdownPage
from parzen.report.page import Entry, Page, figure_svg
from parzen.report.reproduction import (
    COUNTS,
    counts,
    open_cells,
    paper_page,
    with_total,
    write_paper,
)

__all__ = [
    "COUNTS",
    "Entry",
    "MarkdownPage",
    "Page",
    "comparison_page",
    "counts",
    "draw_costs",
    "draw_errors",
    "explanation_page",
    "figure_svg",
    "open_cells",
    "paper_page",
    "with_total",
    "write_paper",
]
