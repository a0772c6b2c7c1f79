"""A fit of a score classifier, from its options and a sample to the weights of its scores.

    bandwidths x regularisers -> held-out scores -> the smallest error -> weights of all rows

Candidates share the Gram matrix of their bandwidth. Nothing here knows the estimator: options come
in, and a `FittedScores` goes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parzen._core import Floats, portion, steps, warn
from parzen.bandwidth import (
    EndOfGridWarning,
    Selection,
    path_of_pairs,
    selection_of,
    warn_at_edge,
)
from parzen.classifiers.base import tempering_exponent
from parzen.classifiers.least_squares.bandwidth import BandwidthGrid, bandwidth_grid
from parzen.classifiers.least_squares.coding import class_scores, code_book, column_groups
from parzen.classifiers.least_squares.method import ScoreMethod, Solved
from parzen.kernels import PRECOMPUTED, check_gram_size, grams
from parzen.samples import Sample, is_flat

_BANDWIDTH_CURE = "pass CrossValidation(grid=...) with values {beyond} that value"
_MIN_GRID_TO_WARN = 3  # Of fewer candidates one always is at an end of the grid.


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreOptions:
    """The checked parameters of the estimator that a fit needs."""

    method: ScoreMethod
    kernel: Any  # a Kernel, a function or "precomputed"
    bandwidth: Any
    scale: str | None
    regularizers: Floats  # candidates, ascending
    regularizer_name: str
    folds: int | None  # None for leaving one out
    calibration_folds: int  # for the probabilities, where leaving one out is too expensive
    coding: str
    random_state: Any
    n_jobs: int | None

    @property
    def criterion(self) -> str:
        """The criterion that candidates are compared by."""
        return "leave-one-out error" if self.folds is None else f"{self.folds}-fold error"

    def bandwidths(self, sample: Sample) -> BandwidthGrid:
        """The candidates for a sample."""
        return bandwidth_grid(self.bandwidth, self.scale, sample, self.kernel, self.n_jobs)

    def codes(self, sample: Sample, grid: BandwidthGrid) -> Floats:
        """The code book of a sample's classes."""
        if grid.per_class and self.coding != "one_vs_rest" and len(sample.classes) > 2:
            raise ValueError(
                f"bandwidth={self.bandwidth!r} is one per class, and coding={self.coding!r} has "
                "no problem for each class; use coding='one_vs_rest', or one bandwidth."
            )
        return code_book(self.coding, len(sample.classes), per_class=grid.per_class)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedScores:
    """The outcome of a fit."""

    carriers: Sample  # the rows that carry weights
    reference: Sample  # the rows that were held out in turn: the sample, or a part of it
    solved: Solved
    book: Floats
    bandwidth: float | Floats
    regularizer: float
    selection: Selection | None
    left_out: Floats  # (rows, classes) scores of the reference rows, each held out
    scale: Floats | None  # of the columns, where they were brought to one scale
    chosen_by: FittedScores | None = None  # of the rows that chose the parameters, if not all did

    @property
    def probability_scale(self) -> float:
        """The a of softmax(a s), which minimises the log-loss of held-out scores."""
        if self.chosen_by is not None:
            return self.chosen_by.probability_scale
        sample = self.reference
        return tempering_exponent(self.left_out, sample.codes, sample.frequencies)


def fit_gram(options: ScoreOptions, sample: Sample) -> FittedScores:
    """Fit all rows by their Gram matrix."""
    n = len(sample)
    check_gram_size(n, n)
    grid = options.bandwidths(sample)
    book = options.codes(sample, grid)
    turns = np.ones(len(grid.candidates))
    searched_share = len(turns) / (len(turns) + 1)
    with portion(0, searched_share):
        held = joined_columns(
            [
                _held_out(options, K, sample, book[:, columns])
                for K in steps(_grams(options.kernel, sample, kernel_grid), turns)
            ]
            for columns, kernel_grid in steps(list(grid.kernels()))
        )

    def solve(kernel_grid: BandwidthGrid, i: int, book: Floats, regularizer: float) -> Solved:
        K = _gram_at(options.kernel, sample, kernel_grid, i)
        return _final(options, K, sample, book, regularizer)

    with portion(searched_share):
        return choose_and_solve(options, grid, held, sample, sample, book, solve)


def choose_and_solve(
    options: ScoreOptions,
    grid: BandwidthGrid,
    held: list[Floats],
    carriers: Sample,
    reference: Sample,
    book: Floats,
    solve: Callable[[BandwidthGrid, int, Floats, float], Solved],
) -> FittedScores:
    """Choose by the held-out scores of the reference rows, and solve for the weights.

    ``solve`` takes the bandwidths of a kernel, the place of the one chosen, the columns of the code
    book that have this kernel, and the regulariser.
    """
    selection = _select(options, grid, held, reference, book)
    i, j = _chosen_places(selection)
    regularizer = float(options.regularizers[j])
    parts = [
        solve(kernel_grid, i, book[:, columns], regularizer)
        for columns, kernel_grid in steps(list(grid.kernels()))
    ]
    return FittedScores(
        carriers=carriers,
        reference=reference,
        solved=_joined(parts),
        book=book,
        bandwidth=grid.bandwidth(i),
        regularizer=regularizer,
        selection=selection,
        left_out=class_scores(held[i][j], book, options.coding),
        scale=grid.columns,
    )


