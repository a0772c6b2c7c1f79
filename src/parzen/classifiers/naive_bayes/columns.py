"""One column of a naive Bayes model: log f_c of a number or of a category, for every class.

    number     f_c(x) = (1/n_c) sum_{i in c} k_h(x, x_i)
    category   f_c(v) = (n_cv + s) / (n_c + s V),   V categories, smoothing s

A missing value, and a category that the training rows lack, has the log-density 0 in every class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers.base import take_own_from_means
from parzen.expansion import KernelExpansion
from parzen.sums import kernel_sums

Floats = NDArray[Any]


class Column(Protocol):
    """The densities of the classes in one column."""

    @property
    def n_classes(self) -> int:
        """Number of classes."""

    def log_densities(self, x: Floats, **options: Any) -> NDArray[np.float64]:
        """Log-densities of the classes at each entry, shape (n, C); options as of `log_sums`."""

    def at_factors(self, x: Floats, factors: Floats, *, n_jobs: int) -> NDArray[np.float64]:
        """The same with every bandwidth times each factor, shape (n, C, factors) or (n, C, 1)."""

    def leave_one_out(self, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The same at the training entries, each left out of its own class."""


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
    counts: NDArray[np.float64]
    present: NDArray[np.bool_]
    log_background: tuple[float, float]

    @property
    def n_classes(self) -> int:
        return self.expansion.n_classes

    def log_densities(self, x: Floats, **options: Any) -> NDArray[np.float64]:
        out = np.zeros((len(x), self.expansion.n_classes))
        known = ~np.isnan(x)
        if known.any():
            sums = self.expansion.log_sums(x[known, None], **options).astype(np.float64)
            out[known] = self._filled(sums)
        return out

    def at_factors(self, x: Floats, factors: Floats, *, n_jobs: int) -> NDArray[np.float64]:
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

    def leave_one_out(self, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        out = np.zeros((len(self.present), self.expansion.n_classes))
        sums = self.expansion.leave_one_out_log_sums(n_jobs=n_jobs).astype(np.float64)
        labels, weights = self.expansion.labels, self.expansion.weights
        assert labels is not None
        out[self.present] = self._filled(take_own_from_means(sums, labels, weights, self.counts))
        return out

    def _filled(self, log_means: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give classes without entries the mixture of the others, which favours no class."""
        empty = self.counts == 0
        if empty.any():
            shares = self.counts[~empty] / self.counts.sum()
            logs = np.log(shares).reshape(-1, *(1,) * (log_means.ndim - 2))
            mixture = np.logaddexp.reduce(log_means[:, ~empty] + logs, axis=1)
            log_means[:, empty] = mixture[:, None]
        share, floor = self.log_background
        return log_means if np.isneginf(floor) else np.logaddexp(log_means + share, floor)


@dataclass(frozen=True, eq=False)
class AbsentColumn:
    """A column without an entry in training, or with one value only: it says nothing."""

    n_rows: int
    n_classes: int

    def log_densities(self, x: Floats, **options: Any) -> NDArray[np.float64]:
        return np.zeros((len(x), self.n_classes))

    def at_factors(self, x: Floats, factors: Floats, *, n_jobs: int) -> NDArray[np.float64]:
        return self.log_densities(x)[:, :, None]

    def leave_one_out(self, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        return np.zeros((self.n_rows, self.n_classes))


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

    categories: Floats
    counts: NDArray[np.float64]
    smoothing: float
    entries: NDArray[np.intp]
    labels: NDArray[np.intp]
    weights: NDArray[np.float64]

    @classmethod
    def fit(
        cls,
        x: Floats,
        codes: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
        n_classes: int,
        smoothing: float,
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

    def log_densities(self, x: Floats, **options: Any) -> NDArray[np.float64]:
        entries = _places(self.categories, x)
        out = np.zeros((len(x), len(self.counts)))
        total = self.counts.sum(axis=1, keepdims=True) + self.smoothing * len(self.categories)
        if len(self.categories):
            logs = np.log((self.counts + self.smoothing) / total)
            out[entries >= 0] = logs.T[entries[entries >= 0]]
        return out

    def at_factors(self, x: Floats, factors: Floats, *, n_jobs: int) -> NDArray[np.float64]:
        return self.log_densities(x)[:, :, None]

    def leave_one_out(self, *, n_jobs: int | None = None) -> NDArray[np.float64]:
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


def _places(categories: Floats, x: Floats) -> NDArray[np.intp]:
    """Index of each entry among the categories, -1 where it is none of them."""
    if len(categories) == 0:
        return np.full(len(x), -1, dtype=np.intp)
    places = np.minimum(np.searchsorted(categories, x), len(categories) - 1)
    return np.where(categories[places] == x, places, -1).astype(np.intp)
