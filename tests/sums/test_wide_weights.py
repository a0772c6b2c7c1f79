"""Weights that differ by a hundred powers of ten: logarithms keep their digits."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import get
from parzen.sums import kernel_sums


@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize(
    ("dtype", "power", "kernel"),
    [(np.float64, 60, "gaussian"), (np.float64, 140, "gaussian"), (np.float64, 100, "laplacian"),
     (np.float32, 15, "gaussian")],
)  # fmt: skip
def test_log_sums_are_those_written_out(dtype, power, kernel, exclude_self):
    n, h = 2000, 0.01
    X = np.random.default_rng(0).normal(size=(n, 2)).astype(dtype)
    w = np.where(X[:, 0] > 0, 10.0**power, 10.0**-power).astype(dtype)
    found = kernel_sums(
        X, X, w, kernel=kernel, bandwidths=h, exclude_self=exclude_self, log=True, method="dense"
    )[:, 0, 0]
    rows = np.arange(0, n, 5)
    points = X.astype(np.float64)
    terms = get(kernel).log(points[rows], points, bandwidth=h) + np.log(w.astype(np.float64))
    if exclude_self:
        terms[np.arange(len(rows)), rows] = -np.inf
    expected = np.logaddexp.reduce(terms, axis=1)
    assert np.isfinite(found).all()
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    assert np.all(np.abs(found[rows] - expected) <= tolerance * (1 + np.abs(expected)))
