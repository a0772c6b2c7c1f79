"""Rows that are no landmarks: their weights are held at zero, so they enter the linear term only.

    h_g(x) = mean of k_tau(x, x_j) over all rows j of class g, at a landmark x

Their kernel sums are computed block by block, so that memory does not grow with their number.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Bools, Floats, Ints
from parzen.kernels import Kernel
from parzen.sums import ScaledSums, kernel_sums

_NUMBERS_PER_ENTRY = 8  # A block of kernel sums holds this many numbers for each of its weights.
_LOG_OF_NOTHING = -1e300  # The log-scale of an empty sum; adding it to another changes nothing.


@dataclass(frozen=True, eq=False)
class OtherRowsInMemory:
    """Such rows as arrays, with a mask for each of several training sets."""

    X: Floats
    codes: Ints
    frequencies: Floats
    sets: Bools  # (sets, n)
    n_classes: int

    @cached_property
    def counts(self) -> Floats:
        """Sums of the frequencies, (sets, n_classes)."""
        return np.array([
            np.bincount(self.codes, self.frequencies * own, self.n_classes) for own in self.sets
        ])  # fmt: skip

    def sums(
        self, queries: Floats, kernel: Kernel, bandwidths: Floats, n_jobs: int | None
    ) -> ScaledSums:
        """Kernel sums at the queries, one column for each set and class."""
        n_sets = len(self.sets)
        row_bytes = 8 * _NUMBERS_PER_ENTRY * (n_sets * self.n_classes + self.X.shape[1])
        size = get_chunk_n_rows(row_bytes=row_bytes, max_n_rows=len(self.X))
        total: ScaledSums | None = None
        for block in gen_batches(len(self.X), size):
            columns = np.zeros((block.stop - block.start, n_sets, self.n_classes))
            rows = np.arange(len(columns))
            columns[rows, :, self.codes[block]] = (self.frequencies[block] * self.sets[:, block]).T
            part = kernel_sums(
                queries, self.X[block], columns.reshape(len(rows), -1), kernel=kernel,
                bandwidths=bandwidths, scaled=True, n_jobs=n_jobs,
            )  # fmt: skip
            total = part if total is None else total.plus(part)
        assert total is not None
        return total

    def of_classes(self, first: int, last: int) -> OtherRowsInMemory:
        """The rows of the classes from ``first`` up to ``last``, without it."""
        mine = (self.codes >= first) & (self.codes < last)
        return OtherRowsInMemory(
            self.X[mine], self.codes[mine] - first, self.frequencies[mine], self.sets[:, mine],
            last - first,
        )  # fmt: skip

    def scaled(self, scale: Floats) -> OtherRowsInMemory:
        """The same rows, their columns divided by ``scale``."""
        return replace(self, X=self.X / scale)


class OtherRowsInChunks:
    """Such rows of a chunked sample of `parzen.distributed`: each chunk sums its kernels in a task.

    ``frequencies`` are those of the landmarks, counted over all chunks.
    """

    def __init__(self, chunks: Any, landmarks: Floats, codes: Ints) -> None:
        self._chunks, self._landmarks, self._codes = chunks, landmarks, codes
        self._classes = (0, len(chunks.classes))
        self.frequencies = np.asarray(chunks.reduced(_landmark_frequencies, sum, landmarks, codes))
        taken = np.bincount(codes, self.frequencies, len(chunks.classes))
        self._counts: Floats = np.maximum(chunks.counts - taken, 0.0)[None]

    @property
    def counts(self) -> Floats:
        """Sums of the frequencies, (1, n_classes)."""
        return self._counts[:, slice(*self._classes)]

    def sums(
        self, queries: Floats, kernel: Kernel, bandwidths: Floats, n_jobs: int | None
    ) -> ScaledSums:
        """Kernel sums at the queries, one column for each class."""
        found = self._chunks.reduced(
            _chunk_sums, partial(reduce, ScaledSums.plus), self._landmarks, self._codes,
            self._classes, queries, kernel, bandwidths,
        )  # fmt: skip
        return ScaledSums(*found)

    def of_classes(self, first: int, last: int) -> OtherRowsInChunks:
        """The rows of the classes from ``first`` up to ``last``, without it."""
        other = copy.copy(self)
        other._classes = (self._classes[0] + first, self._classes[0] + last)
        return other

    def scaled(self, scale: Floats) -> OtherRowsInChunks:
        """The same rows, their columns divided by ``scale``."""
        other = copy.copy(self)
        other._chunks, other._landmarks = self._chunks.scaled(scale), self._landmarks / scale
        return other


# The rows of training sets that are no landmarks, wherever they are stored.
OtherRows = OtherRowsInMemory | OtherRowsInChunks


# The tasks of a chunk, a tuple (X, codes, frequencies, rows)


def _landmark_of_row(chunk: Any, landmarks: Floats, codes: Ints) -> Ints:
    """The landmark that each row of a chunk is a copy of; -1 for none."""
    place = {(x.tobytes(), c): j for j, (x, c) in enumerate(zip(landmarks, codes.tolist()))}
    rows = zip(chunk.X, chunk.codes.tolist(), strict=True)
    return np.array([place.get((x.tobytes(), c), -1) for x, c in rows], dtype=np.intp)


def _landmark_frequencies(chunk: Any, shared: tuple[Floats, Ints]) -> Floats:
    found = _landmark_of_row(chunk, *shared)
    mine = found >= 0
    return np.bincount(found[mine], chunk.weights[mine], len(shared[0])).astype(np.float64)


def _chunk_sums(chunk: Any, shared: tuple[Any, ...]) -> ScaledSums:
    landmarks, codes, (first, last), queries, kernel, bandwidths = shared
    mine = _landmark_of_row(chunk, landmarks, codes) < 0
    mine &= (chunk.codes >= first) & (chunk.codes < last)
    if not mine.any():
        nothing = np.zeros((len(queries), last - first, len(bandwidths)))
        return ScaledSums(nothing, np.full((len(queries), 1, len(bandwidths)), _LOG_OF_NOTHING))
    sets = np.ones((1, int(mine.sum())), dtype=bool)
    rows = OtherRowsInMemory(
        chunk.X[mine], chunk.codes[mine] - first, chunk.weights[mine], sets, last - first
    )
    return rows.sums(queries, kernel, bandwidths, 1)
