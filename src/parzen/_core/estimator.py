"""What every estimator of the library does with its input."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import _check_sample_weight, validate_data

from parzen._core.arrays import Array, Floats
from parzen._core.other_arrays import as_numpy, dense
from parzen._core.validation import check_finite, refuse_sparse, refuse_text

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
