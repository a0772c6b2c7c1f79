"""Comparing classifiers on the same splits, each with its own model selection.

>>> from parzen import experiments
>>> sorted(experiments.METHODS)[:3]
['bmachine', 'kfd', 'kmse']
"""

from parzen.experiments._comparison import Comparison, Row, compare, holm
from parzen.experiments._methods import BASELINES, METHODS, Method, estimators, method
from parzen.experiments._outcome import Outcome, chosen_parameters, final_estimator, share_kept
from parzen.experiments._splits import fold_splits, random_splits

__all__ = [
    "BASELINES",
    "METHODS",
    "Comparison",
    "Method",
    "Outcome",
    "Row",
    "chosen_parameters",
    "compare",
    "estimators",
    "final_estimator",
    "fold_splits",
    "holm",
    "method",
    "random_splits",
    "share_kept",
]
