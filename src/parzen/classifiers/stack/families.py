"""The families of a stack by name: a new one is one function and one line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from parzen.classifiers.stack.bayes import bayes_family, weighted_family
from parzen.classifiers.stack.kernels import class_family, leave_one_out_family, pooled_family
from parzen.classifiers.stack.least_squares import (
    LANDMARKS,
    anova_family,
    least_squares_family,
    metric_least_squares_family,
    n_metric_landmarks,
)
from parzen.classifiers.stack.metric import (
    METRIC_FAMILIES,
    extent_of_paths,
    metric_family,
    ridges_of,
)
from parzen.classifiers.stack.products import product_family
from parzen.classifiers.stack.training_set import Candidate, StackTrainingSet

Family = Callable[[StackTrainingSet], list[Candidate]]

FAMILIES: dict[str, Family] = {
    "iso": partial(leave_one_out_family, "iso", "plain", "gaussian"),
    "lap": partial(leave_one_out_family, "lap", "gapped", "laplacian"),
    "lapq": partial(leave_one_out_family, "lap", "plain_q", "laplacian"),
    "mix": partial(leave_one_out_family, "mix", "mixed", "gaussian"),
    "white": partial(pooled_family, "plain"),
    "whiteq": partial(pooled_family, "plain_q"),
    "cov": partial(class_family, "plain"),
    "covq": partial(class_family, "plain_q"),
    "nb": bayes_family,
    "dnb": weighted_family,
    **{name: partial(metric_family, name) for name in METRIC_FAMILIES},
    "prod": product_family,
    "ls": least_squares_family,
    "an": anova_family,
    "lsard": metric_least_squares_family,
}


class Preset(NamedTuple):
    """Families that go together, and the limits that suit them."""

    families: tuple[str, ...]
    per_family: int = 4
    ridge: float = 20.0
    large: tuple[str, ...] | None = None  # families beyond MOST_ROWS rows; None for the same


_DENSITIES = ("lap", "white", "cov", "dnb", "ardl")
_NORMAL_SCORES = ("lapq", "whiteq", "covq")
PRESETS = {
    "core": Preset(
        (*_DENSITIES, *_NORMAL_SCORES, "ls", "an", "lsard"),
        large=(*_DENSITIES, *_NORMAL_SCORES, "ard", "lsard"),
    ),
    "density": Preset(_DENSITIES, 2, 10.0),
    "fast": Preset(tuple(name for name in _DENSITIES if name != "ardl"), 2, 10.0),
    "all": Preset(tuple(FAMILIES)),
}
# Approximate work of scoring a family without metrics that are learned, in units of the pass of
# plain kernels over all pairs, and without factorisations: where each fold is left out, and where
# rows are many and some are held out once.
_COSTS = {
    "white": (3.5, 1.5), "whiteq": (3.5, 1.5), "cov": (4.5, 1.8), "covq": (4.5, 1.8),
    "prod": (200.0, 120.0), "ls": (10.0, 2.0), "an": (10.0, 2.0), "lsard": (10.0, 2.0),
}  # fmt: skip
_COST = (2.0, 2.0)  # of the others: the pass, and calibration
_COST_PER_RIDGE = 10.0  # of a metric: its gradients, had they all rows and centres
_COST_PER_CLASS = {"nb": 8.0, "dnb": 10.0}
# Approximate time of a prediction, in units of a kernel density's; that of least squares is small.
PREDICTION_COSTS = {
    **dict.fromkeys(("iso", "lap", "mix", "white", "cov", "ard", "ardl", "ardw", "prod"), 1.0),
    "nb": 5.0,
    "dnb": 2.0,
}


def cost(family: str, training: StackTrainingSet) -> float:
    """Work of a family without factorisations, about, in units of plain kernels."""
    if family.endswith("q") and not training.blocks.table.is_ranked.any():
        return 0.0
    n, scored = len(training.codes), len(training.scored_rows)
    if family in _COST_PER_CLASS:
        share = scored / n if training.is_part and family == "dnb" else 1.0
        return _COST_PER_CLASS[family] * training.n_classes * share
    work = _COSTS.get(family, _COST)[training.is_part]
    if family in METRIC_FAMILIES:
        paths, rows, centres = extent_of_paths(family, training)
        ridges = len(ridges_of(family, training))
        work += _COST_PER_RIDGE * ridges * paths * min(rows, n) * centres / (scored * n)
    return work


def cost_of_missing_metric(family: str, training: StackTrainingSet) -> float:
    """Work of the metric that least squares needs, where no family before it has learned it."""
    metric = "ard" if training.is_part else "ardl"
    needed = family == "lsard" and metric not in training.shared
    return cost(metric, training) if needed else 0.0


def operations(family: str, training: StackTrainingSet) -> tuple[float, float]:
    """Operations of the factorisations of a family, about, in double precision.

    Those until its candidates are scored, and those of members that enter the stack.
    """
    n = float(len(training.all_rows.blocks))
    if training.is_part:
        m = n_metric_landmarks(training)
        ls = 4.0 * n * LANDMARKS**2 + 13.0 * LANDMARKS**3, 3.0 * LANDMARKS**3
        lsard = 0.7 * n * m**2 + 1.5 * m**3, 1.5 * m**3
        return {"ls": ls, "lsard": lsard}.get(family, (0.0, 0.0))
    return {"ls": 12.0, "an": 6.0, "lsard": 8.0}.get(family, 0.0) * n**3, 0.0


def preset_of(families: Any) -> Preset:
    """What ``families`` stands for: a preset by name, or a list in the order of the table."""
    if isinstance(families, str):
        if families not in PRESETS:
            raise ValueError(
                f"families={families!r} is unknown; give {', '.join(map(repr, PRESETS))} or a list "
                f"of {', '.join(FAMILIES)}."
            )
        names: tuple[str, ...] = PRESETS[families].families
        return PRESETS[families]._replace(families=tuple(f for f in FAMILIES if f in names))
    try:
        names = tuple(families)
    except TypeError as error:
        raise TypeError(f"families={families!r} is neither a name nor a list of names.") from error
    unknown = [name for name in names if name not in FAMILIES]
    if unknown or not names:
        raise ValueError(
            f"families={families!r} must be a list of at least one of {', '.join(FAMILIES)}."
        )
    return Preset(tuple(name for name in FAMILIES if name in names))
