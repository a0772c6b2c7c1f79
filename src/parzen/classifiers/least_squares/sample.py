"""The training sample of a score classifier: equal rows merged, in an order of its own.

Rows that agree in features and class become one row whose frequency is their number, and rows are
sorted. So k copies of a row and weight k are the same problem bit for bit, the order of the input
does not matter, and no Gram matrix is singular because of repetition. Folds are dealt from the
sorted rows of each class in turn, so a row never is on both sides of a split.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers.base import Sample

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Split = tuple[Places, Places]


@dataclass(frozen=True, eq=False)
class ScoreSample:
    """Distinct rows, their classes and frequencies."""

    X: NDArray[Any]  # the points, or the Gram matrix when precomputed
    codes: Places
    weights: Floats
    classes: NDArray[Any]

    def __len__(self) -> int:
        return len(self.X)

    @property
    def counts(self) -> Floats:
        """Sum of the frequencies of each class."""
        return np.bincount(self.codes, self.weights, len(self.classes)).astype(np.float64)

    @property
    def size(self) -> float:
        """N: the sum of the frequencies."""
        return float(self.weights.sum())

    def rows(self, rows: Places) -> ScoreSample:
        """The sample of some rows, with the same classes."""
        return replace(self, X=self.X[rows], codes=self.codes[rows], weights=self.weights[rows])

    def standing_for(self, counts: Floats) -> ScoreSample:
        """The same rows, with frequencies that add up to those of every class."""
        own = self.counts
        return replace(self, weights=self.weights * (counts[self.codes] / own[self.codes]))

    def splits(self, folds: int) -> list[Split]:
        """(train, test) places of each stratified fold; fewer where no class has as many rows."""
        order = np.argsort(self.codes, kind="stable")
        fold = np.empty(len(order), dtype=np.intp)
        starts = np.searchsorted(self.codes[order], np.arange(len(self.classes)))
        place = np.arange(len(order)) - starts[self.codes[order]]
        fold[order] = (place + self.codes[order]) % folds
        pairs = ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds))
        return [(train, test) for train, test in pairs if len(train) and len(test)]


def merged(sample: Sample) -> tuple[ScoreSample, Places]:
    """Distinct rows, sorted, and the row of the input that each stands for."""
    X = sample.X.astype(np.float64, copy=False) + 0.0  # no negative zeros
    order = _sorted_rows(X, sample.codes)
    points, codes = X[order], sample.codes[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (points[1:] != points[:-1]).any(axis=1) | (codes[1:] != codes[:-1])
    weights = np.ones(len(X)) if sample.weights is None else sample.weights[order]
    total = np.bincount(np.cumsum(new) - 1, weights=weights).astype(np.float64)
    return ScoreSample(points[new], codes[new], total, sample.classes), order[new]


def _sorted_rows(X: Floats, codes: Places) -> Places:
    """Rows by their columns, then by class, then as given; mostly the first column decides."""
    order = np.argsort(X[:, 0], kind="stable")
    first = X[order, 0]
    if (first[1:] != first[:-1]).all():
        return np.asarray(order)
    return np.asarray(np.lexsort((codes, *X.T[::-1])))
