"""The engine of the papers: printed tables, benchmarks, studies, and results with figures."""

from parzen.papers.engine.benchmark import (
    Benchmark,
    FoldBenchmark,
    ThirdBenchmark,
    available,
    by_title,
    load_form,
    size_table,
)
from parzen.papers.engine.columns import (
    BASELINE_COLUMNS,
    COSTS,
    SVM_SIGMAS,
    Column,
    Floats,
    Parameters,
    quietly,
    self_tuning,
    support_vector_machine,
)
from parzen.papers.engine.explanation import About, KnownDifference
from parzen.papers.engine.paper import Paper, Setting
from parzen.papers.engine.printed import Printed, contents, read
from parzen.papers.engine.provenance import Provenance
from parzen.papers.engine.result import (
    COMMON_SHARE,
    Cell,
    Figure,
    Reproduction,
    Table,
    TableRow,
)
from parzen.papers.engine.study import Extent, Measured, Study, share_with_copies
