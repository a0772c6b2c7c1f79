"""The rows that may carry weights in the L2 programme, sorted by class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen._core import Bools, Floats, Ints
from parzen.l2.other_rows import OtherRows, OtherRowsInMemory
from parzen.samples import Sample


@dataclass(frozen=True, eq=False)
class Carriers(Sample):
    """A sample sorted by class, with the other rows, which enter the linear term only.

    Examples
    --------
    >>> sample = Sample.labelled(np.array([[2.0], [1.0], [3.0]]), np.array(["b", "a", "b"]), None)
    >>> merged = sample.merged()
    >>> carriers = Carriers.over(merged.sample)
    >>> carriers.class_slice(1), merged.first
    (slice(1, 3, None), array([1, 0, 2]))
    """

    others: OtherRows | None = None

    @classmethod
    def over(cls, sample: Sample) -> Carriers:
        """All rows of a sample that is sorted by class already."""
        X = np.ascontiguousarray(sample.X, dtype=np.float64)
        return cls(X, sample.codes, sample.frequencies, sample.classes, sample.counts)

    def among(self, places: Ints | None, sets: Bools) -> tuple[Carriers, Bools]:
        """The rows at some places, all others besides, and the training sets of these rows.

        ``sets`` are masks of shape (sets, n); None for all places.
        """
        if places is None or len(places) == len(self):
            return self, sets
        rest = np.delete(np.arange(len(self)), places)
        others = OtherRowsInMemory(
            self.X[rest], self.codes[rest], self.frequencies[rest], sets[:, rest], self.n_classes
        )
        part = self.rows(places)
        return part.beside(others), np.ascontiguousarray(sets[:, places])

    def beside(self, others: OtherRows | None, frequencies: Floats | None = None) -> Carriers:
        """The same rows with other rows besides, and other frequencies where these are given."""
        w = self.frequencies if frequencies is None else frequencies
        return Carriers(self.X, self.codes, w, self.classes, self.counts, others)

    def of_classes(self, first: int, last: int) -> Carriers:
        """The rows of the classes from ``first`` up to ``last``, without it."""
        if last - first == self.n_classes:
            return self
        rows = slice(int(self.starts[first]), int(self.starts[last]))
        return Carriers(
            np.ascontiguousarray(self.X[rows]), self.codes[rows] - first, self.frequencies[rows],
            self.classes[first:last], self.counts[first:last],
            self.others and self.others.of_classes(first, last),
        )  # fmt: skip

    @cached_property
    def starts(self) -> NDArray[np.uint64]:
        """First row of every class, and the number of rows."""
        return np.searchsorted(self.codes, np.arange(self.n_classes + 1)).astype(np.uint64)

    def class_slice(self, c: int) -> slice:
        """The rows of a class."""
        return slice(int(self.starts[c]), int(self.starts[c + 1]))
