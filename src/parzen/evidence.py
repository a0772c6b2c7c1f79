"""Why a row got its label: the training rows that speak for it and against it, and the columns.

A kernel expansion explains itself. The score of a class is a sum of terms W_ic k(x, x_i), one per
training row, so each row has a share of it. The effect of a column is the change of the log-odds of
the two best classes when the column is left out. For a product kernel that is exact: the sum of
products of the other factors is the marginal density of the other columns. For another kernel, and
for a metric that mixes columns, the distance along the column is set to zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from parzen.expansion import KernelExpansion, LocalExpansion
from parzen.kernels import ColumnProduct

Floats = NDArray[np.float64]

# Kernels that are products of one factor per column.
PRODUCT_KERNELS = ("gaussian", "laplacian")


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
        Training rows of the two classes with the largest shares of their densities, largest first.
        Rows are numbered as in the fit, without those of weight zero.
    supporting_shares, opposing_shares : array
        Their shares; over all rows of a class they sum to one.
    column_effects : array of shape (n_features,)
        How much of the log-odds is gone when a column is left out.
    """

    label: Any
    rival: Any
    log_odds: float
    supporting: NDArray[np.intp]
    supporting_shares: Floats
    opposing: NDArray[np.intp]
    opposing_shares: Floats
    column_effects: Floats


def explain_rows(
    expansion: KernelExpansion,
    X: NDArray[Any],
    log_joint: Floats,
    classes: NDArray[Any],
    support: NDArray[np.intp],
    top: int,
) -> Iterator[Explanation]:
    """Explain every row of X.

    ``log_joint`` has log pi_c f_c of every row and class; ``support`` numbers the points.
    """
    if isinstance(expansion, LocalExpansion):
        raise ValueError("explain needs adaptive=False: it takes the kernels to be alike.")
    order = np.argsort(-log_joint, axis=1, kind="stable")
    for x, joint, ranking in zip(X, log_joint, order, strict=True):
        best, second = ranking[0], ranking[min(1, len(ranking) - 1)]
        ours, theirs = (_Terms.of(expansion, x, c) for c in (best, second))
        with np.errstate(invalid="ignore"):
            change = (ours.log_sum - theirs.log_sum) - (ours.log_sums - theirs.log_sums)
        yield Explanation(
            classes[best],
            classes[second],
            float(joint[best] - joint[second]),
            *ours.largest(support, top),
            *theirs.largest(support, top),
            np.where(np.isfinite(change), change, 0.0),
        )


@dataclass(frozen=True, eq=False)
class _Terms:
    """The terms of one class at one row, their sum, and the sums without each column."""

    rows: NDArray[np.intp]
    log_terms: Floats
    log_sum: float
    log_sums: Floats

    @classmethod
    def of(cls, expansion: KernelExpansion, x: NDArray[Any], c: int) -> _Terms:
        weights = expansion.weight_matrix()[:, c]
        rows = np.flatnonzero(weights > 0)
        part = expansion.subset(rows)
        log_weights = np.log(weights[rows])
        if len(rows) == 0:
            return cls(rows, log_weights, -np.inf, np.full(len(x), -np.inf))
        logs, without = _log_kernels(part, np.asarray(x, np.float64), c)
        terms = logs + log_weights
        left_out = logsumexp(without + log_weights[:, None], axis=0)
        return cls(rows, terms, float(logsumexp(terms)), np.asarray(left_out))

    def largest(self, support: NDArray[np.intp], top: int) -> tuple[NDArray[np.intp], Floats]:
        """The rows of the largest terms, and their shares of the sum."""
        if not np.isfinite(self.log_sum):
            return support[:0], np.empty(0)
        order = np.argsort(-self.log_terms, kind="stable")[:top]
        return support[self.rows[order]], np.exp(self.log_terms[order] - self.log_sum)


def _log_kernels(expansion: KernelExpansion, x: Floats, c: int) -> tuple[Floats, Floats]:
    """Log-kernels of the points at x, shape (n,), and without each column, shape (n, d)."""
    kernel, d = expansion.kernel, len(x)
    if expansion.whitening is not None:
        return _in_metric(expansion, x, c)
    h = expansion.bandwidth
    widths = np.broadcast_to(h if h.ndim == 0 else h[min(c, len(h) - 1)], d)
    if isinstance(kernel, ColumnProduct):
        factors = kernel.log_factors(x, expansion.points, widths)
        logs = factors.sum(axis=1)
        return logs, logs[:, None] - factors
    gaps = (expansion.points - x) / widths
    if kernel.name in PRODUCT_KERNELS:
        # One factor per column with its normaliser, which a column that is left out takes along.
        shapes = -np.abs(gaps) if kernel.name == "laplacian" else -0.5 * gaps**2
        factors = shapes + float(kernel.log_normalizer(1.0, 1)) - np.log(widths)
        logs = factors.sum(axis=1)
        return logs, logs[:, None] - factors
    squares = gaps**2
    total = squares.sum(axis=1)
    without = np.maximum(total[:, None] - squares, 0.0)
    level = float(kernel.log_normalizer(1.0, d)) - np.log(widths).sum()
    return (
        np.asarray(kernel.log_profile(total, 1.0, d) + level),
        np.asarray(kernel.log_profile(without, 1.0, d) + level),
    )


def _in_metric(expansion: KernelExpansion, x: Floats, c: int) -> tuple[Floats, Floats]:
    """The same where the class has a metric of its own, which mixes the columns."""
    space = expansion.space(c)
    points = space.map(expansion.points)

    def logs_at(queries: Floats) -> Floats:
        squares = ((points - space.map(queries)) ** 2).sum(axis=1)
        return np.asarray(expansion.kernel.log_profile(squares, space.bandwidth, len(x)))

    without = []
    for column in range(len(x)):
        same = np.tile(x, (len(points), 1))
        same[:, column] = expansion.points[:, column]
        without.append(logs_at(same))
    level = float(expansion.log_peaks()[c])
    return logs_at(x[None, :]) + level, np.stack(without, axis=1) + level
