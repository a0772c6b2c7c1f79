"""Sums of a kernel with a factor at either end, beside its values."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import kernel_sums
from parzen.kernels import ConformalKernel
from parzen.sums import DEFAULT_RTOL, PreparedSums, method_for

RNG = np.random.default_rng(0)
X, Y, H = RNG.normal(size=(6, 2)), RNG.normal(size=(9, 2)), np.array([0.5, 1.7])
KERNEL = ConformalKernel("gaussian", Y[:3], [0.3, 1.0, -2.0, 0.5], "gaussian", 0.8)


def expected(x, weights, exclude_self=False):
    out = np.empty((len(x), weights.shape[1], 2))
    for b, h in enumerate(H):
        K = KERNEL(x, Y, bandwidth=h)
        if exclude_self:
            np.fill_diagonal(K, 0.0)
        out[:, :, b] = K @ weights[:, :, b if weights.shape[2] > 1 else 0]
    return out


@pytest.mark.parametrize("shape", [(), (9,), (9, 2), (9, 2, 2)])
def test_sums_are_those_of_the_values(shape):
    w = RNG.normal(size=shape) if shape else None
    columns = np.ones((9, 1, 1)) if w is None else w.reshape((*shape, 1, 1)[:3])
    wanted = expected(X, columns)
    np.testing.assert_allclose(
        kernel_sums(X, Y, w, kernel=KERNEL, bandwidths=H), wanted, rtol=1e-11
    )
    mantissa, scale = kernel_sums(X, Y, w, kernel=KERNEL, bandwidths=H, scaled=True)
    np.testing.assert_allclose(mantissa * np.exp(scale), wanted, rtol=1e-11)
    without = kernel_sums(Y, Y, w, kernel=KERNEL, bandwidths=H, exclude_self=True)
    np.testing.assert_allclose(without, expected(Y, columns, True), rtol=1e-10, atol=1e-13)


def test_sums_over_fixed_points_have_the_factors_too():
    w = RNG.normal(size=9)
    sums = PreparedSums(Y, w, kernel=KERNEL, bandwidth=0.5, mode="scaled")
    for rows in (X, np.repeat(X, 4000, axis=0)[:2]):
        found = sums.at(rows, method="auto", rtol=DEFAULT_RTOL, n_jobs=1)
        values = (found.mantissa * np.exp(found.log_scale))[:, 0, 0]
        np.testing.assert_allclose(values, KERNEL(rows, Y, bandwidth=0.5) @ w, rtol=1e-11)


def test_what_it_cannot_give_is_refused():
    with pytest.raises(ValueError, match="kernel 'conformal' does not give"):
        kernel_sums(X, Y, kernel=KERNEL, bandwidths=H, log=True)
    for wrong in (np.ones(8), 2.0):
        with pytest.raises(ValueError, match="weights must have one row for each of the 9 points"):
            kernel_sums(X, Y, wrong, kernel=KERNEL, bandwidths=H)
    assert method_for(X, Y, kernel=KERNEL, bandwidths=0.5) == "dense"
    assert method_for(X, Y, kernel=KERNEL, bandwidths=0.5, method="tree") == "tree"


def test_single_precision_stays_single():
    single = kernel_sums(X.astype(np.float32), Y.astype(np.float32), kernel=KERNEL, bandwidths=H,
                         scaled=True)  # fmt: skip
    assert single.mantissa.dtype == single.log_scale.dtype == np.float32
