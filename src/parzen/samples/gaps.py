"""Whether missing entries tell something about the class.

Gaps are a category of two levels beside every column that has some. Two rows are compared by the
kernel (2/3)^m, m the number of gaps that only one of them has: the kernel of Aitchison and Aitken
with 0.6 for equal levels and 0.4 for unequal ones. Labels are predicted by the gaps alone, each row
left out; where their log-loss is smaller than that of the classes' shares by more than two standard
errors, the kernel of a density gets this factor. Gaps at random, which would only add noise, do not
get it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parzen._core import Floats
from parzen.kernels import Gaussian
from parzen.samples.held_out import leave_one_out_sums
from parzen.samples.logs import log, log_sum
from parzen.samples.sample import KernelSample, Sample

_LOG_FACTOR = float(np.log(0.4 / 0.6))
_STANDARD_ERRORS = 2.0  # The mean gain must exceed zero by this many standard errors.


def gap_mismatch(sample: Sample, n_jobs: int | None = None) -> float:
    """Log of the factor for a gap that only one of two rows has; 0 where gaps tell nothing."""
    lacks = np.isnan(sample.X)
    gappy = lacks.any(axis=0)
    if not gappy.any() or sample.n_classes < 2:
        return 0.0
    gains, w = _gains(replace(sample, X=lacks[:, gappy].astype(np.float64)), n_jobs)
    total = w.sum()
    if total <= 1:
        return 0.0
    mean = float(w @ gains / total)
    error = float(np.sqrt(w @ (gains - mean) ** 2 / total / (total - 1)))
    return _LOG_FACTOR if mean > _STANDARD_ERRORS * error else 0.0


def _gains(gaps: Sample, n_jobs: int | None) -> tuple[Floats, Floats]:
    """By how much the gaps of the other rows raise each label's log-probability; frequencies."""
    # exp(-m / (2 h^2)) = exp(_LOG_FACTOR m): distances between gaps are 0 or 1.
    width = np.array([np.sqrt(-0.5 / _LOG_FACTOR)])
    sample = KernelSample.over(gaps, Gaussian(), None, n_jobs, counted=False)
    gains, weights = [], []
    for part in leave_one_out_sums(sample, width):
        known = np.flatnonzero(part.is_known())
        logs, counts, own = part.log_sums[known, :, 0], part.counts[known], part.codes[known]
        rows = np.arange(len(known))
        shares = log(counts[rows, own]) - log(counts.sum(axis=1))
        gains.append(logs[rows, own] - log_sum(logs, axis=1) - shares)
        weights.append(part.share[known])
    return np.concatenate(gains), np.concatenate(weights)
