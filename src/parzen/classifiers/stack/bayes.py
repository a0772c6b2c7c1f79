"""Members of a stack that multiply one-dimensional densities.

    nb    sum_l log f_c(x_l):       rows left out exactly
    dnb   sum_l v_l log f_c(x_l):   weights v >= 0 by conditional likelihood with ridge |v - v_0|^2,
                                    v_0 the best common weight; v is fitted without the row's fold

One pass per column gives the sums of every class, fold and bandwidth; any folds are put together
from it afterwards, so that no density that trains v has seen the rows that v is to score.
Bandwidths are Silverman's for the whole column, labels unseen. A missing entry adds
nothing to the sum over the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from parzen._core import Bools, Floats, Ints, portion, steps
from parzen.classifiers.naive_bayes import (
    AbsentColumn,
    CategoricalColumn,
    ColumnDensities,
    NumericColumn,
)
from parzen.classifiers.stack.columns import (
    BACKGROUND,
    SILVERMAN_FACTORS,
    SMOOTHING,
    ColumnSums,
    silverman_width,
)
from parzen.classifiers.stack.pool import MIN_LOG_POSTERIOR
from parzen.classifiers.stack.table import Blocks
from parzen.classifiers.stack.training_set import Candidate, StackTrainingSet, candidates
from parzen.expansion import KernelExpansion
from parzen.kernels import get
from parzen.metric import calibrate
from parzen.samples import log, log_sum

_RIDGES = (30.0, 3.0)  # Penalties on weights that differ from the common one.
_OFFSET_RIDGE = 0.1  # Penalty on the squared offsets of the classes.
_FEW_ROWS = 4  # For at most this many queries all columns are computed in one pass.
_MOST_VALUES = 2**18  # That pass runs over at most this many entries of the training table.


@dataclass(frozen=True, eq=False)
class BayesRule:
    """Log pi_c + sum_l v_l log f_c(x_l)."""

    columns: list[ColumnDensities]
    weights: Floats
    log_shares: Floats
    rows: Ints | None = None  # numbers of its rows among the distinct rows of the fit

    @property
    def terms(self) -> int:
        kept = [c for c, v in zip(self.columns, self.weights, strict=True) if v > 0]
        return sum(len(c.present) if isinstance(c, NumericColumn) else 1 for c in kept)

    def scores(self, blocks: Blocks, **options: Any) -> Floats:
        total = np.tile(self.log_shares, (len(blocks), 1))
        kept, X = self.weights > 0, blocks.columns
        if len(blocks) <= _FEW_ROWS:
            logs = blocks.once(("bayes", id(self.columns)), lambda: self._few_rows.log_densities(X))
            ready = kept[self._few_rows.places]
            together = self._few_rows.places[ready]
            total += np.einsum("nlc,l->nc", logs[:, ready], self.weights[together])
            kept = kept.copy()
            kept[together] = False
        for place in np.flatnonzero(kept).tolist():
            logs = self.columns[place].log_densities(X[:, place], **options)
            total += self.weights[place] * logs
        return total

    def row_shares(self, blocks: Blocks, c: int, places: Ints) -> Floats:
        """Sum over the columns of v_l times the shares of some training rows in f_c(x_l)."""
        total = np.zeros((len(blocks), len(places)))
        for column, v, x in zip(self.columns, self.weights, blocks.columns.T, strict=True):
            if v > 0:
                total += v * column.shares(x, c, places)
        return total

    @cached_property
    def _few_rows(self) -> ColumnsOfFewRows:
        """Tables for few rows; members that share the columns use those of the first member."""
        return ColumnsOfFewRows.of(self.columns)


class ColumnsOfFewRows(NamedTuple):
    """Columns whose log-densities at a few rows need no call for each of them."""

    places: Ints  # columns of numbers, then columns whose values are counted
    numbers: ColumnsTogether | None
    lines: list[tuple[int, dict[float, int]]]  # place of a counted column; line of each value
    logs: Floats  # (lines, C); the first is that of values that are missing or unknown

    @classmethod
    def of(cls, columns: Sequence[ColumnDensities]) -> ColumnsOfFewRows:
        """Numbers that all training rows have, and columns whose values are counted."""
        numbers = ColumnsTogether.of(columns)
        places = [] if numbers is None else list(numbers.places)
        lines, logs, count = [], [np.zeros((1, columns[0].n_classes))], 1
        for place, column in enumerate(columns):
            if isinstance(column, CategoricalColumn):
                values = column.categories.tolist()
                lines.append(
                    (place, dict(zip(values, range(count, count + len(values)), strict=True)))
                )
                logs.append(column.log_densities(column.categories))
                count += len(values)
        places += [place for place, _ in lines]
        return cls(np.array(places, dtype=np.intp), numbers, lines, np.concatenate(logs))

    def log_densities(self, X: Floats) -> Floats:
        """Log f_c of these columns, (rows, columns, C)."""
        found = [[line.get(x[place], 0) for place, line in self.lines] for x in X.tolist()]
        counted = self.logs[np.array(found, dtype=np.intp)]
        if self.numbers is None:
            return counted
        own = self.numbers.log_densities(X[:, self.numbers.places])
        return np.concatenate([own, counted], axis=1)


class ColumnsTogether(NamedTuple):
    """Columns of numbers that all training rows have, for a few rows in one pass over all columns.

    No logarithms of kernels are needed: a sum that underflows is far below the background.
    """

    places: list[int]
    points: Floats  # (columns, n), in bandwidths
    bandwidths: Floats  # (columns,)
    shares: Floats  # (n, C): weight over that of the class
    log_levels: Floats  # (columns,) log-heights of the kernels
    log_floors: Floats  # (columns,) log-densities of the background

    @classmethod
    def of(cls, columns: Sequence[ColumnDensities]) -> ColumnsTogether | None:
        """None where there are fewer than two of them, or too many values."""
        whole = [
            (place, column)
            for place, column in enumerate(columns)
            if isinstance(column, NumericColumn)
            and column.present.all()
            and (column.counts > 0).all()
        ]
        if len(whole) < 2 or len(whole) * len(whole[0][1].present) > _MOST_VALUES:
            return None
        places, kept = [place for place, _ in whole], [column for _, column in whole]
        h = np.array([float(c.expansion.bandwidth) for c in kept])
        points = np.array([c.expansion.points[:, 0] for c in kept]) / h[:, None]
        shares = kept[0].expansion.weight_matrix() / kept[0].counts
        kernels, floors = np.array([c.log_background for c in kept]).T
        return cls(places, points, h, shares, kernels - np.log(h * np.sqrt(2 * np.pi)), floors)

    def log_densities(self, X: Floats) -> Floats:
        """Log f_c of every column, (rows, columns, C)."""
        missing = np.isnan(X)
        known = np.where(missing, 0.0, X)  # what is computed there is not used
        kernels = np.exp(-0.5 * (known[:, :, None] / self.bandwidths[:, None] - self.points) ** 2)
        logs = log(kernels @ self.shares) + self.log_levels[:, None]
        found = np.logaddexp(logs, self.log_floors[:, None])
        return np.where(missing[:, :, None], 0.0, found)


def bayes_family(training: StackTrainingSet) -> list[Candidate]:
    """Plain naive Bayes at every factor on the rule."""
    sums = ColumnSums.of(training)
    logs = sums.log_densities(None)
    equal_weights = np.ones(logs.shape[2])
    scores = [training.log_shares + own.sum(axis=1) for own in logs]

    def fit(factor: float) -> BayesRule:
        return _fit(training, SILVERMAN_FACTORS.index(factor), equal_weights)

    return candidates("nb", "nb", SILVERMAN_FACTORS[: len(logs)], scores, fit)


def weighted_family(training: StackTrainingSet) -> list[Candidate]:
    """Weighted naive Bayes at every ridge; of a large sample it takes the scored rows only."""
    if training.is_part:
        training = training.scored_part
    with portion(0, 0.5):
        sums = ColumnSums.of(training)
    whole = sums.log_densities(None)
    scores = training.unfilled_scores(len(_RIDGES))
    with portion(0.5):
        for k in steps(np.unique(training.fold_of_row[training.scored_rows]).tolist()):
            here = training.fold_of_row[training.scored_rows] == k
            others = sums.log_densities(k)[:, ~here]
            b, path = _weight_path(others, training, ~here, training.fold_of_row != k)
            for r, v in enumerate(path):
                scores[r, here] = training.log_shares + np.einsum("nlc,l->nc", whole[b][here], v)

    def fit(ridge: float) -> BayesRule:
        all_rows = np.ones(len(training.codes), dtype=bool)
        b, path = training.once(
            "dnb on all rows",
            lambda: _weight_path(whole, training, all_rows[training.scored_rows], all_rows),
        )
        return _fit(training, b, path[_RIDGES.index(ridge)])

    return candidates("dnb", "dnb", _RIDGES, scores, fit)


def _fit(training: StackTrainingSet, b: int, weights: Floats) -> BayesRule:
    """Every column on all rows, with the bandwidth of factor number ``b``."""

    def columns() -> list[ColumnDensities]:
        counted = training.blocks.table.is_counted
        return [
            _column(x, bool(counted[j]), training, SILVERMAN_FACTORS[b])
            for j, x in enumerate(training.blocks.columns.T)
        ]

    shared = training.once(f"columns {b}", columns)  # members of other weights have the same
    return BayesRule(shared, weights, training.log_shares, training.numbers)


def _column(x: Floats, counted: bool, training: StackTrainingSet, factor: float) -> ColumnDensities:
    C = training.n_classes
    if counted:
        return CategoricalColumn.fit(x, training.codes, training.weights, C, SMOOTHING)
    seen = ~np.isnan(x)
    if not seen.any():
        return AbsentColumn(len(x), C)
    w = None if training.weights is None else training.weights[seen]
    counts = np.bincount(training.codes[seen], w, minlength=C).astype(np.float64)
    expansion = KernelExpansion(
        points=np.ascontiguousarray(x[seen, None]),
        kernel=get("gaussian"),
        bandwidth=np.array(factor * silverman_width(x[seen], w)),
        n_classes=C,
        labels=training.codes[seen],
        weights=w,
        log_factors=-np.log(np.where(counts > 0, counts, 1.0)),
    )
    width = max(float(x[seen].max() - x[seen].min()), 1e-300)
    background = float(np.log1p(-BACKGROUND)), float(np.log(BACKGROUND) - np.log(width))
    return NumericColumn(expansion, counts, seen, background)


def _weight_path(
    logs: Floats, training: StackTrainingSet, scored: Bools, seen: Bools
) -> tuple[int, list[Floats]]:
    """The best factor for equal weights, and the weights of every ridge from that start.

    ``scored`` are the rows of ``logs`` among those that are scored, ``seen`` all rows whose labels
    may be looked at.
    """
    rows = training.scored_rows[scored]
    y, w = training.codes[rows], training.frequencies[rows]
    counts = np.bincount(
        training.codes[seen], training.frequencies[seen], minlength=training.n_classes
    )
    base = log(np.maximum(counts, 1e-3) / counts.sum())
    totals = logs.sum(axis=2) + base
    totals = np.maximum(totals - log_sum(totals, axis=-1)[..., None], MIN_LOG_POSTERIOR)
    common = calibrate(totals, y, w)
    b = int(np.argmin(common.loss))
    start = max(float(common.slope[b]), 1e-3)
    v = np.full(logs.shape[2], start)
    path = []
    for ridge in _RIDGES:
        v = _conditional_weights(logs[b], base, y, w, v, start, ridge)
        path.append(v)
    return b, path


def _conditional_weights(
    logs: Floats, base: Floats, y: Ints, w: Floats, v: Floats, start: float, ridge: float
) -> Floats:
    """Argmin of sum_i w_i log-loss + ridge/2 |v - start|^2, v >= 0, with free class offsets."""
    n, d, C = logs.shape
    Y = np.zeros((n, C))
    Y[np.arange(n), y] = 1.0
    features = np.ascontiguousarray(np.swapaxes(logs, 1, 2))  # (n, C, d)
    scale = max(w.sum(), 1e-300)

    def objective(theta: Floats) -> tuple[float, Floats]:
        scores = features @ theta[:d] + theta[d:] + base
        P = softmax(scores, axis=1)
        own = scores[np.arange(n), y] - log_sum(scores, axis=1)
        residuals = (P - Y) * w[:, None]
        from_start, offsets = theta[:d] - start, theta[d:]
        penalty = ridge * from_start @ from_start + _OFFSET_RIDGE * offsets @ offsets
        slope = np.tensordot(residuals, features, ([0, 1], [0, 1])) + ridge * from_start
        offset_slope = residuals.sum(axis=0) + _OFFSET_RIDGE * offsets
        return (0.5 * penalty - w @ own) / scale, np.r_[slope, offset_slope] / scale

    found = minimize(
        objective,
        np.r_[v, np.zeros(C)],
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * d + [(None, None)] * C,
        options={"maxiter": 50, "ftol": 1e-7},
    )
    return np.asarray(found.x[:d])
