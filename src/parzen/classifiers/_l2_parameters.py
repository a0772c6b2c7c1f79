"""Checks of the L2 classifier's parameters; errors name parameter, value and cure."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from parzen._l2_criterion import check_iterations, check_positive, checked_form
from parzen.classifiers._l2_grid import check_grid
from parzen.solvers import L2Form

CONSTRAINTS = ("simplex", "relaxed", "separate", None)
SOLVERS = ("direct", "cg")


def check_l2_parameters(estimator: Any) -> None:
    """Everything wrong with the parameters that needs no data."""
    form_of(estimator)
    if estimator.constraint not in CONSTRAINTS:
        raise ValueError(
            f"constraint={estimator.constraint!r} is unknown; give 'simplex', 'relaxed', "
            "'separate' or None."
        )
    if estimator.solver not in SOLVERS:
        raise ValueError(f"solver={estimator.solver!r} is unknown; give 'direct' or 'cg'.")
    if estimator.eta != "cv":
        check_positive(estimator.eta, "eta", "a positive number or 'cv'")
    if estimator.ridge is not None:
        check_positive(estimator.ridge, "ridge", "a positive number or None")
    check_positive(estimator.tol, "tol")
    check_iterations(estimator.max_iter)
    check_grid(estimator.grid, "grid")
    check_grid(estimator.eta_grid, "eta_grid")
    _check_folds(estimator.cv)
    for name in ("reject", "novelty"):
        value = getattr(estimator, name)
        if estimator.constraint is None and value is not None:
            raise ValueError(
                f"{name}={value!r} needs densities, which constraint=None does not have; use "
                f"{name}=None, or a constraint."
            )


def form_of(estimator: Any) -> L2Form:
    """The criterion that the estimator's parameters describe."""
    return checked_form(estimator, separate=estimator.constraint == "separate")


def _check_folds(cv: Any) -> None:
    if isinstance(cv, Integral):
        if isinstance(cv, bool) or cv < 2:
            raise ValueError(f"cv={cv!r} must be at least 2 folds, or a splitter.")
    elif not (hasattr(cv, "split") or hasattr(cv, "__iter__")) or isinstance(cv, str):
        raise TypeError(f"cv={cv!r} must be a number of folds, a splitter or a list of splits.")
