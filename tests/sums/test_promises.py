"""The promised errors of log-sums: any dimension, any offset, any distance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_digits

from parzen import kernel_sums, kernels
from parzen.bandwidth import scott
from parzen.sums import labelled_kernel_sums, reference

FACTORED = ["gaussian", "cauchy", "laplacian", "radial_laplacian", "inverse_quadratic"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8, 16, 33, 100, 250, 500])
def test_log_sums_in_any_dimension(d, dtype, assert_log_sums):
    rng = np.random.default_rng(d)
    X, Y = rng.normal(size=(12, d)).astype(dtype), rng.normal(size=(70, d)).astype(dtype)
    for kernel in FACTORED:
        options = {"kernel": kernel, "bandwidths": np.sqrt(d) * np.array([0.05, 0.3, 1.0])}
        assert_log_sums(kernel_sums(X, Y, log=True, **options), X, Y, **options)


@pytest.mark.parametrize("d", [2, 5, 10, 20, 30, 40, 50])
def test_dimension_scan(d, assert_log_sums):
    rng = np.random.default_rng(d)
    Y = rng.normal(size=(2000, d))
    X = rng.normal(size=(15, d))
    h = scott(Y) * np.array([0.2, 0.5, 1.0])
    got = kernel_sums(X, Y, bandwidths=h, log=True)
    assert_log_sums(got, X, Y, bandwidths=h, tolerance=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("h", [0.5, 1.0, 2.0, 3.0, 5.0])
def test_digits_get_the_labels_of_the_reference(h):
    X, y = load_digits(return_X_y=True)
    queries, X, y = X[:200], X[200:], y[200:]
    got = labelled_kernel_sums(queries, X, y, 10, bandwidths=h)[:, :, 0]
    wanted = reference.kernel_sums(queries, X, np.eye(10)[y], bandwidths=h, log=True)[:, :, 0]
    assert float(np.abs(got - wanted).max()) <= 1e-9
    # Pixels are whole numbers, so two classes may be equally near: then no label is the right one.
    second, first = np.sort(wanted, axis=1)[:, -2:].T
    tied = first == second
    assert tied.sum() <= 1
    np.testing.assert_array_equal(got.argmax(axis=1)[~tied], wanted.argmax(axis=1)[~tied])


@pytest.mark.parametrize("kernel", [*FACTORED, "gaussian_exponential"])
@pytest.mark.parametrize("d", [2, 7, 40])
@pytest.mark.parametrize(
    ("dtype", "offset", "tolerance"), [(np.float64, 1e8, 1e-9), (np.float32, 1e3, 1e-5)]
)
def test_an_offset_of_the_data_costs_nothing(kernel, d, dtype, offset, tolerance, assert_log_sums):
    rng = np.random.default_rng(d)
    X = (rng.normal(size=(10, d)) + offset).astype(dtype)
    Y = (rng.normal(size=(60, d)) + offset).astype(dtype)
    options = {"kernel": kernel, "bandwidths": [0.5, 1.0]}
    got = kernel_sums(X, Y, log=True, **options)
    assert_log_sums(got, X, Y, tolerance=tolerance, **options)


@pytest.mark.parametrize("d", [2, 7, 40])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-9), (np.float32, 1e-5)])
def test_two_clusters_far_apart(d, dtype, tolerance, assert_log_sums):
    rng = np.random.default_rng(d)
    X, Y = rng.normal(size=(10, d)), rng.normal(size=(60, d))
    X[:5] += 1e6
    Y[::2] += 1e6
    X, Y = X.astype(dtype), Y.astype(dtype)
    got = kernel_sums(X, Y, bandwidths=[0.5, 1.0], log=True)
    assert_log_sums(got, X, Y, bandwidths=[0.5, 1.0], tolerance=tolerance)


@pytest.mark.parametrize("kernel", FACTORED)
@pytest.mark.parametrize(("d", "distance"), [(500, 0.0), (3, 1e6), (500, 1e6)])
def test_posteriors_never_underflow(kernel, d, distance):
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(40, d))
    X = rng.normal(size=(8, d)) + distance
    w = np.eye(2)[np.arange(40) % 2]
    got = softmax(kernel_sums(X, Y, w, kernel=kernel, bandwidths=1.0, log=True)[:, :, 0], axis=1)
    exact = reference.kernel_sums(X, Y, w, kernel=kernel, bandwidths=1.0, log=True)[:, :, 0]
    assert np.isfinite(got).all()
    np.testing.assert_allclose(got.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    # The posterior is the logistic function of a difference of logarithms of this size.
    atol = 1e-12 * (1 + float(np.abs(exact).max()))
    wanted = softmax(exact, axis=1).astype(float)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=min(atol, 0.5))
    decided = np.abs(exact[:, 0] - exact[:, 1]) > 2 * atol
    np.testing.assert_array_equal(got.argmax(axis=1)[decided], exact.argmax(axis=1)[decided])


@pytest.mark.parametrize("kernel", ["uniform", "triangular", "epanechnikov"])
def test_compact_kernels_have_nothing_off_their_support(kernel):
    Y = np.random.default_rng(0).normal(size=(40, 3))
    logs = kernel_sums(Y + 100, Y, kernel=kernel, bandwidths=1.0, log=True)
    assert np.isneginf(logs).all()


@pytest.mark.parametrize("kernel", kernels.density_names())
@pytest.mark.parametrize("exponent", [-150, -40, 40, 150])
def test_scales_far_from_one(kernel, exponent):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(9, 3)), rng.normal(size=(50, 3))
    c = 10.0**exponent
    options = {"kernel": kernel, "log": True}
    moved = kernel_sums(c * X, c * Y, bandwidths=c * np.array([1.0, 3.0]), **options)
    plain = kernel_sums(X, Y, bandwidths=[1.0, 3.0], **options)
    wanted = plain - 3 * np.log(c)
    inside = np.isfinite(plain) & (plain > -20)  # off the very edge of a compact support
    np.testing.assert_allclose(moved[inside], wanted[inside], rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("bandwidths", [1.0, [0.1, 2.0], np.geomspace(0.1, 10, 20)])
@pytest.mark.parametrize(("dtype", "decades"), [(np.float64, 300), (np.float32, 36)])
def test_weights_of_any_size(dtype, decades, bandwidths, same, assert_log_sums):
    """Heavy points far away and light ones nearby, none of which may be lost."""
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(80, 2)).astype(dtype)
    Y[40:, 0] += 30
    X = Y if same else (rng.normal(size=(30, 2)) * 30).astype(dtype)
    w = (10.0 ** np.linspace(-decades, decades, 80)).astype(dtype)
    w[3] = 0
    options = {"kernel": "gaussian", "bandwidths": bandwidths, "exclude_self": same}
    got = kernel_sums(X, Y, w, log=True, **options)
    assert_log_sums(got, X, Y, weights=w, **options)


def test_densities_in_500_dimensions_are_formed_without_overflow():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(5, 500)), rng.normal(size=(30, 500))
    logs = kernel_sums(X, Y, bandwidths=20.0, log=True)
    # 500 log(20) = 1498: the normaliser alone lies far outside of the range of float64.
    got = kernel_sums(X / 20, Y / 20, bandwidths=1.0)
    np.testing.assert_allclose(np.log(got), logs + 500 * np.log(20.0), rtol=1e-12)
    assert (kernel_sums(X, Y, bandwidths=20.0) == 0).all()  # exp(-2000) is no float64
