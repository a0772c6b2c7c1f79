"""Log-sums of product kernels over rows and queries with missing entries (NaN).

A query without a column is judged by the density of its other columns, which is exactly the
marginal of the estimate. A row without a column that the query has contributes by its other
columns, times the density of that column in the row's class,

    sum_i w_i prod_{l in query} [ k_l(x_l, y_il) if the row has l, else f_cl(x_l) ],
    f_cl(x) = sum_j w_j k_l(x, y_jl) / sum_j w_j  over the rows of class c that have l,

so that the sum stays a density in x. The densities f are sums of single columns; the native pass
then visits every pair once for all bandwidths. Blocks of queries fit ``working_memory``.

Where gaps tell something about the label, they are a category of two levels beside each column: the
kernel has a further factor, ``exp(mismatch)`` below 1 for every gap that only the query or only the
row has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen import _native
from parzen._core import Array, Bools, Floats, Ints, as_bandwidths, effective_threads, steps
from parzen.kernels import ColumnProduct, Gaussian, Kernel, Rescaled
from parzen.sums.primitive import labelled_kernel_sums

LeftOut = Literal["nothing", "row", "copy", "kernel"]

_ARRAYS_ALIVE = 3  # Arrays of a block's size that exist at the same time.
_ROUNDING = 1e-14  # Share of a label's weight below which a remainder is rounding.
_PRODUCTS = ("gaussian", "laplacian")  # Kernels that are a product of their columns.


def has_missing(*arrays: Array) -> bool:
    """Whether any entry is missing."""
    return any(bool(np.isnan(array).any()) for array in arrays)


def refuses_missing(kernel: str | Kernel, n_features: int) -> str | None:
    """Why a kernel cannot leave columns out; None where it can."""
    plain = kernel.kernel if isinstance(kernel, Rescaled) else kernel
    name = plain if isinstance(plain, str) else plain.name
    if isinstance(plain, ColumnProduct) or name in _PRODUCTS or n_features == 1:
        return None
    return (
        f"kernel={name!r} is not a product of its columns, so it has no density of fewer "
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
    widths: ArrayLike = 1.0,
    bandwidths: ArrayLike = 1.0,
    leave: LeftOut = "nothing",
    rows: Ints | None = None,
    copies: Floats | None = None,
    mismatch: float = 0.0,
    informative: Bools | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Log-sums of every label at the queries, shape (n_queries, n_labels, n_bandwidths).

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
    widths : float or array of shape (n_features,), default=1.0
        The bandwidth of every column.
    bandwidths : float or array of shape (n_bandwidths,), default=1.0
        By what the widths are multiplied; 1 for a `ColumnProduct`.
    leave : {"nothing", "row", "copy", "kernel"}
        What a query leaves out of the sums: nothing, its own row, one of its copies, or the kernel
        of its row, which then still counts in the densities of the single columns.
    rows : array of shape (n_queries,), default=None
        The point that each query is, where it leaves something out; None for the first, second, ...
    copies : array of shape (n_points,), default=None
        How many copies of each point its weight stands for; None for the weights themselves.
    mismatch : float, default=0.0
        Log of the factor for a gap that only the query or only the point has.
    informative : array of shape (n_features,), default=None
        The columns whose gaps have that factor; None for those with gaps among the points.
    n_jobs : int, default=None
        Threads; None for all cores this process may use.
    """
    reason = refuses_missing(kernel, X.shape[1])
    if reason is not None:
        raise ValueError(f"{reason}.")
    w = np.ones(len(Y)) if weights is None else np.asarray(weights, np.float64)
    columns = _Columns.of(kernel, np.broadcast_to(widths, X.shape[1]).astype(float), bandwidths)
    sums = _GappedSums(columns, Y.astype(np.float64), labels, n_labels, w, n_jobs)
    if leave == "copy":
        sums.keep_copies(w if copies is None else copies)
    if mismatch != 0.0:
        counts = np.isnan(Y).any(axis=0) if informative is None else informative
        sums.mismatch = np.where(counts, mismatch, 0.0)
    own = None if leave == "nothing" else np.arange(len(X)) if rows is None else rows
    out = np.empty((len(X), n_labels, len(columns.bandwidths)))
    row_bytes = _ARRAYS_ALIVE * 8 * out[:1].size * (1 + len(sums.gappy))
    size = get_chunk_n_rows(row_bytes=row_bytes, max_n_rows=max(1, len(X)))
    for batch in steps(list(gen_batches(len(X), size))):
        queries = X[batch].astype(np.float64)
        out[batch] = sums.at(queries, None if own is None else own[batch], leave)
    return out


