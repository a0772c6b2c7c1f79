"""The kernels that a fitted classifier carries: where they sit, and how much each weighs.

    score_c(x) = b_c + sum_i W[i, c] k(x, x_i),     a kernel at x_i, of weight max_c |W[i, c]|

In a pipeline the points are taken back through its transformers, to where the data are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from parzen._core import last_estimator


class PlacedKernels(NamedTuple):
    """Points that carry a kernel, with the largest absolute weight of each as a share of all."""

    points: NDArray[np.float64]
    weights: NDArray[np.float64]


def kernels_of(estimator: Any) -> PlacedKernels | None:
    """The kernels, or None where the estimator has none that can be placed."""
    if isinstance(estimator, Pipeline):
        found = kernels_of(estimator[-1])
        return None if found is None else _back_through(estimator[:-1], found)
    expansion = getattr(estimator, "expansion_", None)
    if expansion is not None:
        return _placed(expansion.points, expansion.weights)
    points, coefficients = (getattr(estimator, a, None) for a in ("support_vectors_", "dual_coef_"))
    if points is None or coefficients is None:
        return None
    return _placed(points, np.asarray(coefficients).T)


def kernel_share(estimator: Any, n_samples: int) -> float:
    """How many of the training rows carry a kernel, as a share."""
    found = kernels_of(last_estimator(estimator))
    if found is None:
        raise ValueError(f"{type(estimator).__name__} is not made of kernels on training rows.")
    return float(np.count_nonzero(found.weights) / n_samples)


def _placed(points: Any, weights: Any) -> PlacedKernels | None:
    points = np.asarray(points)
    if points.ndim != 2:  # rows of a precomputed Gram matrix have no place
        return None
    size = np.ones(len(points)) if weights is None else np.abs(np.asarray(weights, dtype=float))
    size = size.max(axis=1) if size.ndim == 2 else size
    total = size.sum()
    return PlacedKernels(points.astype(np.float64), size / total if total > 0 else size)


def _back_through(steps: Pipeline, kernels: PlacedKernels) -> PlacedKernels | None:
    if len(steps) == 0:
        return kernels
    if not hasattr(steps, "inverse_transform"):
        return None
    return kernels._replace(points=np.asarray(steps.inverse_transform(kernels.points)))
