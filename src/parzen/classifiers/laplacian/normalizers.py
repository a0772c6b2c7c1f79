"""The normalisers V_c, and the scores of points that are left out, from one pass over the pairs.

    S_i = sum_{j in c, j != i} a_j (k*k)(x_i, x_j),      V_c^2 = sum_i a_i (S_i + a_i (k*k)(0))

Without the point i the score of its class is S_i / V, V^2 = V_c^2 - 2 a_i S_i - a_i^2 (k*k)(0).
The weights of the others stay as they were, although f had i among its points. Where only some
rows are visited, the sum over the pairs is extrapolated from them.

Where a row lacks columns, S_i is the sum of the others. In V_c a column l that row i lacks has the
factor Q_cl, the mean of the class's density of that column; in its scores it has the root of Q_cl,
the length that the class mean has in this column alone. So scores of rows with and without gaps
have one unit, and where the columns of a class are independent the score of a row with gaps is that
of a classifier of its other columns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Bools, Floats, Ints
from parzen.expansion import KernelExpansion
from parzen.feature_space import log_sums_without_self
from parzen.samples import log

# Left-out scores that are computed, one for every row and class. Of more rows only every second,
# third, ... is scored.
_MAX_SCORES = 2**22


class Norms(NamedTuple):
    """The normalisers, and the scores of left-out rows."""

    log_v: Floats  # (C,) log V_c
    left_out: Floats  # (rows, C) log gamma_c without the row's own kernel
    rows: Ints


def normalise(
    expansion: KernelExpansion,
    rows: Bools,
    centres: Bools,
    frequencies: Floats | None,
    **sums_options: Any,
) -> Norms:
    """Log V_c of the kernels at ``centres``, and their scores at ``rows``, each without its own.

    ``sums_options`` are those of the kernel sums.
    """
    codes, weights = expansion.labels, expansion.weights
    assert codes is not None
    assert weights is not None
    stride = max(1, int(np.ceil(rows.sum() * expansion.n_classes / _MAX_SCORES)))
    stride = 1 if expansion.has_gaps else stride
    scored = np.flatnonzero(rows)[::stride]
    is_scored = np.zeros_like(rows)
    is_scored[scored] = True
    scores = log_sums_without_self(expansion, is_scored, centres, **sums_options)
    if stride > 1:
        own = _own_sums(expansion, codes, rows, centres, sums_options)
    else:
        own = np.full(len(codes), -np.inf)
        own[scored] = scores[np.arange(len(scored)), codes[scored]]
    log_a, log_peak = np.log(weights), expansion.log_peaks()[codes]
    half = np.zeros((1, expansion.n_classes))
    if expansion.has_gaps:
        lacks, (log_q, peaks) = np.isnan(expansion.points), expansion.column_log_means()
        half = 0.5 * (lacks @ log_q.T)
        own = own + (lacks * log_q[codes]).sum(axis=1)
        log_peak = log_peak + (lacks * (log_q - peaks)[codes]).sum(axis=1)
    log_v = _log_normalizers(log_a, log_peak, own, codes, rows, centres)
    unit = log_v[codes]
    removed = centres / (1.0 if frequencies is None else np.maximum(frequencies, 1.0))
    without = without_own(own - unit, log_a - unit, log_a + log_peak - unit, removed)
    left_out = scores - log_v
    left_out[np.arange(len(scored)), codes[scored]] = without[scored]
    if expansion.has_gaps:
        # The row leaves the densities of the single columns as well; the lengths are as above.
        sums = expansion.gapped_log_sums_without_one(frequencies)
        remaining = np.logaddexp(own, log(1.0 - removed) + log_a + log_peak)
        left_out = sums + half - log_v
        places = np.arange(len(codes)), codes
        with np.errstate(invalid="ignore"):  # nothing is left of a row that is alone in its class
            without = np.where(np.isneginf(without), -np.inf, without + unit - remaining)
        left_out[places] += without
    return Norms(log_v, left_out, scored)


def _log_normalizers(
    log_a: Floats, log_peak: Floats, own: Floats, codes: Ints, rows: Bools, centres: Bools
) -> Floats:
    """Log V_c: all terms i = j, and the visited pairs times kernels / visited kernels."""
    n_classes = int(codes.max()) + 1
    pairs = rows & centres
    kept, visited = (np.bincount(codes[mask], minlength=n_classes) for mask in (centres, pairs))
    log_share = np.log(kept / visited)[codes]
    terms = np.concatenate([(2 * log_a + log_peak)[centres], (log_a + own + log_share)[pairs]])
    return 0.5 * _log_sums(terms, np.concatenate([codes[centres], codes[pairs]]), n_classes)


def without_own(log_s: Floats, log_a: Floats, log_own: Floats, removed: Floats) -> Floats:
    """Log of (S + (1 - r) a k0) / V, where V^2 = 1 - r a (2 S + (2 - r) a k0) in units of V_c.

    r is the share of the row's kernel that is left out: 1, or one of its w copies.
    """
    with np.errstate(divide="ignore", under="ignore"):
        remaining = np.logaddexp(log_s, np.log(1.0 - removed) + log_own)
        twice = np.logaddexp(np.log(2.0) + log_s, np.log(2.0 - removed) + log_own)
        removed_norm = np.exp(np.log(removed) + log_a + twice)
        log_norm = 0.5 * np.log1p(-np.minimum(removed_norm, 1.0))
    # Without a row that is alone in its class, both the sum and the norm are zero.
    alone = np.isneginf(log_norm)
    return np.where(alone, -np.inf, remaining - np.where(alone, 0.0, log_norm))


def _own_sums(
    expansion: KernelExpansion,
    codes: Ints,
    rows: Bools,
    centres: Bools,
    sums_options: dict[str, Any],
) -> Floats:
    """S_i at every row, class by class: no column for the other classes."""
    out = np.full(len(codes), -np.inf)
    for c in range(expansion.n_classes):
        members = np.flatnonzero(codes == c)
        h = expansion.bandwidth
        alone = replace(
            expansion.subset(members),
            bandwidth=h if expansion.is_shared else h[c : c + 1] if h.ndim == 2 else h[c],
            n_classes=1,
            labels=np.zeros(len(members), dtype=np.intp),
        )
        sums = log_sums_without_self(alone, rows[members], centres[members], **sums_options)
        out[members[rows[members]]] = sums[:, 0]
    return out


def _log_sums(logs: Floats, codes: Ints, n_classes: int) -> Floats:
    """Log of the sum of exponentials of each class."""
    largest = np.full(n_classes, -np.inf)
    np.maximum.at(largest, codes, logs)
    total = np.bincount(codes, np.exp(logs - largest[codes]), minlength=n_classes)
    return np.asarray(np.log(total) + largest)
