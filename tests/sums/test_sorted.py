"""Sums of one feature by sorting: the dense answers in n log n."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import KernelDensity, kernel_sums
from parzen.classifiers import KernelNaiveBayes
from parzen.sums import labelled_kernel_sums, methods as _methods, reference
from parzen.sums.sorted import Sorted

COMPACT = ["uniform", "triangular", "epanechnikov"]
KERNELS = [*COMPACT, "laplacian", "radial_laplacian"]


@pytest.fixture
def always_sorted(monkeypatch):
    """Sorted sums even where dense ones would be faster."""
    monkeypatch.setattr(Sorted, "cost", lambda self, call, rtol, below: 0.0)


@pytest.mark.slow
@pytest.mark.usefixtures("always_sorted")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("offset", "scale"), [(0.0, 1.0), (1e3, 1.0), (0.0, 1e-6), (0.0, 1e9)])
def test_sums_agree_with_the_reference(kernel, dtype, offset, scale, assert_sums):
    rng = np.random.default_rng(0)
    X = (scale * (rng.normal(size=(80, 1)) + offset)).astype(dtype)
    Y = (scale * (rng.normal(size=(500, 1)) + offset)).astype(dtype)
    W = rng.normal(size=(500, 3))
    options = {"kernel": kernel, "bandwidths": scale * np.array([0.05, 0.4, 3.0])}
    assert_sums(kernel_sums(X, Y, W, **options), X, Y, W.astype(dtype), **options)


@pytest.mark.usefixtures("always_sorted")
@pytest.mark.parametrize("kernel", ["laplacian", "radial_laplacian"])
def test_log_sums_keep_their_promise_at_any_distance(kernel, assert_log_sums):
    rng = np.random.default_rng(1)
    Y = np.concatenate([rng.normal(size=(300, 1)), 1e6 + rng.normal(size=(300, 1))])
    X = np.concatenate([rng.normal(size=(30, 1)), [[-1e6], [5e5], [1e6], [3e6]]])
    W = rng.uniform(size=(600, 2)) * (rng.uniform(size=(600, 2)) < 0.5)
    options = {"kernel": kernel, "bandwidths": [0.01, 1.0, 100.0]}
    assert_log_sums(kernel_sums(X, Y, W, log=True, **options), X, Y, W, **options)


@pytest.mark.usefixtures("always_sorted")
@pytest.mark.parametrize("kernel", KERNELS)
def test_leaving_one_out_skips_the_row_among_ties(kernel, assert_log_sums):
    rng = np.random.default_rng(2)
    X = np.round(4 * rng.normal(size=(400, 1))) / 4
    options = {"kernel": kernel, "bandwidths": [0.1, 0.6, 2.1]}
    got = kernel_sums(X, X, exclude_self=True, log=True, **options)
    assert_log_sums(got, X, X, exclude_self=True, **options)


@pytest.mark.usefixtures("always_sorted")
@pytest.mark.parametrize("kernel", KERNELS)
def test_labels_are_columns(kernel):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 1))
    labels = rng.integers(0, 4, 300)
    w = rng.integers(0, 3, 300).astype(float)
    options = {"kernel": kernel, "bandwidths": [0.3, 1.0]}
    got = labelled_kernel_sums(X, X, labels, 5, w, exclude_self=True, **options)
    W = np.eye(5)[labels] * w[:, None]
    wanted = kernel_sums(X, X, W, exclude_self=True, log=True, method="dense", **options)
    np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-11)
    assert np.isneginf(got[:, 4]).all()


@pytest.mark.usefixtures("always_sorted")
def test_scaled_sums_keep_the_sign_where_the_sum_underflows():
    rng = np.random.default_rng(4)
    Y, w = rng.normal(size=(200, 1)), rng.normal(size=200)
    X = np.array([[-1e5], [0.0], [1e5]])
    got = kernel_sums(X, Y, w, kernel="laplacian", bandwidths=1.0, scaled=True)
    wanted = kernel_sums(X, Y, w, kernel="laplacian", bandwidths=1.0, scaled=True, method="dense")
    np.testing.assert_allclose(got.mantissa, wanted.mantissa, rtol=1e-9)
    np.testing.assert_allclose(got.log_scale, wanted.log_scale, rtol=1e-12)
    assert (got.mantissa != 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_200_000_points_in_a_moment_and_to_the_last_digits(kernel):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200_000, 1)) + 7.0
    got = kernel_sums(X, X, kernel=kernel, bandwidths=0.1, log=True, exclude_self=True)
    assert _methods.strategy_for(_call(X, kernel), "auto", 1e-12).name == "sorted"
    rows = rng.integers(0, len(X), 5)
    own = reference.kernel_sums(X[:1], X[:1], kernel=kernel, bandwidths=0.1)
    wanted = np.log(reference.kernel_sums(X[rows], X, kernel=kernel, bandwidths=0.1) - own)
    np.testing.assert_allclose(got[rows], wanted.astype(float), rtol=0, atol=1e-13)


def _call(X, kernel):
    from parzen.sums.call import Call

    return Call.prepare(X, X, kernel, 0.1, exclude_self=True, mode="log")


@pytest.mark.parametrize("kernel", ["laplacian", "epanechnikov"])
def test_the_number_of_threads_changes_no_bit(kernel):
    X = np.random.default_rng(6).normal(size=(4000, 1))
    labels = np.arange(4000) % 3
    one, three = (
        labelled_kernel_sums(X, X, labels, 3, kernel=kernel, bandwidths=[0.1, 0.2], n_jobs=n)
        for n in (1, 3)
    )
    np.testing.assert_array_equal(one, three)


def test_estimators_of_one_feature_use_it():
    rng = np.random.default_rng(7)
    X = rng.laplace(size=(5000, 1))
    density = KernelDensity(bandwidth=0.2, kernel="laplacian").fit(X)
    assert density.sums_method_ == "sorted"
    exact = KernelDensity(bandwidth=0.2, kernel="laplacian", method="dense").fit(X)
    np.testing.assert_allclose(density.score_samples(X), exact.score_samples(X), rtol=1e-12)


def test_naive_bayes_gives_the_labels_of_the_dense_sums():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(1500, 3))
    y = (X.sum(axis=1) + rng.normal(size=1500) > 0).astype(int)
    options = {"kernel": "epanechnikov", "bandwidth": 0.5}
    fast = KernelNaiveBayes(**options).fit(X, y)
    exact = KernelNaiveBayes(method="dense", **options).fit(X, y)
    queries = rng.normal(size=(1000, 3))
    np.testing.assert_array_equal(fast.predict(queries), exact.predict(queries))
    np.testing.assert_allclose(
        fast.predict_proba(queries), exact.predict_proba(queries), rtol=0, atol=1e-12
    )
