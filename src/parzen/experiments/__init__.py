"""Comparing classifiers on the same splits, and the tables and figures of the papers.

>>> from parzen import experiments
>>> sorted(experiments.METHODS)[:3]
['auto', 'bmachine', 'kfd']
"""

from parzen.experiments._comparison import Comparison, Row, compare, holm
from parzen.experiments._methods import (
    BASELINES,
    METHODS,
    Method,
    estimators,
    method,
    table_estimators,
)
from parzen.experiments._outcome import Outcome, chosen_parameters, final_estimator, share_kept
from parzen.experiments._reproduce import PAPERS, paper, reproduce
from parzen.experiments._result import Cell, Figure, Reproduction, Table, TableRow
from parzen.experiments._splits import fold_splits, random_splits

__all__ = [
    "BASELINES",
    "METHODS",
    "PAPERS",
    "Cell",
    "Comparison",
    "Figure",
    "Method",
    "Outcome",
    "Reproduction",
    "Row",
    "Table",
    "TableRow",
    "chosen_parameters",
    "compare",
    "estimators",
    "final_estimator",
    "fold_splits",
    "holm",
    "method",
    "paper",
    "random_splits",
    "reproduce",
    "share_kept",
    "table_estimators",
]
