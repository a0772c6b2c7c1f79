"""The Parzen density at the sample's own points, which the Laplacian matrix is weighted by.

    f(x_i) = (1/N) sum_l w_l k_s(x_i, x_l)                 Jenssen et al. (2007), eq. (8)

The point itself is one of the l, so f(x_i) >= w_i k_s(0) / N: in units of the kernel's peak the
weights f^(-1/2) cannot overflow, in any dimension. With ``n_samples`` the sum over the other points
is estimated from a random few of them (Section III, "stochastic sampling"); the own term stays
exact, which keeps that bound and leaves the estimate without bias.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.kernels import Kernel
from parzen.sums import kernel_sums

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def log_sample_density(
    X: NDArray[Any],
    *,
    kernel: Kernel,
    bandwidth: float,
    weights: Floats | None = None,
    n_samples: int | None = None,
    rng: np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Log f at every row of X, in one pass over the pairs (n times ``n_samples`` pairs if given).

    Examples
    --------
    >>> from parzen.kernels import get
    >>> X = np.array([[0.0], [0.0], [5.0]])
    >>> np.exp(log_sample_density(X, kernel=get("uniform"), bandwidth=1.0)).round(3)
    array([0.333, 0.333, 0.167])
    """
    w = np.ones(len(X)) if weights is None else weights
    log_total = float(np.log(w.sum()))
    if n_samples is not None and n_samples < len(X):
        rng = np.random.RandomState() if rng is None else rng
        sampled = np.sort(rng.choice(len(X), n_samples, replace=False))
        return _estimated(X, w, sampled, kernel, bandwidth, n_jobs) - log_total
    sums = kernel_sums(X, X, w, kernel=kernel, bandwidths=bandwidth, log=True, n_jobs=n_jobs)
    return np.asarray(sums[:, 0, 0], dtype=np.float64) - log_total


def sums_without_self(
    X: NDArray[Any],
    rows: Rows,
    centres: Rows,
    weights: Floats,
    *,
    kernel: Kernel,
    bandwidth: float,
    n_jobs: int | None = None,
) -> Floats:
    """Log sum_j weights_j k(x_i, x_j) over the centres j other than i, for every i of ``rows``.

    Both are increasing indices into X. The own pair is skipped, never subtracted.
    """
    shared = np.intersect1d(rows, centres, assume_unique=True)
    others = np.setdiff1d(centres, shared, assume_unique=True)
    strangers = ~np.isin(rows, shared, assume_unique=True)

    def sums(at: Rows, over: Rows, *, exclude_self: bool = False) -> Floats:
        if len(at) == 0 or len(over) == 0:
            return np.full(len(at), -np.inf)
        queries = X[at]
        points = queries if exclude_self else X[over]
        values = kernel_sums(
            queries,
            points,
            weights[over],
            kernel=kernel,
            bandwidths=bandwidth,
            exclude_self=exclude_self,
            log=True,
            n_jobs=n_jobs,
        )
        return np.asarray(values[:, 0, 0], dtype=np.float64)

    out = np.empty(len(rows))
    out[strangers] = sums(rows[strangers], centres)
    out[~strangers] = np.logaddexp(sums(shared, shared, exclude_self=True), sums(shared, others))
    return out


def _estimated(
    X: NDArray[Any], w: Floats, sampled: Rows, kernel: Kernel, bandwidth: float, n_jobs: int | None
) -> Floats:
    """Own term plus the sum over the others, extrapolated from the weight that was sampled."""
    everyone = np.arange(len(X))
    own = np.log(w) + kernel.log_normalizer(bandwidth, X.shape[1])
    others = sums_without_self(
        X, everyone, sampled, w, kernel=kernel, bandwidth=bandwidth, n_jobs=n_jobs
    )
    drawn = np.full(len(X), w[sampled].sum())
    drawn[sampled] = [w[np.delete(sampled, i)].sum() for i in range(len(sampled))]
    with np.errstate(divide="ignore"):
        share = np.log(w.sum() - w) - np.log(np.where(drawn > 0, drawn, np.inf))
    return np.asarray(np.logaddexp(own, others + share))
