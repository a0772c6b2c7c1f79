"""Why a row got its label: the training rows that speak for it and against it, and the columns.

A kernel expansion explains itself. The score of a class is a sum of terms W_ic k(x, x_i), one per
training row, so each row has a share of it. Signed weights of two classes are compared by their
difference, whose positive terms speak for the label and whose negative ones against it.

The effect of a column is the change of the log-odds of the two best classes when the column is left
out: its value is set to zero in the queries and in the points, so that all distances along it are
zero. For a product kernel the factor of the column is then its peak, which is divided out: what is
left is exactly the marginal density of the other columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from parzen._core import Array, Floats, Ints, last_columns, last_step
from parzen.expansion import KernelExpansion, LocalExpansion
from parzen.kernels import ColumnProduct

# Kernels that are products of one factor per column.
PRODUCT_KERNELS = ("gaussian", "laplacian", ColumnProduct.name)
# Pairs of a query and a point whose terms are in memory at once.
_BLOCK_PAIRS = 1 << 20


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
    """The two best classes of every query, and the log-odds between them."""

    best: Ints
    second: Ints
    log_odds: Floats

    @classmethod
    def of(cls, joint: Floats) -> Duel:
        """The duels of log pi_c f_c, shape (m, C); ties go to the first class."""
        order = np.argsort(-joint, axis=1, kind="stable")
        best, second = order[:, 0], order[:, min(1, joint.shape[1] - 1)]
        return cls(best, second, cls(best, second, np.empty(0)).odds(joint))

    def odds(self, joint: Floats) -> Floats:
        """Log-odds of the same two classes by other values; 0 where both are minus infinity."""
        rows = np.arange(len(joint))
        with np.errstate(invalid="ignore"):
            gap = joint[rows, self.best] - joint[rows, self.second]
        return np.where(np.isnan(gap), 0.0, gap)

    def effect(self, joint: Floats) -> Floats:
        """How much of the log-odds is gone with other values; 0 where it is not finite."""
        with np.errstate(invalid="ignore"):
            change = self.log_odds - self.odds(joint)
        return np.where(np.isfinite(change), change, 0.0)


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
        less, queries = without_column(expansion, X, column)
        logs = less.log_sums(queries, **options).astype(np.float64)
        effects[:, column] = duel.effect(joint_of(logs - _log_peaks(expansion, column)))
    shares: dict[tuple[int, int], Shares] = {}
    for c in np.unique(np.concatenate([duel.best, duel.second])):
        asked = np.flatnonzero((duel.best == c) | (duel.second == c))
        for place, found in zip(asked, _class_shares(expansion, X[asked], c, top), strict=True):
            shares[int(place), int(c)] = support[found[0]], found[1]
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
    the label less that of the rival. ``joints_without`` has the values of the classes without each
    column.
    """
    effects = np.array([duel.effect(joint) for joint in joints_without]).reshape(-1, len(X)).T
    out = []
    for batch in gen_batches(len(X), max(1, _BLOCK_PAIRS // max(1, len(support)))):
        block = terms_of(X[batch], duel.best[batch], duel.second[batch])
        for i, terms in zip(range(batch.start, batch.stop), block, strict=True):
            sides = [largest_shares(np.maximum(side, 0.0), top) for side in (terms, -terms)]
            (rows, shares), (against, shares_against) = sides
            out.append(
                Explanation(
                    classes[duel.best[i]], classes[duel.second[i]], float(duel.log_odds[i]),
                    support[rows], shares, support[against], shares_against, effects[i],
                )
            )  # fmt: skip
    return out


def without_column(
    expansion: KernelExpansion, X: Array, column: int
) -> tuple[KernelExpansion, Array]:
    """The expansion and the queries with all distances along a column set to zero."""
    points, queries = expansion.points.copy(), X.copy()
    points[:, column] = queries[:, column] = 0.0
    if isinstance(expansion, LocalExpansion) and _is_product(expansion):
        # A kernel that is wider has a lower factor in the column, which goes with it.
        weights = 1.0 if expansion.weights is None else expansion.weights
        return replace(expansion, points=points, weights=weights * expansion.factors), queries
    return replace(expansion, points=points), queries


def _is_product(expansion: KernelExpansion) -> bool:
    return expansion.kernel.name in PRODUCT_KERNELS and expansion.whitening is None


def _log_peaks(expansion: KernelExpansion, column: int) -> Floats:
    """Log of what a column's factor is at distance zero, for each class; 0 for no product."""
    if not _is_product(expansion):
        return np.zeros(expansion.n_classes)
    h, d = expansion.bandwidth, expansion.points.shape[1]
    if isinstance(expansion.kernel, ColumnProduct):
        peaks = np.array([expansion.kernel.log_peaks(row)[column] for row in h])
        return np.broadcast_to(peaks, expansion.n_classes)
    widths = np.broadcast_to(h[:, None] if h.ndim == 1 else h, (expansion.n_classes, d))[:, column]
    return np.array([float(expansion.kernel.log_normalizer(float(w), 1)) for w in widths])


def _class_shares(expansion: KernelExpansion, X: Array, c: int, top: int) -> list[Shares]:
    """The points of class c with the largest shares of its density at each query."""
    weights = expansion.weight_matrix()[:, c]
    rows = np.flatnonzero(weights > 0)
    if len(rows) == 0:
        return [(rows, np.empty(0))] * len(X)
    space, part = expansion.space(c), expansion.subset(rows)
    widths = space.bandwidth * getattr(part, "factors", np.ones(len(rows)))
    kernel, points, found = expansion.kernel_in_space, space.map(part.points), []
    heights = np.asarray(kernel.log_normalizer(widths, points.shape[1]))
    for batch in gen_batches(len(X), max(1, _BLOCK_PAIRS // len(rows))):
        pairs = kernel.pairs(space.map(X[batch]), points)
        logs = kernel.log_profile(pairs, widths, points.shape[1]) + heights
        logs = np.asarray(logs, np.float64) + np.log(weights[rows])
        peak = logs.max(axis=1, keepdims=True)
        terms = np.exp(logs - np.where(np.isfinite(peak), peak, 0.0))
        found += [largest_shares(values, top) for values in terms]
    return [(rows[places], shares) for places, shares in found]


def largest_shares(terms: Floats, top: int) -> Shares:
    """Places of the largest terms, which are not negative, and their shares of the sum."""
    total = float(terms.sum())
    if total <= 0:
        return np.empty(0, np.intp), np.empty(0)
    places = np.arange(len(terms))
    if top < len(terms):
        places = np.argpartition(-terms, top)[:top]
    places = places[np.argsort(-terms[places], kind="stable")]
    places = places[terms[places] > 0]
    return places, terms[places] / total
