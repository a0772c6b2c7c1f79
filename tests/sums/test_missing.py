"""Sums over points with gaps, beside their definition in loops."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn

from parzen import _native
from parzen.kernels import ColumnProduct, get
from parzen.sums import (
    column_log_means,
    has_missing,
    marginal_log_sums,
    refuses_missing,
)

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
        np.testing.assert_allclose(found[place, :, 0], expected, rtol=1e-10)
    assert np.isneginf(found[:, 3]).all()


def test_a_query_without_entries_has_the_weights_of_the_labels():
    Y, labels, w = problem(True)
    found = marginal_log_sums(
        np.full((1, 2), np.nan), Y, labels, 3, w, kernel=get("gaussian"), widths=WIDTHS
    )
    np.testing.assert_allclose(found[0, :, 0], np.log(np.bincount(labels, w)))
    alone = marginal_log_sums(Y[:1], Y, labels, 3, None, kernel=get("gaussian"), widths=WIDTHS)
    np.testing.assert_allclose(alone[0, :, 0], by_definition(Y[0], Y, labels, 3, np.ones(12)))


def test_a_kernel_that_is_no_product_is_refused():
    Y, labels, w = problem(True)
    with pytest.raises(ValueError, match="epanechnikov"):
        marginal_log_sums(Y, Y, labels, 3, w, kernel=get("epanechnikov"), widths=WIDTHS)


def table(n=50, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.uniform(size=X.shape) < 0.3] = np.nan
    return X, rng.integers(0, 2, n), rng.integers(1, 4, n).astype(float)


def written_out(kernel, x, Y, labels, w, h):
    """Log-sum of label 0 and of label 1 at one query."""
    sums = np.zeros(2)
    for y, c, weight in zip(Y, labels, w, strict=True):
        product = weight
        for j, value in enumerate(x):
            known = ~np.isnan(Y[:, j]) & (labels == c)
            if np.isnan(value):
                continue
            near = kernel([[value]], Y[known, j][:, None], bandwidth=h)[0]
            own = kernel([[value]], [[np.nan_to_num(y[j])]], bandwidth=h)[0, 0]
            product *= np.average(near, weights=w[known]) if np.isnan(y[j]) else own
        sums[c] += product
    return np.log(sums)


@pytest.mark.parametrize("name", ["gaussian", "laplacian"])
@pytest.mark.parametrize("leave", ["nothing", "row", "copy"])
def test_sums_of_some_rows_at_many_bandwidths_are_those_written_out(name, leave):
    kernel, bandwidths = get(name), np.array([0.5, 0.9, 2.0])
    Y, labels, w = table()
    rows = np.array([3, 40, 7, 21])
    found = marginal_log_sums(
        Y[rows], Y, labels, 2, w, kernel=kernel, bandwidths=bandwidths, leave=leave, rows=rows
    )
    for i, row in enumerate(rows):
        rest = w.copy()
        rest[row] -= {"nothing": 0.0, "row": w[row], "copy": 1.0}[leave]
        there = rest > 0
        expected = [
            written_out(kernel, Y[row], Y[there], labels[there], rest[there], h) for h in bandwidths
        ]
        np.testing.assert_allclose(found[i], np.transpose(expected), rtol=1e-11)


def test_one_column_takes_kernels_that_are_no_products():
    Y, labels, w = table(d=1)
    found = marginal_log_sums(
        Y, Y, labels, 2, w, kernel=get("epanechnikov"), bandwidths=1.5, leave="row"
    )
    rest = np.arange(len(Y)) != 0
    expected = written_out(get("epanechnikov"), Y[0], Y[rest], labels[rest], w[rest], 1.5)
    np.testing.assert_allclose(found[0, :, 0], expected, rtol=1e-11)
    gaps = np.isnan(Y[:, 0]) & (labels == 1)
    masses = np.log([w[labels == 0].sum(), w[labels == 1].sum() - w[gaps][0]])
    np.testing.assert_allclose(found[gaps][0, :, 0], masses, rtol=1e-12)
    whole = ~np.isnan(Y[:, 0])
    found = marginal_log_sums(
        Y, Y[whole], labels[whole], 2, w[whole], kernel=get("epanechnikov"), bandwidths=1.5
    )
    args = Y[whole], labels[whole], w[whole], 1.5
    expected = [written_out(get("epanechnikov"), y, *args) for y in Y[:5]]
    np.testing.assert_allclose(found[:5, :, 0], expected, rtol=1e-11)


def test_a_column_that_all_rows_lack_has_no_factor():
    Y, labels, w = table()
    Y[:, 1] = np.nan
    X = Y.copy()
    X[:, 1] = 0.3
    how = {"kernel": get("gaussian"), "bandwidths": 0.7}
    with_it = marginal_log_sums(X, Y, labels, 2, w, **how)
    np.testing.assert_allclose(with_it, marginal_log_sums(Y, Y, labels, 2, w, **how), rtol=1e-12)


def test_wrong_shapes_are_refused_before_anything_is_read():
    zeros, starts = np.zeros((1, 1)), np.array([0, 1], np.uint64)
    arguments = [
        zeros, np.zeros((1, 1, 1, 1)), np.array([-1]), np.zeros(1), zeros, np.zeros(1), starts,
        starts, np.ones((1, 1), np.uint8), zeros, np.ones(1), False, np.zeros((1, 1, 1)), 1,
    ]  # fmt: skip
    _native.gapped_log_sums(*arguments)
    wrong = {
        0: np.zeros((1, 2)), 1: np.zeros((1, 1, 1, 2)), 2: np.array([1]), 3: np.zeros(2),
        5: np.zeros(2), 6: np.array([0, 2], np.uint64), 7: np.array([0, 2], np.uint64),
        8: np.ones((2, 1), np.uint8), 9: np.zeros((2, 1)), 12: np.zeros((1, 2, 1)),
    }  # fmt: skip
    for place, value in wrong.items():
        with pytest.raises(ValueError, match="must"):
            _native.gapped_log_sums(*[*arguments[:place], value, *arguments[place + 1 :]])


@pytest.mark.parametrize("leave", ["nothing", "row", "copy", "kernel"])
@pytest.mark.parametrize("d", [1, 3])
def test_a_gap_of_one_side_alone_has_a_factor(leave, d):
    Y, labels, w = table(30, d)
    rows = np.arange(12)
    found = marginal_log_sums(
        Y[rows], Y, labels, 2, w, kernel=get("gaussian"), bandwidths=0.8, leave=leave, rows=rows,
        mismatch=np.log(0.4),
    )  # fmt: skip
    for i in rows:
        rest = w.copy()
        rest[i] -= {"nothing": 0.0, "row": w[i], "copy": 1.0, "kernel": w[i]}[leave]
        seen = w if leave == "kernel" else rest  # by the densities of the single columns
        sums = np.zeros(2)
        for y, c, weight in zip(Y, labels, rest, strict=True):
            product = weight * 0.4 ** (np.isnan(y) != np.isnan(Y[i])).sum()
            for j in np.flatnonzero(~np.isnan(Y[i])):
                known = ~np.isnan(Y[:, j]) & (labels == c)
                near = factor(Y[i, j], Y[known, j], 0.8)
                stand_in = np.average(near, weights=seen[known])
                product *= stand_in if np.isnan(y[j]) else factor(Y[i, j], y[j], 0.8)
            sums[c] += product
        np.testing.assert_allclose(found[i, :, 0], np.log(sums), rtol=1e-10)


@pytest.mark.parametrize("convolved", [False, True])
def test_categories_with_gaps_have_the_sums_of_the_definition(convolved):
    """Unordered and ordered levels beside a number; each factor by its own formula."""
    rng = np.random.default_rng(0)
    Y = np.c_[rng.integers(0, 4, 40), rng.normal(size=40), rng.integers(1, 6, 40)].astype(float)
    Y[rng.uniform(size=Y.shape) < 0.2] = np.nan
    labels, w, h = rng.integers(0, 2, 40), rng.uniform(0.5, 2, 40), np.array([0.3, 0.7, 0.4])
    is_ordered = np.array([False, False, True])
    kernel = ColumnProduct().fitted(Y, np.array([True, False, True]), is_ordered)
    kernel = kernel.convolved(3) if convolved else kernel
    queries = np.array([[1.0, 0.2, 3.0], [2.0, np.nan, 5.0], [np.nan, -1.0, np.nan]])
    found = marginal_log_sums(queries, Y, labels, 2, w, kernel=kernel, widths=h)[..., 0]
    for x, logs in zip(queries, found, strict=True):
        for c in (0, 1):
            total = w[labels == c].copy()
            for j in np.flatnonzero(~np.isnan(x)):
                y, v = Y[labels == c, j], w[labels == c]
                there = ~np.isnan(y)
                factors = np.exp(kernel.log_factor(j, np.abs(y[there] - x[j]), h[j]))
                total[there] *= factors
                total[~there] *= (v[there] @ factors) / v[there].sum()
            np.testing.assert_allclose(logs[c], np.log(total.sum()), rtol=1e-10)


def mean_densities(name, Y, labels, w, n_labels):
    """Of every column and label: the mean of the label's density at its own points."""
    out = np.empty((n_labels, Y.shape[1]))
    for j, h in enumerate(WIDTHS):
        seen = ~np.isnan(Y[:, j])
        K = get(name)(Y[seen, j][:, None], Y[seen, j][:, None], bandwidth=h)
        for c in range(n_labels):
            own = labels[seen] == c
            near = own if own.any() else np.ones_like(own)
            at = near  # a label without points there has the mean of all
            densities = np.average(K[:, near], axis=1, weights=w[seen][near])
            out[c, j] = np.average(densities[at], weights=w[seen][at])
    return np.log(out)


