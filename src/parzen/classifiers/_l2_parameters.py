"""Checks of the L2 classifier's parameters; errors name parameter, value and cure."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from parzen.classifiers._l2_grid import check_grid
from parzen.density import density_kernel
from parzen.solvers import L2Form

CONSTRAINTS = ("simplex", "relaxed", "separate", None)
LINEAR_TERMS = ("loo", "resubstitution")
SOLVERS = ("direct", "cg")


def check_l2_parameters(estimator: Any) -> None:
    """Everything wrong with the parameters that needs no data."""
    check_criterion(estimator)
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
    check_grid(estimator.eta_grid, "eta_grid")
    if estimator.constraint is None and estimator.reject is not None:
        raise ValueError(
            f"reject={estimator.reject!r} needs probabilities, which constraint=None does not "
            "have; use reject=None, or a constraint."
        )


def check_criterion(estimator: Any) -> None:
    """What the classifier and the density estimate have in common."""
    smoothing = estimator.smoothing
    if isinstance(smoothing, bool) or not isinstance(smoothing, Real):
        raise TypeError(f"smoothing must be a number >= 0, got {smoothing!r}.")
    if not 0 <= float(smoothing) < np.inf:
        raise ValueError(f"smoothing={smoothing!r} must be a number >= 0.")
    if estimator.linear_term not in LINEAR_TERMS:
        raise ValueError(
            f"linear_term={estimator.linear_term!r} is unknown; give 'loo' or 'resubstitution'."
        )
    check_positive(estimator.tol, "tol", "a positive number")
    check_iterations(estimator.max_iter)
    check_grid(estimator.grid, "grid")
    check_folds(estimator.cv)
    form_of(estimator).check()


def form_of(estimator: Any) -> L2Form:
    """The criterion that the estimator's parameters describe."""
    return L2Form(
        density_kernel(estimator.kernel),
        float(estimator.smoothing),
        estimator.linear_term,
        getattr(estimator, "constraint", None) == "separate",
    )


def check_positive(value: Any, name: str, wanted: str) -> None:
    """Refuse what is no positive finite number."""
    if isinstance(value, str):
        raise ValueError(f"{name}={value!r} must be {wanted}.")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {wanted}, got {value!r}.")
    if not 0 < float(value) < np.inf:
        raise ValueError(f"{name}={value!r} must be {wanted}.")


def check_iterations(max_iter: Any) -> None:
    """Refuse what is neither None nor a number of iterations."""
    if max_iter is None:
        return
    if isinstance(max_iter, bool) or not isinstance(max_iter, Integral):
        raise TypeError(f"max_iter must be an integer or None, got {max_iter!r}.")
    if max_iter < 1:
        raise ValueError(f"max_iter={max_iter!r} must be at least 1.")


def check_folds(cv: Any) -> None:
    """Refuse a number of folds below two."""
    if isinstance(cv, Integral) and (isinstance(cv, bool) or cv < 2):
        raise ValueError(f"cv={cv!r} must be at least 2 folds, or a splitter.")
