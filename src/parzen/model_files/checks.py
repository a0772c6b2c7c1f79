"""What predicting relies on in a model that was read: types, shapes that belong together, numbers.

The parts of a model are dataclasses and named tuples, so their annotations say what each member may
be. Beyond that the arrays of an expansion, of a rule for decisions and of a metric must fit each
other and hold numbers. What no table of rules foresees, a trial finds: the model is asked about
some rows, and where it fails in a way that no fitted estimator does, the file is refused.
"""

from __future__ import annotations

import dataclasses
import types
import typing
import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline

from parzen._core import CategoryColumns
from parzen.classifiers.base import Decision
from parzen.expansion import KernelExpansion
from parzen.metric import Whitening
from parzen.model_files.archive import ModelFileError
from parzen.model_files.steps import (
    ENCODERS,
    PLAIN_OBJECTS,
    STEPS,
    TRANSFORMERS,
    check_step,
    trial_rows,
)
from parzen.table import TableEncoder

# Any file may claim this many columns: a step without state has any number of them.
_COLUMNS_OF_SMALL_FILE = 2**20
# Errors that no fitted estimator raises about rows that suit it.
_DEFECTS = (AttributeError, TypeError, LookupError, ArithmeticError, AssertionError)
_METHODS_TRIED = ("predict", "predict_proba", "decision_function", "score_samples", "transform")


def check_parts(value: Any, file_size: int, where: str) -> None:
    """Check every part of a model that was read from a file of ``file_size`` bytes."""
    if isinstance(value, KernelExpansion | Decision | Whitening) or _is_record(value):
        _check_types(value, where)
    if isinstance(value, KernelExpansion):
        _check_expansion(value, file_size, where)
    elif isinstance(value, Decision):
        _check_decision(value, where)
    elif isinstance(value, Whitening):
        _check_whitening(value, where)
    elif isinstance(value, Pipeline):
        _check_steps(value, where)
    elif isinstance(value, STEPS):
        check_step(value, file_size, where)
    if isinstance(value, BaseEstimator):
        columns = getattr(value, "n_features_in_", 0)
        fits = _is_a(columns, int) and 0 <= columns <= max(file_size, _COLUMNS_OF_SMALL_FILE)
        _require(fits, f"{where}.n_features_in_", f"is {columns!r}")
    for name, item in _members(value):
        check_parts(item, file_size, f"{where}{name}")


def _check_steps(pipeline: Pipeline, where: str) -> None:
    """Every step of a pipeline is an estimator that was fitted, or nothing."""
    steps = pipeline.steps
    if not isinstance(steps, list) or not steps:
        raise ModelFileError(f"{where}steps is {steps!r}, and no list of steps.")
    for place, step in enumerate(steps):
        pair = isinstance(step, tuple | list) and len(step) == 2
        part = step[1] if pair else step
        empty = part is None or (isinstance(part, str) and part == "passthrough")
        if not pair or not (empty or isinstance(part, BaseEstimator)):
            raise ModelFileError(f"{where}steps[{place}] is {part!r}, and no estimator.")


def check_answers(model: Any) -> None:
    """Ask a model, and every step in it, about two rows.

    The rows suit the first step; only where a model has categories or names of columns may it
    object to them. What comes after such a step is asked by itself.
    """
    parts = list(_all_parts(model))
    for part in parts:
        rows = trial_rows(part) if isinstance(part, TRANSFORMERS) else None
        if rows is not None:
            _answer(part, "transform", rows, strict=True)
    if isinstance(model, Pipeline) and isinstance(model.steps[-1][1], BaseEstimator):
        check_answers(model.steps[-1][1])
    rows = trial_rows(model)
    if rows is None:
        return
    kinds = (CategoryColumns, ColumnTransformer, TableEncoder, *ENCODERS)
    strict = not any(isinstance(p, kinds) for p in parts)
    for name in _METHODS_TRIED:
        answers = _answer(model, name, rows, strict=strict)
        if name == "predict_proba" and answers is not None:
            _check_probabilities(np.asarray(answers), len(getattr(model, "classes_", ())))


def _answer(model: Any, name: str, rows: NDArray[Any], *, strict: bool) -> Any:
    """The result of a method for some rows; None where it is absent or may refuse them."""
    try:
        with (
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
            joblib.parallel_config("sequential"),
        ):
            warnings.simplefilter("ignore")
            return getattr(model, name)(rows) if hasattr(model, name) else None
    except NotFittedError:
        raise
    except _DEFECTS as error:
        raise ModelFileError(f"its parts do not fit each other: {name} fails: {error!r}") from error
    except ValueError as error:
        if strict:
            raise ModelFileError(f"its parts do not fit each other: {error}") from error
        return None


def _check_probabilities(answers: Any, classes: int) -> None:
    sums = answers.sum(axis=-1)
    if answers.shape != (2, classes) or not (answers >= 0).all() or (abs(sums - 1) > 1e-6).any():
        raise ModelFileError("what it answers is no row of probabilities")


