"""Why a row got its label: the training rows that speak for it and against it, and the columns.

A kernel expansion explains itself. The score of a class is a sum of terms W_ic k(x, x_i), one per
training row, so each row has a share of it. Signed weights of two classes are compared by their
difference, whose positive terms speak for the label and whose negative ones against it.

The effect of a column is the change of the log-odds of the two best classes when the column is left
out: its value is set to zero in the queries and in the points, so that all distances along it are
zero. For a product kernel the factor of the column is then its peak, which is divided out: what is
left is exactly the marginal density of the other columns. The marginal of a Gaussian in a metric
that mixes columns is that of the distance across the column: points are projected along it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from parzen._core import Array, Floats, Ints, last_columns, last_step
from parzen.expansion import KernelExpansion, LocalExpansion
from parzen.kernels import ColumnProduct, gram
from parzen.metric import Whitening
from parzen.sums import has_missing

# Kernels that are products of one factor per column.
PRODUCT_KERNELS = ("gaussian", "laplacian", ColumnProduct.name)
# Pairs of a query and a point whose terms are in memory at once: about as many as a cache holds.
_BLOCK_PAIRS = 1 << 18


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why one row got its label rather than the second best.

    Attributes
    ----------
    label, rival : object
        The class of the largest posterior, and the next one.
    log_odds : float
        Log of the ratio of their posteriors.
    supporting, opposing : array of int
        Training rows with the largest shares, largest first: for densities those of the two
        classes, for signed weights those of positive and of negative terms. Rows are numbered as
        in the fit; those of a density without the rows of weight zero.
    supporting_shares, opposing_shares : array
        Their shares; over all rows for, and over all rows against, they sum to one.
    column_effects : array of shape (n_features,)
        How much of the log-odds is gone when a column is left out.
    supporting_names, opposing_names : array of str or None
        Names of these rows, where the fit was given a data frame with an index of names.
    """

    label: Any
    rival: Any
    log_odds: float
    supporting: Ints
    supporting_shares: Floats
    opposing: Ints
    opposing_shares: Floats
    column_effects: Floats
    supporting_names: Array | None = None
    opposing_names: Array | None = None

    def named(self, names: Array) -> Explanation:
        """The same with the names of the rows."""
        return replace(
            self,
            supporting_names=names[self.supporting],
            opposing_names=names[self.opposing],
        )

    def row_labels(self) -> tuple[list[str], list[str]]:
        """Supporting and opposing rows by their names, or as "row 7" where they have none."""

        def labels(rows: Ints, names: Array | None) -> list[str]:
            return [f"row {i}" for i in rows] if names is None else [str(name) for name in names]

        return (
            labels(self.supporting, self.supporting_names),
            labels(self.opposing, self.opposing_names),
        )


def explain_by_last_step(
    estimator: Any, X: Any, top: int = 5
) -> tuple[list[Explanation], list[str]]:
    """Explanations by a classifier or the last step of a pipeline, and the columns that it sees."""
    last, points = last_step(estimator, X)
    if not hasattr(last, "explain"):
        raise ValueError(f"{type(last).__name__} cannot say which rows decided: it has no explain.")
    found = last.explain(points, top)
    return found, last_columns(estimator, np.shape(points)[1])


@dataclass(frozen=True, eq=False)
class Duel:
    """The two most probable classes of every query, and the log-odds between them."""

    best: Ints
    second: Ints
    log_odds: Floats

    @classmethod
    def of(cls, joint: Floats) -> Duel:
        """The duels of log pi_c f_c, shape (m, C); ties go to the first class."""
        order = np.argsort(-joint, axis=1, kind="stable")
        best, second = order[:, 0], order[:, min(1, joint.shape[1] - 1)]
        return cls(best, second, _log_odds(joint, best, second))

    def odds(self, joint: Floats) -> Floats:
        """Log-odds of the same two classes by ``joint``; 0 where both values are minus infinity."""
        return _log_odds(joint, self.best, self.second)

    def effect(self, joint: Floats) -> Floats:
        """By how much the log-odds fall if ``joint`` replaces the values; 0 where not finite."""
        with np.errstate(invalid="ignore"):
            change = self.log_odds - self.odds(joint)
        return np.where(np.isfinite(change), change, 0.0)


