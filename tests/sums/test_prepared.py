"""Sums over fixed points take queries of any layout and type."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import AnovaKernel, get
from parzen.sums import DEFAULT_RTOL, PreparedSums, kernel_sums


@pytest.mark.parametrize("n_queries", [1, 40])
@pytest.mark.parametrize("form", [np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]])
def test_the_layout_of_queries_changes_no_digit(n_queries, form):
    rng = np.random.default_rng(0)
    Y, X = rng.normal(size=(30, 3)), rng.normal(size=(n_queries, 3))
    prepared = PreparedSums(Y, None, kernel=get("gaussian"), bandwidth=0.7, mode="log")
    expected = kernel_sums(X, Y, bandwidths=0.7, log=True)
    found = prepared.at(form(X), method="auto", rtol=1e-12, n_jobs=None)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    whole = prepared.at(np.round(X).astype(int), method="auto", rtol=1e-12, n_jobs=None)
    np.testing.assert_allclose(
        whole, kernel_sums(np.round(X), Y, bandwidths=0.7, log=True), rtol=1e-13
    )


def test_no_queries_have_no_sums_where_the_core_lacks_the_kernel():
    Y = np.random.default_rng(0).normal(size=(30, 3))
    kernel = AnovaKernel(Y, 0.5, np.zeros(3))
    sums = PreparedSums(Y, np.ones((30, 2)), kernel=kernel, bandwidth=1.0, mode="scaled")
    found = sums.at(np.empty((0, 3)), method="auto", rtol=DEFAULT_RTOL, n_jobs=None)
    assert found[0].shape == (0, 2, 1)
