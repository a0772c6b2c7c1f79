"""The integral of a squared density estimate: sum_ij w_i w_j (k*k)_h(x_i - x_j), as a logarithm.

Each pair is visited once and the own terms, sum_i w_i^2 (k*k)_h(0), are added apart. Kernels that
are stable under convolution go through kernel sums; the others are evaluated in blocks, on the
pairs within reach of each other only. Of many rows, i may run over some.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Floats, Ints
from parzen.kernels import Kernel, Rescaled
from parzen.samples import KernelSample, leave_one_out_sums, log, log_add, log_sum
from parzen.sums import kernel_sums

_ARRAYS_ALIVE = 8  # Arrays of a block's size that exist at the same time.


def log_overlap(part: KernelSample, grid: Floats, among: Ints | None = None) -> Floats:
    """Log of the double sum for every bandwidth; i runs over the rows ``among``, by default all."""
    d = part.X.shape[1]
    kernel = part.kernel.convolved(d)
    peaks = np.asarray(kernel.log_normalizer(grid, d), np.float64)
    if isinstance(kernel, Rescaled) and among is not None:
        return _native_sums_of_some(replace(part, kernel=kernel), grid, among, peaks)
    w = part.frequencies if among is None else part.frequencies[among]
    own = np.asarray(peaks + log(w @ w), np.float64)
    if isinstance(kernel, Rescaled):
        return log_add(own, _native_pairs(part, grid, kernel))
    return log_add(own, _blocked_pairs(part, grid, kernel, among))


def _native_sums_of_some(part: KernelSample, grid: Floats, among: Ints, peaks: Floats) -> Floats:
    w = part.frequencies[among]
    without_copy = [each.log_sums[:, 0] for each in leave_one_out_sums(part, grid, among)]
    copies = log(np.minimum(w, 1.0))[:, None] + peaks
    return log_sum(log_add(np.concatenate(without_copy), copies), axis=0, weights=w)


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


def _blocked_pairs(part: KernelSample, grid: Floats, kernel: Kernel, among: Ints | None) -> Floats:
    """Sum over the pairs i < j, doubled; over the pairs i != j where i is ``among`` some rows."""
    n, d = part.X.shape
    firsts = np.arange(n) if among is None else among
    w = part.frequencies
    width = d if kernel.measure == "coordinates" else 1
    reach = kernel.support_radius(1.0) ** 2
    total = np.full(len(grid), -np.inf)
    for rows in gen_batches(
        len(firsts), get_chunk_n_rows(row_bytes=_ARRAYS_ALIVE * 8 * width * n, max_n_rows=n)
    ):
        left, right = firsts[rows, None], np.arange(rows.start if among is None else 0, n)
        counted = left < right if among is None else left != right
        measure = kernel.pairs(part.X[firsts[rows]], part.X[right])[counted].astype(np.float64)
        weight = (w[left] * w[right])[counted]
        for b, h in enumerate(grid):
            near = slice(None) if np.isinf(reach) else measure < reach * h * h
            logs = kernel.log_profile(measure[near], h, d).astype(np.float64)
            total[b] = log_add(total[b], log_sum(logs, axis=0, weights=weight[near]))
    visits = 2.0 if among is None else 1.0
    return np.asarray(total + np.log(visits) + kernel.log_normalizer(grid, d))
