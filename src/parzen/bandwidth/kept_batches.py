"""The rows of a stream by batches: which of those of an earlier choice are still whole.

Consecutive choices have most rows in common: the first ones leave, others come behind the last one,
and weights that decay multiply those of a batch by one factor for every class.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.samples import Sample

_PARTS = 16  # Batches of rows to begin with; one below this share grows with new rows.
_ROUNDING = 1e-12  # Relative difference up to which the weights of a batch have one factor.


class Batch(NamedTuple):
    """Rows from one place to another, and the number of the same batch earlier, if any."""

    start: int
    stop: int
    earlier: int | None = None


class Batches(NamedTuple):
    """A sample by batches, and the weights with which the sums of each batch were computed."""

    sample: Sample
    parts: list[Batch]
    weights: Floats  # (n,) the sample's weights are these times one factor per batch and class

    @classmethod
    def of(cls, sample: Sample, earlier: Batches | None) -> Self:
        """The batches of a sample, as many as possible out of earlier ones."""
        weights = np.array(sample.frequencies)
        kept = [] if earlier is None else earlier._left_in(sample)
        if kept and kept[-1].stop - kept[-1].start < len(sample) // _PARTS:
            kept = kept[:-1]
        for start, stop, place in kept:
            if earlier is not None and place is not None:
                weights[start:stop] = earlier.weights[slice(*earlier.parts[place][:2])]
        new = _divided(kept[-1].stop if kept else 0, len(sample))
        return cls(sample, kept + new, weights)

    @property
    def are_plain(self) -> bool:
        """Whether every row counts once, as it did when the sums of its batch were computed."""
        return self.sample.weights is None and bool((self.weights == 1).all())

    def factors(self) -> list[Floats]:
        """By what the weights of each class were multiplied since, for every batch."""
        rows = [slice(start, stop) for start, stop, _ in self.parts]
        return [_factors(self.sample, part, self.weights[part])[1] for part in rows]

    def _left_in(self, sample: Sample) -> list[Batch]:
        """The batches, whole or in part, with which a later sample begins.

        A batch has no ``earlier`` if it is not whole, or if the weights of a class in it were not
        all multiplied by one factor.
        """
        lost = self._lost_rows(sample)
        is_plain = self.are_plain and sample.weights is None
        found = []
        for place, (begin, end, _) in enumerate(self.parts):
            if end <= lost:
                continue
            start, stop = max(begin - lost, 0), end - lost
            is_whole = begin >= lost
            if is_whole and not is_plain:
                low, high = _factors(sample, slice(start, stop), self.weights[begin:end])
                is_whole = bool((high <= low * (1 + _ROUNDING)).all())
            found.append(Batch(start, stop, place if is_whole else None))
        return found

    def _lost_rows(self, sample: Sample) -> int:
        """How many rows have left, if the others are the first of a later sample; else all."""
        mine, n = self.sample, len(self.sample.codes)
        if mine.X.dtype != sample.X.dtype or mine.X.shape[1] != sample.X.shape[1]:
            return n
        if len(mine.classes) != len(sample.classes):
            return n
        mine_X, X = _bits(mine.X), _bits(sample.X)
        alike = np.flatnonzero(mine_X[:, 0] == X[0, 0])
        for lost in alike[(mine_X[alike] == X[0]).all(axis=1)].tolist():
            left = n - lost
            if np.array_equal(mine_X[lost:], X[:left]) and np.array_equal(
                mine.codes[lost:], sample.codes[:left]
            ):
                return int(lost)
        return n


def _bits(X: Array) -> Ints:
    """Numbers as integers of their bits, so that missing entries are equal to each other."""
    return np.ascontiguousarray(X).view(f"i{X.dtype.itemsize}")


def _divided(start: int, stop: int) -> list[Batch]:
    """New rows as batches, none smaller than a sixteenth of all rows if there are so many new."""
    count = min(max((stop - start) * _PARTS // stop, 1), stop - start)
    ends = start + np.arange(count + 1) * (stop - start) // max(count, 1)
    return [Batch(int(a), int(b)) for a, b in pairwise(ends)]


def _factors(sample: Sample, rows: slice, weights: Floats) -> tuple[Floats, Floats]:
    """The smallest and the largest number that weights of each class were multiplied by."""
    if sample.weights is None and (weights == 1).all():
        return np.ones(len(sample.classes)), np.ones(len(sample.classes))
    codes, ratios = sample.codes[rows], sample.frequencies[rows] / weights
    low, high = np.full(len(sample.classes), np.inf), np.zeros(len(sample.classes))
    np.minimum.at(low, codes, ratios)
    np.maximum.at(high, codes, ratios)
    return low, high
