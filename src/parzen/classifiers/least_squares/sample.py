"""The training sample of a score classifier: distinct rows, and folds of them.

Equal rows are merged and sorted, so k copies of a row and weight k are the same problem bit for
bit, the order of the input does not matter, and no Gram matrix is singular because of repetition.
Folds are dealt from the sorted rows of each class in turn, so a row never is on both sides of a
split. A share of the rows may choose the parameters alone (`SplitSample`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.samples import Merged, Sample


@dataclass(frozen=True, eq=False)
class SplitSample(Sample):
    """Distinct rows, of which some choose the parameters and leave the ranks of prediction sets."""

    chosen: Ints  # the rows that choose, by their places among all rows of positive weight
    choosing: Sample  # these rows, equal ones merged
    ranked: Floats  # the frequency with which each row of this sample counts in the ranks

    @classmethod
    def of(cls, given: Sample, merged: Merged, share: float) -> SplitSample:
        """The share is taken from the rows in the order given, whatever their values."""
        chosen, s = given.spaced_rows(share), merged.sample
        others = given.frequencies.copy()
        others[chosen] = 0.0
        choosing = given.rows(chosen).merged().sample
        ranked = np.bincount(merged.into, others).astype(np.float64)
        return cls(s.X, s.codes, s.weights, s.classes, s.counts, chosen, choosing, ranked)

    def apart(self) -> tuple[Sample, Ints]:
        """The ranked rows followed by those that choose, and the places of the latter."""
        rows = np.flatnonzero(self.ranked)
        X, codes, weights = (
            np.concatenate(pair)
            for pair in (
                (self.X[rows], self.choosing.X),
                (self.codes[rows], self.choosing.codes),
                (self.ranked[rows], self.choosing.frequencies),
            )
        )
        return Sample.coded(X, codes, weights, self.classes), np.arange(len(rows), len(X))


def distinct_rows(
    X: Array, y: Array, weights: Floats | None, share: float | None = None
) -> tuple[Sample, Ints]:
    """The sample of distinct rows, and the row of the input that each stands for.

    With a ``share``, that of the rows which choose the parameters, it is a `SplitSample`.
    """
    present = np.arange(len(X)) if weights is None else np.flatnonzero(weights > 0)
    points = X.astype(np.float64, copy=False) + 0.0  # no negative zeros
    given = Sample.labelled(points, y, weights)
    found = given.merged()
    sample = found.sample if share is None else SplitSample.of(given, found, float(share))
    return sample, present[found.first]


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """All rows of `partial_fit` so far: distinct points, labels, frequencies and places."""

    X: Floats
    y: Array
    weights: Floats
    places: Ints  # among all rows so far, of which the first of equal ones is kept
    seen: int  # number of all rows so far

    @classmethod
    def of(cls, X: Array, y: Array, weights: Floats | None) -> TrainingRows:
        """The rows of a batch."""
        w = np.ones(len(X)) if weights is None else weights
        kept = np.flatnonzero(w > 0)
        points = X[kept].astype(np.float64, copy=False) + 0.0  # no negative zeros
        return cls(points, y[kept], w[kept], kept, len(X))

    @classmethod
    def fitted(cls, sample: Sample, places: Ints, seen: int) -> TrainingRows:
        """The rows of a fit: distinct already, each with its place among the rows seen."""
        return cls(sample.X, sample.classes[sample.codes], sample.frequencies, places, seen)

    def joined(self, other: TrainingRows) -> TrainingRows:
        """These rows and those of another batch, equal ones merged."""
        X, y = np.concatenate([self.X, other.X]), np.concatenate([self.y, other.y])
        w = np.concatenate([self.weights, other.weights])
        places = np.concatenate([self.places, self.seen + other.places])
        found = Sample.labelled(X, y, w).merged(by="row")
        rows = found.first
        total = found.sample.frequencies
        return TrainingRows(X[rows], y[rows], total, places[rows], self.seen + other.seen)

    def sample(self) -> tuple[Sample, Ints]:
        """The sample of the distinct rows, sorted, and their places."""
        sample, rows = distinct_rows(self.X, self.y, self.weights)
        return sample, self.places[rows]


def precomputed_rows(K: Array, y: Array, weights: Floats | None) -> tuple[Sample, Ints]:
    """The sample of a Gram matrix, whose rows and columns of weight 0 are dropped."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"a precomputed Gram matrix must be square, got shape {K.shape}; "
            "pass the kernel of every pair of training rows."
        )
    present = np.arange(len(K)) if weights is None else np.flatnonzero(weights > 0)
    sample = Sample.labelled(K.astype(np.float64, copy=False), y, weights)
    return replace(sample, X=sample.X[:, present]), present


def scaled_to_counts(sample: Sample, counts: Floats) -> Sample:
    """The same rows, with frequencies that add up to those of every class."""
    factors = counts[sample.codes] / sample.counts[sample.codes]
    return sample.reweighted(sample.frequencies * factors)


def dealt_folds(sample: Sample, folds: int) -> list[tuple[Ints, Ints]]:
    """(train, test) places of each stratified fold; fewer where no class has as many rows."""
    fold = np.empty(len(sample), dtype=np.intp)
    for c, rows in enumerate(sample.class_rows()):
        fold[rows] = (np.arange(len(rows)) + c) % folds
    pairs = ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds))
    return [(train, test) for train, test in pairs if len(train) and len(test)]
