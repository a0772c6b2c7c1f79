"""A query joins the sample of a Laplacian classifier, whose weights stay as they are.

    S_i + a (k*k)(x_i, x),      V_c^2 + 2 a S_c(x) + a^2 (k*k)(0),      a = f(x)^(-power)

S_i is the sum of row i's class without the row, and a the weight that the query has in a density f
of the sample and itself. The weights of the rows would change a little with f: with them held, one
kernel value per pair is all that a bag needs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.classifiers.laplacian.normalizers import without_own
from parzen.conformal import joined_log_odds, log_odds_of_all, p_values_in_bags
from parzen.expansion import KernelExpansion


@dataclass(frozen=True, eq=False)
class LaplacianBag:
    """The training rows, each left out of its class.

    Attributes
    ----------
    expansion : KernelExpansion
        The weighted kernels; their log-sums are log gamma_c.
    others : array of shape (n, C)
        Their log-sums at the rows, each without its own kernel.
    density : KernelExpansion
        N f, one column, or one per class where bandwidths differ.
    log_normalizers : array of shape (C,)
        Log V_c in units of the weights themselves.
    power : float
        Exponent of the weights.
    exponent, shift : float, array of shape (C,)
        Posteriors are proportional to exp(exponent log gamma_c + shift_c).
    """

    expansion: KernelExpansion
    others: Floats
    density: KernelExpansion
    log_normalizers: Floats
    power: float
    exponent: float
    shift: Floats

    def p_values(
        self, X: Array, log_gamma: Floats, log_f: Floats, ranked: Floats, conditional: bool
    ) -> Floats:
        """P-values of queries with the log-scores (m, C) and the log-density (m,) of the fit."""
        codes = self.expansion.labels
        assert codes is not None
        log_a = self._log_query_weights(log_f)
        joint = self.exponent * log_gamma + self.shift

        def conformities(c: int, batch: slice, rows: Ints) -> Floats:
            logs = self.exponent * self._held_out(rows) + self.shift
            found = self._joined(c, X[batch], log_gamma[batch, c], log_a[batch, c], rows)
            return joined_log_odds(logs, self.exponent * found + self.shift[c], c, codes[rows])

        odds = log_odds_of_all(joint)
        return p_values_in_bags(conformities, odds, codes, ranked, conditional=conditional)

    def _log_query_weights(self, log_f: Floats) -> Floats:
        """Log of f(x)^(-power) with the query in f, in units of the weights of each class."""
        n = self._frequencies().sum()
        peaks = np.broadcast_to(self.density.log_peaks(), len(self.shift))
        joined = np.logaddexp(log_f[:, None] + np.log(n), peaks) - np.log(n + 1)
        units = self.log_normalizers + self.expansion.class_factors
        return np.asarray(-self.power * joined - units)

    def _frequencies(self) -> Floats:
        weights = self.density.weights
        return np.ones(len(self.others)) if weights is None else weights

    def _held_out(self, rows: Ints) -> Floats:
        """Log gamma_c at the rows before the query; their own column is not used but for rivals."""
        codes, log_a, log_own, removed = self._own(rows)
        out = self.others[rows].copy()
        places = np.arange(len(rows))
        unit = self.expansion.class_factors[codes]  # others and the peak are in units of V_c
        out[places, codes] = without_own(out[places, codes], log_a + unit, log_own + unit, removed)
        return out

    def _joined(self, c: int, X: Array, log_gamma: Floats, log_a: Floats, rows: Ints) -> Floats:
        """Log gamma_c at the rows, each left out, after queries of weight a joined: (m, rows)."""
        space = self.expansion.space(c)
        kernels = self.expansion.kernel_in_space.log(
            space.map(X), space.map(self.expansion.points[rows]), bandwidth=space.bandwidth
        )
        log_v = -self.expansion.class_factors[c]
        a = log_a[:, None]
        # V_c of the bag, in units of V_c of the sample.
        own = a - log_v + self.expansion.log_peaks()[c]
        twice = np.logaddexp(np.log(2.0) + log_gamma[:, None], own)
        growth = 0.5 * np.log1p(np.exp(a - log_v + twice))
        sums = np.logaddexp(self.others[rows, c], a + kernels + space.log_volume - log_v) - growth
        codes, log_weights, log_own, removed = self._own(rows)
        unit = -log_v - growth
        left_out = without_own(sums, log_weights + unit, log_own + unit, removed)
        return np.where(codes == c, left_out, sums)

    def _own(self, rows: Ints) -> tuple[Ints, Floats, Floats, Floats]:
        """Codes, log-weights, log of the own kernel's term, and the share that is left out."""
        e = self.expansion
        assert e.labels is not None
        assert e.weights is not None
        codes = e.labels[rows]
        log_a = np.log(e.weights[rows])
        return (
            codes,
            log_a,
            log_a + e.log_peaks()[codes],
            1.0 / np.maximum(self._frequencies()[rows], 1.0),
        )
