"""Kernel sums of classes, each in the space whitened by its own covariance.

The metrics at held-out rows were fitted without these rows.
"""

from __future__ import annotations

import numpy as np

from parzen._core import Array, Floats
from parzen.metric.whitening import Whitening, fit_whitening
from parzen.samples import HeldOutSums, KernelSample
from parzen.sums import kernel_sums


def with_split(train: KernelSample, test: KernelSample, grid: Floats, n_splits: int) -> HeldOutSums:
    """Sums at the test rows of one of ``n_splits`` splits, in metrics of the training rows."""
    sums = class_sums(test.X, train, grid)
    share = test.frequencies / (test.frequencies.sum() * n_splits)
    sizes = np.broadcast_to(train.counts, sums.shape[:2])
    return HeldOutSums(test.codes, share, sums, sizes, test.priors)


def class_sums(X: Array, train: KernelSample, grid: Floats) -> Floats:
    """Log-sums of every class at the rows of X, each in the metric of the class: (n, C, b)."""
    present, codes_present = np.unique(train.codes, return_inverse=True)
    whitening = fit_whitening(train.X, codes_present, len(present), train.weights)
    sums = np.full((len(X), train.n_classes, len(grid)), -np.inf)
    for k, c in enumerate(present):
        sums[:, c] = whitened_sums(X, train.rows(train.codes == c), grid, whitening, k)
    return sums


def whitened_sums(
    X: Array | None, part: KernelSample, grid: Floats, whitening: Whitening, k: int
) -> Floats:
    """Log-sums over one class in its own space; None for its own rows, each without itself."""
    Y = whitening.apply(part.X, k)
    sums = kernel_sums(
        Y if X is None else whitening.apply(X, k), Y, part.weights, kernel=part.kernel,
        bandwidths=grid, log=True, exclude_self=X is None, n_jobs=part.n_jobs,
    )  # fmt: skip
    return np.asarray(sums[:, 0] + whitening.log_volumes[k], dtype=np.float64)
