"""The papers: one room each, with its study, its printed tables and its figures.

>>> from parzen import papers
>>> papers.paper("l2").table_numbers()[:4]
['1', '2', '3', '4']
"""

from parzen.papers.engine import Cell, Figure, Reproduction, Table, TableRow
from parzen.papers.run import PAPERS, load_result, outgrown, paper, reproduce, versions

__all__ = [
    "PAPERS",
    "Cell",
    "Figure",
    "Reproduction",
    "Table",
    "TableRow",
    "load_result",
    "outgrown",
    "paper",
    "reproduce",
]
