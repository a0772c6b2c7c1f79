"""One Gaussian bandwidth has loops of its own; every way through them gives the right sums.

The bandwidth decides the way: wide, no exponent leaves the range of numbers; narrower, values
underflow and are masked; narrow, dot products lose digits and differences are taken. Points that
lie near come first, far ones later, so that the ways meet within one sum.
"""

from __future__ import annotations

import numpy as np
import pytest

from parzen import kernel_sums

WIDTHS = [30.0, 1.0, 0.3, 0.04, 0.002]


def problem(d, dtype, n=500, queries=36):
    rng = np.random.default_rng(d)
    near, far = rng.normal(size=(n, d)), rng.normal(scale=8.0, size=(n, d))
    X = np.vstack([rng.normal(size=(queries, d)), 20.0 + rng.normal(size=(7, d))])
    return X.astype(dtype), np.vstack([near, far]).astype(dtype), rng.random(2 * n).astype(dtype)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("h", WIDTHS)
@pytest.mark.parametrize("d", [1, 2, 3, 5, 10, 60])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_width_and_dimension(dtype, d, h, weighted, assert_sums, assert_log_sums):
    X, Y, w = problem(d, dtype)
    weights = w if weighted else None
    options = {"kernel": "gaussian", "bandwidths": [h]}
    assert_log_sums(kernel_sums(X, Y, weights, log=True, **options), X, Y, weights, **options)
    if h >= 1:  # plain sums keep a relative error only where exponents are moderate
        assert_sums(kernel_sums(X, Y, weights, **options), X, Y, weights, **options)


def test_densities_too_small_for_their_factors_alone():
    """exp(log normalizer) underflows, its product with many kernels does not."""
    d, h = 300, 4.5
    X = np.zeros((3, d))
    Y = np.zeros((5000, d))
    weights = np.full(5000, 1e20)
    log = kernel_sums(X, Y, weights, bandwidths=h, log=True)
    assert log.max() < -650
    plain = kernel_sums(X, Y, weights, bandwidths=h)
    np.testing.assert_allclose(np.log(plain), log, rtol=1e-12)
