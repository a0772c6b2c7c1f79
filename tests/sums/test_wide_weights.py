"""Weights that differ by a hundred powers of ten: logarithms keep their digits."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import get
from parzen.sums import kernel_sums
from parzen.sums.sizes import need_parts


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


@pytest.mark.parametrize(
    ("dtype", "exponents", "expected"),
    [
        ("d", (-300, 300), False), ("d", (-350, 350), True), ("d", (0, 645), True),
        ("d", (-645, 0), True), ("d", (600, 630), False), ("f", (-30, 40), False),
        ("f", (-45, 45), True), ("f", (-85, -80), True), ("f", (80, 90), True),
    ],
)  # fmt: skip
def test_weights_are_summed_in_parts_where_they_span_too_much(dtype, exponents, expected):
    weights = np.ldexp([1.0, 0.0, -1.0], [exponents[0], 0, exponents[1]])
    assert need_parts(weights[:, None], np.dtype(dtype)) is expected


def test_no_weights_and_no_mass_need_no_parts():
    assert not need_parts(None, np.float64)
    assert not need_parts(np.zeros((3, 1)), np.float64)


@pytest.mark.parametrize(("dtype", "span"), [(np.float64, 640), (np.float32, 80)])
def test_the_limits_of_one_part_belong_to_it(dtype, span):
    """In exponents of numbers between 1/2 and 1."""
    for low, high in ((0, span), (-span, 0), (-span, -span), (span, span)):
        inside = np.ldexp(0.5, np.array([low, high]))[:, None, None]
        assert not need_parts(inside, dtype)
        assert not need_parts(-inside, dtype)
        assert not need_parts(np.vstack([inside, np.zeros((1, 1, 1))]), dtype)
    for low, high in ((0, span + 1), (-1, span), (-span - 1, -span - 1), (span + 1, span + 1)):
        assert need_parts(np.ldexp(0.5, np.array([low, high]))[:, None, None], dtype)
