"""The Parzen density at the sample's own points, which the Laplacian matrix is weighted by.

    f(x_i) = (1/N) sum_l w_l k_s(x_i, x_l)                 Jenssen et al. (2007), eq. (8)

The point itself is one of the l, so f(x_i) >= w_i k_s(0) / N: in units of the kernel's peak the
weights f^(-1/2) cannot overflow, in any dimension. With ``n_samples`` the sum over the other points
is estimated from a random few of them (Section III, "stochastic sampling"); the own term stays
exact, which keeps that bound and leaves the estimate without bias. Entries may be missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Bools, Floats, Ints
from parzen.expansion import KernelExpansion
from parzen.kernels import Kernel
from parzen.samples import sum_of_others


def sample_density(
    X: Array,
    weights: Floats | None,
    *,
    kernel: Kernel,
    bandwidth: ArrayLike,
    labels: Ints | None = None,
) -> KernelExpansion:
    """The sum of the kernels of all points: one column, or one per label with its bandwidth."""
    h = np.asarray(bandwidth, dtype=np.float64)
    return KernelExpansion(
        points=X,
        kernel=kernel,
        bandwidth=h,
        n_classes=max(1, h.size),
        labels=np.zeros(len(X), dtype=np.intp) if h.ndim == 0 else labels,
        weights=weights,
    )


def log_sample_density(
    density: KernelExpansion,
    *,
    n_samples: int | None = None,
    rng: np.random.RandomState | None = None,
    **sums_options: Any,
) -> Floats:
    """Log f at the points of an expansion, whose columns add up to N f.

    One pass over the pairs, or n times ``n_samples`` pairs where that is given. ``sums_options``
    are those of `KernelExpansion.log_sums`.

    Examples
    --------
    >>> from parzen.kernels import get
    >>> X = np.array([[0.0], [0.0], [5.0]])
    >>> density = sample_density(X, None, kernel=get("uniform"), bandwidth=1.0)
    >>> np.exp(log_sample_density(density)).round(3)
    array([0.333, 0.333, 0.167])
    """
    n = len(density.points)
    w = np.ones(n) if density.weights is None else density.weights
    log_total = float(np.log(w.sum()))
    if density.has_gaps:
        return _log_density_of_gapped(density, w) - log_total
    if n_samples is None or n_samples >= n:
        return _total(density.log_sums(density.points, **sums_options)) - log_total
    rng = np.random.RandomState() if rng is None else rng
    sampled = np.zeros(n, dtype=bool)
    sampled[rng.choice(n, n_samples, replace=False)] = True
    others = _total(log_sums_without_self(density, np.ones(n, dtype=bool), sampled, **sums_options))
    own = np.log(w) + density.log_peaks()[density.labels]
    return np.asarray(np.logaddexp(own, others + log_share_of_others(w, sampled))) - log_total


def _log_density_of_gapped(density: KernelExpansion, w: Floats) -> Floats:
    """Log N f at points with missing entries, in the units of whole points.

    The own kernel is whole; in a column that the point lacks the others, its further copies among
    them, have the mean of their densities there.
    """
    means, peaks = density.column_log_means()
    lacks, labels, one = np.isnan(density.points), density.labels, np.minimum(w, 1.0)
    assert labels is not None
    whole = density.log_peaks()[labels]
    copies = whole + (lacks * (means - peaks)[labels]).sum(axis=1)
    with np.errstate(divide="ignore"):
        own = np.logaddexp(np.log(one) + whole, np.log(w - one) + copies)
    others = density.others_log_sums() + lacks @ means.T
    return np.asarray(np.logaddexp(own, _total(others)))


def log_share_of_others(w: Floats, sampled: Bools) -> Floats:
    """Log of the weight of all other points over that of the other points that were sampled."""
    sampled_weight = np.where(sampled, sum_of_others(np.where(sampled, w, 0.0)), w[sampled].sum())
    with np.errstate(divide="ignore"):
        return np.asarray(
            np.log(sum_of_others(w)) - np.log(np.where(sampled_weight > 0, sampled_weight, np.inf))
        )


def log_sums_without_self(
    expansion: KernelExpansion, rows: Bools, centres: Bools, **sums_options: Any
) -> Floats:
    """Log-sums over the kernels at ``centres`` at the points ``rows``, each without its own kernel.

    The result has one row per True of ``rows``. ``sums_options`` are those of `log_sums`.
    """
    X = expansion.points
    out = np.full((int(rows.sum()), expansion.n_classes), -np.inf)
    both, not_centres = rows & centres, rows & ~centres
    if not_centres.any() and centres.any():
        sums = expansion.subset(centres).log_sums(X[not_centres], **sums_options)
        out[not_centres[rows]] = sums
    if both.any():
        sums = expansion.subset(both).others_log_sums(**sums_options)
        rest = centres & ~rows
        if rest.any():
            sums_of_rest = expansion.subset(rest).log_sums(X[both], **sums_options)
            sums = np.logaddexp(sums, sums_of_rest)
        out[both[rows]] = sums
    return out


def _total(log_sums: Array) -> Floats:
    return np.asarray(np.logaddexp.reduce(log_sums.astype(np.float64), axis=1))
