"""Sums of sparse matrices are those of dense ones, by blocks within the working memory."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context

from parzen import kernel_sums
from parzen.kernels import Polynomial

SMALL = 0.01  # MB: 65 rows of ten columns in a block


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 10)) * (rng.random((150, 10)) < 0.3)
    return X, rng.normal(size=(150, 2))


@pytest.mark.parametrize("kernel", ["gaussian", "linear", Polynomial(degree=3)])
@pytest.mark.parametrize("form", [sp.csr_array, sp.coo_matrix, sp.csc_array, np.asarray])
def test_plain_sums(rows, kernel, form):
    X, w = rows
    wanted = kernel_sums(X[:70], X, w, kernel=kernel, bandwidths=[0.5, 2.0])
    with config_context(working_memory=SMALL):
        found = kernel_sums(form(X[:70]), sp.csr_array(X), w, kernel=kernel, bandwidths=[0.5, 2.0])
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("mode", ["log", "scaled"])
@pytest.mark.parametrize("exclude_self", [False, True])
def test_log_and_scaled_sums_without_the_row_itself(rows, mode, exclude_self):
    X, w = rows
    w = np.abs(w) if mode == "log" else w
    S = sp.csr_array(X)
    options = {"bandwidths": 0.1, "exclude_self": exclude_self, mode: True}
    wanted = kernel_sums(X, X, w, **options)
    with config_context(working_memory=SMALL):
        found = kernel_sums(S, S.copy(), w, **options)
    if mode == "scaled":
        found = found.mantissa * np.exp(found.log_scale - wanted.log_scale)
        np.testing.assert_allclose(found, wanted.mantissa, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-11)


def test_leaving_out_needs_the_same_rows(rows):
    S = sp.csr_array(rows[0])
    with pytest.raises(ValueError, match="exclude_self=True needs X equal to Y"):
        kernel_sums(S, 2 * S, bandwidths=1.0, exclude_self=True)
