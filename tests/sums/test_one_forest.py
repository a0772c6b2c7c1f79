"""A model's trees are built once, and live as long as the model."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from parzen import KernelDensity, LSSVMClassifier, ParzenClassifier
from parzen.expansion import prepared as _prepared
from parzen.sums import tree as _tree


@pytest.fixture
def built(monkeypatch):
    forests = []

    class Counting(_tree.Forest):
        def __init__(self, *args):
            super().__init__(*args)
            forests.append(self)

    monkeypatch.setattr(_tree, "Forest", Counting)
    monkeypatch.setattr(_prepared, "Forest", Counting)
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
    assert len(built) == once == 1


@pytest.mark.parametrize("bandwidth", [0.3, [0.2, 0.4], [[0.2, 0.4]]], ids=str)
@pytest.mark.parametrize("method", ["tree", "auto"])
def test_labels_and_probabilities_share_one_forest(built, bandwidth, method):
    X, y = sample(30_000)
    clf = ParzenClassifier(bandwidth=bandwidth, method=method, n_jobs=1).fit(X, y)
    queries = X[:3000]
    probabilities = clf.predict_proba(queries)
    assert len(built) == (1 if method == "tree" else 0)  # exact sums are quicker
    np.testing.assert_array_equal(clf.predict(queries), probabilities.argmax(axis=1))
    clf.with_decision(reject=0.2).predict(queries)
    assert len(built) == 1


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", [0.5, [0.4, 0.5]], ids=str)
def test_signed_scores_and_labels_share_one_forest(built, bandwidth):
    X, y = sample()
    clf = LSSVMClassifier(bandwidth=bandwidth, C=1.0, method="tree", n_jobs=1)
    scores = clf.fit(X, y).decision_function(X[:50])
    np.testing.assert_array_equal(clf.predict(X[:50]), (scores > 0).astype(int))
    assert len(built) == 1
    exact = clf.set_params(method="dense").decision_function(X[:50])
    np.testing.assert_allclose(scores, exact, rtol=1e-9, atol=1e-9)


def test_many_threads_build_one_forest(built):
    X, y = sample()
    clf = ParzenClassifier(bandwidth=0.3, method="tree", n_jobs=1).fit(X, y)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda ask: ask(X[:50]), [clf.predict, clf.predict_proba] * 4))
    assert len(built) == 1


def test_copies_and_pickles_leave_the_trees_behind(built):
    X, y = sample()
    clf = ParzenClassifier(bandwidth=0.3, method="tree").fit(X, y)
    size = len(pickle.dumps(clf))
    labels = clf.predict(X[:50])
    assert len(pickle.dumps(clf)) == size
    for other in (copy.copy(clf.expansion_), pickle.loads(pickle.dumps(clf.expansion_))):
        assert not other.prepared.trees.is_built
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).predict(X[:50]), labels)
