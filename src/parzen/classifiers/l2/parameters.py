"""Checks of the L2 classifier's parameters; errors name parameter, value and cure."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from parzen.classifiers.l2.grid import check_grid
from parzen.l2 import (
    L2Form,
    check_iterations,
    check_name,
    check_positive,
    checked_form,
    refuse_other_criteria,
)
from parzen.samples import check_landmarks

CONSTRAINTS = ("simplex", "relaxed", "separate", None)
SOLVERS = ("direct", "cg")


def check_l2_parameters(estimator: Any) -> None:
    """Everything wrong with the parameters that needs no data."""
    form_of(estimator)
    check_name(estimator.constraint, "constraint", CONSTRAINTS)
    check_name(estimator.solver, "solver", SOLVERS)
    if not (isinstance(estimator.eta, str) and estimator.eta == "cv"):
        check_positive(estimator.eta, "eta", "a positive number or 'cv'")
    if estimator.ridge is not None:
        check_positive(estimator.ridge, "ridge", "a positive number or None")
    check_positive(estimator.tol, "tol")
    check_iterations(estimator.max_iter)
    check_landmarks(estimator.n_landmarks)
    check_random_state(estimator.random_state)
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
    separate = isinstance(estimator.constraint, str) and estimator.constraint == "separate"
    return checked_form(estimator, separate=separate)


def _check_folds(cv: Any) -> None:
    if isinstance(cv, Integral):
        if isinstance(cv, bool) or cv < 2:
            raise ValueError(f"cv={cv!r} must be at least 2 folds, or a splitter.")
    elif not (hasattr(cv, "split") or hasattr(cv, "__iter__")) or isinstance(cv, str):
        raise TypeError(f"cv={cv!r} must be a number of folds, a splitter or a list of splits.")


def refuse_without_theorem(estimator: Any) -> None:
    """Say where Theorem 1 of Kim & Scott (2010) does not hold."""
    classes = len(estimator.classes_)
    if estimator.constraint is None:
        raise ValueError(
            "oracle_bound: Theorem 1 is about weights on a simplex, not constraint=None; use "
            "constraint='simplex' or 'relaxed'."
        )
    if classes > 2:
        raise ValueError(f"oracle_bound: Theorem 1 is about two classes, but there are {classes}.")
    if estimator.constraint == "separate" and classes == 2:
        raise ValueError(
            "oracle_bound: constraint='separate' does not minimise the error of the difference; "
            "use L2KernelDensity.oracle_bound for each class."
        )
    if classes == 2 and not np.isfinite(estimator.gamma_):
        raise ValueError("oracle_bound: the prior of classes_[1] is 0, so gamma is infinite.")
    refuse_other_criteria(estimator.eta_, estimator.linear_term)
