"""Weighted kernel sums over all pairs: the primitive that every estimator is built on."""

from parzen.sums import reference
from parzen.sums._call import ScaledSums
from parzen.sums._kernel_sums import kernel_sums, labelled_kernel_sums, method_for
from parzen.sums._methods import DEFAULT_RTOL, METHODS, check_method, check_serves

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
