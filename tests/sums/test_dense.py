"""Sums of every kernel, precision and shape of weights equal the plain version's."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import kernel_sums, kernels
from parzen._core import instruction_set, usable_instruction_sets
from parzen.kernels import get
from parzen.sums import DEFAULT_RTOL, PreparedSums, labelled_kernel_sums

GRID = np.array([0.6, 0.6 * np.sqrt(2), 1.2, 1.7])
LOGARITHMIC = [name for name in kernels.names() if name not in ("polynomial", "linear")]


def problem(d=3, queries=23, points=157, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(queries, d)).astype(dtype),
        rng.normal(size=(points, d)).astype(dtype),
    )


def weights_of_shape(shape, n, *, signed, dtype):
    rng = np.random.default_rng(5)
    columns = {"none": None, "vector": (n,), "matrix": (n, 3), "cube": (n, 2, len(GRID))}[shape]
    if columns is None:
        return None
    w = rng.normal(size=columns) if signed else rng.random(columns)
    w[rng.random(columns) < 0.3] = 0
    return w.astype(dtype)


@pytest.mark.parametrize("shape", ["none", "vector", "matrix", "cube"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", kernels.names())
def test_plain_sums_of_signed_weights(kernel, dtype, shape, assert_sums):
    X, Y = problem(dtype=dtype)
    w = weights_of_shape(shape, len(Y), signed=True, dtype=dtype)
    got = kernel_sums(X, Y, w, kernel=kernel, bandwidths=GRID)
    assert got.dtype == dtype
    assert got.shape == (len(X), 1 if w is None or w.ndim == 1 else w.shape[1], len(GRID))
    assert_sums(got, X, Y, w, kernel=kernel, bandwidths=GRID)


@pytest.mark.parametrize("shape", ["none", "vector", "matrix", "cube"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "kernel", [k for k in LOGARITHMIC if k not in ("triangular", "epanechnikov")]
)
def test_log_sums(kernel, dtype, shape, assert_log_sums):
    X, Y = problem(dtype=dtype)
    w = weights_of_shape(shape, len(Y), signed=False, dtype=dtype)
    got = kernel_sums(X, Y, w, kernel=kernel, bandwidths=GRID, log=True)
    assert got.dtype == dtype
    assert_log_sums(got, X, Y, w, kernel=kernel, bandwidths=GRID)


@pytest.mark.parametrize("kernel", ["triangular", "epanechnikov"])
def test_log_sums_of_kernels_that_fall_to_zero(kernel, assert_log_sums, assert_sums):
    """Where a sum is no tiny remainder of a cancellation its logarithm keeps all digits."""
    X, Y = problem(d=1, points=400)
    for h in (1.0, 3.0):
        got = kernel_sums(X, Y, kernel=kernel, bandwidths=h, log=True)
        assert_sums(np.exp(got), X, Y, kernel=kernel, bandwidths=h)
    inner = np.abs(X[:, 0]) < 1
    got = kernel_sums(X[inner], Y, kernel=kernel, bandwidths=1.0, log=True)
    assert_log_sums(got, X[inner], Y, kernel=kernel, bandwidths=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("points", [40, 420])  # below and above where pairs are visited once
@pytest.mark.parametrize("kernel", kernels.names())
def test_leaving_the_own_point_out(kernel, points, log, assert_sums, assert_log_sums):
    if log and kernel not in LOGARITHMIC:
        pytest.skip(f"{kernel} has no logarithm")
    X, _ = problem(queries=points, d=2)
    options = {"kernel": kernel, "bandwidths": GRID, "exclude_self": True}
    got = kernel_sums(X, X, log=log, **options)
    if log and kernel not in ("triangular", "epanechnikov"):
        assert_log_sums(got, X, X, **options)
    else:
        assert_sums(np.exp(got) if log else got, X, X, **options)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", kernels.density_names())
def test_self_convolutions_are_kernels_for_sums(kernel, assert_sums):
    X, Y = problem(d=2, queries=7, points=40)
    convolved = kernels.get(kernel).convolved(2)
    got = kernel_sums(X, Y, kernel=convolved, bandwidths=[0.7, 1.3])
    assert_sums(got, X, Y, kernel=convolved, bandwidths=[0.7, 1.3])


@pytest.mark.parametrize("kernel", LOGARITHMIC)
def test_scaled_sums_are_the_sums(kernel):
    X, Y = problem()
    w = np.random.default_rng(1).normal(size=(len(Y), 2))
    mantissa, log_scale = kernel_sums(X, Y, w, kernel=kernel, bandwidths=GRID, scaled=True)
    assert mantissa.shape == (len(X), 2, len(GRID))
    assert log_scale.shape == (len(X), 1, len(GRID))
    plain = kernel_sums(X, Y, w, kernel=kernel, bandwidths=GRID)
    largest = np.abs(plain).max()
    np.testing.assert_allclose(mantissa * np.exp(log_scale), plain, rtol=0, atol=1e-12 * largest)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "cauchy", "gaussian_exponential"])
def test_scaled_sums_keep_signs_and_ratios_far_from_the_data(kernel):
    rng = np.random.default_rng(2)
    Y = rng.normal(size=(50, 3))
    w = rng.normal(size=(50, 2))
    far = np.array([[1e5, 0.0, 0.0], [-3e4, 2e4, 1e4]])
    mantissa, log_scale = kernel_sums(far, Y, w, kernel=kernel, bandwidths=1.0, scaled=True)
    logs = kernels.get(kernel).log(far, Y, bandwidth=1.0)
    wanted = np.exp(logs - logs.max(axis=1, keepdims=True)) @ w
    np.testing.assert_allclose(log_scale[:, 0, 0], logs.max(axis=1), rtol=1e-12)
    # A kernel value relative to the largest one inherits the error of two large logarithms.
    allowed = 1e-12 * (1 + np.abs(log_scale[:, :, 0])) * np.abs(w).sum(axis=0)
    assert (np.abs(mantissa[:, :, 0] - wanted) <= allowed).all()


def test_a_long_geometric_grid_equals_one_bandwidth_at_a_time():
    X, Y = problem(d=4)
    grid = 0.3 * 2 ** (np.arange(50) / 8)
    together = kernel_sums(X, Y, bandwidths=grid, log=True)
    for b in range(0, 50, 7):
        alone = kernel_sums(X, Y, bandwidths=grid[b], log=True)
        np.testing.assert_allclose(together[:, :, b], alone[:, :, 0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "uniform"])
def test_labels_are_weight_columns(kernel, exclude_self, weighted):
    X, _ = problem(queries=90)
    labels = np.random.default_rng(3).integers(0, 7, len(X))
    w = np.random.default_rng(4).integers(0, 3, len(X)).astype(float) if weighted else None
    one_hot = np.eye(9)[labels] * (1 if w is None else w[:, None])
    options = {"kernel": kernel, "bandwidths": GRID, "exclude_self": exclude_self}
    got = labelled_kernel_sums(X, X, labels, 9, w, **options)
    wanted = kernel_sums(X, X, one_hot, log=True, **options)
    assert np.isneginf(got[:, 7:]).all()
    np.testing.assert_allclose(got, wanted, rtol=1e-13, atol=1e-13)


def test_labels_work_with_a_kernel_that_the_core_does_not_know():
    X, Y = problem(points=30)
    labels = np.arange(30) % 4
    kernel = kernels.get("epanechnikov").convolved(3)
    got = labelled_kernel_sums(X, Y, labels, 4, kernel=kernel, bandwidths=2.0)
    wanted = kernel_sums(X, Y, np.eye(4)[labels], kernel=kernel, bandwidths=2.0, log=True)
    np.testing.assert_allclose(got, wanted, rtol=1e-13)


def test_a_column_without_weight_has_an_empty_sum():
    X, Y = problem()
    w = np.zeros((len(Y), 2))
    w[:, 0] = 1
    logs = kernel_sums(X, Y, w, bandwidths=1.0, log=True)
    assert np.isneginf(logs[:, 1]).all()
    assert np.isfinite(logs[:, 0]).all()
    assert (kernel_sums(X, Y, 0 * w, bandwidths=1.0) == 0).all()


@pytest.mark.parametrize("log", [False, True])
def test_zero_queries_give_an_empty_result(log):
    _, Y = problem()
    got = kernel_sums(
        np.empty((0, 3)), Y, np.ones((len(Y), 2)), bandwidths=[1.0, 2.0, 3.0], log=log
    )
    assert got.shape == (0, 2, 3)


def test_zero_queries_give_empty_scaled_sums():
    _, Y = problem()
    mantissa, log_scale = kernel_sums(np.empty((0, 3)), Y, bandwidths=1.0, scaled=True)
    assert mantissa.shape == (0, 1, 1)
    assert log_scale.shape == (0, 1, 1)


def prepared(kind, X):
    if kind == "read-only":
        X = X.copy()
        X.flags.writeable = False
        return X
    if kind == "strided":
        return np.repeat(X, 2, axis=0)[::2]
    if kind == "reversed":
        return X[::-1][::-1]
    if kind == "list":
        return X.tolist()
    return np.asfortranarray(X)


@pytest.mark.parametrize("kind", ["fortran", "read-only", "strided", "reversed", "list"])
def test_the_layout_in_memory_does_not_matter(kind):
    X, Y = problem()
    wanted = kernel_sums(X, Y, bandwidths=GRID)
    got = kernel_sums(prepared(kind, X), prepared(kind, Y), bandwidths=GRID)
    np.testing.assert_array_equal(got, wanted)


def test_memory_mapped_points(tmp_path):
    X, Y = problem()
    np.save(tmp_path / "points.npy", Y)
    mapped = np.load(tmp_path / "points.npy", mmap_mode="r")
    np.testing.assert_array_equal(
        kernel_sums(X, mapped, bandwidths=1.0), kernel_sums(X, Y, bandwidths=1.0)
    )


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint32, np.int64, np.float16])
def test_other_numbers_are_converted(dtype):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 2, (5, 3)).astype(dtype), rng.integers(0, 2, (20, 3)).astype(dtype)
    got = kernel_sums(X, Y, bandwidths=1.0)
    assert got.dtype == (np.float32 if dtype is np.float16 else np.float64)
    wanted = kernel_sums(X.astype(float), Y.astype(float), bandwidths=1.0)
    np.testing.assert_allclose(got, wanted, rtol=1e-5 if dtype is np.float16 else 0)


def test_one_precision_of_two_is_the_wider():
    X, Y = problem(dtype=np.float32)
    got = kernel_sums(X, Y.astype(np.float64), bandwidths=1.0)
    assert got.dtype == np.float64
    np.testing.assert_array_equal(
        got, kernel_sums(X.astype(np.float64), Y.astype(np.float64), bandwidths=1.0)
    )


@pytest.mark.parametrize("mode", ["log", "scaled"])
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "cauchy"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_packed_points_give_the_sums_of_one_query_to_the_last_bit(mode, kernel, dtype):
    rng = np.random.default_rng(0)
    Y, X = rng.normal(size=(90, 5)).astype(dtype), rng.normal(size=(4, 5)).astype(dtype)
    weights = rng.uniform(0.1, 1.0, size=(90, 3)).astype(dtype)
    how = {"kernel": get(kernel), "bandwidth": 0.7, "mode": mode}
    sums = PreparedSums(Y, weights, **how)
    for x in X:
        few = sums.at(x[None], method="auto", rtol=DEFAULT_RTOL, n_jobs=1)
        plain = sums.at(x[None], method="dense", rtol=DEFAULT_RTOL, n_jobs=1)
        assert sums._packed is not None
        for found, wanted in zip(few, plain, strict=True):
            assert np.array_equal(found, wanted)


def test_packed_points_follow_the_instruction_set():
    rng = np.random.default_rng(0)
    Y, x = rng.normal(size=(90, 5)), rng.normal(size=(1, 5))
    sums = PreparedSums(Y, kernel=get("gaussian"), bandwidth=0.7, mode="log")
    how = {"rtol": DEFAULT_RTOL, "n_jobs": 1}
    sums.at(x, method="auto", **how)
    for name in usable_instruction_sets():
        with instruction_set(name):
            found, wanted = (sums.at(x, method=method, **how) for method in ("auto", "dense"))
            assert np.array_equal(found, wanted)
