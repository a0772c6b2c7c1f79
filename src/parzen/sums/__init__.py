"""Weighted kernel sums over all pairs: the primitive that every estimator is built on."""

from parzen.sums import reference
from parzen.sums.call import Call, ScaledSums
from parzen.sums.dense import dense_seconds
from parzen.sums.forest import (
    AMBIGUOUS,
    NOVEL,
    NOWHERE,
    UNDECIDED,
    Column,
    Forest,
    Rule,
    Work,
    build_seconds,
    refuses_kernel,
)
from parzen.sums.methods import (
    DEFAULT_RTOL,
    METHODS,
    MIN_PAIRS_FOR_ESTIMATES,
    MIN_VALUES_FOR_THREADS,
    check_method,
    check_serves,
    strategies_of,
    strategy_for,
)
from parzen.sums.nufft import (
    FOURIER_REACH,
    MAX_FOURIER_FEATURES,
    Frame,
    analyse,
    cropped,
    filtered,
    has_finufft,
    synthesise,
)
from parzen.sums.partial_sums import added, sums_at
from parzen.sums.prepared import PreparedSums
from parzen.sums.primitive import kernel_sums, labelled_kernel_sums, method_for
from parzen.sums.sizes import need_parts
from parzen.sums.tree import (
    MAX_COLUMNS,
    MAX_FEATURES,
    MAX_TIME_SHARE,
    MIN_QUERIES_FOR_PILOT,
    N_PILOT_QUERIES,
    Size,
    Trees,
    TreeStore,
    columns_of,
    signed_sums,
)

__all__ = [
    "DEFAULT_RTOL",
    "METHODS",
    "ScaledSums",
    "check_method",
    "check_serves",
    "kernel_sums",
    "labelled_kernel_sums",
    "method_for",
    "reference",
]
