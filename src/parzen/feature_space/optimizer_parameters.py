"""Everything wrong with the parameters of a kernel optimiser, said before any computation."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from parzen._core import effective_threads
from parzen.feature_space.cores import check_cores
from parzen.feature_space.empirical_map import check_n_components
from parzen.feature_space.spread import check_optional_bandwidth

_CHOICES = {
    "solver": ("gradient", "eigen"),
    "criterion": ("separability", "alignment"),
    "step": ("line_search", "fixed"),
}


def check_parameters(optimizer: Any) -> None:
    """Raise an error that names the first wrong parameter, its value and the cure."""
    for name, choices in _CHOICES.items():
        value = getattr(optimizer, name)
        if value not in choices:
            raise ValueError(f"{name}={value!r} is unknown; use one of {', '.join(choices)}.")
    if optimizer.solver == "eigen" and optimizer.criterion == "alignment":
        raise ValueError(
            "criterion='alignment' is no ratio of quadratic forms, so solver='eigen' cannot "
            "maximise it; use solver='gradient'."
        )
    check_optional_bandwidth(optimizer.bandwidth, "bandwidth", several=False)
    _check_core_bandwidth(optimizer)
    check_cores(optimizer.cores, optimizer.core_selection)
    check_n_components(optimizer.n_components)
    _check_count(optimizer.n_steps, "n_steps", 0)
    _check_count(optimizer.n_folds, "n_folds", 2)
    _check_positive(optimizer.learning_rate, "learning_rate", "0.01")
    if not (isinstance(optimizer.ridge, str) and optimizer.ridge == "cv"):
        _check_positive(optimizer.ridge, "ridge", "'cv'", zero=True)
    effective_threads(optimizer.n_jobs)


def _check_core_bandwidth(optimizer: Any) -> None:
    if not (isinstance(optimizer.core_bandwidth, str) and optimizer.core_bandwidth == "cv"):
        check_optional_bandwidth(optimizer.core_bandwidth, "core_bandwidth", several=True)
    elif optimizer.solver != "eigen" or optimizer.ridge != "cv":
        raise ValueError(
            "core_bandwidth='cv' is chosen together with the ridge; use solver='eigen' and "
            "ridge='cv', or tune it with GridSearchCV."
        )


def _check_count(value: Any, name: str, smallest: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if value < smallest:
        raise ValueError(f"{name}={value} must be at least {smallest}.")


def _check_positive(value: Any, name: str, example: str, *, zero: bool = False) -> None:
    if isinstance(value, (bool, str)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}; use e.g. {example}.")
    number = float(value)
    if not np.isfinite(number) or number < 0.0 or (number == 0.0 and not zero):
        bound = "not negative" if zero else "positive"
        raise ValueError(f"{name}={value} must be finite and {bound}; use e.g. {example}.")