def _log_odds(joint: Floats, best: Ints, second: Ints) -> Floats:
    rows = np.arange(len(joint))
    with np.errstate(invalid="ignore"):
        gap = joint[rows, best] - joint[rows, second]
    return np.where(np.isnan(gap), 0.0, gap)


Shares = tuple[Ints, Floats]


def explain_densities(
    expansion: KernelExpansion,
    X: Array,
    duel: Duel,
    joint_of: Callable[[Array], Floats],
    classes: Array,
    support: Ints,
    top: int,
    **options: Any,
) -> list[Explanation]:
    """Explain the rows of X by the shares of training rows in the densities of two classes.

    ``joint_of`` turns log-densities into log pi_c f_c; ``support`` numbers the points; options are
    those of the sums.
    """
    effects = np.empty(X.shape)
    for column in range(X.shape[1]):
        logs = log_sums_without(expansion, X, np.array([column]), **options)
        effects[:, column] = duel.effect(joint_of(logs))

    def shares_of(queries: Array, c: int) -> Shares:
        rows, shares = class_shares(expansion, queries, c)
        return support[rows], shares

    return explain_by_class(shares_of, X, duel, effects, classes, len(support), top)


def explain_by_class(
    shares_of: Callable[[Array, int], Shares],
    X: Array,
    duel: Duel,
    effects: Floats,
    classes: Array,
    n_rows: int,
    top: int,
) -> list[Explanation]:
    """Explain the rows of X by shares in the two best classes.

    ``shares_of`` (queries, class) has the rows of a class, and what each adds, (m, rows).
    """
    shares: dict[tuple[int, int], Shares] = {}
    for c in np.unique(np.concatenate([duel.best, duel.second])).tolist():
        asked = np.flatnonzero((duel.best == c) | (duel.second == c))
        for batch in gen_batches(len(asked), max(1, _BLOCK_PAIRS // max(1, n_rows))):
            rows, values = shares_of(X[asked[batch]], c)
            for place, (places, largest) in zip(
                asked[batch].tolist(), largest_shares(values, top), strict=True
            ):
                shares[place, c] = rows[places], largest
    return [
        Explanation(
            classes[b], classes[s], float(odds), *shares[i, int(b)], *shares[i, int(s)], effects[i]
        )
        for i, (b, s, odds) in enumerate(zip(duel.best, duel.second, duel.log_odds, strict=True))
    ]


def explain_scores(
    terms_of: Callable[[Array, Ints, Ints], Floats],
    X: Array,
    duel: Duel,
    joints_without: list[Floats],
    classes: Array,
    support: Ints,
    top: int,
) -> list[Explanation]:
    """Explain the rows of X by signed terms.

    ``terms_of`` (queries, label, rival) has shape (m, points): what each point adds to the score of
    the label less that of the rival; X may also be anything else with one entry per query that it
    understands. ``joints_without`` has the values of the classes without each column.
    """
    effects = np.array([duel.effect(joint) for joint in joints_without]).reshape(-1, len(X)).T
    out = []
    for batch in gen_batches(len(X), max(1, _BLOCK_PAIRS // max(1, len(support)))):
        block = terms_of(X[batch], duel.best[batch], duel.second[batch])
        sides = [largest_shares(np.maximum(side, 0.0), top) for side in (block, -block)]
        for i, (rows, shares), (against, shares_against) in zip(
            range(batch.start, batch.stop), *sides, strict=True
        ):
            out.append(
                Explanation(
                    classes[duel.best[i]], classes[duel.second[i]], float(duel.log_odds[i]),
                    support[rows], shares, support[against], shares_against, effects[i],
                )
            )  # fmt: skip
    return out


def log_sums_without(expansion: KernelExpansion, X: Array, columns: Ints, **options: Any) -> Floats:
    """Log-sums of the classes without some columns; options are those of the sums.

    They are those of the marginal densities for product kernels and for Gaussians in any metric.
    """
    if expansion.has_gaps or has_missing(X):
        points, queries = expansion.points, X.copy()
        queries[:, columns] = np.nan
        if expansion.mismatch != 0:  # without the columns their gaps tell nothing either
            points = points.copy()
            points[:, columns] = 0.0
        less = replace(expansion, points=points)
        return np.asarray(less.log_sums(queries, **options), np.float64)
    less, queries = without_distances(expansion, X, columns)
    logs = np.asarray(less.log_sums(queries, **options), np.float64)
    return logs - _log_peaks(expansion, columns)


def without_distances(
    expansion: KernelExpansion, X: Array, columns: Ints
) -> tuple[KernelExpansion, Array]:
    """The expansion and the queries with all distances along some columns left out."""
    points, queries = expansion.points.copy(), X.copy()
    points[:, columns] = queries[:, columns] = 0.0
    less = replace(expansion, points=points)
    if _is_gaussian_in_a_metric(expansion):
        assert expansion.whitening is not None
        less = replace(expansion, whitening=_across(expansion.whitening, columns))
        queries = X
    if isinstance(expansion, LocalExpansion) and _has_marginals(expansion):
        # A kernel that is wider has a lower factor in a column, which goes with it.
        weights = 1.0 if expansion.weights is None else expansion.weights
        less = replace(less, weights=weights * expansion.factors ** len(columns))
    return less, queries


def _across(whitening: Whitening, columns: Ints) -> Whitening:
    """The maps followed by a projection that makes points equal which differ in the columns."""
    bases = np.linalg.qr(np.swapaxes(whitening.roots[:, columns], 1, 2))[0]  # (C, d, columns)
    along = whitening.roots @ bases @ np.swapaxes(bases, 1, 2)
    return replace(whitening, roots=whitening.roots - along)


def _is_gaussian_in_a_metric(expansion: KernelExpansion) -> bool:
    return expansion.kernel.name == "gaussian" and expansion.whitening is not None


def _has_marginals(expansion: KernelExpansion) -> bool:
    """Whether leaving distances out gives the marginal densities, up to a factor."""
    is_product = expansion.kernel.name in PRODUCT_KERNELS and expansion.whitening is None
    return is_product or _is_gaussian_in_a_metric(expansion)


def _log_peaks(expansion: KernelExpansion, columns: Ints) -> Floats:
    """Log of the columns' factor at distance zero, for each class; 0 where there is no factor."""
    C, d, h = expansion.n_classes, expansion.points.shape[1], expansion.bandwidth
    if not _has_marginals(expansion):
        return np.zeros(C)
    if isinstance(expansion.kernel, ColumnProduct):
        peaks = [expansion.kernel.log_peaks(row)[columns].sum() for row in h]
        return np.array(np.broadcast_to(peaks, C))
    widths = np.broadcast_to(h[:, None] if h.ndim == 1 else h, (C, d))[:, columns]
    heights = np.asarray(expansion.kernel.log_normalizer(widths, 1), np.float64).sum(axis=1)
    if expansion.whitening is None:
        return np.asarray(heights)
    rows = expansion.whitening.roots[:, columns]
    return np.asarray(heights + 0.5 * np.linalg.slogdet(rows @ np.swapaxes(rows, 1, 2))[1])


def class_shares(expansion: KernelExpansion, X: Array, c: int) -> tuple[Ints, Floats]:
    """The points with a weight in class c, and their shares of its density: (m, points).

    All shares are zero at a query that no kernel reaches.
    """
    rows, terms, totals = class_terms(expansion, X, c)
    return rows, (terms / totals).T


def class_terms(expansion: KernelExpansion, X: Array, c: int) -> tuple[Ints, Floats, Floats]:
    """The points with a weight in class c, what they add to its density, and the sums of that.

    The terms, (points, m), are in units of the largest at each query. Where no kernel reaches a
    query they are zero and their sum is set to one.
    """
    weights = expansion.weight_matrix()[:, c]
    rows = np.flatnonzero(weights > 0)
    if len(rows) == 0:
        return rows, np.empty((0, len(X))), np.ones(len(X))
    part = expansion.subset(rows)
    gaps = expansion.has_gaps or has_missing(X)
    logs = (_logs_with_gaps if gaps else _logs)(part, X, c, np.log(weights[rows]))
    peak = logs.max(axis=0)
    logs -= np.where(np.isfinite(peak), peak, 0.0)
    terms = np.exp(logs, out=logs)
    total = terms.sum(axis=0)
    return rows, terms, np.where(total > 0, total, 1.0)


def _logs(part: KernelExpansion, X: Array, c: int, log_weights: Floats) -> Floats:
    """Logs of the terms of points that all belong to class c, (points, m)."""
    space, kernel = part.space(c), part.kernel_in_space
    widths = space.bandwidth * getattr(part, "factors", np.ones(len(part.points)))
    points = space.map(part.points)
    heights = np.asarray(kernel.log_normalizer(widths, points.shape[1]))
    pairs = kernel.pairs(points, space.map(X))
    logs = np.asarray(kernel.log_profile(pairs, widths[:, None], points.shape[1]), np.float64)
    logs += (heights + log_weights)[:, None]
    return logs


def _logs_with_gaps(part: KernelExpansion, X: Array, c: int, log_weights: Floats) -> Floats:
    """The same where entries are missing: see `parzen.sums.missing`."""
    d, h = X.shape[1], part.bandwidth
    widths = np.broadcast_to(h if h.ndim == 0 else h[c if len(h) > 1 else 0], d)
    logs = np.tile(log_weights, (len(X), 1))
    for j, width in enumerate(widths.tolist()):
        asked, known = ~np.isnan(X[:, j]), ~np.isnan(part.points[:, j])
        logs += part.mismatch * (asked[:, None] != known)
        gaps = np.abs(X[asked, j, None] - part.points[known, j])
        if isinstance(part.kernel, ColumnProduct):
            own = part.kernel.log_factor(j, gaps, width)
        else:
            column = part.kernel.log(gaps.reshape(-1, 1), np.zeros((1, 1)), bandwidth=width)
            own = np.asarray(column, np.float64).reshape(gaps.shape)
        logs[np.ix_(asked, known)] += own
        if known.any():  # a point without the entry has the density of those with it
            weights = log_weights[known] - np.logaddexp.reduce(log_weights[known])
            mean = np.logaddexp.reduce(own + weights, axis=1)
            logs[np.ix_(asked, ~known)] += mean[:, None]
    return logs.T


def kernel_values(expansion: KernelExpansion, X: Array) -> Floats:
    """The kernels of height 1 of all points at the queries, shape (m, points).

    Where the classes have kernels of their own, that of the first is taken.
    """
    space = expansion.space(0)
    return gram(space.map(X), space.map(expansion.points), expansion.kernel, space.bandwidth)


def largest_shares(terms: Floats, top: int) -> list[Shares]:
    """Of each row of terms >= 0 the places of the largest ones, and their shares of its sum."""
    totals = terms.sum(axis=1)
    places = np.broadcast_to(np.arange(terms.shape[1]), terms.shape)
    if top < terms.shape[1]:
        places = np.argpartition(-terms, top, axis=1)[:, :top]
    values = np.take_along_axis(terms, places, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    places = np.take_along_axis(places, order, axis=1)
    values = np.take_along_axis(values, order, axis=1)
    shares = values / np.where(totals > 0, totals, 1.0)[:, None]
    counts = np.count_nonzero(values > 0, axis=1).tolist()
    return [(p[:n], s[:n]) for p, s, n in zip(places, shares, counts, strict=True)]
