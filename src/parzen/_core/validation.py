"""Checks of arrays, weights and labels; errors name the argument, the value and the cure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time, timedelta
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import _check_sample_weight, validate_data

from parzen._core.arrays import Array, Floats
from parzen._core.other_arrays import as_numpy, dense

_MAX_ROWS = 2.0**53  # Of more rows than this, a sum in floating point may miss one.
_DTYPES = (np.dtype(np.float64), np.dtype(np.float32))


def validate_points(
    estimator: BaseEstimator,
    X: ArrayLike,
    *,
    reset: bool,
    allow_nan: bool = False,
    text_cure: str = "encode it as numbers first",
) -> Array:
    """Check the width and the names of the columns of X, and that its entries are finite.

    ``text_cure`` is what the error about a column of text advises.
    """
    if not reset and _is_plain(estimator, X):
        plain: Any = X
        check_finite(plain, "X", allow_nan=allow_nan)
        return np.asarray(plain)
    X = as_numpy(X)
    if sp.issparse(X) and get_tags(estimator).input_tags.sparse:
        X = dense(X, "X")
    refuse_sparse(X, "X")
    try:
        points = validate_data(
            estimator,
            X,
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=1 if reset else 0,  # no queries, no answers: not an error
            reset=reset,
        )
    except (TypeError, ValueError) as error:
        refuse_text(X, "X", cure=text_cure, cause=error)
        raise
    names = getattr(estimator, "feature_names_in_", None)
    check_finite(points, "X", names, allow_nan=allow_nan)
    return np.asarray(points)


def _is_plain(estimator: BaseEstimator, X: ArrayLike) -> bool:
    """Whether X is an array as `validate_data` would return it, so that only NaN is left to find.

    That check takes as long as the kernel sums of a thousand points, and a row may come alone.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in _DTYPES
        and X.flags.c_contiguous
        and X.shape[1] == getattr(estimator, "n_features_in_", None)
        and not hasattr(estimator, "feature_names_in_")
    )


