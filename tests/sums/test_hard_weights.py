"""Weights that are zero at some bandwidths only, or that differ by hundreds of powers of ten."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import kernel_sums
from parzen.sums import labelled_kernel_sums, reference

FACTORED = ["gaussian", "laplacian", "radial_laplacian", "cauchy", "inverse_quadratic"]


def log_reference(X, Y, weights, **options):
    return reference.kernel_sums(X, Y, weights, log=True, **options).astype(float)


def check_logs(got, wanted, digits=1e-12):
    np.testing.assert_array_equal(np.isneginf(got), np.isneginf(wanted))
    finite = np.isfinite(wanted)
    np.testing.assert_array_less(
        np.abs(got[finite] - wanted[finite]), digits * (1 + np.abs(wanted[finite]))
    )


def test_labelled_sums_find_the_nearest_point_that_has_a_weight_at_each_bandwidth():
    Y = np.array([[0.0], [100.0]])
    weights = np.array([[[1.0, 0.0]], [[1.0, 1.0]]])
    logs = labelled_kernel_sums(
        [[0.0]], Y, np.zeros(2, dtype=int), 1, weights, bandwidths=[1.0, 1.0], method="dense"
    )
    normalizer = -0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(logs[0, 0], [normalizer, normalizer - 5000.0], rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", FACTORED)
@pytest.mark.parametrize("labelled", [True, False])
def test_logs_hold_for_more_patterns_of_zeros_than_are_sorted_apart(kernel, labelled, dtype):
    rng = np.random.default_rng(5)
    Y = np.concatenate([[[0.0, 0.0]], 100.0 + rng.normal(size=(130, 2))]).astype(dtype)
    X = np.array([[0.0, 0.0], [99.0, 101.0], [50.0, 40.0]], dtype=dtype)
    weights = rng.integers(0, 2, size=(131, 1, 8)).astype(float)
    weights[0, 0, ::2] = 0
    bandwidths = np.geomspace(0.3, 8.0, 8)
    options = {"kernel": kernel, "bandwidths": bandwidths}
    if labelled:
        labels = np.zeros(len(Y), dtype=int)
        got = labelled_kernel_sums(X, Y, labels, 1, weights, method="dense", **options)
    else:
        got = kernel_sums(X, Y, weights, log=True, method="dense", **options)
    check_logs(got, log_reference(X, Y, weights, **options), 1e-12 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize("distance", [10.0, 37.0, 38.0, 38.5, 39.0, 100.0])
@pytest.mark.parametrize("exclude_self", [False, True])
def test_logs_keep_their_digits_up_to_the_distance_where_everything_would_be_lost(
    distance, exclude_self
):
    Y = np.array([[0.0], [1e-3], [distance], [distance + 0.01]])
    weights = np.ones((4, 2, 2))
    weights[:2, :, 1] = 0
    weights[0, 1, 1] = 0.5
    labels = np.array([0, 0, 0, 0])
    options = {"bandwidths": [1.0, 1.0], "exclude_self": exclude_self}
    got = labelled_kernel_sums(Y, Y, labels, 1, weights[:, :1], method="dense", **options)
    check_logs(got, log_reference(Y, Y, weights[:, :1], **options))
    check_logs(
        kernel_sums(Y, Y, weights, log=True, method="dense", **options),
        log_reference(Y, Y, weights, **options),
    )


@pytest.mark.parametrize("kernel", FACTORED)
def test_scaled_sums_factor_out_the_nearest_point_with_a_weight_at_each_bandwidth(kernel):
    Y = np.array([[0.0], [100.0], [101.0]])
    weights = np.array([[[1.0, 0.0]], [[-1.0, -1.0]], [[2.0, 3.0]]])
    h = [1.0, 1.5]
    mantissa, log_scale = kernel_sums(
        [[0.0]], Y, weights, kernel=kernel, bandwidths=h, scaled=True, method="dense"
    )
    sign = np.sign(weights)
    parts = [
        log_reference(
            [[0.0]], Y, np.where(sign == s, np.abs(weights), 0), kernel=kernel, bandwidths=h
        )
        for s in (1, -1)
    ]
    level = np.maximum(*parts)
    wanted = np.exp(parts[0] - level) - np.exp(parts[1] - level)
    got = mantissa * np.exp(log_scale - level)
    np.testing.assert_allclose(got, wanted, rtol=1e-9)


@pytest.mark.parametrize(
    "kernel",
    [
        "gaussian",
        "laplacian",
        "radial_laplacian",
        "cauchy",
        "epanechnikov",
        "uniform",
        "triangular",
    ],
)
@pytest.mark.parametrize("mode", ["log", "plain", "scaled"])
def test_trees_keep_light_points_beside_heavy_ones(kernel, mode):
    rng = np.random.default_rng(2)
    near, far = rng.normal(size=(150, 2)), 45.0 + rng.normal(size=(150, 2))
    Y = np.concatenate([near, far])
    weights = np.concatenate([np.full(150, 1e-200), np.full(150, 1e200)])
    X = near[:20] + 0.1
    options = {"kernel": kernel, "bandwidths": 1.0, "method": "tree"}
    wanted = log_reference(X, Y, weights, kernel=kernel, bandwidths=1.0)
    assert np.isfinite(wanted).all()
    if mode == "log":
        got = kernel_sums(X, Y, weights, log=True, **options)
    elif mode == "scaled":
        mantissa, log_scale = kernel_sums(X, Y, weights, scaled=True, **options)
        got = np.log(mantissa) + log_scale
    else:
        got = np.log(kernel_sums(X, Y, weights, **options))
    np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-11)


def test_trees_leave_a_point_out_of_the_part_of_its_own_size():
    rng = np.random.default_rng(7)
    X = np.concatenate([rng.normal(size=(200, 2)), 30.0 + rng.normal(size=(200, 2))])
    weights = 10.0 ** rng.choice([-250, 0, 250], size=400)
    options = {"bandwidths": 0.8, "exclude_self": True}
    got = kernel_sums(X, X, weights, log=True, method="tree", **options)
    check_logs(got, log_reference(X, X, weights, **options), 1e-11)


@pytest.mark.parametrize("method", ["dense", "tree"])
@pytest.mark.parametrize("size", [1e-60, 1e60, 1e-300, 1e300])
def test_single_precision_data_take_weights_that_only_double_precision_holds(size, method):
    rng = np.random.default_rng(1)
    X, Y = (rng.normal(size=(n, 2)).astype(np.float32) for n in (10, 50))
    weights = size * rng.uniform(0.5, 1.0, size=50)
    got = kernel_sums(X, Y, weights, bandwidths=0.7, log=True, method=method)
    assert got.dtype == np.float32
    check_logs(got, log_reference(X, Y, weights, bandwidths=0.7), 1e-5)


def test_single_precision_sums_and_labels_take_such_weights_too():
    rng = np.random.default_rng(1)
    X, Y = (rng.normal(size=(n, 2)).astype(np.float32) for n in (10, 50))
    weights = np.where(np.arange(50) % 2, 1e-60, 1.0)
    labels = np.arange(50) % 2
    got = labelled_kernel_sums(X, Y, labels, 2, weights, bandwidths=0.7)
    assert got.dtype == np.float32
    columns = np.stack([np.where(labels == c, weights, 0) for c in range(2)], axis=1)
    check_logs(got, log_reference(X, Y, columns, bandwidths=0.7), 1e-5)
    mantissa, log_scale = kernel_sums(X, Y, columns, bandwidths=0.7, scaled=True)
    assert mantissa.dtype == log_scale.dtype == np.float32
    plain = kernel_sums(X, Y, 1e30 * columns[:, :1] * 1e20, bandwidths=0.7)
    assert plain.dtype == np.float32
    assert np.isposinf(plain).all()  # too large for the type of the result, and no error


def test_sums_of_such_weights_that_single_precision_can_hold_are_finite():
    X = np.array([[8.0]], dtype=np.float32)
    Y = np.zeros((1, 1), dtype=np.float32)
    got = kernel_sums(X, Y, [1e45], bandwidths=0.8)
    np.testing.assert_allclose(got, reference.kernel_sums(X, Y, [1e45], bandwidths=0.8), rtol=1e-5)


@pytest.mark.parametrize("method", ["dense", "tree"])
def test_light_columns_are_not_lost_beside_heavy_ones(method):
    X, Y = np.array([[0.5]]), np.array([[0.0], [1.0]])
    weights = np.array([[1e200, 1e-200], [1e-200, 1e-200]])
    got = kernel_sums(X, Y, weights, bandwidths=1.0, method=method)
    np.testing.assert_allclose(
        got, reference.kernel_sums(X, Y, weights, bandwidths=1.0).astype(float), rtol=1e-11
    )


def test_a_sum_too_large_for_a_number_keeps_its_sign():
    X, Y = np.zeros((1, 60)), np.zeros((2, 60))
    weights = np.array([1e200, -1e-60])
    assert np.isposinf(kernel_sums(X, Y, weights, bandwidths=1e-17, method="dense")).all()
    assert np.isneginf(kernel_sums(X, Y, -weights, bandwidths=1e-17, method="dense")).all()


def test_a_column_is_not_lost_to_the_near_points_of_another():
    """In single precision the kernel at distance 27 underflows beside that of the near point."""
    X, Y = np.zeros((1, 1), np.float32), np.array([[0.0], [27.0]], np.float32)
    weights = np.array([[1e60, 0.0], [0.0, 1e60]])
    options = {"kernel": "logistic", "bandwidths": 0.2}
    wanted = reference.kernel_sums(X, Y, weights, **options)
    got = kernel_sums(X, Y, weights, **options)
    assert wanted[0, 1, 0] > 0.1
    np.testing.assert_allclose(got[0, 1], wanted[0, 1].astype(float), rtol=1e-4)
