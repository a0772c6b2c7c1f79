"""Weighted kernel sums over all pairs: the primitive that every estimator is built on."""

from parzen.sums import reference
from parzen.sums.call import KEPT, Call, ScaledSums
from parzen.sums.dense import dense_seconds
from parzen.sums.forest import (
    AMBIGUOUS,
    NOVEL,
    NOWHERE,
    UNDECIDED,
    Column,
    Forest,
    Rule,
    build_seconds,
    refuses_kernel,
)
from parzen.sums.methods import DEFAULT_RTOL, METHODS, check_method, check_serves
from parzen.sums.nufft import Frame
from parzen.sums.primitive import kernel_sums, labelled_kernel_sums, method_for
from parzen.sums.rest import added, sums_at
from parzen.sums.sizes import need_parts
from parzen.sums.tree import ENOUGH, MANY, MOST_COLUMNS, MOST_FEATURES, PILOT, Kept

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
