"""Weights on simplices: the programme of eq. (7) for one sample, for folds, and for parts.

All folds share the distances, one kernel matrix for each bandwidth and one pass for the linear
terms. They run in parallel, start from the solution at the next larger bandwidth, and stop at a
tolerance of 1e-3. gamma is that of the fold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parzen._core import Floats, Ints, portion, steps
from parzen.bandwidth import Path, path_of_folds
from parzen.classifiers.base import Decision
from parzen.classifiers.l2.grid import per_class
from parzen.classifiers.l2.search import Choice, Fold, FoldedSample, stage
from parzen.classifiers.l2.supports import merged_supports
from parzen.l2 import Carriers, L2Form, L2Solver, OneL2Solution
from parzen.solvers import Progress
from parzen.sums import kernel_sums

FOLD_TOLERANCE = 1e-3  # Optimality conditions are met to this share of the gradient of each class.
_SHARE_OF_SOLVING = 0.8  # Share of the work that solving takes; the rest is counting errors.


@dataclass(frozen=True, eq=False)
class SimplexMethod:
    """The programme with its options."""

    form: L2Form
    relaxed: bool
    max_iter: int | None
    n_jobs: int | None

    def solve(
        self,
        sample: Carriers,
        choice: Choice,
        values: Floats,
        tol: float,
        progress: Progress | None = None,
    ) -> OneL2Solution:
        """The weights of one sample; ``values`` has one entry per class."""
        everything = np.ones((1, len(sample.X)), dtype=bool)
        solver = L2Solver(sample, everything, self.form, choice.bandwidths[None], self.n_jobs)
        return solver.solve_one(
            values, eta=choice.eta, tol=tol, relaxed=self.relaxed, max_iter=self.max_iter,
            progress=progress,
        )  # fmt: skip

    def carriers(
        self, sample: Carriers, count: int, choice: Choice, values: Floats, random_state: Any
    ) -> Ints:
        """Rows that may carry weights: the merged supports of parts of the sample."""
        if count >= len(sample.codes):
            return np.arange(len(sample.codes))
        one_thread = replace(self, n_jobs=1)

        def part_weights(part: Carriers) -> Floats:
            found = one_thread.solve(part, choice, values, FOLD_TOLERANCE)
            return found.solution.weights

        return merged_supports(sample, count, part_weights, random_state, self.n_jobs)

    def fold_path(self, folded: FoldedSample, grid: Floats) -> Path:
        """Errors of every fold for every bandwidth and every eta."""
        sample, carriers, folds, etas, report = folded
        grid = per_class(grid, sample.n_classes)[::-1]
        carrying, sets = sample.among(carriers, np.array([fold.train for fold in folds]))
        values = np.array([fold.classes.values for fold in folds])
        programmes = L2Solver(carrying, sets, self.form, grid, self.n_jobs)
        weights = np.empty((len(grid), len(folds), len(etas), len(carrying.codes)))
        with portion(0, _SHARE_OF_SOLVING):
            for b in steps(range(len(grid))):
                start = weights[b - 1, :, 0] if b > 0 and programmes.crowded(b) else None
                progress = report(stage(grid, b))
                found = programmes.solve(
                    b, values, etas=etas, relaxed=self.relaxed, start=start, tol=FOLD_TOLERANCE,
                    max_iter=self.max_iter, progress=progress,
                ).programmes  # fmt: skip
                weights[b] = found.weights
                if progress is not None:
                    progress(int(found.iterations.sum()), float(found.gaps.max()))
        with portion(_SHARE_OF_SOLVING):
            errors = np.empty((len(folds), len(grid), len(etas)))
            for f, fold in enumerate(steps(folds)):
                errors[f] = self._fold_costs(sample, carrying, fold, weights[:, f], grid)
        kept = np.count_nonzero(weights, axis=3) / sets.sum(axis=1)[None, :, None]
        return path_of_folds(errors[:, ::-1], kept.mean(axis=1)[::-1])

    def _fold_costs(
        self, sample: Carriers, carriers: Carriers, fold: Fold, weights: Floats, grid: Floats
    ) -> Floats:
        """Mean cost of a fold's held-out rows, for weights of shape (bandwidths, etas, n)."""
        queries = np.ascontiguousarray(sample.X[fold.test])
        logs = np.full((len(queries), sample.n_classes, len(grid), weights.shape[1]), -np.inf)
        options: dict[str, Any] = {"kernel": self.form.kernel, "log": True, "n_jobs": self.n_jobs}
        for c in range(sample.n_classes):
            rows = carriers.class_slice(c)
            own = weights[:, :, rows]
            used = np.flatnonzero(own.any(axis=(0, 1)))
            if len(used) == 0:
                continue
            points = np.ascontiguousarray(carriers.X[rows][used])
            columns = np.ascontiguousarray(np.transpose(own[:, :, used], (2, 1, 0)))
            h = grid[:, c]
            if h.ndim == 1:
                sums = kernel_sums(queries, points, columns, bandwidths=h, **options)
            else:  # a bandwidth per feature: columns are divided by it
                sums = _sums_in_scaled_columns(queries, points, columns, h, options)
            logs[:, c] = np.swapaxes(sums, 1, 2)
        return mean_costs(logs, sample.codes[fold.test], fold.weights, fold.classes.decision)


def _sums_in_scaled_columns(
    queries: Floats, points: Floats, columns: Floats, h: Floats, options: dict[str, Any]
) -> Floats:
    """Log-sums (rows, etas, bandwidths) for widths of shape (bandwidths, features)."""
    each = [
        kernel_sums(queries / row, points / row, columns[:, :, [b]], bandwidths=1.0, **options)
        - np.log(row).sum()
        for b, row in enumerate(h)
    ]
    return np.concatenate(each, axis=2)


def mean_costs(logs: Floats, codes: Ints, weights: Floats, decision: Decision) -> Floats:
    """Mean cost of the decisions by log-densities of shape (rows, n_classes, ...)."""
    flat = np.moveaxis(logs.reshape(*logs.shape[:2], -1), 1, 2)
    posterior = np.exp(decision.log_posterior(flat.reshape(-1, flat.shape[2])))
    chosen = decision.choose(posterior).reshape(flat.shape[:2])
    cost = (
        chosen != codes[:, None]
        if decision.costs is None
        else decision.costs[codes[:, None], chosen]
    )
    return np.asarray((weights @ cost / weights.sum()).reshape(logs.shape[2:]))
