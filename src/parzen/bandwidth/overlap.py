"""The integral of a squared density estimate: sum_ij w_i w_j (k*k)_h(x_i - x_j), as a logarithm.

Each pair is visited once and the own terms, sum_i w_i^2 (k*k)_h(0), are added apart. Kernels that
are stable under convolution go through kernel sums; the others are evaluated in blocks, on the
pairs within reach of each other only.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Floats
from parzen.kernels import Kernel, Rescaled
from parzen.samples import KernelSample, log_add, log_sum
from parzen.sums import kernel_sums

_ARRAYS_ALIVE = 8  # Arrays of a block's size that exist at the same time.


def log_overlap(part: KernelSample, grid: Floats) -> Floats:
    """Log of the double sum for every bandwidth."""
    d = part.X.shape[1]
    kernel = part.kernel.convolved(d)
    w = part.frequencies
    own = np.asarray(kernel.log_normalizer(grid, d) + np.log(w @ w), np.float64)
    pairs = _native_pairs if isinstance(kernel, Rescaled) else _blocked_pairs
    return log_add(own, pairs(part, grid, kernel))


def _native_pairs(part: KernelSample, grid: Floats, kernel: Kernel) -> Floats:
    sums = kernel_sums(
        part.X,
        part.X,
        part.weights,
        kernel=kernel,
        bandwidths=grid,
        exclude_self=True,
        log=True,
        n_jobs=part.n_jobs,
    )[:, 0].astype(np.float64, copy=False)
    return log_sum(sums, axis=0, weights=part.frequencies)


def _blocked_pairs(part: KernelSample, grid: Floats, kernel: Kernel) -> Floats:
    """Sum over the pairs i < j, doubled."""
    n, d = part.X.shape
    w = part.frequencies
    width = d if kernel.measure == "coordinates" else 1
    reach = kernel.support_radius(1.0) ** 2
    total = np.full(len(grid), -np.inf)
    for rows in gen_batches(
        n, get_chunk_n_rows(row_bytes=_ARRAYS_ALIVE * 8 * width * n, max_n_rows=n)
    ):
        left = np.arange(rows.start, rows.stop)
        above = left[:, None] < np.arange(rows.start, n)[None, :]
        measure = kernel.pairs(part.X[rows], part.X[rows.start :])[above].astype(np.float64)
        weight = (w[rows, None] * w[None, rows.start :])[above]
        for b, h in enumerate(grid):
            near = slice(None) if np.isinf(reach) else measure < reach * h * h
            logs = kernel.log_profile(measure[near], h, d).astype(np.float64)
            total[b] = log_add(total[b], log_sum(logs, axis=0, weights=weight[near]))
    return np.asarray(total + np.log(2.0) + kernel.log_normalizer(grid, d))