def column_log_means(
    Y: Array,
    labels: Ints,
    n_labels: int,
    weights: Floats | None,
    *,
    kernel: Kernel,
    widths: ArrayLike = 1.0,
    n_jobs: int | None = None,
) -> tuple[Floats, Floats]:
    """Log of the mean density of every column at the points of a label, and of the kernel's peak.

    The density is that of the label's points that have the column, and so is the mean. Shapes are
    (n_labels, n_features) and (n_features,). A label without points there has the mean of all.
    """
    w = np.ones(len(Y)) if weights is None else np.asarray(weights, np.float64)
    columns = _Columns.of(kernel, np.broadcast_to(widths, Y.shape[1]).astype(float), 1.0)
    sums = _GappedSums(columns, Y.astype(np.float64), labels, n_labels, w, n_jobs)
    peaks = columns.levels[:, 0]
    return peaks + np.column_stack([sums.log_mean_density(j) for j in range(Y.shape[1])]), peaks


@dataclass(frozen=True)
class _Columns:
    """A product kernel: the radial kernel of the coordinates that stand for its columns."""

    kernel: Kernel  # of the distance of the coordinates
    product: ColumnProduct | None
    widths: Floats
    bandwidths: Floats
    levels: Floats  # (columns, bandwidths) log of the factor at distance 0

    @classmethod
    def of(cls, kernel: Kernel, widths: Floats, bandwidths: ArrayLike) -> _Columns:
        b = as_bandwidths(bandwidths)
        if isinstance(kernel, ColumnProduct):
            return cls(Gaussian(), kernel, widths, b, kernel.log_peaks(widths)[:, None])
        if isinstance(kernel, Rescaled):
            return cls.of(kernel.kernel, widths * kernel.factor, b)
        levels = np.asarray(kernel.log_normalizer(widths[:, None] * b, 1), np.float64)
        return cls(kernel, None, widths, b, levels)

    def coordinates(self, X: Floats) -> tuple[Floats, Ints]:
        """Coordinates of the rows, and the column that each belongs to."""
        if self.product is None:
            return X / self.widths, np.arange(X.shape[1])
        return self.product.embedded(X, self.widths), self.product.owners()

    @property
    def rates(self) -> Floats:
        """What a distance of 1 takes from the logarithm."""
        return 1.0 / self.bandwidths if self.is_l1 else 0.5 / self.bandwidths**2

    @property
    def is_l1(self) -> bool:
        """Whether distances are sums of absolute values."""
        return self.kernel.measure == "l1"


