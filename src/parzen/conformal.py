"""Full conformal prediction for kernel densities, at about the price of a prediction.

A query x with a candidate label c joins the sample. In this bag every row has a conformity, computed
from the other rows of the bag:

    posterior   a_i = w_c (S_ic + k(x_i, x)) / (w_c (S_ic + k(x_i, x)) + sum_{k != c} w_k S_ik)
    density     a_i = S_ic + k(x_i, x)

where S_ik is the sum of kernels of class k at row i without the row itself, and w_k is the prior of the
class divided by its size. Only one sum of a row changes when the query joins, and by one kernel value.
So the held-out sums are computed once, and the p-value

    p_c(x) = (1 + #{i in c: a_i <= a}) / (n_c + 1)

needs one more look at the kernel values of the prediction (`_native.conformal_counts`), never a refit.
For exchangeable rows P(p_y(x) <= alpha | y = c) <= alpha, for every n, kernel and given bandwidth
(Vovk, Gammerman & Shafer, 2005, chapter 2).
"""

from __future__ import annotations

from collections.abc import Iterator
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
        for c, column in enumerate(self.expansion.class_columns()):
            out[:, c] = self._p_values_of(c, column.map(X), sums, conformity, conditional, n_jobs)
        return out

    def _p_values_of(
        self, c: int, X: Floats, sums: Floats, conformity: str, conditional: bool, n_jobs: int | None
    ) -> Floats:
        assert self.expansion.labels is not None
        own = np.flatnonzero((self.expansion.labels == c) & (self.ranked > 0))
        log_weights, peak = self._log_class_weights(c), self.expansion.log_peaks()[c]
        is_posterior = conformity == "posterior"
        rival_at_rows = _log_sum_without(self.log_sums[own] + log_weights, c) if is_posterior else 0.0
        rival_at_X = _log_sum_without(sums + log_weights, c) if is_posterior else 0.0
        rows = np.broadcast_to(rival_at_rows, len(own))
        level = _difference(sums[:, c] - peak, np.broadcast_to(rival_at_X, len(X)))
        count = self._count(c, own, self.log_sums[own, c] - peak, rows, X, level + _LOG_TIE, n_jobs)
        total = self.ranked[own].sum()
        if not conditional and is_posterior:
            other = np.flatnonzero((self.expansion.labels != c) & (self.ranked > 0))
            lost = self._count_more_conforming(c, other, log_weights, level, X, peak, n_jobs)
            count, total = count + self.ranked[other].sum() - lost, self.ranked.sum()
        return np.asarray((1.0 + count) / (1.0 + total))

    def _log_class_weights(self, c: int) -> Floats:
        """log w_k of a bag in which class c has one row more."""
        if self.priors is None:
            return np.zeros(len(self.sizes))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.priors) - np.log(self.sizes + np.eye(len(self.sizes))[c]))
