"""Fits of chunked samples on landmarks: the chunks stay where they are.

    classes, counts       one small task for each chunk
    part, landmarks       rows drawn in each chunk, by frequency, come here
    weights               products or kernel sums of each chunk, added in a tree

Candidates are compared here, on the part; what comes from the whole sample has the size of the
model. The draws differ from those of a sample that is here, and do not depend on the workers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial, reduce
from typing import Any, NamedTuple

import dask
import numpy as np
from sklearn.utils import check_random_state, column_or_1d

from parzen._core import Array, Bools, Floats, Ints, check_finite, is_dask
from parzen.distributed.rows import as_rows, column_names, in_tree, pieces_of, with_names
from parzen.samples import draw_rows
from parzen.solvers import PartialFactor, Pilot


class Chunk(NamedTuple):
    """Rows of a chunk that count, with the numbers of their classes."""

    X: Floats
    codes: Ints
    weights: Floats
    rows: Ints  # places in the whole sample


class ChunkedSample:
    """A dask array of whole rows and known chunks, with labels; ``tasks`` are delayed `Chunk`s."""

    def __init__(self, X: Any, y: Any, weights: Any) -> None:
        self._width = int(X.shape[1])
        self.lengths = tuple(int(count) for count in X.chunks[0])
        columns = (
            X.to_delayed()[:, 0],
            pieces_of(y, self.lengths, "y has {} rows, but X has {}."),
            pieces_of(weights, self.lengths, "sample_weight has {} rows, but X has {}."),
        )
        parts = list(zip(*columns, strict=True))
        firsts = np.cumsum((0, *self.lengths))[:-1].tolist()
        found = dask.compute(*[dask.delayed(_classes)(*part) for part in parts])
        self.classes = np.unique(np.concatenate([classes for classes, _ in found]))
        self.counts = np.zeros(len(self.classes))
        for classes, counts in found:
            self.counts[np.searchsorted(self.classes, classes)] += counts
        shared = dask.delayed(self.classes, traverse=False)
        chunk = dask.delayed(_chunk)
        self.tasks = [
            chunk(*part, shared, first) for part, first in zip(parts, firsts, strict=True)
        ]

    def __len__(self) -> int:
        return sum(self.lengths)

    def example(self, names: list[Any] | None) -> Any:
        """One row, of which an estimator learns the width and the names of the columns."""
        return with_names(np.zeros((1, self._width)), names)

    def scaled(self, scale: Floats) -> ChunkedSample:
        """The same rows, their columns divided by ``scale``."""
        other = copy.copy(self)
        other.tasks = [dask.delayed(_scaled)(task, scale) for task in self.tasks]
        return other

    def drawn(self, count: int, random_state: Any) -> Chunk:
        """Rows of every chunk in proportion to its length."""
        seeds = check_random_state(random_state).randint(2**31 - 1, size=len(self.tasks))
        wanted = [int(np.ceil(count * n / max(len(self), 1))) for n in self.lengths]
        tasks = [
            dask.delayed(_drawn)(task, k, int(seed))
            for task, k, seed in zip(self.tasks, wanted, seeds, strict=True)
        ]
        parts = dask.compute(*tasks)
        return Chunk(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def reduced(self, each: Callable[..., Any], join: Callable[..., Any], *shared: Any) -> Any:
        """``join`` of what ``each`` makes of the chunks, by a tree of tasks."""
        common = dask.delayed(shared, traverse=False)
        parts = [dask.delayed(each)(task, common) for task in self.tasks]
        return dask.compute(in_tree(parts, dask.delayed(join)))[0]

    def partial_factor(self, rows: Any, pilot: Pilot) -> PartialFactor:
        """What the factor of all rows follows from, for a score classifier."""
        found = self.reduced(_partial_factor, partial(reduce, PartialFactor.merge), rows, pilot)
        assert isinstance(found, PartialFactor)
        return found


def fit_chunks(estimator: Any, X: Any, y: Any, sample_weight: Any) -> bool:
    """Fit on landmarks where the sample is that large; whether it was."""
    if y is None or not (is_dask(X) and hasattr(estimator, "_fit_chunks")):
        return False
    estimator._check_parameters()
    rows = as_rows(X)
    if np.isnan(rows.shape[0]):
        rows = rows.compute_chunk_sizes()
    if rows.ndim != 2 or estimator._landmark_count(int(rows.shape[0])) is None:
        return False
    chunks = ChunkedSample(rows, y, sample_weight)
    if len(chunks.classes) < 2:
        return False
    estimator._fit_chunks(chunks, column_names(X))
    return True


# What runs in tasks


def _rows_that_count(y: Any, weights: Any) -> tuple[Array, Floats, Bools]:
    labels = column_or_1d(y)
    w = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not np.isfinite(w).all() or (w < 0).any():
        raise ValueError("sample_weight must be finite and not negative.")
    return labels, w, w > 0


def _classes(X: Any, y: Any, weights: Any) -> tuple[Array, Floats]:
    labels, w, kept = _rows_that_count(y, weights)
    check_finite(np.asarray(X)[kept], "X", None)
    classes, codes = np.unique(labels[kept], return_inverse=True)
    return classes, np.bincount(codes, w[kept], len(classes)).astype(np.float64)


def _chunk(X: Any, y: Any, weights: Any, classes: Array, first: int) -> Chunk:
    labels, w, kept = _rows_that_count(y, weights)
    points = np.asarray(X, dtype=np.float64)[kept] + 0.0  # no negative zeros
    codes = np.searchsorted(classes, labels[kept])
    return Chunk(points, codes, w[kept], first + np.flatnonzero(kept))


def _scaled(chunk: Chunk, scale: Floats) -> Chunk:
    return chunk._replace(X=chunk.X / scale)


def _drawn(chunk: Chunk, count: int, seed: int) -> Chunk:
    if len(chunk.codes) == 0:
        return chunk
    places = draw_rows(chunk.codes, chunk.weights, count, np.random.RandomState(seed))
    return Chunk._make(column[places] for column in chunk)


def _partial_factor(chunk: Chunk, shared: tuple[Any, ...]) -> PartialFactor:
    rows, pilot = shared
    found: PartialFactor = rows.partial_factor(pilot, chunk.X, chunk.codes, chunk.weights)
    return found
