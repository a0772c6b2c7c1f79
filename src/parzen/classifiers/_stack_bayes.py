"""Members of a stack that multiply one-dimensional densities.

    nb    sum_l log f_c(x_l):       rows left out exactly
    dnb   sum_l v_l log f_c(x_l):   weights v >= 0 by conditional likelihood with ridge |v - v_0|^2,
                                    v_0 the best common weight; v is fitted without the row's fold

One pass per column gives the sums of every class, fold and bandwidth; any folds are put together
from it afterwards, so that no density that trains v has seen the rows that v is to score.
Bandwidths are Silverman's for the whole column, labels unseen. A missing entry says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from parzen.bandwidth import silverman
from parzen.bandwidth._calibration import calibrate
from parzen.bandwidth._logs import log, log_sum
from parzen.classifiers._columns import AbsentColumn, CategoricalColumn, Column, NumericColumn
from parzen.classifiers._stack_stage import Candidate, Floats, Stage
from parzen.classifiers._stack_table import Blocks
from parzen.expansion import KernelExpansion
from parzen.kernels import get
from parzen.sums import labelled_kernel_sums

FACTORS = (0.5, 1.0, 2.0)  # on Silverman's rule
_RIDGES = (30.0, 3.0)
_BACKGROUND = 1e-4
_SMOOTHING = 1.0
_LEAST = -300.0


@dataclass(frozen=True, eq=False)
class BayesRule:
    """Log pi_c + sum_l v_l log f_c(x_l)."""

    columns: list[Column]
    weights: Floats
    log_shares: Floats

    def scores(self, blocks: Blocks, **options: Any) -> Floats:
        total = np.tile(self.log_shares, (len(blocks), 1))
        for x, column, v in zip(blocks.columns.T, self.columns, self.weights, strict=True):
            if v > 0:
                total += v * column.log_densities(x, **options)
        return total


def bayes_family(stage: Stage) -> list[Candidate]:
    """Plain naive Bayes at every factor on the rule."""
    sums = _ColumnSums.of(stage)
    logs = sums.log_densities(None)
    everything = np.ones(logs.shape[2])
    return [
        Candidate(
            "nb",
            factor,
            stage.log_shares + logs[b].sum(axis=1),
            partial(_fit, stage, b, everything),
        )
        for b, factor in enumerate(FACTORS)
    ]


def weighted_family(stage: Stage) -> list[Candidate]:
    """Weighted naive Bayes at every ridge."""
    sums = _ColumnSums.of(stage)
    whole = sums.log_densities(None)
    scores = stage.nothing(len(_RIDGES))
    for k in np.unique(stage.fold[stage.judged]):
        here = stage.fold[stage.judged] == k
        others = sums.log_densities(int(k))[:, ~here]
        b, path = _weight_path(others, stage, ~here, stage.fold != k)
        for r, v in enumerate(path):
            scores[r, here] = stage.log_shares + np.einsum("nlc,l->nc", whole[b][here], v)

    def fit(r: int) -> BayesRule:
        everything = np.ones(len(stage.codes), dtype=bool)
        b, path = _weight_path(whole, stage, everything[stage.judged], everything)
        return _fit(stage, b, path[r])

    return [Candidate("dnb", ridge, scores[r], partial(fit, r)) for r, ridge in enumerate(_RIDGES)]


class _ColumnSums(NamedTuple):
    """Log-sums of the judged rows by column, class and fold, each without the row itself."""

    logs: Floats  # (factors, rows, columns, C, folds); -inf for nothing
    masses: Floats  # (rows, columns, C, folds)
    backgrounds: Floats  # (columns,) log of the background's density; NaN where values are counted
    levels: Floats  # (columns,) number of values that are counted, 0 for amounts
    missing: NDArray[np.bool_]  # (rows, columns)

    @classmethod
    def of(cls, stage: Stage) -> _ColumnSums:
        X, rows = stage.blocks.columns, stage.judged
        C, K = stage.n_classes, int(stage.fold.max()) + 1
        logs = np.full((len(FACTORS), len(rows), X.shape[1], C, K), -np.inf)
        masses = np.zeros((len(rows), X.shape[1], C, K))
        backgrounds, levels = np.full(X.shape[1], np.nan), np.zeros(X.shape[1])
        for j, x in enumerate(X.T):
            counted = bool(stage.discrete[j])
            if counted:
                levels[j] = len(np.unique(x[~np.isnan(x)]))
            else:
                backgrounds[j] = -np.log(max(np.nanmax(x) - np.nanmin(x), 1e-300))
            part, mass = _column_sums(x, stage, counted)
            logs[:, :, j], masses[:, j] = part, mass
        return cls(logs, masses, backgrounds, levels, np.isnan(X[rows]))

    def log_densities(self, without: int | None) -> Floats:
        """Log f_c(x_l) of the judged rows, a fold left out or none: (factors, rows, columns, C)."""
        folds = np.arange(self.logs.shape[-1]) != (-1 if without is None else without)
        sums = log_sum(self.logs[..., folds], axis=4)
        mass = self.masses[..., folds].sum(axis=3)
        counted = np.isnan(self.backgrounds)
        out = np.empty(sums.shape)
        means = sums[:, :, ~counted] - log(np.maximum(mass[:, ~counted], 1e-300))
        floor = np.log(_BACKGROUND) + self.backgrounds[~counted]
        out[:, :, ~counted] = np.logaddexp(means + np.log1p(-_BACKGROUND), floor[:, None])
        total = mass[:, counted] + _SMOOTHING * self.levels[counted, None]
        out[:, :, counted] = log(np.exp(sums[:, :, counted]) + _SMOOTHING) - log(total)
        out[:, self.missing] = 0.0
        return out


def _column_sums(x: Floats, stage: Stage, counted: bool) -> tuple[Floats, Floats]:
    C, K, rows = stage.n_classes, int(stage.fold.max()) + 1, stage.judged
    seen = ~np.isnan(x)
    cell = stage.codes * K + stage.fold
    w = stage.frequencies
    own = np.minimum(w, 1.0)[rows]
    mass = np.tile(np.bincount(cell[seen], w[seen], minlength=C * K), (len(rows), 1)).astype(
        np.float64
    )
    at = np.arange(len(rows)), cell[rows]
    mass[at] = np.maximum(mass[at] - np.where(seen[rows], own, 0.0), 0.0)
    logs = np.full((len(FACTORS), len(rows), C * K), -np.inf)
    judged = seen[rows]
    if counted:
        values, places = np.unique(x[seen], return_inverse=True)
        table = np.zeros((len(values), C * K))
        np.add.at(table, (places, cell[seen]), w[seen])
        where = np.searchsorted(values, x[rows[judged]])
        counts = table[where]
        inner = np.arange(len(where)), cell[rows[judged]]
        counts[inner] = np.maximum(counts[inner] - own[judged], 0.0)
        logs[:, judged] = log(counts)
    elif judged.any():
        logs[:, judged] = _kernel_logs(x, seen, rows[judged], cell, C * K, stage)
    return logs.reshape(len(FACTORS), -1, C, K), mass.reshape(-1, C, K)


def _kernel_logs(
    x: Floats,
    seen: NDArray[np.bool_],
    rows: NDArray[np.intp],
    cell: NDArray[np.intp],
    n_cells: int,
    stage: Stage,
) -> Floats:
    """Log-sums of kernels over every class and fold, the row's own kernel skipped."""
    h = _rule(x[seen], stage.weights if stage.weights is None else stage.weights[seen])
    grid = h * np.array(FACTORS)
    w = stage.weights
    options: dict[str, Any] = {"kernel": "gaussian", "bandwidths": grid, "n_jobs": stage.threads}
    queries = np.ascontiguousarray(x[rows, None])
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
    if w is not None:
        at = np.arange(len(rows)), cell[rows]
        peak = get("gaussian").log_normalizer(grid, 1)
        sums[at] = np.logaddexp(sums[at], log(w[rows] - np.minimum(w[rows], 1.0))[:, None] + peak)
    return np.moveaxis(sums, 2, 0)


