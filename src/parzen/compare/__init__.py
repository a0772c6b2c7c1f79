from parzen.compare.benchmark import Benchmark, FoldBenchmark, ThirdBenchmark, available, load_form
from parzen.compare.cache import Cache, write_atomically
from parzen.compare.columns import (
    BESIDE,
    COSTS,
    Column,
    Floats,
    Parameters,
    own,
    quietly,
    support_vector_machine,
)
from parzen.compare.comparison import Comparison, Row, compare, holm
from parzen.compare.methods import (
    BASELINES,
    METHODS,
    Method,
    estimators,
    method,
    reads_itself,
    table_estimators,
)
from parzen.compare.outcome import Outcome, chosen_parameters, final_estimator, judge, share_kept
from parzen.compare.paired_tests import corrected_resampled_t_test, resampled_t_test, wilcoxon_test
from parzen.compare.paper import FigureItem, Paper, Setting, TableItem
from parzen.compare.printed import read
from parzen.compare.result import Cell, Figure, Reproduction, Table, TableRow
from parzen.compare.splits import fold_splits, random_splits
from parzen.compare.study import Extent, Measured, Study
from parzen.compare.tasks import Progress, Runner, Task
