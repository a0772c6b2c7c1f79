"""The estimators' ``bandwidth=`` parameter in all its forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from parzen._core import Array, Floats
from parzen.bandwidth.cross_validation import CrossValidation
from parzen.bandwidth.density_criteria import Likelihood
from parzen.bandwidth.error_criteria import (
    ConditionalLikelihood,
    HoldoutError,
    KFoldError,
    LeaveOneOutError,
    TrainingError,
)
from parzen.bandwidth.lscv import LSCV
from parzen.bandwidth.matrix import PlugInMatrix, given_matrices
from parzen.bandwidth.rule import Rule
from parzen.bandwidth.selection import Selection
from parzen.bandwidth.selector import Selector, for_all_columns
from parzen.bandwidth.table_columns import select_columns
from parzen.kernels import ColumnProduct, Kernel
from parzen.samples import KernelSample, scales_that_differ


def selector_names() -> tuple[str, ...]:
    """Names of all selectors.

    Examples
    --------
    >>> from parzen.bandwidth import selector_names
    >>> "loo" in selector_names()
    True
    """
    return tuple(_SELECTORS)


def get_selector(selector: str | Selector) -> Selector:
    """Return a selector by name, or the selector itself.

    Examples
    --------
    >>> from parzen.bandwidth import get_selector
    >>> get_selector("kfold")
    KFoldError(grid=None, per='all', most_scored=4000, ties='likelihood', folds=5)
    """
    if isinstance(selector, Selector):
        return selector
    if not isinstance(selector, str) or selector not in _SELECTORS:
        raise ValueError(
            f"unknown bandwidth selector {selector!r}; the selectors are "
            f"{', '.join(map(repr, _SELECTORS))}."
        )
    return _SELECTORS[selector]()


def check_bandwidth_parameter(bandwidth: Any, *, labelled: bool = True) -> None:
    """Refuse a bandwidth that is wrong for any data, before the data is read.

    An estimator that is not ``labelled`` has no classes.
    """
    if isinstance(bandwidth, Selector):
        return
    allowed = _allowed(labelled)
    if isinstance(bandwidth, str):
        if bandwidth not in _SELECTORS:
            raise ValueError(f"bandwidth={bandwidth!r} is unknown; give {allowed}.")
        return
    if isinstance(bandwidth, bool | np.bool_) or bandwidth is None:
        raise TypeError(f"bandwidth={bandwidth!r} is not a bandwidth; give {allowed}.")
    if given_matrices(bandwidth, labelled=labelled) is None:
        _as_array(bandwidth, allowed)


def resolve_bandwidth(
    bandwidth: Any,
    X: Array,
    y: Array | None,
    *,
    n_classes: int,
    kernel: str | Kernel = "gaussian",
    sample_weight: Array | None = None,
    priors: Array | None = None,
    scale: Floats | None = None,
    mismatch: float = 0.0,
    n_jobs: int | None = None,
) -> tuple[Floats, Selection | None]:
    """Turn any form of a bandwidth into an array of shape (), (C,), (1, d) or (C, d).

    A selector sees the columns divided by ``scale``, and its choice is multiplied by it;
    ``mismatch`` is that of `parzen.samples.gap_mismatch`.

    Returns
    -------
    bandwidth : array
    selection : Selection or None
        How it was chosen, None for a given one.
    """
    check_bandwidth_parameter(bandwidth)
    if not isinstance(bandwidth, str | Selector):
        h = given_bandwidth(bandwidth, n_classes, X.shape[1], labelled=y is not None)
        if isinstance(kernel, ColumnProduct):
            for row in h if h.ndim == 2 else h[None]:
                kernel.check_row(row)
        return h, None
    selector = get_selector(bandwidth)
    selector._refuse_density(y is None)
    scale = None if isinstance(kernel, ColumnProduct) else scale
    X = X if scale is None else X / scale.astype(X.dtype)
    sample = KernelSample.of(X, y, kernel, sample_weight, priors, n_jobs, n_classes=n_classes)
    sample = replace(sample, mismatch=mismatch) if mismatch else sample
    mixed = isinstance(sample.kernel, ColumnProduct)
    if mixed:
        selection = select_columns(selector, sample)
    else:
        part, varies = sample.varying()
        selection = for_all_columns(selector._select(part), varies)
    h = np.asarray(selection.bandwidth, np.float64)
    if h.ndim == 3:
        raise ValueError(
            f"bandwidth={selector.name!r} gives a matrix for every class, which KernelDensity and "
            "ParzenClassifier alone can use, with metric=None; choose another selector."
        )
    return in_units_of_columns(h, scale), selection


def in_units_of_columns(h: Floats, scale: Floats | None) -> Floats:
    """Bandwidths of scaled columns, of shape (), (C,), (1, d) or (C, d), in their own units."""
    if scale is None:
        return h
    return h * scale if h.ndim == 2 else np.asarray(np.multiply.outer(np.atleast_1d(h), scale))


def column_scales(
    scale: str | None, bandwidth: Any, X: Array, weights: Floats | None, grid: Any = None
) -> Floats | None:
    """What brings columns of unequal spread to one scale, where ``scale="auto"`` asks for it.

    None where their spreads are alike, and where numbers are in units of the columns: a given
    bandwidth, a grid of given values (``grid``, or that of the selector), bandwidths per feature.
    For sums that are kept they are powers of two, so that rows stay the same numbers for longer.
    """
    if scale is None or not isinstance(bandwidth, str | Selector):
        return None
    values = getattr(bandwidth, "grid", None) if grid is None else grid
    given_values = values is not None and not isinstance(values, Integral)
    if given_values or getattr(bandwidth, "per", "all") == "feature":
        return None
    scales = scales_that_differ(X, weights)
    if scales is not None and getattr(bandwidth, "rounds_units", False):
        return np.asarray(2.0 ** np.round(np.log2(scales)))
    return scales


def given_bandwidth(
    bandwidth: Any, n_classes: int, n_features: int, *, labelled: bool = True
) -> Floats:
    """Numbers as an array of shape (), (C,), (1, d) or (C, d)."""
    h = _as_array(bandwidth, _allowed())
    if h.shape in ((), (n_classes,), (1, n_features), (n_classes, n_features)):
        return h
    if not labelled:
        raise ValueError(
            f"bandwidth has shape {h.shape}, but there are {n_features} features; give a number, "
            f"or shape (1, {n_features}) for one per feature; several to compare are "
            "CrossValidation(grid=...)."
        )
    raise ValueError(
        f"bandwidth has shape {h.shape}, but there are {n_classes} classes and {n_features} "
        f"features; give a number, shape ({n_classes},) for one per class, (1, {n_features}) for "
        f"one per feature, or ({n_classes}, {n_features}) for both; several to compare are "
        "CrossValidation(grid=...)."
    )


def _as_array(bandwidth: Any, allowed: str) -> Floats:
    try:
        h = np.asarray(bandwidth, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"bandwidth={bandwidth!r} is not a bandwidth; give {allowed}.") from error
    wrong = h[~(np.isfinite(h) & (h > 0))]
    if wrong.size:
        raise ValueError(f"bandwidth must be positive and finite, got {wrong.flat[0]}.")
    if h.ndim > 2 or h.size == 0:
        raise ValueError(f"bandwidth has shape {h.shape}; give {allowed}.")
    return h


def _allowed(labelled: bool = True) -> str:
    found = [name for name, make in _SELECTORS.items() if labelled or not make().needs_labels]
    names = ", ".join(map(repr, found))
    shapes = "(classes,), (1, features) or (classes, features)" if labelled else "(1, features)"
    return f"a positive number, an array of shape {shapes}, a selector, or one of {names}"


_SELECTORS: dict[str, Callable[[], Selector]] = {
    "cv": CrossValidation,
    "silverman": Rule,
    "scott": lambda: Rule("scott"),
    "lscv": LSCV,
    "likelihood": Likelihood,
    "conditional_likelihood": ConditionalLikelihood,
    "training": TrainingError,
    "holdout": HoldoutError,
    "kfold": KFoldError,
    "loo": LeaveOneOutError,
    "sheather_jones": lambda: Rule("sheather_jones"),
    "improved_sheather_jones": lambda: Rule("improved_sheather_jones"),
    "plug_in_matrix": PlugInMatrix,
}
