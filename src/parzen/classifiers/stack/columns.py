"""One-dimensional densities of every column, any folds left out, from one pass per column.

    log sum_{j in class c, fold k, j != i} k_h(x_il, x_jl)    for every scored row i, column l, c, k

Sums over classes and folds are kept apart, so that the densities without a fold, or without the row
alone, are put together afterwards. Columns of few values are counted; a missing entry
has log-density 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parzen._core import Bools, Floats, Ints, steps
from parzen.bandwidth import silverman
from parzen.classifiers.stack.training_set import StackTrainingSet
from parzen.kernels import get
from parzen.samples import has_spread, log, log_sum
from parzen.sums import labelled_kernel_sums

SILVERMAN_FACTORS = (0.5, 1.0, 2.0)  # Bandwidths that are tried, in units of Silverman's.
BACKGROUND = 1e-4  # Share of a uniform density over the range of the column.
SMOOTHING = 1.0  # Rows that are added to the count of every value of every class.


class ColumnSums(NamedTuple):
    """Log-sums of the scored rows by column, class and fold, each without the row itself."""

    logs: Floats  # (factors, rows, columns, C, folds); -inf for an empty sum
    masses: Floats  # (rows, columns, C, folds): total weights of the kernels in each sum
    backgrounds: Floats  # (columns,) log of the background's density; NaN where values are counted
    levels: Floats  # (columns,) number of values that are counted, 0 for amounts
    missing: Bools  # (rows, columns)

    @classmethod
    def of(cls, training: StackTrainingSet) -> ColumnSums:
        X, rows = training.blocks.columns, training.scored_rows
        C, K = training.n_classes, int(training.fold_of_row.max()) + 1
        # Where all values are counted there is no bandwidth to choose.
        factors = 1 if training.blocks.table.is_counted.all() else len(SILVERMAN_FACTORS)
        logs = np.full((factors, len(rows), X.shape[1], C, K), -np.inf)
        masses = np.zeros((len(rows), X.shape[1], C, K))
        backgrounds, levels = np.full(X.shape[1], np.nan), np.zeros(X.shape[1])
        for j, x in enumerate(steps(list(X.T))):
            counted = bool(training.blocks.table.is_counted[j])
            if counted:
                levels[j] = len(np.unique(x[~np.isnan(x)]))
            else:
                backgrounds[j] = -np.log(max(np.nanmax(x) - np.nanmin(x), 1e-300))
            part, mass = _column_sums(x, training, counted)
            logs[:, :, j], masses[:, j] = part[:factors], mass
        return cls(logs, masses, backgrounds, levels, np.isnan(X[rows]))

    def log_densities(self, without: int | None) -> Floats:
        """Log f_c(x_l) of the scored rows, a fold left out or none: (factors, rows, columns, C)."""
        folds = np.arange(self.logs.shape[-1]) != (-1 if without is None else without)
        sums = log_sum(self.logs[..., folds], axis=4)
        mass = self.masses[..., folds].sum(axis=3)
        counted = np.isnan(self.backgrounds)
        out = np.empty(sums.shape)
        means = sums[:, :, ~counted] - log(np.maximum(mass[:, ~counted], 1e-300))
        floor = np.log(BACKGROUND) + self.backgrounds[~counted]
        out[:, :, ~counted] = np.logaddexp(means + np.log1p(-BACKGROUND), floor[:, None])
        total = mass[:, counted] + SMOOTHING * self.levels[counted, None]
        out[:, :, counted] = log(np.exp(sums[:, :, counted]) + SMOOTHING) - log(total)
        out[:, self.missing] = 0.0
        return out


def _column_sums(x: Floats, training: StackTrainingSet, counted: bool) -> tuple[Floats, Floats]:
    C, K, rows = training.n_classes, int(training.fold_of_row.max()) + 1, training.scored_rows
    seen = ~np.isnan(x)
    cell = training.codes * K + training.fold_of_row  # one number for class and fold
    w = training.frequencies
    own = np.minimum(w, 1.0)[rows]
    mass = np.tile(np.bincount(cell[seen], w[seen], minlength=C * K), (len(rows), 1)).astype(
        np.float64
    )
    at = np.arange(len(rows)), cell[rows]
    mass[at] = np.maximum(mass[at] - np.where(seen[rows], own, 0.0), 0.0)
    logs = np.full((len(SILVERMAN_FACTORS), len(rows), C * K), -np.inf)
    known = seen[rows]
    if counted:
        values, places = np.unique(x[seen], return_inverse=True)
        table = np.zeros((len(values), C * K))
        np.add.at(table, (places, cell[seen]), w[seen])
        where = np.searchsorted(values, x[rows[known]])
        counts = table[where]
        inner = np.arange(len(where)), cell[rows[known]]
        counts[inner] = np.maximum(counts[inner] - own[known], 0.0)
        logs[:, known] = log(counts)
    elif known.any():
        logs[:, known] = _kernel_logs(x, seen, rows[known], cell, C * K, training)
    return logs.reshape(len(SILVERMAN_FACTORS), -1, C, K), mass.reshape(-1, C, K)


def _kernel_logs(
    x: Floats, seen: Bools, rows: Ints, cell: Ints, n_cells: int, training: StackTrainingSet
) -> Floats:
    """Log-sums of kernels over every class and fold, the row's own kernel skipped."""
    w = training.weights
    grid = silverman_width(x[seen], None if w is None else w[seen]) * np.array(SILVERMAN_FACTORS)
    options: dict[str, Any] = {"kernel": "gaussian", "bandwidths": grid, "n_jobs": training.threads}
    queries = np.ascontiguousarray(x[rows, None])
    # The scored rows among themselves, each without its own kernel, then over all other rows.
    sums = labelled_kernel_sums(
        queries, queries, cell[rows], n_cells, None if w is None else w[rows],
        exclude_self=True, **options,
    )  # fmt: skip
    others = seen.copy()
    others[rows] = False
    if others.any():
        more = labelled_kernel_sums(
            queries, np.ascontiguousarray(x[others, None]), cell[others], n_cells,
            None if w is None else w[others], **options,
        )  # fmt: skip
        sums = np.logaddexp(sums, more)
    # One copy of the row is left out; the w - 1 others add kernels at distance 0.
    if w is not None:
        at = np.arange(len(rows)), cell[rows]
        peak = get("gaussian").log_normalizer(grid, 1)
        sums[at] = np.logaddexp(sums[at], log(w[rows] - np.minimum(w[rows], 1.0))[:, None] + peak)
    return np.moveaxis(sums, 2, 0)


def silverman_width(x: Floats, weights: Floats | None) -> float:
    """Silverman's bandwidth of one column; 1 for a constant column, which tells nothing."""
    column = x[:, None]
    if not has_spread(column):
        return 1.0
    return silverman(column, kernel=get("gaussian"), weights=weights)
