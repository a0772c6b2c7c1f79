"""Spectral alignment: the best re-weighting of the eigenvectors, out of sample too."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen.feature_space import AlignedKernel, kernel_alignment
from parzen.kernels import get


@parametrize_with_checks([AlignedKernel()])
def test_it_is_a_scikit_learn_transformer(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([AlignedKernel(n_components=3, n_jobs=1)])
def test_it_is_a_scikit_learn_transformer_in_another_form(estimator, check):
    check(estimator)


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=50) > 0, 1, -1)


def test_it_is_the_formula_of_cristianini(sample):
    X, xi = sample
    K = get("gaussian").similarity(X, X, bandwidth=1.0)
    V = np.linalg.eigh(K)[1]
    mu = (V.T @ xi) ** 2
    expected = (V * (mu / np.linalg.norm(mu))) @ V.T
    aligned = AlignedKernel(bandwidth=1.0, centered=False).fit(X, xi)
    np.testing.assert_allclose(aligned.gram(X, X), expected, atol=1e-8)
    # and its alignment is sqrt(sum <v_i, xi>^4) / m
    alignment = kernel_alignment(aligned.gram(X, X), xi, centered=False)
    assert alignment == pytest.approx(np.linalg.norm(mu) / len(xi), rel=1e-6)


@pytest.mark.parametrize("n_components", [None, 6])
def test_no_other_weights_of_the_same_axes_align_better(sample, n_components):
    X, xi = sample
    aligned = AlignedKernel(bandwidth=1.0, n_components=n_components).fit(X, xi)
    best = kernel_alignment(aligned.gram(X, X), xi)
    assert best > kernel_alignment(X, xi, kernel="gaussian", bandwidth=1.0)
    axes = aligned.transform(X) / np.sqrt(aligned.weights_)
    rng = np.random.default_rng(1)
    for _ in range(50):
        mu = aligned.weights_ * rng.uniform(0.5, 1.5, size=len(aligned.weights_))
        assert kernel_alignment((axes * mu) @ axes.T, xi) <= best + 1e-9


def test_new_points_enter_through_the_empirical_kernel_map(sample):
    X, xi = sample
    new = np.random.default_rng(2).normal(size=(7, 3))
    aligned = AlignedKernel(bandwidth=1.0, n_components=5, centered=False).fit(X, xi)
    K = get("gaussian").similarity(X, X, bandwidth=1.0)
    eigenvalues, V = (a[..., -5:] for a in np.linalg.eigh(K))
    mu = (V.T @ xi) ** 2
    extended = get("gaussian").similarity(new, X, bandwidth=1.0) @ V / eigenvalues
    expected = (extended * (mu / np.linalg.norm(mu))) @ V.T
    np.testing.assert_allclose(aligned.gram(new, X), expected, atol=1e-10)


def test_more_than_two_classes_are_aligned(sample):
    X, _ = sample
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    aligned = AlignedKernel(bandwidth=1.0).fit(X, y)
    before = kernel_alignment(X, y, kernel="gaussian", bandwidth=1.0)
    assert kernel_alignment(aligned.gram(X, X), y) > before
    with pytest.raises(ValueError, match="defined for two classes, but y has 3"):
        AlignedKernel(centered=False).fit(X, y)


def test_one_class_is_refused(sample):
    with pytest.raises(ValueError, match="only one class"):
        AlignedKernel(bandwidth=1.0).fit(sample[0], np.zeros(50))
