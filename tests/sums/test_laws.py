"""Laws that sums obey whatever the numbers: properties tried on generated samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from parzen import kernel_sums, kernels

NAMES = [name for name in kernels.names() if name not in ("polynomial", "linear")]
RADIAL = [name for name in NAMES if name != "laplacian"]
SMOOTH = ["gaussian", "cauchy", "laplacian", "radial_laplacian", "inverse_quadratic"]

coordinates = st.integers(-400, 400).map(lambda k: k / 64)  # exact in float32, sums exact too


@st.composite
def samples(draw, most=40):
    d = draw(st.integers(1, 7))
    shape = (draw(st.integers(1, most)), d)
    X = draw(hnp.arrays(np.float64, (draw(st.integers(1, 9)), d), elements=coordinates))
    Y = draw(hnp.arrays(np.float64, shape, elements=coordinates))
    w = draw(hnp.arrays(np.float64, shape[0], elements=st.integers(0, 4).map(float)))
    return X, Y, w


laws = settings(max_examples=20, deadline=None, derandomize=True)


def log_sums(X, Y, w=None, kernel="gaussian", bandwidths=(0.7, 1.9), **options):
    return kernel_sums(X, Y, w, kernel=kernel, bandwidths=bandwidths, log=True, **options)


def assert_same(a, b, tolerance=1e-12):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@laws
@given(samples(), st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(sample, kernel, random):
    X, Y, w = sample
    order = list(range(len(Y)))
    random.shuffle(order)
    assert_same(log_sums(X, Y[order], w[order], kernel), log_sums(X, Y, w, kernel))
    np.testing.assert_array_equal(log_sums(X[::-1], Y, w, kernel)[::-1], log_sums(X, Y, w, kernel))


@laws
@given(samples(), st.sampled_from(NAMES))
def test_the_order_of_columns_does_not_matter(sample, kernel):
    X, Y, w = sample
    order = np.arange(X.shape[1])[::-1]
    assert_same(log_sums(X[:, order], Y[:, order], w, kernel), log_sums(X, Y, w, kernel))


@laws
@given(samples(), st.sampled_from(NAMES), st.integers(-10_000, 10_000))
def test_a_translation_does_not_matter(sample, kernel, offset):
    X, Y, w = sample  # multiples of 1/64: the translated differences are exact
    assert_same(log_sums(X + offset, Y + offset, w, kernel), log_sums(X, Y, w, kernel))


@laws
@given(samples(), st.sampled_from([k for k in RADIAL if k in SMOOTH]), st.integers(0, 1000))
def test_a_rotation_does_not_matter_to_radial_kernels(sample, kernel, seed):
    X, Y, w = sample
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(X.shape[1],) * 2))
    assert_same(log_sums(X @ rotation, Y @ rotation, w, kernel), log_sums(X, Y, w, kernel), 1e-10)


@laws
@given(samples(), st.sampled_from(kernels.density_names()), st.integers(-20, 20))
def test_scaling_data_and_bandwidth_scales_the_density(sample, kernel, exponent):
    X, Y, w = sample
    c = 2.0**exponent
    h = np.array([0.7, 1.9])
    wanted = log_sums(X, Y, w, kernel, h) - X.shape[1] * np.log(c)
    assert_same(log_sums(c * X, c * Y, w, kernel, c * h), wanted)


@laws
@given(samples(), st.sampled_from(NAMES))
def test_a_weight_is_a_number_of_copies(sample, kernel):
    X, Y, w = sample
    copies = np.repeat(Y, w.astype(int), axis=0)
    if len(copies) == 0:
        assert np.isneginf(log_sums(X, Y, w, kernel)).all()
    else:
        assert_same(log_sums(X, copies, None, kernel), log_sums(X, Y, w, kernel))


@laws
@given(samples(), st.sampled_from(NAMES), st.floats(1e-6, 1e6))
def test_a_common_factor_of_the_weights_is_a_summand_of_the_logarithm(sample, kernel, factor):
    X, Y, w = sample
    assert_same(log_sums(X, Y, factor * w, kernel), log_sums(X, Y, w, kernel) + np.log(factor))


@laws
@given(samples(), st.sampled_from(NAMES))
def test_batches_of_queries_agree(sample, kernel):
    X, Y, w = sample
    rows = [log_sums(X[i : i + 1], Y, w, kernel) for i in range(len(X))]
    assert_same(np.concatenate(rows), log_sums(X, Y, w, kernel))


@laws
@given(samples(), st.sampled_from(NAMES))
def test_batches_of_points_add_up(sample, kernel):
    X, Y, w = sample
    half = len(Y) // 2
    assume(half > 0)
    parts = kernel_sums(X, Y[:half], w[:half], kernel=kernel, bandwidths=1.0)
    parts = parts + kernel_sums(X, Y[half:], w[half:], kernel=kernel, bandwidths=1.0)
    whole = kernel_sums(X, Y, w, kernel=kernel, bandwidths=1.0)
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-300)


@laws
@given(samples(), st.sampled_from(["inverse_quadratic", "gaussian_exponential"]), coordinates)
def test_a_constant_feature_does_not_matter_to_unnormalised_kernels(sample, kernel, value):
    X, Y, w = sample
    wider = [np.column_stack([A, np.full(len(A), value)]) for A in (X, Y)]
    assert_same(log_sums(*wider, w, kernel), log_sums(X, Y, w, kernel))


@laws
@given(samples(), st.sampled_from(SMOOTH))
def test_plain_sums_are_the_exponentials_of_log_sums(sample, kernel):
    X, Y, w = sample
    plain = kernel_sums(X, Y, w, kernel=kernel, bandwidths=(0.7, 1.9))
    logs = log_sums(X, Y, w, kernel)
    np.testing.assert_allclose(plain, np.exp(logs), rtol=1e-10, atol=1e-290)


@laws
@given(samples(most=30), st.sampled_from(NAMES))
def test_leaving_one_out_is_n_sums_over_the_others(sample, kernel):
    _, Y, w = sample
    assume(len(Y) > 1)
    once = log_sums(Y, Y, w, kernel, exclude_self=True)
    for i in range(min(len(Y), 5)):
        others = np.arange(len(Y)) != i
        assert_same(once[i : i + 1], log_sums(Y[i : i + 1], Y[others], w[others], kernel))


@laws
@given(samples())
def test_a_narrow_gaussian_sees_the_nearest_point(sample):
    X, Y, _ = sample
    columns = np.eye(len(Y))
    logs = log_sums(X, Y, columns, bandwidths=1e-3)[:, :, 0]
    distance = np.abs(X[:, None] - Y[None]) ** 2
    nearest = distance.sum(-1)
    np.testing.assert_array_equal(
        nearest[np.arange(len(X)), logs.argmax(axis=1)], nearest.min(axis=1)
    )


@laws
@given(samples(), st.sampled_from(SMOOTH))
def test_a_wide_kernel_counts_the_points(sample, kernel):
    X, Y, w = sample
    similarity = kernel_sums(X, Y, w, kernel=kernel, bandwidths=1e9)
    peak = np.exp(kernels.get(kernel).log_normalizer(1e9, X.shape[1]))
    np.testing.assert_allclose(similarity / peak, np.full_like(similarity, w.sum()), rtol=1e-6)


@pytest.mark.parametrize("kernel", NAMES)
def test_float32_and_float64_agree_on_the_same_numbers(kernel):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(20, 4)).astype(np.float32), rng.normal(size=(90, 4)).astype(np.float32)
    narrow = kernel_sums(X, Y, kernel=kernel, bandwidths=[1.0, 2.0])
    wide = kernel_sums(X.astype(float), Y.astype(float), kernel=kernel, bandwidths=[1.0, 2.0])
    np.testing.assert_allclose(narrow, wide, rtol=1e-5, atol=1e-5 * float(wide.max()))
