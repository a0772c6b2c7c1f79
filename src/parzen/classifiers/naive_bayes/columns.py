"""One column of a naive Bayes model: log f_c of a number or of a category, for every class.

    number     f_c(x) = (1/n_c) sum_{i in c} k_h(x, x_i)
    category   f_c(v) = (n_cv + s) / (n_c + s V),   V categories, smoothing s

A missing value, and a category that the training rows lack, has the log-density 0 in every class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from parzen._core import Array, Bools, Floats, Ints
from parzen.classifiers.base import take_own_from_means
from parzen.expansion import KernelExpansion
from parzen.kernels import Kernel
from parzen.samples import Sample
from parzen.sums import kernel_sums


class ColumnDensities(Protocol):
    """The densities of the classes in one column."""

    @property
    def n_classes(self) -> int:
        """Number of classes."""

    def log_densities(self, x: Array, **options: Any) -> Floats:
        """Log-densities of the classes at each entry, shape (n, C); options as of `log_sums`."""

    def at_factors(self, x: Array, factors: Array, *, n_jobs: int) -> Floats:
        """The same with every bandwidth times each factor, shape (n, C, factors) or (n, C, 1)."""

    def leave_one_out(self, *, n_jobs: int | None = None) -> Floats:
        """The same at the training entries, each left out of its own class."""

    def shares(self, x: Array, c: int, rows: Ints) -> Floats:
        """Shares of training rows in the density of class c at each entry, (m, rows).

        Those of all rows of the class sum to 1 but for the share of the background, or of the
        smoothing. They are 0 where there is no density.
        """

    def on(self, sample: Sample, j: int) -> ColumnDensities:
        """The densities of other rows, with the bandwidths and the background of this column."""

    def joined(self, x: Array, c: int, rows: Ints, held_out: Array) -> Floats:
        """Log f_c at training rows, each left out, after entries x joined the class: (m, rows).

        ``held_out`` is what they were before.
        """


@dataclass(frozen=True, eq=False)
class NumericColumn:
    """A one-dimensional kernel density per class.

    Attributes
    ----------
    expansion : KernelExpansion
        Of the entries that are present.
    counts : array of shape (C,)
        Sum of their frequencies; a class without any takes the density of all classes together.
    present : array of shape (n,) of bool
        Which training rows have an entry.
    log_background : tuple of two floats
        Logs of the kernels' share, and of what a uniform background adds to every density.
    """

    expansion: KernelExpansion
    counts: Floats
    present: Bools
    log_background: tuple[float, float]

    @classmethod
    def fit(
        cls,
        sample: Sample,
        j: int,
        kernel: Kernel,
        bandwidth: Floats,
        log_background: tuple[float, float],
    ) -> NumericColumn:
        """The densities of the entries of column j that are present."""
        column = sample.columns(slice(j, j + 1))
        present = ~np.isnan(column.X[:, 0])
        here = column.rows(present)
        expansion = KernelExpansion(
            points=here.X,
            kernel=kernel,
            bandwidth=bandwidth,
            n_classes=sample.n_classes,
            labels=here.codes,
            weights=here.weights,
            log_factors=-np.log(np.where(here.counts > 0, here.counts, 1.0)),
        )
        return cls(expansion, here.counts, present, log_background)

    def shares(self, x: Array, c: int, rows: Ints) -> Floats:
        e, here, known = self.expansion, self.present[rows], ~np.isnan(x)
        out = np.zeros((len(x), len(rows)))
        if self.counts[c] == 0 or not known.any():
            return out
        places = np.cumsum(self.present)[rows[here]] - 1
        h = float(e.bandwidth if e.bandwidth.ndim == 0 else e.bandwidth[c])
        logs = e.kernel.log(x[known, None], e.points[places], bandwidth=h)
        if e.weights is not None:
            logs = logs + np.log(e.weights[places])
        share, floor = self.log_background
        rest = float(np.log(self.counts[c]) + floor - share)
        peak = np.maximum(logs.max(axis=1, keepdims=True), rest)
        peak[np.isneginf(peak)] = 0.0
        terms = np.exp(logs - peak)
        total = terms.sum(axis=1, keepdims=True) + np.exp(rest - peak)
        out[np.ix_(known, here)] = terms / np.where(total > 0, total, 1.0)
        return out

    def on(self, sample: Sample, j: int) -> ColumnDensities:
        return NumericColumn.fit(
            sample, j, self.expansion.kernel, self.expansion.bandwidth, self.log_background
        )

    def joined(self, x: Array, c: int, rows: Ints, held_out: Array) -> Floats:
        out = np.tile(held_out, (len(x), 1))
        known, here = np.flatnonzero(~np.isnan(x)), np.flatnonzero(self.present[rows])
        if len(known) == 0 or len(here) == 0:
            return out
        places = np.cumsum(self.present)[rows[here]] - 1
        e = self.expansion
        assert e.labels is not None
        own = e.labels[places] == c
        taken = own * (1.0 if e.weights is None else np.minimum(e.weights[places], 1.0))
        rest = self.counts[c] - taken
        # Sums of the kernels of c without the row, from their means.
        floor = self.log_background[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = self._without_background(held_out[here])
            sums = np.where(rest > 0, means + np.log(rest), -np.inf)
            h = float(e.bandwidth if e.bandwidth.ndim == 0 else e.bandwidth[c])
            kernels = e.kernel.log(x[known, None], e.points[places], bandwidth=h)
            new = np.logaddexp(sums, kernels) - np.log(rest + 1.0)
        if np.isfinite(floor):
            new = np.logaddexp(new + self.log_background[0], floor)
        out[np.ix_(known, here)] = new
        return out

    @property
    def n_classes(self) -> int:
        return self.expansion.n_classes

    def log_densities(self, x: Array, **options: Any) -> Floats:
        out = np.zeros((len(x), self.expansion.n_classes))
        known = ~np.isnan(x)
        if known.any():
            sums = self.expansion.log_sums(x[known, None], **options).astype(np.float64)
            out[known] = self._filled(sums)
        return out

    def at_factors(self, x: Array, factors: Array, *, n_jobs: int) -> Floats:
        expansion = self.expansion
        assert expansion.labels is not None
        assert expansion.log_factors is not None
        known = ~np.isnan(x)
        out = np.zeros((len(x), expansion.n_classes, len(factors)))
        sums = np.full((int(known.sum()), *out.shape[1:]), -np.inf)
        h = np.broadcast_to(expansion.bandwidth, expansion.n_classes)
        for c in np.flatnonzero(self.counts):
            of_class = expansion.labels == c
            weights = None if expansion.weights is None else expansion.weights[of_class]
            sums[:, c] = kernel_sums(
                x[known, None], expansion.points[of_class], weights, kernel=expansion.kernel,
                bandwidths=h[c] * factors, log=True, n_jobs=n_jobs,
            )[:, 0] + expansion.log_factors[c]  # fmt: skip
        out[known] = self._filled(sums)
        return out

    def leave_one_out(self, *, n_jobs: int | None = None) -> Floats:
        out = np.zeros((len(self.present), self.expansion.n_classes))
        sums = self.expansion.leave_one_out_log_sums(n_jobs=n_jobs).astype(np.float64)
        labels, weights = self.expansion.labels, self.expansion.weights
        assert labels is not None
        out[self.present] = self._filled(take_own_from_means(sums, labels, weights, self.counts))
        return out

    def _filled(self, log_means: Floats) -> Floats:
        """Give classes without entries the mixture of the others, which favours no class."""
        empty = self.counts == 0
        if empty.any():
            shares = self.counts[~empty] / self.counts.sum()
            logs = np.log(shares).reshape(-1, *(1,) * (log_means.ndim - 2))
            mixture = np.logaddexp.reduce(log_means[:, ~empty] + logs, axis=1)
            log_means[:, empty] = mixture[:, None]
        share, floor = self.log_background
        return log_means if np.isneginf(floor) else np.logaddexp(log_means + share, floor)

    def _without_background(self, logs: Floats) -> Floats:
        """The log-densities of the kernels alone."""
        share, floor = self.log_background
        if np.isneginf(floor):
            return logs
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(logs + np.log(-np.expm1(np.minimum(floor - logs, 0.0))) - share)


@dataclass(frozen=True, eq=False)
class AbsentColumn:
    """A column without an entry in training, or with one value only: it says nothing."""

    n_rows: int
    n_classes: int

    def log_densities(self, x: Array, **options: Any) -> Floats:
        return np.zeros((len(x), self.n_classes))

    def at_factors(self, x: Array, factors: Array, *, n_jobs: int) -> Floats:
        return self.log_densities(x)[:, :, None]

    def leave_one_out(self, *, n_jobs: int | None = None) -> Floats:
        return np.zeros((self.n_rows, self.n_classes))

    def shares(self, x: Array, c: int, rows: Ints) -> Floats:
        return np.zeros((len(x), len(rows)))

    def on(self, sample: Sample, j: int) -> ColumnDensities:
        return AbsentColumn(len(sample), self.n_classes)

    def joined(self, x: Array, c: int, rows: Ints, held_out: Array) -> Floats:
        return np.zeros((len(x), len(rows)))


@dataclass(frozen=True, eq=False)
class CategoricalColumn:
    """Smoothed frequencies of categories.

    Attributes
    ----------
    categories : array of shape (V,)
        Sorted values.
    counts : array of shape (C, V)
        Sums of frequencies.
    smoothing : float
        Added to every count.
    entries, labels, weights : arrays of shape (n,)
        The training rows: index of the category (-1 for missing), class, frequency.
    """

    categories: Array
    counts: Floats
    smoothing: float
    entries: Ints
    labels: Ints
    weights: Floats

    @classmethod
    def fit(
        cls, x: Array, codes: Ints, weights: Floats | None, n_classes: int, smoothing: float
    ) -> CategoricalColumn:
        """Count the categories of each class."""
        w = np.ones(len(x)) if weights is None else weights
        categories = np.unique(x[~np.isnan(x)])
        entries = _places(categories, x)
        known = entries >= 0
        counts = np.zeros((n_classes, len(categories)))
        np.add.at(counts, (codes[known], entries[known]), w[known])
        return cls(categories, counts, smoothing, entries, codes, w)

    @property
    def n_classes(self) -> int:
        return len(self.counts)

    def log_densities(self, x: Array, **options: Any) -> Floats:
        entries = _places(self.categories, x)
        out = np.zeros((len(x), len(self.counts)))
        total = self.counts.sum(axis=1, keepdims=True) + self.smoothing * len(self.categories)
        if len(self.categories):
            logs = np.log((self.counts + self.smoothing) / total)
            out[entries >= 0] = logs.T[entries[entries >= 0]]
        return out

    def at_factors(self, x: Array, factors: Array, *, n_jobs: int) -> Floats:
        return self.log_densities(x)[:, :, None]

    def leave_one_out(self, *, n_jobs: int | None = None) -> Floats:
        known = np.flatnonzero(self.entries >= 0)
        out = np.zeros((len(self.entries), len(self.counts)))
        if len(known) == 0:
            return out
        total = self.counts.sum(axis=1) + self.smoothing * len(self.categories)
        out[known] = np.log((self.counts[:, self.entries[known]].T + self.smoothing) / total)
        own = self.labels[known]
        taken = np.minimum(self.weights[known], 1.0)
        count = np.maximum(self.counts[own, self.entries[known]] - taken, 0.0)
        out[known, own] = np.log((count + self.smoothing) / (total[own] - taken))
        return out

    def shares(self, x: Array, c: int, rows: Ints) -> Floats:
        entries = _places(self.categories, x)
        same = (entries[:, None] == self.entries[rows]) & (entries >= 0)[:, None]
        total = np.append(self.counts[c] + self.smoothing, 0.0)[entries]
        return np.asarray(same * self.weights[rows] / np.where(total > 0, total, 1.0)[:, None])

    def on(self, sample: Sample, j: int) -> ColumnDensities:
        x, C = sample.X[:, j], sample.n_classes
        return CategoricalColumn.fit(x, sample.codes, sample.weights, C, self.smoothing)

    def joined(self, x: Array, c: int, rows: Ints, held_out: Array) -> Floats:
        out = np.tile(held_out, (len(x), 1))
        entries = _places(self.categories, x)
        known, here = np.flatnonzero(entries >= 0), np.flatnonzero(self.entries[rows] >= 0)
        places = rows[here]
        taken = (self.labels[places] == c) * np.minimum(self.weights[places], 1.0)
        count = np.maximum(self.counts[c, self.entries[places]] - taken, 0.0)
        total = self.counts[c].sum() + self.smoothing * len(self.categories) - taken + 1.0
        same = entries[known, None] == self.entries[places]
        out[np.ix_(known, here)] = np.log((count + same + self.smoothing) / total)
        return out


def _places(categories: Array, x: Array) -> Ints:
    """Index of each entry among the categories, -1 where it is none of them."""
    if len(categories) == 0:
        return np.full(len(x), -1, dtype=np.intp)
    places = np.minimum(np.searchsorted(categories, x), len(categories) - 1)
    return np.where(categories[places] == x, places, -1).astype(np.intp)
