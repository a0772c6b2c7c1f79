"""Laws that hold for any data: what may not change an answer, and where limits lie."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sklearn.neighbors import KNeighborsClassifier

from parzen import KernelNaiveBayes, ParzenClassifier

few = settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
seeds = st.integers(0, 10_000)


def problem(seed):
    rng = np.random.default_rng(seed)
    n, d, C = rng.integers(12, 40), rng.integers(1, 5), rng.integers(2, 4)
    y = np.concatenate([np.arange(C), np.arange(C), rng.integers(0, C, size=n)])
    X = rng.normal(size=(len(y), d)) * rng.uniform(0.3, 3.0, size=d) + y[:, None]
    return X, y, rng


def posteriors(make, X, y, queries, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(**parameters).fit(X, y).predict_proba(queries)


@few
@given(seeds)
def test_the_order_of_rows_does_not_matter(make, seed):
    X, y, rng = problem(seed)
    order = rng.permutation(len(y))
    np.testing.assert_allclose(
        posteriors(make, X[order], y[order], X), posteriors(make, X, y, X), atol=1e-11
    )


@pytest.mark.slow
@few
@given(seeds)
def test_the_order_of_columns_does_not_matter(make, seed):
    X, y, rng = problem(seed)
    order = rng.permutation(X.shape[1])
    np.testing.assert_allclose(
        posteriors(make, X[:, order], y, X[:, order]), posteriors(make, X, y, X), atol=1e-9
    )


@pytest.mark.slow
@few
@given(seeds)
def test_the_names_of_the_classes_do_not_matter(make, seed):
    X, y, rng = problem(seed)
    names = rng.permutation(y.max() + 1)
    expected = posteriors(make, X, y, X, bandwidth=0.8)
    np.testing.assert_allclose(
        posteriors(make, X, names[y], X, bandwidth=0.8)[:, names], expected, atol=1e-11
    )


@pytest.mark.slow
@few
@given(seeds, st.floats(-1e4, 1e4))
def test_moving_everything_changes_nothing(make, seed, shift):
    X, y, _ = problem(seed)
    np.testing.assert_allclose(
        posteriors(make, X + shift, y, X + shift, bandwidth=0.8),
        posteriors(make, X, y, X, bandwidth=0.8),
        atol=1e-7,
    )


@few
@given(seeds, st.integers(-30, 30))
def test_units_do_not_matter(make, seed, exponent):
    X, y, _ = problem(seed)
    scale = 10.0**exponent
    np.testing.assert_allclose(
        posteriors(make, X * scale, y, X * scale), posteriors(make, X, y, X), atol=1e-8
    )


@few
@given(seeds)
def test_rotating_everything_changes_nothing_for_radial_kernels(seed):
    X, y, rng = problem(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(X.shape[1], X.shape[1])))
    for kernel in ("gaussian", "cauchy", "radial_laplacian", "epanechnikov"):
        np.testing.assert_allclose(
            posteriors(ParzenClassifier, X @ Q, y, X @ Q, kernel=kernel, bandwidth=2.0),
            posteriors(ParzenClassifier, X, y, X, kernel=kernel, bandwidth=2.0),
            atol=1e-9,
        )


@few
@given(seeds)
def test_copying_every_row_changes_nothing_at_a_given_bandwidth(make, seed):
    X, y, _ = problem(seed)
    if make not in (ParzenClassifier, KernelNaiveBayes):
        pytest.skip("a covariance knows the size of its sample")
    np.testing.assert_allclose(
        posteriors(make, np.repeat(X, 3, axis=0), np.repeat(y, 3), X, bandwidth=0.8),
        posteriors(make, X, y, X, bandwidth=0.8),
        atol=1e-12,
    )


@few
@given(seeds)
def test_a_constant_feature_says_nothing(make, seed):
    X, y, _ = problem(seed)
    wider = np.column_stack([X, np.full(len(X), 7.0)])
    if make not in (ParzenClassifier, KernelNaiveBayes):
        pytest.skip("shrinkage knows the number of features")
    np.testing.assert_allclose(
        posteriors(make, wider, y, wider, bandwidth=0.8),
        posteriors(make, X, y, X, bandwidth=0.8),
        atol=1e-11,
    )


@few
@given(seeds, st.floats(0.05, 0.9))
def test_a_larger_prior_never_lowers_a_probability(make, seed, share):
    if "eta" in make().get_params():
        pytest.skip("priors enter the fit of the L2 classifier, and change its densities")
    X, y, _ = problem(seed)
    C = y.max() + 1
    rest = (1 - share) / (C - 1)
    low = np.r_[share * 0.9, np.full(C - 1, (1 - share * 0.9) / (C - 1))]
    high = np.r_[share, np.full(C - 1, rest)]
    lower = posteriors(make, X, y, X, bandwidth=0.8, priors=low)[:, 0]
    higher = posteriors(make, X, y, X, bandwidth=0.8, priors=high)[:, 0]
    assert (higher >= lower - 1e-12).all()


@few
@given(seeds)
def test_a_huge_bandwidth_gives_the_priors(make, seed):
    X, y, _ = problem(seed)
    if make not in (ParzenClassifier, KernelNaiveBayes):
        pytest.skip("the heights of kernels of different metrics differ at any bandwidth")
    expected = np.tile(np.bincount(y) / len(y), (len(X), 1))
    np.testing.assert_allclose(posteriors(make, X, y, X, bandwidth=1e8), expected, atol=1e-9)


@few
@given(seeds)
def test_a_tiny_bandwidth_gives_the_nearest_neighbour(seed):
    X, y, rng = problem(seed)
    queries = rng.normal(size=(30, X.shape[1]))
    neighbour = KNeighborsClassifier(1).fit(X, y).predict(queries)
    clf = ParzenClassifier(bandwidth=1e-6).fit(X, y)
    np.testing.assert_array_equal(clf.predict(queries), neighbour)
