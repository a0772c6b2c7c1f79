"""Scales of a sample with weights, gaps, offsets and columns that do not vary."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.samples import (
    column_deviations,
    column_medians,
    feature_scales,
    has_spread,
    resolution,
    sample_scale,
    sample_size,
    scales_that_differ,
    varying_columns,
)

X = np.random.default_rng(0).normal(size=(12, 3)) * [1.0, 2.0, 30.0]
W = np.arange(12) % 3 + 1.0


def test_weights_are_copies_and_offsets_do_not_count():
    copies = np.repeat(X, W.astype(int), axis=0)
    expected = copies.std(axis=0, ddof=1)
    np.testing.assert_allclose(column_deviations(X, W), expected, rtol=1e-12)
    np.testing.assert_allclose(column_deviations(X + 1e8, W), expected, rtol=1e-6)
    np.testing.assert_allclose(column_deviations(1e200 * X, W), 1e200 * expected, rtol=1e-12)
    assert sample_scale(X, W) == pytest.approx(np.sqrt(np.mean(expected**2)))
    assert sample_size(X, None) == 12
    assert sample_size(X, W) == W.sum()
    assert sample_size(X, 0.01 * W) == 1


def test_a_large_offset_costs_no_digits_of_a_deviation():
    far = np.random.default_rng(1).normal(size=(1000, 2)) + 1e8
    exact = far.astype(np.longdouble) - np.longdouble(1e8)
    for weights in (None, np.full(1000, 3.0)):
        n = 1000 if weights is None else 3000
        expected = np.sqrt(exact.var(axis=0) * n / (n - 1)).astype(float)
        np.testing.assert_allclose(column_deviations(far, weights), expected, rtol=1e-13)
    counted = np.arange(11.0)[:, None] / 2 + 4e15  # the mean is rounded by as much as the entries
    assert column_deviations(counted, None)[0] == pytest.approx((counted - 4e15).std(ddof=1))


def test_gaps_are_left_out_of_a_column():
    gapped = X.copy()
    gapped[:4, 0] = np.nan
    gapped[:, 1] = np.nan
    found = column_deviations(gapped, W)
    copies = np.repeat(X[4:, 0], W[4:].astype(int))
    np.testing.assert_allclose(found[0], copies.std(ddof=1))
    assert found[1] == 0
    assert has_spread(gapped)
    assert not has_spread(np.full((3, 2), np.nan))
    assert not has_spread(np.array([[1.0, np.nan], [1.0, 2.0]]))


def test_columns_are_brought_to_one_scale_only_where_they_differ_tenfold():
    assert scales_that_differ(X[:, :2], None) is None
    flat = np.column_stack([X, np.full(12, 5.0)])
    spreads = X.std(axis=0, ddof=1)
    expected = [*spreads, np.exp(np.log(spreads).mean())]
    np.testing.assert_allclose(scales_that_differ(flat, None), expected)
    np.testing.assert_allclose(
        feature_scales(flat, None), [*spreads, np.sqrt(np.sum(spreads**2) / 4)]
    )
    np.testing.assert_allclose(feature_scales(X, None), spreads)


@pytest.mark.parametrize(("value", "size"), [(0.0, 1.0), (-4.0, 4.0)])
def test_equal_points_have_the_scale_of_their_size(value, size):
    points = np.full((3, 2), value)
    assert not has_spread(points)
    assert not has_spread(X[:1])
    with pytest.warns(UserWarning, match="all points are equal"):
        assert sample_scale(points, None) == size


def test_medians_are_those_of_copies_and_of_the_entries_that_are_there():
    gapped = X.copy()
    gapped[::5, 1] = np.nan
    np.testing.assert_array_equal(column_medians(gapped, None), np.nanmedian(gapped, axis=0))
    for weights in (W, np.ones(12), 2 * W):
        copies = np.repeat(gapped, weights.astype(int), axis=0)
        expected = np.nanmedian(copies, axis=0)
        np.testing.assert_allclose(column_medians(gapped, weights), expected, rtol=1e-15)
    assert column_medians(np.array([[1.0], [2.0], [9.0]]), np.array([0.1, 0.1, 0.2])) == [5.5]
    assert column_medians(np.array([[7.0]]), np.array([3.0])) == [7.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_differ_by_more_than_rounding_or_have_no_spread(dtype):
    eps = np.finfo(dtype).eps
    beside = np.array([[1.0, 100.0], [1.0, 100.0]], dtype=dtype)
    beside[1] += dtype(300 * eps)
    assert resolution(beside) == pytest.approx(400 * eps, rel=1e-3)
    assert has_spread(beside) is False
    assert varying_columns(beside).tolist() == [True, False]
    beside[1, 0] += dtype(200 * eps)
    assert has_spread(beside) is True
    assert has_spread(X.astype(dtype)) is True
    assert has_spread(X[:2].astype(dtype)) is True
    assert resolution(np.array([[np.nan, -3.0]])) == 12 * np.finfo(float).eps
    gapped = np.array([[np.nan, 1.0], [np.nan, np.nan], [np.nan, 1.0]], dtype=dtype)
    assert varying_columns(gapped).tolist() == [False, False]
    gapped[2, 0] = 1.0
    gapped[1, 0] = 2.0
    assert varying_columns(gapped).tolist() == [True, False]


def test_columns_that_vary_by_rounding_alone_have_the_scale_of_the_others():
    nearly = np.column_stack([X, 5.0 + 1e-16 * np.arange(12)])
    found = scales_that_differ(nearly, None)
    spreads = X.std(axis=0, ddof=1)
    assert found[3] == pytest.approx(np.exp(np.log(spreads).mean()))
    one = np.column_stack([X[:, 0], np.full(12, 2.0)])
    assert scales_that_differ(one, None) is None
    tenfold = np.arange(12.0)[:, None] * [1.0, 10.0]
    assert scales_that_differ(tenfold, None) is None
    assert scales_that_differ(tenfold * [1.0, 1.001], None) is not None


def test_rows_of_weight_zero_have_no_part_in_the_scale():
    far = np.vstack([X, np.full(3, 1e20)])
    weights = np.append(W, 0.0)
    assert sample_scale(far, weights) == pytest.approx(sample_scale(X, W), rel=1e-12)
    assert column_deviations(np.array([[3.0], [5.0]]), np.array([0.5, 0.5])) == [1.0]
