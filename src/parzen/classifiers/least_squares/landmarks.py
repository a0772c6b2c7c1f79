"""Score classifiers of large samples: weights on landmarks, the loss of all rows.

Candidates are compared by folds of a part of the sample, whose frequencies are raised so that it
stands for the whole; every fold is a triangular factor (`LandmarkFactor`), and the factors of the
other folds are joined to train on. The weights in the end come from the factor of all rows, formed
block by block with that of the part as a `Pilot`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state, gen_batches, gen_even_slices
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import (
    Floats,
    Ints,
    effective_threads,
    few_blas_threads,
    look_up,
    portion,
    run_tasks,
    steps,
)
from parzen.classifiers.least_squares.bandwidth import BandwidthGrid
from parzen.classifiers.least_squares.coding import column_groups
from parzen.classifiers.least_squares.fitting import (
    FittedScores,
    ScoreOptions,
    choose_and_solve,
    joined_columns,
)
from parzen.classifiers.least_squares.method import LandmarkProblem, Solved
from parzen.classifiers.least_squares.sample import dealt_folds, scaled_to_counts
from parzen.kernels import check_gram_size, gram, grams
from parzen.samples import Sample, draw, draw_rows, part_size
from parzen.solvers import LandmarkFactor, PartialFactor, Pilot

_ROWS_PER_BLOCK = 2048  # Kernel values are formed for this many rows at a time.
_STRETCHES = 8  # The rows are cut into this many stretches, which threads share.


class LandmarkRows(NamedTuple):
    """Kernels between rows and landmarks, and targets, for columns of one code book."""

    kernel: Any
    grid: BandwidthGrid
    landmarks: Floats  # in the units of ``grid``
    bandwidth: float  # in the units of ``grid``
    book: Floats  # (n_classes, columns); a class of zeros takes no part

    def matrices(self, X: Floats, codes: Ints, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Kernels, targets and frequencies of the rows that take part."""
        T = self.book[codes]
        rows = T.any(axis=1)
        if not rows.all():
            X, T, weights = X[rows], T[rows], weights[rows]
        return gram(self.grid.points(X), self.landmarks, self.kernel, self.bandwidth), T, weights

    def partial_factor(
        self, pilot: Pilot, X: Floats, codes: Ints, weights: Floats
    ) -> PartialFactor:
        """The partial factor of these rows, block by block."""
        width = len(self.landmarks) + 1 + self.book.shape[1]
        size = get_chunk_n_rows(row_bytes=8 * 8 * width, max_n_rows=_ROWS_PER_BLOCK)
        total = pilot.empty()
        for block in steps(list(gen_batches(len(X), size))):
            look_up()
            here = pilot.partial(*self.matrices(X[block], codes[block], weights[block]))
            total = total.merge(here)
        return total


# The partial factor of all rows of a sample, in memory or in chunks elsewhere.
WholeFactor = Callable[[LandmarkRows, Pilot], PartialFactor]


def _factor_in_memory(
    sample: Sample, n_jobs: int | None, rows: LandmarkRows, pilot: Pilot
) -> PartialFactor:
    """By the same stretches whatever the number of threads; interruptible between blocks."""
    X, codes, weights = sample.X, sample.codes, sample.frequencies
    tasks = [
        partial(rows.partial_factor, pilot, X[part], codes[part], weights[part])
        for part in gen_even_slices(len(X), min(_STRETCHES, len(X)))
    ]
    return reduce(PartialFactor.merge, run_tasks(tasks, effective_threads(n_jobs)))


def fit_on_landmarks(
    options: ScoreOptions, sample: Sample, count: int
) -> tuple[FittedScores, Ints]:
    """Fit a sample in memory; also the rows of the sample that are landmarks."""
    drawn = draw(sample.codes, sample.frequencies, count, options.random_state)
    places = np.searchsorted(drawn.part, drawn.landmarks)
    factor = partial(_factor_in_memory, sample, options.n_jobs)
    fitted = _fit_part(options, sample.rows(drawn.part), sample.counts, places, factor)
    return fitted, drawn.landmarks


def fit_chunks_on_landmarks(
    options: ScoreOptions, chunks: Any, count: int
) -> tuple[FittedScores, Ints]:
    """Fit a chunked sample, which stays where it is; also the rows that are landmarks."""
    drawn = chunks.drawn(part_size(count), options.random_state)
    part, rows, _ = Sample.coded(drawn.X, drawn.codes, drawn.weights, chunks.classes).merged()
    rng = check_random_state(options.random_state)
    places = draw_rows(part.codes, part.frequencies, count, rng)
    fitted = _fit_part(options, part, chunks.counts, places, chunks.partial_factor)
    return fitted, drawn.rows[rows[places]]


