"""Bandwidths of a naive Bayes model: one per class and column.

A density selector (a rule, lscv, likelihood) is given the entries of one class in one column. One
that needs labels (loo, kfold, ...) is given one column with all classes. Entries of a class that
are all equal have no scale: then the rule of the whole column, over all classes, is used. Whether a
choice is at the edge of its grid is returned, so that the caller can name all columns in one
warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Array, Floats
from parzen.bandwidth import Rule, Selection, Selector, get_selector, silverman
from parzen.kernels import Kernel
from parzen.samples import Sample, varying_columns

_SILVERMAN = Rule("silverman")


class ColumnBandwidths(NamedTuple):
    """Bandwidths of one column, and whether one of them lies at the edge of its grid."""

    values: Floats
    at_edge: bool = False


def column_bandwidths(
    selector: str | Selector,
    entries: Sample,
    *,
    kernel: Kernel,
    priors: Floats | None,
    n_jobs: int | None,
    served: Callable[[Selector, int | None], Selector],
) -> ColumnBandwidths:
    """One bandwidth per class for the entries of one column, none of them missing.

    ``served`` is given the selector and the class that it chooses for, None for all classes, and
    returns the selector that makes this choice: the same, or one that keeps its sums.
    """
    chooser, n_classes = get_selector(selector), entries.n_classes
    points, weights = entries.X, entries.weights
    if _is_constant(points):
        return ColumnBandwidths(np.full(n_classes, _pooled_rule(points, weights, kernel)))
    options: dict[str, Any] = {"kernel": kernel, "n_jobs": n_jobs}
    if chooser.needs_labels:
        present, codes = np.unique(entries.codes, return_inverse=True)
        p = None if priors is None else priors[present] / max(priors[present].sum(), 1e-300)
        choice = _select(
            served(chooser, None), points, codes, sample_weight=weights, priors=p, **options
        )
        out = np.full(n_classes, np.mean(choice.bandwidth))
        out[present] = np.ravel(choice.bandwidth)
        return ColumnBandwidths(out, choice.at_edge)
    out, at_edge = np.empty(n_classes), False
    for c, rows in enumerate(entries.class_rows()):
        own, w = points[rows], None if weights is None else weights[rows]
        if len(rows) == 0 or _is_constant(own):
            out[c] = _pooled_rule(points, weights, kernel)
        elif chooser == _SILVERMAN:  # nothing to search or to warn of
            out[c] = silverman(own, kernel=kernel, weights=w)
        else:
            choice = _select(served(chooser, c), own, sample_weight=w, **options)
            out[c] = np.ravel(choice.bandwidth)[0]
            at_edge |= choice.at_edge
    return ColumnBandwidths(out, at_edge)


def _select(chooser: Selector, *data: Any, **options: Any) -> Selection:
    """A choice whose warning about the edge is left to the caller."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the bandwidth chosen by", UserWarning)
        return chooser.select(*data, **options)


def _is_constant(points: Array) -> bool:
    return not varying_columns(points)[0]


def _pooled_rule(points: Array, weights: Floats | None, kernel: Kernel) -> float:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "all points are equal")  # the same for every class
        return silverman(points, kernel=kernel, weights=weights)
