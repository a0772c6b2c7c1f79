"""The kernel LASSO against scikit-learn's coordinate descent and its optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from parzen import KernelLassoClassifier
from parzen.classifiers.least_squares import kernel_lasso
from parzen.kernels import gram


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(80, noise=0.3, random_state=0)
    order = np.lexsort(X.T[::-1])
    return X[order], y[order]


def weights(clf, n):
    w = np.zeros(n)
    w[clf.support_] = clf.dual_coef_[:, 0]
    return w


@pytest.mark.parametrize("bandwidth", [0.3, 0.8])
@pytest.mark.parametrize("penalty", [1e-1, 1e-2])
def test_weights_are_those_of_coordinate_descent(moons, bandwidth, penalty):
    X, y = moons
    K = gram(X, X, "gaussian", bandwidth)
    t = np.where(y == 1, 1.0, -1.0)
    lasso = Lasso(penalty, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(K, t)
    clf = KernelLassoClassifier(bandwidth=bandwidth, penalty=penalty).fit(X, y)
    np.testing.assert_allclose(clf.decision_function(X), K @ lasso.coef_, atol=1e-6)
    np.testing.assert_allclose(weights(clf, len(X)), lasso.coef_, atol=1e-5)


@pytest.mark.parametrize("kernel", ["gaussian", "inverse_quadratic", "gaussian_exponential"])
@pytest.mark.parametrize("penalty", [3e-2, 1e-3, 1e-4])
def test_the_conditions_of_optimality_hold(moons, kernel, penalty):
    X, y = moons
    clf = KernelLassoClassifier(kernel, 0.5, penalty, tol=1e-12).fit(X, y)
    K, t = gram(X, X, kernel, 0.5), np.where(y == 1, 1.0, -1.0)
    w = weights(clf, len(X))
    correlation = K.T @ (t - K @ w) / len(X)
    assert np.abs(correlation).max() <= penalty * (1 + 1e-5)
    on = w != 0
    np.testing.assert_allclose(correlation[on], penalty * np.sign(w[on]), rtol=1e-4)
    assert clf.optimality_gap_ <= 1e-12


def test_newton_steps_take_over_where_the_path_is_lost(moons, monkeypatch):
    X, y = moons
    expected = KernelLassoClassifier(bandwidth=0.5, penalty=1e-3).fit(X, y)

    def lost(A, b, least_cost):
        return np.array([least_cost]), np.zeros((A.shape[1], 1)), 1

    monkeypatch.setattr(kernel_lasso, "_lars", lost)
    clf = KernelLassoClassifier(bandwidth=0.5, penalty=1e-3).fit(X, y)
    assert clf.optimality_gap_ <= 1e-6
    np.testing.assert_allclose(clf.decision_function(X), expected.decision_function(X), atol=1e-3)
    with pytest.warns(ConvergenceWarning, match="optimality gap"):
        KernelLassoClassifier(bandwidth=0.5, penalty=1e-3, max_iter=1).fit(X, y)


def test_frequencies_weigh_the_squares_and_not_the_penalty(moons):
    X, y = moons
    w = np.random.default_rng(0).uniform(0.5, 3.0, len(X))
    clf = KernelLassoClassifier(bandwidth=0.5, penalty=0.01).fit(X, y, w)
    K, t = gram(X, X, "gaussian", 0.5), np.where(y == 1, 1.0, -1.0)
    lasso = Lasso(0.01, fit_intercept=False, tol=1e-12, max_iter=10**6)
    lasso.fit(K, t, sample_weight=w)
    np.testing.assert_allclose(clf.decision_function(X), K @ lasso.coef_, atol=1e-6)


def test_a_penalty_that_is_too_large_leaves_no_kernel(moons):
    X, y = moons
    K, t = gram(X, X, "gaussian", 0.5), np.where(y == 1, 1.0, -1.0)
    largest = np.abs(K.T @ t).max() / len(X)
    none = KernelLassoClassifier(bandwidth=0.5, penalty=1.001 * largest).fit(X, y)
    assert len(none.support_) == 0
    np.testing.assert_array_equal(none.predict_proba(X), 0.5)
    one = KernelLassoClassifier(bandwidth=0.5, penalty=0.999 * largest).fit(X, y)
    assert len(one.support_) == 1


@pytest.mark.slow
def test_fewer_kernels_than_rows_do(moons):
    X, y = make_moons(400, noise=0.3, random_state=1)
    clf = KernelLassoClassifier(penalty="cv").fit(X[:200], y[:200])
    assert len(clf.support_) < 60
    assert clf.score(X[200:], y[200:]) > 0.85
