"""Densities from a random few points: exact for all, without bias, never below the own kernel."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from parzen import LaplacianClassifier
from parzen.feature_space.sample_density import log_sample_density, sample_density
from parzen.kernels import get


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_the_estimate_has_no_bias(weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    w = rng.uniform(0.5, 2.0, size=30) if weighted else None
    density = sample_density(X, w, kernel=get("gaussian"), bandwidth=0.5)
    exact = np.exp(log_sample_density(density))
    state = np.random.RandomState(0)
    draws = np.array(
        [np.exp(log_sample_density(density, n_samples=10, rng=state)) for _ in range(1000)]
    )
    error = np.abs(draws.mean(axis=0) - exact)
    # a ratio estimator: unbiased for equal weights, nearly so for others
    assert (
        error < 4.5 * draws.std(axis=0) / np.sqrt(1000) + (0.02 * exact if weighted else 0)
    ).all()


def test_the_own_kernel_is_never_missed():
    X = np.random.default_rng(1).normal(size=(50, 500))
    density = sample_density(X, None, kernel=get("gaussian"), bandwidth=0.5)
    log_f = log_sample_density(density, n_samples=3, rng=np.random.RandomState(0))
    peak = get("gaussian").log_normalizer(0.5, 500)
    assert (log_f >= peak - np.log(50) - 1e-9).all()


def test_as_many_samples_as_points_is_exact(blobs):
    X, y = blobs
    exact = LaplacianClassifier().fit(X, y)
    for m in (80, 1000):
        sampled = LaplacianClassifier(n_density_samples=m).fit(X, y)
        np.testing.assert_array_equal(sampled.log_weights_, exact.log_weights_)
        np.testing.assert_array_equal(sampled.log_normalizers_, exact.log_normalizers_)


@pytest.mark.parametrize("bandwidth", [0.5, [0.5, 0.7, 0.9], [[0.5, 0.7]]])
@pytest.mark.parametrize("keep", [None, 0.3])
def test_weights_and_normalisers_come_close(bandwidth, keep):
    rng = np.random.default_rng(2)
    y = rng.integers(3, size=1500)
    X = rng.normal(size=(1500, 2)) + y[:, None]
    parameters = {"bandwidth": bandwidth, "keep": keep, "reduction": "l2"}
    exact = LaplacianClassifier(**parameters).fit(X, y)
    sampled = LaplacianClassifier(n_density_samples=400, random_state=0, **parameters).fit(X, y)
    assert np.median(np.abs(sampled.log_weights_ - exact.log_weights_)) < 0.1
    np.testing.assert_allclose(sampled.log_normalizers_, exact.log_normalizers_, atol=0.1)
    assert np.mean(sampled.predict(X) == exact.predict(X)) > 0.97


def test_one_sample_is_enough_to_run(blobs):
    X, y = blobs
    clf = LaplacianClassifier(n_density_samples=1, random_state=0).fit(X, y)
    assert np.isfinite(clf.predict_proba(X)).all()


def test_digits_keep_their_accuracy_with_a_tenth_of_the_points():
    X, y = load_digits(return_X_y=True)
    scores = [
        LaplacianClassifier(n_density_samples=m, random_state=0, bandwidth=4.0)
        .fit(X[::2], y[::2])
        .score(X[1::2], y[1::2])
        for m in (None, 90)
    ]
    assert scores[0] > 0.97
    assert scores[1] > scores[0] - 0.01
