"""Regularised systems of large samples by conjugate gradients over exact kernel sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from parzen._core import Floats, Ints, portion, steps
from parzen.classifiers.least_squares.coding import class_scores, column_groups
from parzen.classifiers.least_squares.fitting import FittedScores, ScoreOptions
from parzen.classifiers.least_squares.method import Solved
from parzen.classifiers.least_squares.sample import dealt_folds
from parzen.kernels import Kernel
from parzen.samples import Sample
from parzen.solvers import conjugate_gradients, with_offset
from parzen.sums import kernel_sums

Ridge = Callable[[float, Floats], Floats]  # of the regulariser and the size of the sample


def fit_iteratively(
    options: ScoreOptions,
    sample: Sample,
    ridge: Ridge,
    *,
    offset: bool,
    tol: float,
    max_iter: int,
) -> FittedScores:
    """Fit all rows for one bandwidth and one regulariser; folds give the probabilities."""
    grid = options.bandwidths(sample)
    book, regularizer = options.codes(sample, grid), float(options.regularizers[0])
    T = book[sample.codes]
    held_out, W, b, iterations = np.zeros_like(T), np.zeros_like(T), np.zeros(T.shape[1]), 0
    splits = dealt_folds(sample, options.calibration_folds)
    all_rows = np.arange(len(sample))
    share_of_folds = len(splits) / (len(splits) + 1)
    for columns, kernel_grid in steps(list(grid.kernels())):
        kernel = UnitKernel(options.kernel, float(kernel_grid.candidates[0]), options.n_jobs)
        points, first = kernel_grid.points(sample.X), columns.start or 0
        for group in column_groups(book[:, columns]):
            here = first + group.columns
            system = _System(kernel, points, sample.frequencies, T[:, here], offset, tol, max_iter)
            inside = group.classes[sample.codes]
            with portion(0, share_of_folds):
                for train, test in steps(splits):
                    rows = train[inside[train]]
                    found = system.solve(rows, ridge, regularizer)
                    held_out[np.ix_(test, here)] = system.scores(test, rows, found)
                    iterations += found.iterations
            with portion(share_of_folds):
                rows = all_rows[inside]
                found = system.solve(rows, ridge, regularizer)
                W[np.ix_(rows, here)], b[here] = found.weights, found.offset
                iterations += found.iterations
    return FittedScores(
        carriers=sample,
        reference=sample,
        solved=Solved(W, b, 0.0, iterations),
        book=book,
        bandwidth=grid.bandwidth(0),
        regularizer=regularizer,
        selection=None,
        left_out=class_scores(held_out, book, options.coding),
        scale=grid.columns,
    )


class UnitKernel(NamedTuple):
    """Sums of kernels of height 1."""

    kernel: Kernel
    bandwidth: float
    n_jobs: int | None

    def sums(self, queries: Floats, X: Floats, W: Floats) -> Floats:
        """K(queries, X) W, without the matrix."""
        scale = np.exp(-self.kernel.log_normalizer(self.bandwidth, X.shape[1]))
        sums = kernel_sums(
            queries, X, W, kernel=self.kernel, bandwidths=self.bandwidth, n_jobs=self.n_jobs
        )
        return np.asarray(sums[:, :, 0] * scale)


class _System(NamedTuple):
    """The system of some columns, for any rows of the sample."""

    kernel: UnitKernel
    points: Floats
    weights: Floats
    targets: Floats
    offset: bool
    tol: float
    max_iter: int

    def solve(self, rows: Ints, ridge: Ridge, regularizer: float) -> Solved:
        """Solve the system of some rows without its matrix."""
        X, w, T = self.points[rows], self.weights[rows], self.targets[rows]
        diagonal = (ridge(regularizer, np.array(w.sum())) / w)[:, None]
        sides = np.column_stack([T, np.ones(len(X))]) if self.offset else T
        found = conjugate_gradients(
            lambda p: self.kernel.sums(X, X, p) + diagonal * p,
            sides, tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip
        found.warn_unless_converged()
        return Solved(*with_offset(found.weights, self.offset), 0.0, found.iterations)

    def scores(self, queries: Ints, rows: Ints, found: Solved) -> Floats:
        """Scores of rows by the solution of others."""
        sums = self.kernel.sums(self.points[queries], self.points[rows], found.weights)
        return np.asarray(sums + found.offset)
