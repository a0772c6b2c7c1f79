"""Sums of an expansion whose points, or whose queries, have missing entries: see `parzen.sums`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from parzen import sums
from parzen._core import Array, Floats
from parzen.expansion.weighted_kernels import WeightedKernels
from parzen.sums import LeftOut


def marginal_log_sums(
    expansion: WeightedKernels, X: Array, leave: LeftOut = "nothing", copies: Floats | None = None
) -> Array:
    """Log-sums with missing entries; with ``leave`` the queries are the points."""
    out = np.full((len(X), expansion.n_classes), -np.inf)
    gaps: dict[str, Any] = {}
    if expansion.mismatch != 0.0:
        informative = np.isnan(expansion.points).any(axis=0)
        gaps = {"mismatch": expansion.mismatch, "informative": informative}
    for rows, columns, args, options in _parts(expansion):
        options |= gaps
        if leave == "nothing" or not expansion.is_shared:
            out[:, columns] = sums.marginal_log_sums(X, *args, **options)[..., 0]
        if leave != "nothing":
            options |= {"leave": leave, "copies": None if copies is None else copies[rows]}
            own = sums.marginal_log_sums(X[rows], *args, **options)[..., 0]
            out[rows, columns] = own
    return np.asarray(out + expansion.class_factors)


def column_log_means(expansion: WeightedKernels) -> tuple[Floats, Floats]:
    """Log of the mean density of every column at the points of a class, and of its peak: (C, d)."""
    means = np.empty((expansion.n_classes, expansion.points.shape[1]))
    peaks = np.empty_like(means)
    for _, columns, args, options in _parts(expansion):
        means[columns], peaks[columns] = sums.column_log_means(*args, **options)
    return means, peaks


def _parts(
    expansion: WeightedKernels,
) -> Iterator[tuple[Any, slice, tuple[Any, ...], dict[str, Any]]]:
    """Rows and columns of classes that share a kernel, with the arguments of their sums."""
    points, labels, weights = expansion.points, expansion.labels, expansion.weights
    if expansion.whitening is not None or labels is None:
        raise ValueError("a metric that mixes columns takes no missing values; use metric=None.")
    d, h = points.shape[1], expansion.bandwidth
    if expansion.is_shared:
        options = {"kernel": expansion.kernel, "widths": np.broadcast_to(h, (1, d))[0]}
        yield slice(None), slice(None), (points, labels, expansion.n_classes, weights), options
        return
    for c in range(expansion.n_classes):
        rows = np.flatnonzero(labels == c)
        w = None if weights is None else weights[rows]
        options = {"kernel": expansion.kernel, "widths": np.broadcast_to(h[c], d)}
        yield rows, slice(c, c + 1), (points[rows], np.zeros(len(rows), np.intp), 1, w), options