def _fit_part(
    options: ScoreOptions, drawn: Sample, counts: Floats, places: Ints, whole_factor: WholeFactor
) -> FittedScores:
    """Choose on a part, and find the weights of the landmarks at ``places`` in it on the whole.

    ``counts`` are the frequencies of the classes of the whole.
    """
    check_gram_size(len(drawn), len(places))
    options = replace(options, folds=options.folds or options.calibration_folds)
    grid = options.bandwidths(drawn)
    part = scaled_to_counts(drawn, counts)
    book = options.codes(part, grid)
    rows_searched = len(grid.candidates) * len(part)
    searched_share = float(rows_searched / (rows_searched + counts.sum()))
    with few_blas_threads(len(places)):  # the threads work on folds and on rows
        with portion(0, searched_share):
            held = _held_out(options, part, places, grid, book)

        def solve(kernel_grid: BandwidthGrid, i: int, book: Floats, regularizer: float) -> Solved:
            return _final(
                options, kernel_grid, i, part, places, counts, book, regularizer, whole_factor
            )

        with portion(searched_share):
            carriers = part.rows(places)
            return choose_and_solve(options, grid, held, carriers, part, book, solve)


def _final(
    options: ScoreOptions,
    grid: BandwidthGrid,
    candidate: int,
    part: Sample,
    places: Ints,
    counts: Floats,
    book: Floats,
    regularizer: float,
    whole_factor: WholeFactor,
) -> Solved:
    """Weights and offsets of one kernel, on the factor of all rows."""
    landmarks, h = scaled_to_counts(part.rows(places), counts), float(grid.candidates[candidate])

    def solve(columns: Ints, kept: Ints) -> Solved:
        codes, own = book[:, columns], landmarks.rows(kept)
        L = grid.points(own.X)
        rows = LandmarkRows(options.kernel, grid, L, h, codes)
        pilot = Pilot(LandmarkFactor.of(*rows.matrices(part.X, part.codes, part.frequencies)))
        factor = pilot.factor(whole_factor(rows, pilot))
        problem = LandmarkProblem(factor, gram(L, L, options.kernel, h), own, codes[own.codes])
        method = options.method.final(own, len(columns))
        return method.solve_on_landmarks(problem, np.array([regularizer]))[0]

    return Solved.of_groups(book, landmarks.codes, solve)


def _held_out(
    options: ScoreOptions, part: Sample, places: Ints, grid: BandwidthGrid, book: Floats
) -> list[Floats]:
    """Scores of held-out rows for every candidate, by folds."""
    found = []
    for columns, kernel_grid in steps(list(grid.kernels())):
        points, codes = kernel_grid.points(part.X), book[:, columns]
        matrices = grams(points, points[places], options.kernel, kernel_grid.candidates)
        turns = np.ones(len(kernel_grid.candidates))
        found.append(
            [_fold_scores(options, part, places, K, codes) for K in steps(matrices, turns)]
        )
    return joined_columns(found)


def _fold_scores(
    options: ScoreOptions, part: Sample, places: Ints, K: Floats, book: Floats
) -> Floats:
    """Scores of held-out rows, shape (regularizers, n, columns); K is (n, landmarks)."""
    scores = np.zeros((len(options.regularizers), len(part), book.shape[1]))
    for group in column_groups(book):
        kept = group.rows(part.codes[places])
        T = book[part.codes][:, group.columns]
        scores[:, :, group.columns] = _group_scores(options, part, places[kept], K[:, kept], T)
    return scores


def _group_scores(
    options: ScoreOptions, part: Sample, places: Ints, K: Floats, T: Floats
) -> Floats:
    """The same for columns in which the same classes take part.

    A row that is held out is no landmark either.
    """
    # Rows of classes that take no part weigh nothing, and have scores all the same.
    weights = np.where(T.any(axis=1), part.frequencies, 0.0)
    assert options.folds is not None
    splits, threads = dealt_folds(part, options.folds), effective_threads(options.n_jobs)
    scores = np.zeros((len(options.regularizers), *T.shape))

    def factor_of(test: Ints) -> LandmarkFactor:
        return LandmarkFactor.of(K[test], T[test], weights[test])

    def score(others: LandmarkFactor, train: Ints, test: Ints) -> None:
        """Scores of the rows of a fold, by the landmarks of the others."""
        kept = np.flatnonzero(~np.isin(places, test))
        if len(kept) == 0:
            return
        own = places[kept]
        landmarks = scaled_to_counts(part.rows(own), part.rows(train).counts)
        problem = LandmarkProblem(others.on(kept), K[np.ix_(own, kept)], landmarks, T[own])
        across = K[np.ix_(test, kept)]
        solutions = options.method.solve_on_landmarks(problem, options.regularizers)
        for r, found in enumerate(solutions):
            scores[r, test] = across @ found.weights + found.offset

    factors = run_tasks([partial(factor_of, test) for _, test in splits], threads)
    others = LandmarkFactor.all_but_one(factors)
    tasks = [
        partial(score, factor, train, test)
        for factor, (train, test) in zip(others, splits, strict=True)
    ]
    run_tasks(tasks, threads)
    return scores
