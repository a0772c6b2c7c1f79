"""Comparing classifiers: on the same splits, and by paired tests.

>>> from parzen import compare
>>> sorted(compare.METHODS)[:3]
['auto', 'bmachine', 'kfd']
"""

from parzen.compare.cache import Cache, write_atomically
from parzen.compare.comparison import COLUMNS, Comparison, Row, compare, holm
from parzen.compare.measures import expected_calibration_error
from parzen.compare.methods import (
    BASELINES,
    METHODS,
    Method,
    estimators,
    method,
    reads_itself,
    settle_gaps,
    table_estimators,
)
from parzen.compare.outcome import (
    Outcome,
    chosen_parameters,
    final_estimator,
    fit_arguments,
    judge,
    share_kept,
)
from parzen.compare.paired_tests import (
    FriedmanResult,
    PairedResult,
    corrected_resampled_t_test,
    friedman_test,
    resampled_t_test,
    wilcoxon_test,
)
from parzen.compare.splits import fold_splits, random_splits
from parzen.compare.tasks import Progress, Runner, Task
from parzen.compare.two_samples import TwoSampleResult, two_sample_test

__all__ = [
    "BASELINES",
    "METHODS",
    "Comparison",
    "FriedmanResult",
    "Method",
    "Outcome",
    "PairedResult",
    "Row",
    "TwoSampleResult",
    "chosen_parameters",
    "compare",
    "corrected_resampled_t_test",
    "estimators",
    "expected_calibration_error",
    "final_estimator",
    "fit_arguments",
    "fold_splits",
    "friedman_test",
    "holm",
    "method",
    "random_splits",
    "resampled_t_test",
    "settle_gaps",
    "share_kept",
    "table_estimators",
    "two_sample_test",
    "wilcoxon_test",
]
