"""A model's trees are built once, and live as long as the model."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from parzen import KernelDensity, ParzenClassifier
from parzen.sums import tree as _tree


@pytest.fixture
def built(monkeypatch):
    forests = []

    class Counting(_tree.Forest):
        def __init__(self, *args):
            super().__init__(*args)
            forests.append(self)

    monkeypatch.setattr(_tree, "Forest", Counting)
    return forests


def sample(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + y[:, None], y


@pytest.mark.parametrize(
    ("bandwidth", "metric"), [(0.3, None), ([[0.2, 0.4]], None), (0.3, "class")], ids=str
)
def test_a_density_builds_its_trees_once(built, bandwidth, metric):
    X, _ = sample()
    density = KernelDensity(bandwidth, metric=metric, method="tree", n_jobs=1).fit(X)
    before, size = set(vars(density)), len(pickle.dumps(density))
    first = density.score_samples(X[:50])
    np.testing.assert_array_equal(density.score_samples(X[:50]), first)
    assert len(built) == 1
    assert set(vars(density)) == before
    assert len(pickle.dumps(density)) == size
    exact = KernelDensity(bandwidth, metric=metric, method="dense").fit(X).score_samples(X[:50])
    np.testing.assert_allclose(first, exact, rtol=0, atol=1e-11)


def test_new_points_weights_and_bandwidths_make_new_trees(built):
    X, _ = sample()
    density = KernelDensity(0.3, method="tree").fit(X)
    density.score_samples(X[:5])
    for h, weights in [(0.5, None), (0.5, np.arange(len(X)) % 3 + 1.0)]:
        density.set_params(bandwidth=h).fit(X, sample_weight=weights)
        exact = KernelDensity(h, method="dense").fit(X, sample_weight=weights)
        got = density.score_samples(X[:5])
        np.testing.assert_allclose(got, exact.score_samples(X[:5]), rtol=0, atol=1e-11)
    density.partial_fit(X + 3)
    exact.partial_fit(X + 3)
    got = density.score_samples(X[:5])
    np.testing.assert_allclose(got, exact.score_samples(X[:5]), rtol=0, atol=1e-11)
    assert len(built) == 4


@pytest.mark.parametrize("bandwidth", [0.3, [0.2, 0.4]], ids=str)
def test_probabilities_build_the_trees_of_a_classifier_once(built, bandwidth):
    X, y = sample()
    clf = ParzenClassifier(bandwidth=bandwidth, method="tree", n_jobs=1).fit(X, y)
    first = clf.predict_proba(X[:50])
    once = len(built)
    np.testing.assert_array_equal(clf.predict_proba(X[:50]), first)
    assert len(built) == once == (1 if isinstance(bandwidth, float) else 2)