class _GappedSums:
    """Sums over points that are sorted by label and by the columns that they lack."""

    def __init__(
        self,
        columns: _Columns,
        Y: Floats,
        labels: Ints,
        n_labels: int,
        w: Floats,
        n_jobs: int | None,
    ) -> None:
        lacks = np.isnan(Y)
        self.is_single = Y.shape[1] == 1  # no product, so any kernel: its density tells all
        self.gappy = np.flatnonzero(lacks.any(axis=0) | self.is_single)
        pattern = np.unique(lacks[:, self.gappy], axis=0, return_inverse=True)[1].ravel()
        order = np.lexsort((pattern, labels))
        self.place = np.empty(len(order), np.intp)
        self.place[order] = np.arange(len(order))
        self.columns, self.n_labels, self.n_jobs = columns, n_labels, n_jobs
        self.lacks, self.labels, self.w = lacks[order], labels[order], w[order]
        self.points, self.owners = columns.coordinates(Y[order])
        changes = np.diff(self.labels, prepend=-1) | np.diff(pattern[order], prepend=-1)
        self.firsts = np.flatnonzero(changes)
        self.order, self.kept = order, np.zeros(len(order))
        self.mismatch: Floats = np.zeros(Y.shape[1])

    def keep_copies(self, copies: Floats) -> None:
        """Leave one copy of a query's own point out: ``kept`` is the weight that stays."""
        self.kept = self.w * (1.0 - 1.0 / np.maximum(copies[self.order], 1.0))

    def at(self, X: Floats, rows: Ints | None, leave: LeftOut) -> Floats:
        queries, _ = self.columns.coordinates(X)
        own = None if rows is None else self.place[rows]
        kept = np.zeros(len(X)) if own is None else self.kept[own]
        asked = ~np.isnan(X)
        level = (asked @ self.columns.levels)[:, None, :]
        out = np.empty((len(X), self.n_labels, len(self.columns.bandwidths)))
        marginals = np.zeros((*out.shape, len(self.gappy)))
        for i, j in enumerate(self.gappy.tolist()):
            there = np.flatnonzero(asked[:, j])
            of = None if own is None or leave == "kernel" else own[there]
            marginals[there, ..., i] = self._log_means(j, queries[there], of, kept[there])
        if self.is_single:
            whole = leave == "kernel"
            return level + self._of_one_column(queries, marginals[..., 0], own, kept, whole=whole)
        if self.mismatch.any():  # |q - g| = q + g (1 - 2 q) for gaps q of a query, g of a point
            signs = np.where(asked, 1.0, -1.0)[:, None, None, self.gappy]
            marginals += signs * self.mismatch[self.gappy]
            level = level + (~asked @ self.mismatch)[:, None, None]
        starts = [*self.firsts, len(self.points)]
        label_starts = np.searchsorted(self.labels[self.firsts], np.arange(self.n_labels + 1))
        _native.gapped_log_sums(
            np.ascontiguousarray(queries), marginals,
            np.full(len(X), -1) if own is None else own, _log(kept),
            np.ascontiguousarray(self.points.T), np.log(self.w),
            np.array(starts, np.uint64), label_starts.astype(np.uint64),
            (~np.isnan(self.points[self.firsts])).astype(np.uint8),
            self.lacks[np.ix_(self.firsts, self.gappy)].astype(np.float64),
            self.columns.rates, self.columns.is_l1, out,
            effective_threads(self.n_jobs),
        )  # fmt: skip
        return out + level

    def _log_means(self, j: int, queries: Floats, own: Ints | None, kept: Floats) -> Floats:
        """Log of a column's density in every label, over its value at distance 0.

        A label whose points all lack the column has the density of the whole sample there; a
        column that all points lack has no factor.
        """
        known, part = ~self.lacks[:, j], self.owners == j
        Y, X = self.points[:, part], np.ascontiguousarray(queries[:, part])
        sums = self._log_sums(X, Y, known, own)
        if own is not None:
            mine = np.arange(len(X)), self.labels[own]
            sums[mine] = np.logaddexp(sums[mine], _log(kept)[:, None])
        masses = self._masses(known, own, kept)
        with np.errstate(invalid="ignore"):
            pooled = np.logaddexp.reduce(sums, axis=1) - _log(masses.sum(axis=1))[:, None]
            means = sums - _log(masses)[..., None]
        pooled = np.where(np.isnan(pooled), -self.columns.levels[j], pooled)
        return np.where(masses[..., None] > 0, means, pooled[:, None])

    def _log_sums(self, X: Floats, Y: Floats, known: Bools, own: Ints | None) -> Floats:
        """Sums of one column over the points that have it but the queries' own, peaks taken out."""
        rest = known.copy()
        out = np.full((len(X), self.n_labels, len(self.columns.bandwidths)), -np.inf)
        how: dict[str, Any] = {
            "kernel": self.columns.kernel, "bandwidths": self.columns.bandwidths,
            "n_jobs": self.n_jobs,
        }  # fmt: skip
        if own is not None and len(own):
            rest[own] = False
            out = labelled_kernel_sums(
                X, X, self.labels[own], self.n_labels, self.w[own], exclude_self=True, **how
            )
        if rest.any() and len(X):
            others = labelled_kernel_sums(
                X, Y[rest], self.labels[rest], self.n_labels, self.w[rest], **how
            )
            out = np.logaddexp(out, others)
        peaks = self.columns.kernel.log_normalizer(self.columns.bandwidths, X.shape[1])
        return np.asarray(out - peaks)

    def log_mean_density(self, j: int) -> Floats:
        """Log of the mean of a column's density over each label's points, peak taken out."""
        there = np.flatnonzero(~self.lacks[:, j])
        if len(there) == 0:
            return np.full(self.n_labels, -self.columns.levels[j, 0])
        none = np.zeros(len(there))
        logs = (
            self._log_means(j, self.points[there], None, none)[..., 0]
            + _log(self.w[there])[:, None]
        )
        labels = self.labels[there]
        mine = np.where(labels[:, None] == np.arange(self.n_labels), 0.0, -np.inf)
        mine[:, np.isneginf(mine).all(axis=0)] = 0.0  # a label without points has the mean of all
        masses = np.exp(mine).T @ self.w[there]
        return np.asarray(np.logaddexp.reduce(logs + mine, axis=0) - np.log(masses))

    def _of_one_column(
        self, queries: Floats, means: Floats, own: Ints | None, kept: Floats, *, whole: bool
    ) -> Floats:
        """Log-sums of a single column from its densities, times the mismatch of gaps.

        With ``whole`` densities have the queries' own kernels, which the sums must not have.
        """
        asked = ~np.isnan(queries[:, 0])
        has, lacks = (
            means + _log(self._masses(rows, own, kept))[..., None]
            for rows in (~self.lacks[:, 0], self.lacks[:, 0])
        )
        if whole and own is not None:
            has[asked] = self._log_sums(queries[asked], self.points, ~self.lacks[:, 0], own[asked])
        factors = np.where(asked[:, None], [0.0, self.mismatch[0]], [self.mismatch[0], 0.0])
        return np.logaddexp(has + factors[:, :1, None], lacks + factors[:, 1:, None])

    def _masses(self, known: Bools, own: Ints | None, kept: Floats) -> Floats:
        """Weight of every label among some points, without the queries' own among them."""
        totals = np.bincount(self.labels[known], self.w[known], self.n_labels)
        masses: Floats = np.tile(totals, (len(kept), 1)).astype(np.float64)
        if own is not None:
            taken = np.where(known[own], self.w[own] - kept, 0.0)
            masses[np.arange(len(own)), self.labels[own]] -= taken
        return np.where(masses > _ROUNDING * totals, masses, 0.0)


def _log(x: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(x))