def _is_record(value: Any) -> bool:
    own = type(value).__module__.startswith("parzen.")
    named = isinstance(value, tuple) and hasattr(value, "_fields")
    return own and (dataclasses.is_dataclass(value) or named)


def _members(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return [(f".{name}", item) for name, item in value._asdict().items()]
    if isinstance(value, list | tuple):
        return [(f"[{i}]", item) for i, item in enumerate(value)]
    if isinstance(value, dict):
        return [(f"[{key!r}]", item) for key, item in value.items()]
    if (
        dataclasses.is_dataclass(value)
        or hasattr(value, "get_params")
        or isinstance(value, PLAIN_OBJECTS)
    ):
        return [(f".{name}", item) for name, item in vars(value).items()]
    return []


def _all_parts(value: Any) -> Iterator[Any]:
    yield value
    for _, item in _members(value):
        yield from _all_parts(item)


def _check_types(value: Any, where: str) -> None:
    try:
        annotations = typing.get_type_hints(type(value))
    except NameError:  # some of them are imported for type checkers only
        return
    for name, annotation in annotations.items():
        if name in getattr(value, "__dict__", {}) or name in getattr(value, "_fields", ()):
            member = getattr(value, name)
            _require(_is_a(member, annotation), f"{where}.{name}", f"is {type(member).__name__}")


def _is_a(value: Any, annotation: Any) -> bool:
    """Whether a value may be what an annotation says; True where this cannot tell."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_is_a(value, one) for one in inner)
    if origin is typing.Literal:
        return value in inner
    kind = origin or annotation
    if kind is Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    if kind is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    return isinstance(value, kind)


def _check_expansion(expansion: KernelExpansion, file_size: int, where: str) -> None:
    points, columns, h = expansion.points, expansion.n_classes, expansion.bandwidth
    _require(points.ndim == 2 and points.dtype.kind == "f", f"{where}.points", "is no matrix")
    n, d = points.shape
    _require(0 < columns <= file_size, f"{where}.n_classes", f"claims {columns} columns")
    _require(n > 0 and d > 0, f"{where}.points", "is empty")
    # Missing entries of points are NaN, and a density of the others; infinity is no entry.
    _require(not np.isinf(points).any(), f"{where}.points", "holds numbers that are not finite")
    _check_finite(h, f"{where}.bandwidth")
    fits = h.shape in ((), (columns,), (1, d), (columns, d))
    _require(fits and bool((h > 0).all()), f"{where}.bandwidth", "is no bandwidth of its points")
    labels, weights = expansion.labels, expansion.weights
    _require(labels is not None or weights is not None, f"{where}.weights", "is missing")
    if labels is not None:
        fits = labels.shape == (n,) and labels.dtype.kind in "iu"
        _require(fits and bool(((labels >= 0) & (labels < columns)).all()), f"{where}.labels",
                 "does not fit its points")  # fmt: skip
    if weights is not None:
        fits = weights.shape == ((n,) if labels is not None else (n, columns))
        _require(fits and weights.dtype.kind == "f", f"{where}.weights", "does not fit its points")
        _check_finite(weights, f"{where}.weights")
    for name in ("log_factors", "offset"):
        array = getattr(expansion, name)
        if array is not None:
            _require(array.shape == (columns,), f"{where}.{name}", "does not fit its classes")
            _check_numbers(array, f"{where}.{name}")
    if expansion.whitening is not None:
        _require(
            expansion.whitening.centres.shape in ((columns, d), (1, d)),
            f"{where}.whitening", "does not fit its points",
        )  # fmt: skip


def _check_decision(decision: Decision, where: str) -> None:
    _check_numbers(decision.log_priors, f"{where}.log_priors")
    _require(decision.log_priors.ndim == 1, f"{where}.log_priors", "is no row")
    if decision.costs is not None:
        k = len(decision.log_priors)
        _require(decision.costs.shape == (k, k), f"{where}.costs", "does not fit the classes")
        _check_finite(decision.costs, f"{where}.costs")


def _check_whitening(whitening: Whitening, where: str) -> None:
    for name in ("centres", "roots", "log_volumes"):
        _check_finite(getattr(whitening, name), f"{where}.{name}")
    _require(whitening.centres.ndim == 2, f"{where}.centres", "is no matrix")
    k, d = whitening.centres.shape
    _require(whitening.roots.shape == (k, d, d), f"{where}.roots", "does not fit its centres")
    _require(
        whitening.log_volumes.shape == (k,), f"{where}.log_volumes", "does not fit its centres"
    )


def _check_finite(array: Any, where: str) -> None:
    _check_numbers(array, where)
    _require(bool(np.isfinite(array).all()), where, "holds numbers that are not finite")


def _check_numbers(array: Any, where: str) -> None:
    _require(array.dtype.kind in "biuf", where, f"holds {array.dtype}, not numbers")
    _require(not np.isnan(array).any(), where, "holds NaN")


def _require(condition: bool, where: str, message: str) -> None:
    if not condition:
        raise ModelFileError(f"its {where} {message}")
