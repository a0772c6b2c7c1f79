"""Bandwidths of a naive Bayes model: one per class and column.

A density selector (a rule, lscv, likelihood) sees the entries of one class in one column. One that
needs labels (loo, kfold, ...) sees one column with all classes. Entries of a class that are all
equal have no scale: the rule of the whole column, over all classes, stands in.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth import Selector, get_selector, silverman
from parzen.kernels import Kernel

Floats = NDArray[Any]


def column_bandwidths(
    selector: str | Selector,
    x: Floats,
    codes: NDArray[np.intp],
    weights: NDArray[np.float64] | None,
    *,
    n_classes: int,
    kernel: Kernel,
    priors: NDArray[np.float64] | None,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """One bandwidth per class for the entries ``x`` of a column, none of them missing."""
    chooser = get_selector(selector)
    points = x[:, None]
    if _is_constant(x):
        return np.full(n_classes, _pooled_rule(points, weights, kernel))
    if chooser.needs_labels:
        present, inner = np.unique(codes, return_inverse=True)
        p = None if priors is None else priors[present] / max(priors[present].sum(), 1e-300)
        choice = chooser.select(
            points, inner, kernel=kernel, sample_weight=weights, priors=p, n_jobs=n_jobs
        )
        out = np.full(n_classes, np.mean(choice.bandwidth))
        out[present] = np.ravel(choice.bandwidth)
        return out
    out = np.empty(n_classes)
    for c in range(n_classes):
        rows = codes == c
        w = None if weights is None else weights[rows]
        if not rows.any() or _is_constant(x[rows]):
            out[c] = _pooled_rule(points, weights, kernel)
            continue
        choice = chooser.select(points[rows], kernel=kernel, sample_weight=w, n_jobs=n_jobs)
        out[c] = np.ravel(choice.bandwidth)[0]
    return out


def _is_constant(x: Floats) -> bool:
    spread = float(x.max()) - float(x.min())
    return bool(spread <= 4 * np.finfo(x.dtype).eps * float(np.abs(x).max()))


def _pooled_rule(points: Floats, weights: NDArray[np.float64] | None, kernel: Kernel) -> float:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "all points are equal")  # the same for every class
        return silverman(points, kernel=kernel, weights=weights)
