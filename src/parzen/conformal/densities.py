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

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from parzen import _native
from parzen._core import Array, Floats, Ints, effective_threads
from parzen.conformal.bags import BLOCK_PAIRS, LOG_TIE, log_odds, log_sum_of_others
from parzen.expansion import KernelExpansion, Space
from parzen.kernels import Kernel

# Rows whose own sum is below exp(this) of the kernel's peak are compared in logarithms: the native
# pass divides by that sum, and would leave the range of numbers.
_LOWEST_FAST_LOG = -600.0


@dataclass(frozen=True, eq=False)
class FullConformal:
    """The held-out sums of a sample, from which every p-value follows.

    Attributes
    ----------
    expansion : KernelExpansion
        The class sums; every point belongs to one class.
    log_sums : array of shape (n_points, n_classes)
        Held-out log-sums, `KernelExpansion.leave_one_out_log_sums`.
    sizes : array of shape (n_classes,)
        Total frequency of each class.
    priors : array of shape (n_classes,) or None
        None: the shares of the classes in the bag.
    unranked : array of int, default=()
        Points that leave the ranks, because they chose the bandwidth.
    """

    expansion: KernelExpansion
    log_sums: Floats
    sizes: Floats
    priors: Floats | None = None
    unranked: Ints | tuple[int, ...] = ()

    @property
    def ranked(self) -> Floats:
        """The frequency with which a point counts in the ranks."""
        weights = self.expansion.weights
        found = np.ones(len(self.expansion.points)) if weights is None else weights.astype(float)
        found[list(self.unranked)] = 0.0
        return found

    def p_values(
        self,
        X: Array,
        log_densities: Array,
        *,
        conformity: str = "posterior",
        conditional: bool = True,
        n_jobs: int | None = None,
    ) -> Floats:
        """P-values of every row and label, shape (n_queries, n_classes).

        ``log_densities`` are the class sums of the expansion at X.
        """
        factors = self.expansion.class_factors
        at_rows = self.log_sums - factors
        at_queries = np.asarray(log_densities, np.float64) - factors
        peaks = self.expansion.log_peaks()
        out = np.empty_like(at_queries)
        for c in range(self.expansion.n_classes):
            space = self.expansion.space(c)
            kernel = _ClassKernel(self.expansion.kernel_in_space, space, n_jobs)
            log_weights = self._log_class_weights(c)
            bag = _Bag(
                c, at_rows + log_weights, at_queries + log_weights, log_weights[c] + peaks[c]
            )
            count, total = self._count_own(bag, kernel, X, conformity == "density")
            if not conditional:
                better, others = self._count_better_of_other_classes(bag, kernel, X)
                count, total = count + others - better, total + others
            out[:, c] = (1.0 + count) / (1.0 + total)
        return out

    def _log_class_weights(self, c: int) -> Floats:
        """Log of w_k in a bag in which class c has one row more."""
        if self.priors is None:
            return np.zeros(len(self.sizes))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.priors) - np.log(self.sizes + np.eye(len(self.sizes))[c]))

    def _count_own(
        self, bag: _Bag, kernel: _ClassKernel, X: Array, is_density: bool
    ) -> tuple[Floats, float]:
        """The weight of the class's rows that conform at most as well, and that of all of them."""
        own = np.flatnonzero((self.expansion.labels == bag.c) & (self.ranked > 0))
        at_rows = bag.at_rows[own]
        rivals = np.zeros(len(own)) if is_density else log_sum_of_others(at_rows, bag.c)
        rows = _Rows(
            self.expansion.points[own],
            at_rows[:, bag.c] - bag.unit,
            rivals - bag.unit,
            self.ranked[own],
        )
        level = bag.at_queries[:, bag.c] if is_density else bag.log_ratio()
        return kernel.count(X, rows, level + LOG_TIE), float(rows.weights.sum())

    def _count_better_of_other_classes(
        self, bag: _Bag, kernel: _ClassKernel, X: Array
    ) -> tuple[Floats, float]:
        """The weight of the rows of other classes that conform better, and that of all of them.

        The query adds to the rivals of such a row: of class k it conforms better where
        w_c k(x_i, x) + sum_{j != k} w_j S_ij < w_k S_ik / ratio(x).
        """
        assert self.expansion.labels is not None
        other = np.flatnonzero((self.expansion.labels != bag.c) & (self.ranked > 0))
        codes, logs = self.expansion.labels[other], bag.at_rows[other]
        own = logs[np.arange(len(other)), codes]
        rows = _Rows(
            self.expansion.points[other],
            log_sum_of_others(logs, codes) - bag.unit,
            own - bag.unit,
            self.ranked[other],
        )
        # A row that no kernel of its own class reaches conforms least.
        reached = rows.at(np.flatnonzero(np.isfinite(own)))
        level = -bag.log_ratio()
        count = np.where(np.isneginf(level), 0.0, kernel.count(X, reached, level - LOG_TIE))
        return count, float(rows.weights.sum())


