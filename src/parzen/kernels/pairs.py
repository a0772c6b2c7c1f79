"""The measure of a pair of points that a kernel is a function of, for all rows of X and Y.

    squared      sum_l (x_l - y_l)^2
    l1           sum_l |x_l - y_l|
    inner        sum_l x_l y_l
    coordinates  |x_l - y_l|, one value per feature

Coordinates are subtracted before anything is squared: ||x||^2 + ||y||^2 - 2 x.y would lose
every digit of a small distance between points far from the origin.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.spatial.distance import cdist

FloatArray = NDArray[np.floating[Any]]
Measure = Literal["squared", "l1", "inner", "coordinates"]


def as_points(X: ArrayLike, name: str) -> FloatArray:
    """Return ``X`` as a finite 2-D array of float32 or float64, or say what is wrong with it."""
    if hasattr(X, "tocsr"):
        raise ValueError(f"{name} is a sparse matrix; kernels need a dense array: {name}.toarray()")
    points = np.asarray(X)
    if points.dtype.kind == "c":
        raise ValueError(f"{name} must be real, got dtype {points.dtype}; pass its real part")
    if points.dtype not in (np.float32, np.float64):
        try:
            points = points.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must be numeric, got dtype {points.dtype}") from error
    if points.ndim != 2:
        raise ValueError(
            f"{name} must be 2-D (samples, features), got shape {points.shape}; "
            f"use {name}.reshape(-1, 1) for one feature, {name}.reshape(1, -1) for one sample"
        )
    if points.shape[1] == 0:
        raise ValueError(f"{name} must have at least one column, got shape {points.shape}")
    bad = ~np.isfinite(points).all(axis=0)
    if bad.any():
        column = int(np.argmax(bad))
        raise ValueError(f"{name} must be finite, but its column {column} has NaN or infinity")
    return points


def as_point_pair(X: ArrayLike, Y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return ``X`` and ``Y`` as points of the same width and the same precision."""
    left, right = as_points(X, "X"), as_points(Y, "Y")
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            f"X and Y must have the same number of columns, got {left.shape[1]} and "
            f"{right.shape[1]}; pass the same features for both"
        )
    dtype = np.result_type(left, right)
    return left.astype(dtype, copy=False), right.astype(dtype, copy=False)


def measure_pairs(X: ArrayLike, Y: ArrayLike, measure: Measure) -> FloatArray:
    """Return the measure of every pair of rows, in the precision of the input."""
    left, right = as_point_pair(X, Y)
    if measure == "inner":
        return np.asarray(left @ right.T)
    if measure == "coordinates":
        return np.abs(left[:, None, :] - right[None, :, :])
    distances = cdist(left, right, "sqeuclidean" if measure == "squared" else "cityblock")
    return np.asarray(distances, dtype=left.dtype)


def frozen(array: ArrayLike, dtype: DTypeLike | None = None) -> Any:
    """Return a copy that is read-only, for kernels that are compared and hashed by value."""
    copy = np.array(array, dtype=dtype, order="C")
    copy.setflags(write=False)
    return copy
