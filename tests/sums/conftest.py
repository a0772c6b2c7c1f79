"""How far a sum may lie from the plain version in extended precision: the promised errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from parzen.kernels import get
from parzen.sums import reference

_TOLERANCE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-5}


def _assert_log_sums(got: np.ndarray, X, Y, weights=None, *, tolerance=None, **options) -> None:
    """Within tolerance (1 + |v|) of the reference; minus infinity where that has no term."""
    wanted = reference.kernel_sums(X, Y, weights, log=True, **options)
    tolerance = _TOLERANCE[got.dtype] if tolerance is None else tolerance
    empty = np.isneginf(wanted)
    np.testing.assert_array_equal(np.isneginf(got), empty)
    got, wanted = got[~empty], wanted[~empty]
    assert float((np.abs(got - wanted) / (1 + np.abs(wanted))).max(initial=0)) <= tolerance


def _assert_sums(got: np.ndarray, X, Y, weights=None, **options) -> None:
    """Within tolerance of the reference, relative to the sum of the terms' absolute values."""
    wanted = reference.kernel_sums(X, Y, weights, **options)
    magnitude = _magnitude(X, Y, weights, **options)
    # Below this a kernel value in units of its peak has lost its mantissa.
    floor = 4096 * float(np.finfo(got.dtype).tiny) * max(1.0, float(magnitude.max()))
    excess = np.abs(got - wanted) - _TOLERANCE[got.dtype] * magnitude
    assert float(excess.max(initial=0)) <= floor


def _magnitude(X, Y, weights, *, kernel, **options) -> np.ndarray:
    absolute = np.ones(len(Y)) if weights is None else np.abs(weights)
    k = get(kernel)
    if k.measure != "inner":
        magnitude = reference.kernel_sums(X, Y, absolute, kernel=k, **options)
        if np.isfinite(k.support_radius(1.0)):  # 1 - u / h^2 cancels at the edge
            uniform = reference.kernel_sums(X, Y, absolute, kernel="uniform", **options)
            magnitude = magnitude + uniform
        return magnitude
    terms = np.abs(k(np.asarray(X, np.float64), np.asarray(Y, np.float64)))
    w = absolute.reshape(len(Y), -1)
    return (terms @ w).reshape(len(terms), *absolute.shape[1:], *(1,) * (3 - absolute.ndim))


@pytest.fixture(scope="session")
def assert_log_sums() -> Callable[..., None]:
    return _assert_log_sums


@pytest.fixture(scope="session")
def assert_sums() -> Callable[..., None]:
    return _assert_sums
