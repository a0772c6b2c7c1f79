"""The training sample of a score classifier: equal rows merged, in an order of its own.

Rows that agree in features and class become one row whose frequency is their number, and rows are
sorted. So k copies of a row and weight k are the same problem bit for bit, the order of the input
does not matter, and no Gram matrix is singular because of repetition. Folds are cut from the sorted
rows of each class in turn, so a row never is on both sides of a split.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.samples import Sample

Floats = NDArray[np.float64]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class ScoreSample(NamedTuple):
    """Distinct rows, their classes and frequencies."""

    X: NDArray[Any]  # the points, or the Gram matrix when precomputed
    codes: NDArray[np.intp]
    weights: Floats
    classes: NDArray[Any]
    rows: NDArray[np.intp]  # a row of the input for each

    @property
    def size(self) -> float:
        """N: the sum of the frequencies."""
        return float(self.weights.sum())

    @classmethod
    def merged(cls, sample: Sample) -> ScoreSample:
        """Distinct rows of a sample, sorted."""
        X = sample.X.astype(np.float64, copy=False) + 0.0  # no negative zeros
        order = _sorted_rows(X, sample.codes)
        points, codes = X[order], sample.codes[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (points[1:] != points[:-1]).any(axis=1) | (codes[1:] != codes[:-1])
        weights = np.ones(len(X)) if sample.weights is None else sample.weights[order]
        merged = np.bincount(np.cumsum(new) - 1, weights=weights).astype(float)
        return cls(points[new], codes[new], merged, sample.classes, order[new])

    @classmethod
    def precomputed(cls, sample: Sample, rows: NDArray[np.intp]) -> ScoreSample:
        """A Gram matrix, whose rows are taken as they are."""
        weights = np.ones(len(rows)) if sample.weights is None else sample.weights
        K = sample.X.astype(np.float64, copy=False)[:, rows]
        return cls(K, sample.codes, weights, sample.classes, rows)

    def take(self, places: NDArray[np.intp]) -> ScoreSample:
        """Some of the rows."""
        return ScoreSample(
            self.X[places], self.codes[places], self.weights[places], self.classes,
            self.rows[places],
        )  # fmt: skip

    def standing_for(self, counts: NDArray[Any]) -> ScoreSample:
        """The same rows, with frequencies that add up to those of every class."""
        own = np.bincount(self.codes, self.weights, len(self.classes))
        return self._replace(weights=self.weights * (counts[self.codes] / own[self.codes]))

    def splits(self, folds: int) -> list[Split]:
        """(train, test) places of each stratified fold; fewer where no class has as many rows."""
        order = np.argsort(self.codes, kind="stable")
        fold = np.empty(len(order), dtype=np.intp)
        starts = np.searchsorted(self.codes[order], np.arange(len(self.classes)))
        place = np.arange(len(order)) - starts[self.codes[order]]
        fold[order] = (place + self.codes[order]) % folds
        pairs = ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds))
        return [(train, test) for train, test in pairs if len(train) and len(test)]

    def targets(self, *, per_class: bool) -> Floats:
        """+1 and -1: one column per class against the rest; one is enough for two classes."""
        if len(self.classes) == 2 and not per_class:
            return np.where(self.codes == 1, 1.0, -1.0)[:, None]
        T = np.full((len(self.codes), len(self.classes)), -1.0)
        T[np.arange(len(T)), self.codes] = 1.0
        return T


def _sorted_rows(X: Floats, codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rows by their columns, then by class, then as given; mostly the first column decides."""
    order = np.argsort(X[:, 0], kind="stable")
    first = X[order, 0]
    if (first[1:] != first[:-1]).all():
        return np.asarray(order)
    return np.asarray(np.lexsort((codes, *X.T[::-1])))
