"""Sums over fixed points take queries of any layout and type."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import get
from parzen.sums import PreparedSums, kernel_sums


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
