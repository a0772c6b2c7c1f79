"""Checks of the parameters that describe the L2 criterion, for classifier and density alike."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from parzen.density import density_kernel
from parzen.l2.form import L2Form

LINEAR_TERMS = ("loo", "resubstitution")


def checked_form(estimator: Any, *, separate: bool = False) -> L2Form:
    """The criterion that kernel, smoothing and linear_term describe, once they make sense."""
    smoothing = estimator.smoothing
    if isinstance(smoothing, bool) or not isinstance(smoothing, Real):
        raise TypeError(f"smoothing must be a number >= 0, got {smoothing!r}.")
    if not 0 <= float(smoothing) < np.inf:
        raise ValueError(f"smoothing={smoothing!r} must be a number >= 0.")
    check_name(estimator.linear_term, "linear_term", LINEAR_TERMS)
    kernel = density_kernel(estimator.kernel)
    form = L2Form(kernel, float(smoothing), estimator.linear_term, separate)
    form.check()
    return form


def check_name(value: Any, name: str, allowed: Sequence[str | None]) -> None:
    """Refuse what is not one of a few names, or None where that is one of them."""
    if (value is None or isinstance(value, str)) and value in allowed:
        return
    given = [repr(choice) for choice in allowed]
    raise ValueError(f"{name}={value!r} is unknown; give {', '.join(given[:-1])} or {given[-1]}.")


def check_positive(value: Any, name: str, wanted: str = "a positive number") -> None:
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
