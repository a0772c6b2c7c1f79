"""The primitive written down plainly: what every fast version is tested against.

Every pair is formed, distances are differences in extended precision, and the largest term of each
sum is factored out before exponentials are taken. Slow, memory-hungry, obviously right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array
from parzen.kernels import Kernel, get


def pair_measure(X: ArrayLike, Y: ArrayLike, measure: str) -> Array:
    """Squared or L1 distances, inner products or coordinate distances, in extended precision."""
    x = np.asarray(X, dtype=np.longdouble)[:, None, :]
    y = np.asarray(Y, dtype=np.longdouble)[None, :, :]
    if measure == "inner":
        return np.asarray((x * y).sum(axis=-1))
    difference = x - y
    if measure == "coordinates":
        return np.asarray(np.abs(difference))
    if measure == "l1":
        return np.asarray(np.abs(difference).sum(axis=-1))
    return np.asarray((difference**2).sum(axis=-1))


def kernel_sums(
    X: ArrayLike,
    Y: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    kernel: str | Kernel = "gaussian",
    bandwidths: ArrayLike,
    exclude_self: bool = False,
    log: bool = False,
) -> Array:
    """Sums or log-sums of shape (queries, columns, bandwidths), in extended precision."""
    k = get(kernel)
    d = np.asarray(X).shape[1]
    pairs = pair_measure(X, Y, k.measure)
    n = pairs.shape[1]
    h = np.atleast_1d(np.asarray(bandwidths, dtype=np.longdouble))
    w = np.ones((n, 1)) if weights is None else np.asarray(weights, dtype=np.longdouble)
    w = w.reshape(*w.shape, *(1,) * (3 - w.ndim)) * np.ones(len(h))
    out = np.empty((len(pairs), w.shape[1], len(h)), dtype=np.longdouble)
    for b, bandwidth in enumerate(h):
        if k.measure == "inner":
            value = k.profile(pairs, bandwidth, d)
            if exclude_self:
                np.fill_diagonal(value, 0)
            out[:, :, b] = value @ w[:, :, b]
            continue
        value = k.log_profile(pairs, bandwidth, d) + k.log_normalizer(bandwidth, d)
        if exclude_self:
            np.fill_diagonal(value, -np.inf)
        for c in range(w.shape[1]):
            out[:, c, b] = _log_sum(value, w[:, c, b]) if log else np.exp(value) @ w[:, c, b]
    return out


def _log_sum(log_values: Array, weights: Array) -> Array:
    kept = log_values[:, weights > 0]
    if kept.shape[1] == 0:
        return np.full(len(log_values), -np.inf, dtype=np.longdouble)
    largest = kept.max(axis=1, keepdims=True)
    largest[~np.isfinite(largest)] = 0
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(kept - largest) @ weights[weights > 0])
    return np.asarray(total + largest[:, 0])