def _select(
    options: ScoreOptions,
    grid: BandwidthGrid,
    held: list[Floats],
    sample: Sample,
    book: Floats,
) -> Selection:
    """The smallest error of held-out scores; ties to the largest bandwidth and regulariser."""

    def error(scores: Floats) -> float:
        wrong = class_scores(scores, book, options.coding).argmax(axis=1) != sample.codes
        return float(sample.frequencies[wrong].sum() / sample.counts.sum())

    errors = np.array([[error(scores) for scores in each] for each in held])
    path = path_of_pairs(errors)
    second = (options.regularizer_name, options.regularizers)
    found = selection_of(
        path, grid.candidates, name="cv", criterion=options.criterion, second=second
    )
    i, j = _chosen_places(found)
    if len(grid.candidates) >= _MIN_GRID_TO_WARN:
        warn_at_edge(path, grid.candidates, "cv", _BANDWIDTH_CURE)
    _warn_at_edge(j, options.regularizers, errors[i], options.regularizer_name)
    return replace(found, bandwidth=grid.bandwidth(i))


def _chosen_places(selection: Selection) -> tuple[int, int]:
    """Places of the bandwidth and of the regulariser that were chosen."""
    assert selection.second is not None
    return selection.places[0], selection.second.place


def joined_columns(parts: Iterable[list[Floats]]) -> list[Floats]:
    """Held-out scores of every candidate, the columns of all kernels side by side."""
    return [np.concatenate(columns, axis=2) for columns in zip(*parts, strict=True)]


def _joined(parts: Sequence[Solved]) -> Solved:
    """The columns of several solutions side by side."""
    return Solved(
        np.concatenate([part.weights for part in parts], axis=1),
        np.concatenate([part.offset for part in parts]),
        max(part.gap for part in parts),
        sum(part.iterations for part in parts),
    )


def _grams(kernel: Any, sample: Sample, grid: BandwidthGrid) -> Iterable[Floats]:
    if isinstance(kernel, str) and kernel == PRECOMPUTED:
        return [sample.X]
    points = grid.points(sample.X)
    return grams(points, points, kernel, grid.candidates)


def _gram_at(kernel: Any, sample: Sample, grid: BandwidthGrid, place: int) -> Floats:
    one = grid._replace(candidates=grid.candidates[place : place + 1])
    return np.asarray(next(iter(_grams(kernel, sample, one))))


def _held_out(options: ScoreOptions, K: Floats, sample: Sample, book: Floats) -> Floats:
    """Held-out scores of all rows for one Gram matrix, shape (regularizers, n, columns)."""
    method, regularizers = options.method, options.regularizers
    T = book[sample.codes]
    if book.all():
        return method.held_out(K, sample, T, regularizers, options.folds)
    scores = np.empty((len(regularizers), *T.shape))
    for group in column_groups(book):
        rows = group.rows(sample.codes)
        inside, part, t = K[np.ix_(rows, rows)], sample.rows(rows), T[np.ix_(rows, group.columns)]
        found = method.held_out(inside, part, t, regularizers, options.folds)
        scores[np.ix_(np.arange(len(regularizers)), rows, group.columns)] = found
        # Rows of the other classes are held out of these columns anyway: all others score them.
        others = np.flatnonzero(~group.classes[sample.codes])
        across = K[np.ix_(others, rows)]
        for r, solved in enumerate(method.solve(inside, part.frequencies, t, regularizers)):
            scores[r][np.ix_(others, group.columns)] = across @ solved.weights + solved.offset
    return scores


def _final(
    options: ScoreOptions, K: Floats, sample: Sample, book: Floats, regularizer: float
) -> Solved:
    """Weights and offsets of the whole sample for one kernel."""
    T, chosen = book[sample.codes], np.array([regularizer])

    def solve(K: Floats, part: Sample, T: Floats) -> Solved:
        return options.method.final(part, T.shape[1]).solve(K, part.frequencies, T, chosen)[0]

    if book.all():
        return solve(K, sample, T)
    return Solved.of_groups(
        book, sample.codes,
        lambda columns, rows: solve(
            K[np.ix_(rows, rows)], sample.rows(rows), T[np.ix_(rows, columns)]
        ),
    )  # fmt: skip


def _warn_at_edge(place: int, grid: Floats, errors: Floats, name: str) -> None:
    """Say that a regulariser at the end of its grid may be better beyond it."""
    last = len(grid) - 1
    if len(grid) < _MIN_GRID_TO_WARN or place not in (0, last) or is_flat(errors):
        return
    side, beyond = ("smallest", "below") if place == 0 else ("largest", "above")
    warn(
        f"the {name} chosen is the {side} of its grid, {grid[place]:.4g}; widen it: pass "
        f"candidates {beyond} that value.",
        EndOfGridWarning,
    )


def warn_single_rows(sample: Sample) -> None:
    """Say which classes have one row only, so that holding it out leaves none."""
    rows = np.bincount(sample.codes)
    if (rows == 1).any():
        alone = ", ".join(repr(c) for c in sample.classes[rows == 1][:5].tolist())
        warn(
            f"class {alone} has one distinct sample only: held out, it is never recognised, so "
            "errors and probabilities are pessimistic about it.",
        )
