"""Sums of an expansion whose points, or whose queries, have missing entries: see `parzen.sums`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from parzen import sums
from parzen._core import Array, Floats, Ints
from parzen.kernels import Kernel
from parzen.sums import LeftOut


class Expansion(Protocol):
    """What is read from a `KernelExpansion`."""

    @property
    def points(self) -> Array: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def bandwidth(self) -> Floats: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def labels(self) -> Ints | None: ...
    @property
    def weights(self) -> Array | None: ...
    @property
    def whitening(self) -> Any: ...
    @property
    def mismatch(self) -> float: ...
    @property
    def is_shared(self) -> bool: ...
    @property
    def class_factors(self) -> Floats: ...


def marginal_log_sums(
    expansion: Expansion, X: Array, leave: LeftOut = "nothing", copies: Floats | None = None
) -> Array:
    """Log-sums with missing entries; with ``leave`` the queries are the points."""
    out = np.full((len(X), expansion.n_classes), -np.inf)
    gaps: dict[str, Any] = {}
    if expansion.mismatch != 0.0:
        informative = np.isnan(expansion.points).any(axis=0)
        gaps = {"mismatch": expansion.mismatch, "informative": informative}
    for rows, columns, args, how in _parts(expansion):
        how |= gaps
        if leave == "nothing" or not expansion.is_shared:
            out[:, columns] = sums.marginal_log_sums(X, *args, **how)[..., 0]
        if leave != "nothing":
            how |= {"leave": leave, "copies": None if copies is None else copies[rows]}
            own = sums.marginal_log_sums(X[rows], *args, **how)[..., 0]
            out[rows, columns] = own
    return np.asarray(out + expansion.class_factors)


def column_log_means(expansion: Expansion) -> tuple[Floats, Floats]:
    """Log of the mean density of every column at the points of a class, and of its peak: (C, d)."""
    means = np.empty((expansion.n_classes, expansion.points.shape[1]))
    peaks = np.empty_like(means)
    for _, columns, args, how in _parts(expansion):
        means[columns], peaks[columns] = sums.column_log_means(*args, **how)
    return means, peaks


def _parts(expansion: Expansion) -> Iterator[tuple[Any, slice, tuple[Any, ...], dict[str, Any]]]:
    """Rows and columns of classes that share a kernel, with the arguments of their sums."""
    points, labels, weights = expansion.points, expansion.labels, expansion.weights
    if expansion.whitening is not None or labels is None:
        raise ValueError("a metric that mixes columns takes no missing values; use metric=None.")
    d, h = points.shape[1], expansion.bandwidth
    if expansion.is_shared:
        how = {"kernel": expansion.kernel, "widths": np.broadcast_to(h, (1, d))[0]}
        yield slice(None), slice(None), (points, labels, expansion.n_classes, weights), how
        return
    for c in range(expansion.n_classes):
        rows = np.flatnonzero(labels == c)
        w = None if weights is None else weights[rows]
        how = {"kernel": expansion.kernel, "widths": np.broadcast_to(h[c], d)}
        yield rows, slice(c, c + 1), (points[rows], np.zeros(len(rows), np.intp), 1, w), how
