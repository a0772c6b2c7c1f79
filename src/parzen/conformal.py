"""Full conformal prediction for kernel densities, at about the price of a prediction.

A query x with a candidate label c joins the sample. In this bag every row has a conformity, which
is computed from the other rows of the bag:

    posterior   a_i = w_c (S_ic + k(x_i, x)) / (w_c (S_ic + k(x_i, x)) + sum_{k != c} w_k S_ik)
    density     a_i = S_ic + k(x_i, x)

S_ik is the sum of the kernels of class k at row i without the row itself. w_k is the prior of the
class divided by its size. 0 / 0, where no kernel reaches, counts as 0. When the query joins, only
one sum of a row changes, and by one kernel value. So the held-out sums are computed once, and the
p-value

    p_c(x) = (1 + #{i in c: a_i <= a}) / (n_c + 1)

needs one more look at the kernel values of the prediction, never a refit. For exchangeable rows
P(p_y(x) <= alpha | y = c) <= alpha, for every n, kernel and given bandwidth (Vovk, Gammerman &
Shafer, 2005, chapter 2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils import gen_batches

from parzen import _native
from parzen._core import effective_threads
from parzen.expansion import KernelExpansion

Floats = NDArray[np.float64]

CONFORMITIES = ("posterior", "density")
# Conformities that differ by less than this factor count as equal, so that rounding breaks no tie.
_LOG_TIE = 1e-9
# Rows whose own sum is below exp(this) of the kernel's peak are compared in logarithms, one by one.
_LOWEST_FAST_LOG = -600.0
# Pairs of a block of rows that are compared in logarithms.
_BLOCK_PAIRS = 1 << 20


@dataclass(frozen=True, eq=False)
class FullConformal:
    """The held-out sums of a sample, from which every p-value follows.

    Attributes
    ----------
    expansion : KernelExpansion
        The class sums; every point belongs to one class.
    log_sums : array of shape (n_points, n_classes)
        Log of the class sums at the points, each without one copy of itself.
    sizes : array of shape (n_classes,)
        Total frequency of each class.
    priors : array of shape (n_classes,) or None
        None: the shares of the classes in the bag.
    ranked : array of shape (n_points,)
        The frequency with which a point counts in the ranks: 0 for points that chose the bandwidth.
    """

    expansion: KernelExpansion
    log_sums: Floats
    sizes: Floats
    priors: Floats | None
    ranked: Floats

    @classmethod
    def of(
        cls,
        expansion: KernelExpansion,
        sizes: Floats,
        priors: Floats | None,
        ranked: Floats | None = None,
        n_jobs: int | None = None,
    ) -> FullConformal:
        """Compute the held-out sums, in one pass over the pairs."""
        logs = expansion.leave_one_out_log_sums(n_jobs=n_jobs).astype(np.float64)
        if ranked is None:
            weights = expansion.weights
            ranked = np.ones(len(expansion.points)) if weights is None else weights
        return cls(expansion, logs - _factors(expansion), sizes, priors, np.asarray(ranked, float))

    def p_values(
        self,
        X: NDArray[Any],
        log_densities: NDArray[Any],
        *,
        conformity: str = "posterior",
        conditional: bool = True,
        n_jobs: int | None = None,
    ) -> Floats:
        """P-values of every row and label, shape (n_queries, n_classes).

        ``log_densities`` are the class sums of the expansion at X.
        """
        sums = np.asarray(log_densities, np.float64) - _factors(self.expansion)
        out = np.empty_like(sums)
        maps, columns = self.expansion.maps(), self.expansion.class_columns()
        for c, column in enumerate(columns):
            kernel = _ClassKernel(
                self.expansion, maps[min(c, len(maps) - 1)], column.bandwidth, n_jobs
            )
            out[:, c] = self._p_values_of(c, kernel, kernel.map(X), sums, conformity, conditional)
        return out

    def _p_values_of(
        self,
        c: int,
        kernel: _ClassKernel,
        X: Floats,
        sums: Floats,
        conformity: str,
        conditional: bool,
    ) -> Floats:
        """P-values of the label c; X is in the space of the class's kernel."""
        labels, is_ranked = self.expansion.labels, self.ranked > 0
        own, peak = np.flatnonzero((labels == c) & is_ranked), float(self.expansion.log_peaks()[c])
        log_weights = self._log_class_weights(c)
        if conformity == "density":
            rivals, level = np.zeros(len(own)), sums[:, c] - peak
        else:
            rivals = _log_sum_without(self.log_sums[own] + log_weights, c)
            level = _log_ratio(sums[:, c], _log_sum_without(sums + log_weights, c)) - peak
        rows = _Rows(
            self.expansion.points[own], self.log_sums[own, c] - peak, rivals, self.ranked[own]
        )
        count = kernel.count(X, rows, level + _LOG_TIE)
        total = self.ranked[own].sum()
        if not conditional:
            other = np.flatnonzero((labels != c) & is_ranked)
            more = self._count_more_conforming(c, other, kernel, X, level + peak, log_weights, peak)
            total += self.ranked[other].sum()
            count += self.ranked[other].sum() - more
        return np.asarray((1.0 + count) / (1.0 + total))

    def _log_class_weights(self, c: int) -> Floats:
        """Log of w_k in a bag in which class c has one row more."""
        if self.priors is None:
            return np.zeros(len(self.sizes))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.priors) - np.log(self.sizes + np.eye(len(self.sizes))[c]))

    def _count_more_conforming(
        self,
        c: int,
        other: NDArray[np.intp],
        kernel: _ClassKernel,
        X: Floats,
        log_ratio: Floats,
        log_weights: Floats,
        peak: float,
    ) -> Floats:
        """The weight of the rows of other classes that conform better than the query.

        The query adds to the rivals of such a row: of class k it conforms better where
        w_c k(x_i, x) + sum_{j != k} w_j S_ij < w_k S_ik / (w_c ratio(x)).
        """
        assert self.expansion.labels is not None
        codes, logs = self.expansion.labels[other], self.log_sums[other] + log_weights
        own, unit = logs[np.arange(len(other)), codes], peak + log_weights[c]
        rows = _Rows(
            self.expansion.points[other],
            _log_sum_without(logs, codes) - unit,
            own - unit,
            self.ranked[other],
        )
        rows = rows.at(
            np.flatnonzero(np.isfinite(own))
        )  # a row without its own class conforms least
        level = -(log_ratio + log_weights[c])
        return np.where(np.isneginf(level), 0.0, kernel.count(X, rows, level - _LOG_TIE))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Ranked rows: k(x, x_i) + exp(log_own) is compared with exp(level(x) + log_rivals)."""

    points: NDArray[Any]
    log_own: Floats
    log_rivals: Floats
    weights: Floats

    def at(self, rows: NDArray[Any]) -> _Rows:
        return _Rows(
            self.points[rows], self.log_own[rows], self.log_rivals[rows], self.weights[rows]
        )


@dataclass(frozen=True, eq=False)
class _ClassKernel:
    """The kernel of a class, in units of its peak, in the space where it has one bandwidth."""

    expansion: KernelExpansion
    map: Callable[[NDArray[Any]], NDArray[Any]]
    bandwidth: float
    n_jobs: int | None

    def count(self, X: NDArray[Any], rows: _Rows, levels: Floats) -> Floats:
        """Return for every query the weight of the rows that conform at most as well."""
        d = X.shape[1]
        native = self.expansion.kernel.native(d)
        is_fast = (rows.log_own >= _LOWEST_FAST_LOG) & (native is not None)
        counts = self._count_slowly(X, rows.at(np.flatnonzero(~is_fast)), levels)
        if native is not None and is_fast.any():
            counts += self._count_natively(X, rows.at(np.flatnonzero(is_fast)), levels, *native)
        return counts

    def _count_natively(
        self,
        X: NDArray[Any],
        rows: _Rows,
        levels: Floats,
        name: str,
        parameters: tuple[float, ...],
    ) -> Floats:
        slopes = rows.log_rivals - rows.log_own
        order = np.argsort(-slopes, kind="stable")
        rows, slopes = rows.at(order), slopes[order]
        is_certain = np.isposinf(levels)
        counts = np.empty(len(X))
        _native.conformal_counts(
            _contiguous(X),
            np.where(is_certain, -np.inf, levels),
            _contiguous(self.map(rows.points)),
            np.exp(-rows.log_own),
            np.ones(len(slopes)),
            slopes,
            slopes,
            _contiguous(rows.weights),
            name,
            list(parameters),
            self.bandwidth,
            counts,
            effective_threads(self.n_jobs),
        )
        return np.where(is_certain, rows.weights.sum(), counts)

    def _count_slowly(self, X: NDArray[Any], rows: _Rows, levels: Floats) -> Floats:
        """Compare logarithms: for kernels without native code, and sums that nearly underflow."""
        counts = np.zeros(len(X))
        kernel, d = self.expansion.kernel, X.shape[1]
        if len(rows.weights) == 0:
            return counts
        points = self.map(rows.points)
        log_normalizer = kernel.log_normalizer(self.bandwidth, d)
        for batch in gen_batches(len(X), max(1, _BLOCK_PAIRS // len(points))):
            logs = kernel.log(X[batch], points, bandwidth=self.bandwidth) - log_normalizer
            left = np.logaddexp(logs, rows.log_own)
            level = levels[batch, None]
            with np.errstate(invalid="ignore"):
                is_counted = left <= level + rows.log_rivals
            is_counted |= np.isposinf(level) | np.isneginf(left)
            counts[batch] = is_counted @ rows.weights
        return counts


def _factors(expansion: KernelExpansion) -> Floats | float:
    return 0.0 if expansion.log_factors is None else expansion.log_factors


def _log_sum_without(logs: Floats, column: int | NDArray[np.intp]) -> Floats:
    """Log of the sum over all columns but one; a column for every row, or one for all."""
    rest = logs.copy()
    rest[np.arange(len(rest)), column] = -np.inf
    return np.asarray(logsumexp(rest, axis=1))


def _log_ratio(own: Floats, rivals: Floats) -> Floats:
    """Log of own / rivals, with 0 / 0 = 0 where no kernel reaches."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(own), -np.inf, own - rivals)


def _contiguous(values: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(values, np.float64)
