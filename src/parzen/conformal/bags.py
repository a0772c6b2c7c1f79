"""P-values from the conformities of a bag: the sample, and a query that joined with a label.

    p_c(x) = (1 + #{i in c: a_i(x, c) <= a(x, c)}) / (n_c + 1)

A classifier says what a_i(x, c) is, for blocks of queries and rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import gen_batches

from parzen._core import Floats, Ints

# Conformities of rows when the queries of a slice join class c: (c, queries, rows) -> (m, rows).
Conformities = Callable[[int, slice, Ints], Floats]

# Conformities that differ by less than this count as equal, so that rounding breaks no tie.
LOG_TIE = 1e-9
# Pairs of a query and a row whose conformities are in memory at once.
BLOCK_PAIRS = 1 << 20


def p_values_in_bags(
    conformities: Conformities,
    at_queries: Floats,
    codes: Ints,
    ranked: Floats,
    *,
    conditional: bool,
) -> Floats:
    """P-values of every query and label, shape (n_queries, n_classes).

    ``at_queries`` are the queries' own conformities; ``ranked`` is the frequency with which each
    row counts in the ranks, 0 for those that chose a bandwidth.
    """
    out = np.empty(at_queries.shape)
    for c in range(at_queries.shape[1]):
        rows = np.flatnonzero((ranked > 0) & ((codes == c) | (not conditional)))
        below = np.zeros(len(out))
        for batch in gen_batches(len(out), max(1, BLOCK_PAIRS // max(1, len(rows)))):
            a = conformities(c, batch, rows)
            below[batch] = (a <= at_queries[batch, c, None] + LOG_TIE) @ ranked[rows]
        out[:, c] = (1.0 + below) / (1.0 + ranked[rows].sum())
    return out


def joined_log_odds(logs: Floats, joined: Floats, c: int, codes: Ints) -> Floats:
    """Log-odds of the rows' own labels when queries changed column c alone, shape (m, rows).

    ``logs`` (rows, C) is what the rows had before, and ``joined`` (m, rows) their column c now.
    """
    rest = logs.copy()
    rest[:, c] = -np.inf
    places, is_own = np.arange(len(codes)), codes == c
    own = rest[places, codes]
    rest[places, codes] = -np.inf
    rivals = logsumexp(rest, axis=1)
    with np.errstate(invalid="ignore"):
        of_class = np.where(np.isneginf(joined), joined, joined - rivals)
        if is_own.all():
            return of_class
        of_others = np.where(np.isneginf(own), own, own - np.logaddexp(rivals, joined))
    return np.where(is_own, of_class, of_others)


def log_odds(logs: Floats, column: int | Ints) -> Floats:
    """Log of the ratio of one column to the sum of the others, along the last axis.

    ``column`` is one for all, or one for each entry of the axis before. 0 / 0 counts as 0.
    """
    places = np.broadcast_to(column, logs.shape[:-1])[..., None]
    own = np.take_along_axis(logs, places, axis=-1)[..., 0]
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(own), own, own - log_sum_of_others(logs, column))


def log_sum_of_others(logs: Floats, column: int | Ints) -> Floats:
    """Log of the sum over all columns but one, chosen as by `log_odds`."""
    rest = logs.copy()
    places = np.broadcast_to(column, logs.shape[:-1])[..., None]
    np.put_along_axis(rest, places, -np.inf, axis=-1)
    return np.asarray(logsumexp(rest, axis=-1))


def log_odds_of_all(logs: Floats) -> Floats:
    """The log-odds of every column, in the shape of ``logs``."""
    return np.stack([log_odds(logs, c) for c in range(logs.shape[-1])], axis=-1)