@pytest.mark.parametrize("name", ["gaussian", "laplacian"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_mean_densities_of_columns_are_those_of_the_definition(name, weighted):
    Y, labels, w = problem(True)
    w = w if weighted else np.ones(12)
    found, peaks = column_log_means(
        Y, labels, 4, w if weighted else None, kernel=get(name), widths=WIDTHS
    )
    np.testing.assert_allclose(found, mean_densities(name, Y, labels, w, 4), rtol=1e-10)
    np.testing.assert_allclose(peaks, get(name).log_normalizer(WIDTHS[:, None], 1).ravel())


def test_a_column_that_all_points_lack_has_the_mean_density_of_no_factor():
    Y, labels, w = problem(True)
    Y[:, 1] = np.nan
    found, _ = column_log_means(Y, labels, 3, w, kernel=get("gaussian"), widths=WIDTHS)
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-14)
    assert (found[:, 0] != 0).all()


def test_weights_may_stand_for_other_numbers_of_copies():
    Y, labels, w = problem(True)
    how = {"kernel": get("gaussian"), "widths": WIDTHS, "leave": "copy"}
    copied = marginal_log_sums(Y, Y, labels, 3, w, **how)
    scaled = marginal_log_sums(Y, Y, labels, 3, 0.1 * w, copies=w, **how)
    finite = np.isfinite(copied)
    np.testing.assert_array_equal(np.isfinite(scaled), finite)
    np.testing.assert_allclose(scaled[finite], copied[finite] + np.log(0.1), rtol=1e-9)


def test_gaps_have_a_factor_in_the_columns_that_are_named_only():
    Y, labels, w = problem(True)
    how = {"kernel": get("gaussian"), "widths": WIDTHS, "mismatch": np.log(0.4)}
    plain = marginal_log_sums(Y, Y, labels, 3, w, kernel=get("gaussian"), widths=WIDTHS)
    none = marginal_log_sums(Y, Y, labels, 3, w, informative=np.zeros(2, bool), **how)
    np.testing.assert_allclose(none, plain, rtol=1e-12)
    whole = marginal_log_sums(Y, Y, labels, 3, w, informative=np.ones(2, bool), **how)
    said = marginal_log_sums(Y, Y, labels, 3, w, **how)
    np.testing.assert_array_equal(whole, said)  # both columns have gaps
    one = marginal_log_sums(Y, Y, labels, 3, w, informative=np.array([True, False]), **how)
    assert ((whole < one) & (one < plain)).any()


def test_only_products_leave_columns_out():
    for name in ("gaussian", "laplacian", get("gaussian"), get("gaussian").convolved(2)):
        assert refuses_missing(name, 5) is None
    assert refuses_missing("cauchy", 1) is None
    assert "kernel='cauchy' is not a product of its columns" in refuses_missing("cauchy", 2)
    assert has_missing(np.zeros(2), np.array([np.nan]))
    assert not has_missing(np.zeros(2), np.ones(3))
    assert not has_missing()