def validate_weights(sample_weight: ArrayLike | None, X: Array) -> Floats | None:
    """Non-negative frequencies, at least one of them positive; None stays None."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(
        as_numpy(sample_weight), X, dtype=np.float64, ensure_non_negative=True
    )
    if not (weights > 0).any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError("sample_weight adds up to infinity; divide it by a common factor.")
    return np.asarray(weights)


def check_countable(weights: Floats | None) -> None:
    """Refuse frequencies of more rows than floating point counts one by one."""
    total = 0.0 if weights is None else float(weights.sum())
    if total > _MAX_ROWS:
        raise ValueError(
            f"sample_weight adds up to {total:.3g} rows: weights are frequencies here, and the "
            f"equations and the choice of a bandwidth count up to {_MAX_ROWS:.0e} of them; divide "
            "sample_weight by a common factor."
        )


def as_matrix(X: ArrayLike, name: str, *, allow_nan: bool = False) -> Array:
    """A finite 2-D array of float32 or float64, C-contiguous; anything else is refused."""
    refuse_sparse(X, name)
    try:
        array = np.asarray(X)
    except ValueError as error:  # rows of unequal length
        raise ValueError(f"{name} is not an array: {error}") from error
    if array.ndim != 2:
        raise ValueError(
            f"{name} must be a 2-D array (rows are points), got {array.ndim} dimension(s); "
            f"for one feature use {name}.reshape(-1, 1)."
        )
    if array.shape[1] == 0:
        raise ValueError(f"{name} has no columns.")
    array = as_floats(array, name)
    check_finite(array, name, allow_nan=allow_nan)
    return np.ascontiguousarray(array)


def refuse_sparse(X: ArrayLike, name: str) -> None:
    """Refuse a sparse matrix: nearly all of a kernel matrix differs from zero."""
    if sp.issparse(X):
        raise ValueError(
            f"{name} is a sparse matrix; kernels need a dense array: {name}.toarray()."
        )


def refuse_text(
    X: Any, name: str, *, cure: str, cause: Exception, column: int | None = None
) -> None:
    """Say which column of a table holds text or dates, and the cure; silent if none does."""
    names = list(X.columns) if hasattr(X, "columns") else None
    table = np.asarray(X, dtype=object)
    if table.ndim != 2:
        return
    for j in range(table.shape[1]) if column is None else [column]:
        label = f"column {j}" if names is None else f"column {names[j]!r}"
        for value in table[:, j]:
            if isinstance(value, str) and not _is_number(value):
                raise ValueError(f"{label} of {name} holds text ({value!r}): {cure}.") from cause
            if isinstance(value, date | time | timedelta | np.datetime64 | np.timedelta64):
                raise ValueError(
                    f"{label} of {name} holds times ({value}): give the time since some moment, or "
                    "month and hour, as numbers."
                ) from cause


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_floats(array: Array, name: str) -> Array:
    """Float32 stays, half precision becomes float32, other numbers float64."""
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype == object:
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            pass
    raise ValueError(f"{name} must hold real numbers, got dtype {array.dtype}.")


def check_finite(
    array: Array, name: str, columns: Sequence[Any] | None = None, *, allow_nan: bool = False
) -> None:
    """Refuse NaN, unless allowed, and infinity, and say in which column the first one is."""
    bad = np.isinf(array) if allow_nan else ~np.isfinite(array)
    if not bad.any():
        return
    place = int(np.argmax(bad.reshape(len(array), -1).any(axis=0)))
    column = array.reshape(len(array), -1)[:, place]
    label = f"column {place}" + (f" ({columns[place]!r})" if columns is not None else "")
    if array.ndim == 1:
        label = f"entry {int(np.argmax(bad))}"
    if not allow_nan and np.isnan(column).any():
        raise ValueError(
            f"Input {name} contains NaN in {label}; impute or drop missing values first."
        )
    where = "" if array.ndim == 1 else f", row {int(np.argmax(np.isinf(column)))}"
    cure = "a finite number, or by NaN if the value is missing" if allow_nan else "a finite number"
    raise ValueError(
        f"Input {name} contains infinity in {label}{where}; replace it by {cure}, or drop the row."
    )


def as_bandwidths(bandwidths: ArrayLike) -> Floats:
    """Positive finite numbers as a 1-D array."""
    try:
        array = np.atleast_1d(np.asarray(bandwidths, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(f"bandwidths must be numbers, got {bandwidths!r}.") from error
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"bandwidths must be a number or a 1-D array, got shape {array.shape}.")
    if not np.all(np.isfinite(array) & (array > 0)):
        wrong = array[~(np.isfinite(array) & (array > 0))][0]
        raise ValueError(f"bandwidths must be positive and finite, got {wrong}.")
    return np.ascontiguousarray(array)


def check_range(points: Array, bandwidths: Floats) -> None:
    """Squares of distances in bandwidths must be numbers, or no point is nearer than another."""
    numbers = np.finfo(points.dtype)
    if bandwidths.min() > np.sqrt(np.sqrt(float(numbers.tiny))):
        return  # no data that anyone has are so wide
    with np.errstate(over="ignore"):
        spread = float(np.ptp(points.astype(np.float64, copy=False), axis=0).max(initial=0.0))
        if spread / bandwidths.min() < np.sqrt(float(numbers.max)) / (points.shape[1] + 1):
            return
    cure = " or give the data as float64" if points.dtype == np.float32 else ""
    raise ValueError(
        f"bandwidth {bandwidths.min():.3g} is too small for points that spread over {spread:.3g}: "
        f"squared distances leave the range of {points.dtype} numbers. Choose a larger one{cure}."
    )


def as_weights(
    weights: ArrayLike | None, n_points: int, n_bandwidths: int, dtype: Any, *, signed: bool
) -> Array | None:
    """Weights as (points, columns, 1 or bandwidths), or None for a column of ones.

    Those that are no numbers of the data's precision stay as they are.
    """
    if weights is None:
        return None
    array = np.asarray(weights)
    if array.ndim not in (1, 2, 3) or array.shape[0] != n_points:
        raise ValueError(
            f"weights must have shape ({n_points},), ({n_points}, columns) or "
            f"({n_points}, columns, bandwidths), got {array.shape}."
        )
    array = as_floats(array, "weights")
    if _fit(array, dtype):
        array = array.astype(dtype, copy=False)
    array = array.reshape(*array.shape, *(1,) * (3 - array.ndim))
    if array.shape[1] == 0:
        raise ValueError("weights has no columns.")
    if array.shape[2] not in (1, n_bandwidths):
        raise ValueError(
            f"weights of shape {array.shape} have {array.shape[2]} entries per bandwidth, "
            f"but there are {n_bandwidths} bandwidths."
        )
    if not np.isfinite(array).all():
        raise ValueError("weights contain NaN or infinity.")
    if not signed and (array < 0).any():
        raise ValueError(
            "weights must not be negative with log=True; use scaled=True for signed weights."
        )
    return np.ascontiguousarray(array)


def _fit(array: Array, dtype: Any) -> bool:
    """Whether an array's numbers keep their digits in a type of lower precision."""
    if array.dtype == dtype:
        return True
    sizes, numbers = np.abs(array[array != 0]), np.finfo(dtype)
    return bool(((sizes >= numbers.tiny) & (sizes <= numbers.max) | ~np.isfinite(sizes)).all())
