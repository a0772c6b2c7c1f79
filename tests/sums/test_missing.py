"""Sums over points with gaps, beside their definition in loops."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn

from parzen.kernels import get
from parzen.sums import marginal_log_sums

WIDTHS = np.array([0.7, 1.3])


def factor(x, y, h):
    return np.exp(-0.5 * ((x - y) / h) ** 2) / (h * np.sqrt(2 * np.pi))


def by_definition(query, Y, labels, n_labels, w):
    """A point without a column has the density of its label there, or that of all points."""
    out = np.zeros(n_labels)
    for i, y in enumerate(Y):
        value = w[i]
        for j, h in enumerate(WIDTHS):
            if np.isnan(query[j]):
                continue
            if not np.isnan(y[j]):
                value *= factor(query[j], y[j], h)
                continue
            seen = ~np.isnan(Y[:, j]) & (w > 0)
            near = seen & (labels == labels[i])
            near = near if near.any() else seen
            if near.any():
                value *= np.average(factor(query[j], Y[near, j], h), weights=w[near])
        out[labels[i]] += value
    with np.errstate(divide="ignore"):
        return np.log(out)


def problem(gaps):
    rng = np.random.default_rng(3)
    Y = rng.normal(size=(12, 2))
    labels = np.arange(12) % 3  # the fourth label has no points
    if gaps:
        Y[rng.uniform(size=Y.shape) < 0.3] = np.nan
        Y[labels == 1, 0] = np.nan
    return Y, labels, rng.integers(1, 4, size=12).astype(float)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("leave", ["nothing", "row", "copy"])
def test_the_sums_of_rows_that_leave_themselves_out_are_those_of_the_definition(leave, gaps):
    Y, labels, w = problem(gaps)
    rows = np.array([7, 0, 4, 11])
    with sklearn.config_context(working_memory=0.001):  # more than one batch
        found = marginal_log_sums(
            Y[rows], Y, labels, 4, w, kernel=get("gaussian"), widths=WIDTHS, leave=leave, rows=rows
        )
    for place, i in enumerate(rows):
        left = w.copy()
        left[i] = {"nothing": w[i], "row": 0.0, "copy": w[i] - 1}[leave]
        expected = by_definition(Y[i], Y, labels, 4, left)
        np.testing.assert_allclose(found[place], expected, rtol=1e-10)
    assert np.isneginf(found[:, 3]).all()


def test_a_query_without_entries_has_the_weights_of_the_labels():
    Y, labels, w = problem(True)
    found = marginal_log_sums(
        np.full((1, 2), np.nan), Y, labels, 3, w, kernel=get("gaussian"), widths=WIDTHS
    )
    np.testing.assert_allclose(found[0], np.log(np.bincount(labels, w)))
    alone = marginal_log_sums(Y[:1], Y, labels, 3, None, kernel=get("gaussian"), widths=WIDTHS)
    np.testing.assert_allclose(alone[0], by_definition(Y[0], Y, labels, 3, np.ones(12)))


def test_a_kernel_that_is_no_product_is_refused():
    Y, labels, w = problem(True)
    with pytest.raises(ValueError, match="epanechnikov"):
        marginal_log_sums(Y, Y, labels, 3, w, kernel=get("epanechnikov"), widths=WIDTHS)
