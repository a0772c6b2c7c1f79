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

from parzen._core import Array, Floats, Ints
from parzen.bandwidth import Rule, Selection, Selector, get_selector, silverman
from parzen.kernels import Kernel
from parzen.samples import varying_columns

_SILVERMAN = Rule("silverman")


class ColumnBandwidths(NamedTuple):
    """Bandwidths of one column, and whether one of them lies at the edge of its grid."""

    values: Floats
    at_edge: bool = False


def column_bandwidths(
    selector: str | Selector,
    x: Array,
    codes: Ints,
    weights: Floats | None,
    *,
    n_classes: int,
    kernel: Kernel,
    priors: Floats | None,
    n_jobs: int | None,
    served: Callable[[Selector, int | None], Selector],
) -> ColumnBandwidths:
    """One bandwidth per class for the entries ``x`` of a column, none of them missing.

    ``served`` is given the selector and the class that it chooses for, None for all classes, and
    returns the selector that makes this choice: the same, or one that keeps its sums.
    """
    selector_object = get_selector(selector)
    points = x[:, None]
    if _is_constant(x):
        return ColumnBandwidths(np.full(n_classes, _pooled_rule(points, weights, kernel)))
    if selector_object.needs_labels:
        present, codes_present = np.unique(codes, return_inverse=True)
        p = None if priors is None else priors[present] / max(priors[present].sum(), 1e-300)
        choice = _select(
            served(selector_object, None),
            points,
            codes_present,
            kernel=kernel,
            sample_weight=weights,
            priors=p,
            n_jobs=n_jobs,
        )
        out = np.full(n_classes, np.mean(choice.bandwidth))
        out[present] = np.ravel(choice.bandwidth)
        return ColumnBandwidths(out, choice.at_edge)
    out, at_edge = np.empty(n_classes), False
    for c in range(n_classes):
        rows = codes == c
        w = None if weights is None else weights[rows]
        if not rows.any() or _is_constant(x[rows]):
            out[c] = _pooled_rule(points, weights, kernel)
            continue
        if selector_object == _SILVERMAN:  # nothing to search or to warn of
            out[c] = silverman(points[rows], kernel=kernel, weights=w)
            continue
        choice = _select(
            served(selector_object, c), points[rows], kernel=kernel, sample_weight=w, n_jobs=n_jobs
        )
        out[c] = np.ravel(choice.bandwidth)[0]
        at_edge |= choice.at_edge
    return ColumnBandwidths(out, at_edge)


def _select(selector_object: Selector, *data: Any, **options: Any) -> Selection:
    """A choice whose warning about the edge is left to the caller."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the bandwidth chosen by", UserWarning)
        return selector_object.select(*data, **options)


def _is_constant(x: Array) -> bool:
    return not varying_columns(x[:, None])[0]


def _pooled_rule(points: Array, weights: Floats | None, kernel: Kernel) -> float:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "all points are equal")  # the same for every class
        return silverman(points, kernel=kernel, weights=weights)
