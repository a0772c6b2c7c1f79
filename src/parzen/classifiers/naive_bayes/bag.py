"""A query joins a naive Bayes sample: the conformities of the training rows.

log f_c(x_i) = sum_l log f_cl(x_il),      one kernel value, or one count, changes per column
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.classifiers.naive_bayes.columns import Column
from parzen.conformal import joined_log_odds


@dataclass(frozen=True, eq=False)
class NaiveBayesBag:
    """The training rows, each left out of its class.

    Attributes
    ----------
    columns : sequence of Column
        The densities.
    parts : array of shape (d, n, C)
        Held-out log-densities of each column.
    codes, frequencies : arrays of shape (n,)
        The rows.
    counts : array of shape (C,)
        Their frequencies in each class.
    priors : array of shape (C,) or None
        None for the shares in the bag, without the row.
    """

    columns: Sequence[Column]
    parts: Floats
    codes: Ints
    frequencies: Floats
    counts: Floats
    priors: Floats | None

    def conformities(self, c: int, X: Array, rows: Ints, is_density: bool) -> Floats:
        """Log-odds of the rows' labels, or log f_c, when queries join class c, shape (m, rows)."""
        joined = np.zeros((len(X), len(rows)))
        for j, (column, part) in enumerate(zip(self.columns, self.parts, strict=True)):
            joined += column.joined(X[:, j], c, rows, part[rows, c])
        if is_density:
            return joined
        weights = self._log_weights(c, rows)
        logs = self.parts[:, rows].sum(axis=0) + weights
        return joined_log_odds(logs, joined + weights[:, c], c, self.codes[rows])

    def _log_weights(self, c: int, rows: Ints) -> Floats:
        """Log-priors at the rows; observed shares count the query, and not the row."""
        if self.priors is None:
            weights = np.tile(self.counts + np.eye(len(self.counts))[c], (len(rows), 1))
            taken = np.minimum(self.frequencies[rows], 1.0)
            weights[np.arange(len(rows)), self.codes[rows]] -= taken
        else:
            weights = np.tile(self.priors, (len(rows), 1))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(weights))