def _rule(x: Floats, weights: Floats | None) -> float:
    return silverman(x[:, None], kernel=get("gaussian"), weights=weights)


def _fit(stage: Stage, b: int, weights: Floats) -> BayesRule:
    """Every column on all rows, with the bandwidth of factor number ``b``."""
    columns = [
        _column(x, bool(stage.discrete[j]), stage, FACTORS[b])
        for j, x in enumerate(stage.blocks.columns.T)
    ]
    return BayesRule(columns, weights, stage.log_shares)


def _column(x: Floats, counted: bool, stage: Stage, factor: float) -> Column:
    C = stage.n_classes
    if counted:
        return CategoricalColumn.fit(x, stage.codes, stage.weights, C, _SMOOTHING)
    seen = ~np.isnan(x)
    if not seen.any():
        return AbsentColumn(len(x), C)
    w = None if stage.weights is None else stage.weights[seen]
    counts = np.bincount(stage.codes[seen], w, minlength=C).astype(np.float64)
    expansion = KernelExpansion(
        points=np.ascontiguousarray(x[seen, None]),
        kernel=get("gaussian"),
        bandwidth=np.array(factor * _rule(x[seen], w)),
        n_classes=C,
        labels=stage.codes[seen],
        weights=w,
        log_factors=-np.log(np.where(counts > 0, counts, 1.0)),
    )
    width = max(float(x[seen].max() - x[seen].min()), 1e-300)
    background = float(np.log1p(-_BACKGROUND)), float(np.log(_BACKGROUND) - np.log(width))
    return NumericColumn(expansion, counts, seen, background)


