"""Log-sums of product kernels over rows and queries with missing entries (NaN).

A query without a column is judged by the density of its other columns, which is exactly the
marginal of the estimate. A row without a column that the query has contributes by its other
columns, times the density of that column in the row's class,

    sum_i w_i prod_{l in query} [ k_l(x_l, y_il) if the row has l, else f_cl(x_l) ],
    f_cl(x) = sum_j w_j k_l(x, y_jl) / sum_j w_j  over the rows of class c that have l,

so that the sum stays a density in x. Blocks of queries fit scikit-learn's ``working_memory``.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Array, Floats, Ints
from parzen.kernels import ColumnProduct, Kernel, Rescaled

Left = Literal["nothing", "row", "copy"]

_ARRAYS_ALIVE = 5  # Arrays of a block's size that exist at the same time.
_PRODUCTS = ("gaussian", "laplacian")  # Kernels that are a product of their columns.


def has_missing(*arrays: Array) -> bool:
    """Whether any entry is missing."""
    return any(bool(np.isnan(array).any()) for array in arrays)


def refuses_missing(kernel: Kernel, n_features: int) -> str | None:
    """Why a kernel cannot leave columns out; None where it can."""
    plain = kernel.kernel if isinstance(kernel, Rescaled) else kernel
    if isinstance(plain, ColumnProduct) or plain.name in _PRODUCTS or n_features == 1:
        return None
    return (
        f"kernel={plain.name!r} is not a product of its columns, so it has no density of fewer "
        "columns; use 'gaussian', 'laplacian' or a ColumnProduct, or impute missing values"
    )


def marginal_log_sums(
    X: Array,
    Y: Array,
    labels: Ints,
    n_labels: int,
    weights: Floats | None,
    *,
    kernel: Kernel,
    widths: Floats,
    leave: Left = "nothing",
    rows: Ints | None = None,
) -> Floats:
    """Log-sums of every label at the queries, shape (n_queries, n_labels).

    Parameters
    ----------
    X : array of shape (n_queries, n_features)
        Queries, NaN where entries are missing.
    Y : array of shape (n_points, n_features)
        The points.
    labels : array of shape (n_points,)
        The label of each point.
    n_labels : int
        Number of labels.
    weights : array of shape (n_points,) or None
        Frequencies.
    kernel : Kernel
        A product of its columns.
    widths : array of shape (n_features,)
        The bandwidth of every column.
    leave : {"nothing", "row", "copy"}
        What a query leaves out of the sums: nothing, its own row, or one of its copies.
    rows : array of shape (n_queries,), default=None
        The point that each query is, where it leaves something out; None for the first, second, ...
    """
    reason = refuses_missing(kernel, X.shape[1])
    if reason is not None:
        raise ValueError(f"{reason}.")
    order = np.argsort(labels, kind="stable")
    log_w = np.zeros(len(Y)) if weights is None else np.log(weights)
    sums = _LabelledSums(
        Y[order].astype(np.float64), log_w[order], labels[order], n_labels, kernel, widths
    )
    out = np.empty((len(X), n_labels))
    place_of = np.empty(len(order), dtype=np.intp)
    place_of[order] = np.arange(len(order))
    place_of = place_of if rows is None else place_of[rows]
    size = get_chunk_n_rows(row_bytes=_ARRAYS_ALIVE * 8 * len(Y), max_n_rows=max(1, len(X)))
    for batch in gen_batches(len(X), size):
        own = None if leave == "nothing" else place_of[batch]
        out[batch] = sums.at(X[batch].astype(np.float64), own, leave == "copy")
    return out


class _LabelledSums:
    """Sums over points that are sorted by label."""

    def __init__(
        self, Y: Floats, log_w: Floats, labels: Ints, n_labels: int, kernel: Kernel, widths: Floats
    ) -> None:
        self.Y, self.log_w, self.labels, self.n_labels = Y, log_w, labels, n_labels
        self.kernel, self.widths = kernel, widths

    def at(self, X: Floats, own: Ints | None, keep_copies: bool) -> Floats:
        log_w = self.log_w
        if own is not None:
            log_w = np.tile(log_w, (len(X), 1))
            rows = np.arange(len(X)), own
            w = np.exp(log_w[rows])
            with np.errstate(divide="ignore"):
                log_w[rows] = np.log(w - np.minimum(w, 1.0)) if keep_copies else -np.inf
        total = np.broadcast_to(log_w, (len(X), len(self.Y))).copy()
        for j, h in enumerate(self.widths):
            self._add_column(total, log_w, X[:, j], j, float(h))
        return _log_sums(total, self.labels, self.n_labels)

    def _add_column(self, total: Floats, log_w: Floats, x: Floats, j: int, h: float) -> None:
        asked, known = np.flatnonzero(~np.isnan(x)), ~np.isnan(self.Y[:, j])
        if len(asked) == 0 or not known.any():
            return
        weights = log_w if log_w.ndim == 1 else log_w[asked]
        logs = _log_factor(self.kernel, j, x[asked, None] - self.Y[known, j], h)
        if known.all():
            total[asked] += logs
            return
        # A class whose rows all lack the column has the density of the whole sample there.
        weighted = logs + weights[..., known]
        pooled = _log_mean(weighted, weights[..., known], np.zeros(known.sum(), np.intp), 1)
        own = _log_mean(weighted, weights[..., known], self.labels[known], self.n_labels)
        marginal = np.where(np.isnan(own), np.nan_to_num(pooled), own)
        filled = np.empty((len(asked), len(self.Y)))
        filled[:, known] = logs
        filled[:, ~known] = marginal[:, self.labels[~known]]
        total[asked] += filled


def _log_factor(kernel: Kernel, j: int, gaps: Floats, h: float) -> Floats:
    """Log of the factor of column j at differences of values."""
    if isinstance(kernel, ColumnProduct):
        return kernel.log_factor(j, np.abs(gaps), h)
    if isinstance(kernel, Rescaled):
        return _log_factor(kernel.kernel, j, gaps, h * kernel.factor)
    pairs = np.abs(gaps) if kernel.measure == "l1" else gaps**2
    level = float(kernel.log_normalizer(h, 1))
    return np.asarray(kernel.log_profile(pairs, h, 1) + level)


def _log_sums(logs: Floats, labels: Ints, n_labels: int) -> Floats:
    """Log-sums of every label, minus infinity for a label without points."""
    out = np.full((len(logs), n_labels), -np.inf)
    ends = np.searchsorted(labels, np.arange(n_labels + 1))
    for c in range(n_labels):
        part = logs[:, ends[c] : ends[c + 1]]
        if part.shape[1]:
            top = part.max(axis=1, keepdims=True)
            top = np.where(np.isfinite(top), top, 0.0)
            with np.errstate(divide="ignore"):
                out[:, c] = np.log(np.exp(part - top).sum(axis=1)) + top[:, 0]
    return out


def _log_mean(weighted: Floats, log_w: Floats, labels: Ints, n_labels: int) -> Floats:
    """Log of the weighted mean of every label, NaN for a label without weight."""
    masses = _log_sums(np.atleast_2d(log_w), labels, n_labels)
    with np.errstate(invalid="ignore"):
        return np.asarray(_log_sums(weighted, labels, n_labels) - masses)