@dataclass(frozen=True, eq=False)
class _Bag:
    """The sample and a query of class c: log w_k S_k of every class at the rows and the queries.

    A kernel value of 1 adds exp(unit) to the sum of class c.
    """

    c: int
    at_rows: Floats
    at_queries: Floats
    unit: float

    def log_ratio(self) -> Floats:
        """Log of the sum of c over that of its rivals; 0 / 0, where no kernel reaches, is 0."""
        return log_odds(self.at_queries, self.c)


class _Rows(NamedTuple):
    """Ranked rows; one counts where k(x, x_i) + exp(log_own) <= exp(level(x) + log_rivals)."""

    points: Array
    log_own: Floats
    log_rivals: Floats
    weights: Floats

    def at(self, rows: Array) -> _Rows:
        return _Rows._make(values[rows] for values in self)


@dataclass(frozen=True, eq=False)
class _ClassKernel:
    """The kernel of a class, in units of its peak, in the space where it has one bandwidth."""

    kernel: Kernel
    space: Space
    n_jobs: int | None

    def count(self, X: Array, rows: _Rows, levels: Floats) -> Floats:
        """Return for every query the weight of the rows that count at its level, see `_Rows`."""
        X, native = self.space.map(X), self.kernel.native(X.shape[1])
        is_fast = (rows.log_own >= _LOWEST_FAST_LOG) & (native is not None)
        counts = self._count_slowly(X, rows.at(np.flatnonzero(~is_fast)), levels)
        if native is not None and is_fast.any():
            counts += self._count_natively(X, rows.at(np.flatnonzero(is_fast)), levels, *native)
        return counts

    def _count_natively(
        self, X: Array, rows: _Rows, levels: Floats, name: str, parameters: tuple[float, ...]
    ) -> Floats:
        # Divided by exp(log_own), the condition of `_Rows` is
        # k exp(-log_own) + 1 <= exp(level + slope). As k >= 0, only rows of slope >= -level can
        # count: they come first in descending order.
        slopes = rows.log_rivals - rows.log_own
        order = np.argsort(-slopes, kind="stable")
        rows, slopes = rows.at(order), slopes[order]
        is_certain = np.isposinf(levels)  # every row counts, and no comparison is needed
        counts = np.empty(len(X))
        _native.conformal_counts(
            _contiguous(X),
            np.where(is_certain, -np.inf, levels),
            _contiguous(self.space.map(rows.points)),
            np.exp(-rows.log_own),
            np.ones(len(slopes)),
            slopes,
            slopes,
            _contiguous(rows.weights),
            name,
            list(parameters),
            self.space.bandwidth,
            counts,
            effective_threads(self.n_jobs),
        )
        return np.where(is_certain, rows.weights.sum(), counts)

    def _count_slowly(self, X: Array, rows: _Rows, levels: Floats) -> Floats:
        """Compare logarithms: for kernels without native code, and sums that nearly underflow."""
        counts = np.zeros(len(X))
        kernel, d = self.kernel, X.shape[1]
        if len(rows.weights) == 0:
            return counts
        points, bandwidth = self.space.map(rows.points), self.space.bandwidth
        log_normalizer = kernel.log_normalizer(bandwidth, d)
        for batch in gen_batches(len(X), max(1, BLOCK_PAIRS // len(points))):
            logs = kernel.log(X[batch], points, bandwidth=bandwidth) - log_normalizer
            log_joined = np.logaddexp(logs, rows.log_own)
            level = levels[batch, None]
            with np.errstate(invalid="ignore"):
                is_counted = log_joined <= level + rows.log_rivals
            is_counted |= np.isposinf(level) | np.isneginf(log_joined)
            counts[batch] = is_counted @ rows.weights
        return counts


def _contiguous(values: Array) -> Floats:
    return np.ascontiguousarray(values, np.float64)
