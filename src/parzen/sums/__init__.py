"""Weighted kernel sums over all pairs: the primitive that every estimator is built on."""

from parzen.sums import reference
from parzen.sums._dense import ScaledSums, kernel_sums, labelled_kernel_sums

__all__ = ["ScaledSums", "kernel_sums", "labelled_kernel_sums", "reference"]