def _weight_path(
    logs: Floats, stage: Stage, judged: NDArray[np.bool_], seen: NDArray[np.bool_]
) -> tuple[int, list[Floats]]:
    """The best factor for equal weights, and the weights of every ridge from that start.

    ``judged`` are the rows of ``logs`` among those that are scored, ``seen`` all rows whose labels
    may be looked at.
    """
    y, w = stage.codes[stage.judged][judged], stage.frequencies[stage.judged][judged]
    counts = np.bincount(stage.codes[seen], stage.frequencies[seen], minlength=stage.n_classes)
    base = log(np.maximum(counts, 1e-3) / counts.sum())
    totals = np.maximum(_log_softmax(logs.sum(axis=2) + base), _LEAST)
    common = calibrate(totals, y, w)
    b = int(np.argmin(common.loss))
    start = max(float(common.slope[b]), 1e-3)
    v = np.full(logs.shape[2], start)
    path = []
    for ridge in _RIDGES:
        v = _conditional_weights(logs[b], base, y, w, v, start, ridge)
        path.append(v)
    return b, path


def _log_softmax(scores: Floats) -> Floats:
    return np.asarray(scores - log_sum(scores, axis=-1)[..., None])


def _conditional_weights(
    logs: Floats,
    base: Floats,
    y: NDArray[np.intp],
    w: Floats,
    v: Floats,
    start: float,
    ridge: float,
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
        pull = (P - Y) * w[:, None]
        away = theta[:d] - start
        value = -w @ own + 0.5 * ridge * away @ away + 0.05 * theta[d:] @ theta[d:]
        slope = np.tensordot(pull, features, ([0, 1], [0, 1])) + ridge * away
        return value / scale, np.r_[slope, pull.sum(axis=0) + 0.1 * theta[d:]] / scale

    found = minimize(
        objective,
        np.r_[v, np.zeros(C)],
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * d + [(None, None)] * C,
        options={"maxiter": 50, "ftol": 1e-7},
    )
    return np.asarray(found.x[:d])
