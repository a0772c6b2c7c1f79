"""Reports: one HTML page each, with tables that sort and figures in SVG, without the network."""

from parzen.report.comparison import comparison_page
from parzen.report.figures import draw_costs, draw_errors
from parzen.report.page import Entry, Page
from parzen.report.reproduction import reproduction_page
from parzen.report.svg import figure_svg

__all__ = [
    "Entry",
    "Page",
    "comparison_page",
    "draw_costs",
    "draw_errors",
    "figure_svg",
    "reproduction_page",
]
