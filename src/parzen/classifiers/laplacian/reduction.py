"""Fewer kernels per class for the Laplacian classifier.

    weights   the largest f(x_i)^(-1/2): the paper's "significance vectors" (Section VII)
    random    a random subset, with its weights
    l2        points and new weights b >= 0 that minimise the integrated squared error of the score,
              integral (sum_i a_i W(x, x_i) - sum_r b_r W(x, x_r))^2 dx = (a - b)' M (a - b)

M = W * W is Gaussian with bandwidth 2s; for other kernels k*k at sqrt(2) s is used in its place.
`pursuit` finds the points and weights.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn import get_config

from parzen._core import Array, Floats
from parzen.classifiers.laplacian.pursuit import Kept, pursue
from parzen.kernels import Kernel
from parzen.sums import kernel_sums

REDUCTIONS = ("l2", "random", "weights")
_DIGITS_OF_TIES = 10  # Decimals up to which two log-weights count as equal.


def check_keep(keep: Any) -> None:
    """Refuse what is neither None, nor a share, nor a number of kernels."""
    if keep is None:
        return
    if isinstance(keep, bool) or not isinstance(keep, Real):
        raise TypeError(f"keep must be None, a share (float) or a number (int), got {keep!r}.")
    if isinstance(keep, Integral):
        if keep < 1:
            raise ValueError(f"keep={keep!r} must be at least 1 kernel per class.")
    elif not 0 < float(keep) <= 1:
        raise ValueError(f"keep={keep!r} must be a share in (0, 1], or an integer.")


def n_kept(keep: float, n: int) -> int:
    """ceil(keep n) for a share, at most n for a number; at least one.

    Examples
    --------
    >>> n_kept(0.2, 11), n_kept(0.2, 10), n_kept(5, 3)
    (3, 2, 3)
    """
    if isinstance(keep, Integral):
        return int(min(keep, n))
    # 0.2 * 35 is 7.000000000000001 in floating point: that is 7, not 8
    return max(1, min(n, int(np.ceil(round(keep * n, 9)))))


def reduced(
    X: Array,
    weights: Floats,
    log_significance: Floats,
    *,
    keep: float,
    reduction: str,
    kernel: Kernel,
    rng: np.random.RandomState,
    n_jobs: int | None = None,
) -> Kept:
    """The kernels kept of one class, whose points X are in units of its bandwidth.

    Of points that are as good as each other the first by their entries is kept, so that the order
    of the rows decides nothing.
    """
    n = len(X)
    m = n_kept(keep, n)
    if m == n:
        return Kept(np.arange(n), weights)
    if reduction == "random":
        rows = np.sort(rng.choice(n, m, replace=False))
        return Kept(rows, weights[rows])
    order = np.lexsort(X.T[::-1])
    if reduction == "weights":
        below_the_best = (log_significance.max() - log_significance[order]).round(_DIGITS_OF_TIES)
        by_weight = np.argsort(below_the_best, kind="stable")
        rows = np.sort(order[by_weight[:m]])
        return Kept(rows, weights[rows])
    kept = _l2_optimal(X[order], weights[order], m, kernel, n_jobs)
    rows = order[kept.rows]
    return Kept(np.sort(rows), kept.weights[np.argsort(rows)])


def _l2_optimal(X: Array, a: Floats, m: int, kernel: Kernel, n_jobs: int | None) -> Kept:
    _check_memory(len(X), m)
    d = X.shape[1]
    overlap, width = kernel.convolved(d), float(np.sqrt(2.0))
    log_sums = kernel_sums(X, X, a, kernel=overlap, bandwidths=width, log=True, n_jobs=n_jobs)
    target = np.exp(log_sums[:, 0, 0].astype(np.float64) - overlap.log_normalizer(width, d))

    def block(rows: Any, columns: Any) -> Floats:
        values = overlap.similarity(X[rows], X[columns], bandwidth=width)
        return np.asarray(values, dtype=np.float64)

    return pursue(a, target, block, m)


def _check_memory(n: int, m: int) -> None:
    needed = 8 * m * (n + m) / 2**20
    budget = float(get_config()["working_memory"])
    if needed > budget:
        raise ValueError(
            f"reduction='l2' needs {needed:.0f} MB for {m} of {n} kernels of a class, more than "
            f"the working memory of {budget:.0f} MB; lower keep, use reduction='random', or raise "
            "it by sklearn.set_config(working_memory=...)."
        )
