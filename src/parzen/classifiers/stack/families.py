"""The families of a stack by name: a new one is one function and one line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from parzen.classifiers.stack.bayes import bayes_family, weighted_family
from parzen.classifiers.stack.kernels import class_family, leave_one_out_family, pooled_family
from parzen.classifiers.stack.least_squares import least_squares_family
from parzen.classifiers.stack.metric import metric_family
from parzen.classifiers.stack.stage import Candidate, Stage

Family = Callable[[Stage], list[Candidate]]

FAMILIES: dict[str, Family] = {
    "iso": partial(leave_one_out_family, "iso", "plain", "gaussian"),
    "lap": partial(leave_one_out_family, "lap", "plain", "laplacian"),
    "mix": partial(leave_one_out_family, "mix", "mixed", "gaussian"),
    "white": pooled_family,
    "cov": class_family,
    "nb": bayes_family,
    "dnb": weighted_family,
    "ard": partial(metric_family, "ard", "gaussian", False),
    "ardl": partial(metric_family, "ardl", "laplacian", False),
    "ardw": partial(metric_family, "ardw", "gaussian", True),
    "ls": least_squares_family,
}
PRESETS = {
    "core": ("lap", "white", "cov", "dnb", "ardl"),
    "fast": ("lap", "white", "cov", "dnb"),
    "all": tuple(name for name in FAMILIES if name != "ls"),
}
# Work of judging a family, about, where that of plain kernels is 1.
COSTS = {"nb": 6.0, "dnb": 8.0, "ard": 10.0, "ardl": 10.0, "ardw": 10.0, "ls": 10.0}
ALLOW_MISSING = frozenset({"nb", "dnb"})


def family_names(families: Any) -> tuple[str, ...]:
    """The names that ``families`` stands for, in the order of the table."""
    if isinstance(families, str):
        if families not in PRESETS:
            raise ValueError(
                f"families={families!r} is unknown; give {', '.join(map(repr, PRESETS))} or a list "
                f"of {', '.join(FAMILIES)}."
            )
        return PRESETS[families]
    try:
        names = list(families)
    except TypeError as error:
        raise TypeError(f"families={families!r} is neither a name nor a list of names.") from error
    unknown = [name for name in names if name not in FAMILIES]
    if unknown or not names:
        raise ValueError(
            f"families={families!r} must be a list of at least one of {', '.join(FAMILIES)}."
        )
    return tuple(name for name in FAMILIES if name in names)
