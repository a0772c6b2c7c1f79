"""Rows that carry weights in a large L2 fit: merged from the supports of parts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from parzen import L2Classifier
from parzen.classifiers.l2 import supports as _l2_supports
from parzen.classifiers.l2.supports import dealt, heaviest
from parzen.datasets import make_ringnorm


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(_l2_supports, "PART_ROWS", 250)


def drawn_at_random(monkeypatch):
    def draw(sample, count, *_):
        return np.sort(np.random.default_rng(0).choice(len(sample.codes), count, replace=False))

    monkeypatch.setattr("parzen.classifiers.l2.simplex_weights.merged_supports", draw)


def test_every_row_is_dealt_once_and_classes_evenly():
    codes = np.random.default_rng(0).choice(3, 1003, p=[0.6, 0.3, 0.1])
    parts = dealt(codes, 7, np.random.RandomState(0))
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(1003))
    counts = np.array([np.bincount(codes[part], minlength=3) for part in parts])
    assert (np.ptp(counts, axis=0) <= 1).all()


def test_a_rare_class_is_in_every_part():
    codes = np.array([0] * 50 + [1] * 2)
    for part in dealt(codes, 5, np.random.RandomState(0)):
        assert list(codes[part]) == [0] * 10 + [1]


def test_the_heaviest_rows_are_kept_and_one_of_every_class():
    codes, weights = np.array([0, 0, 1, 1, 2]), np.array([0.5, 0.4, 0.3, 0.2, 0.01])
    assert set(heaviest(codes, weights, 4)) == {0, 1, 2, 4}
    assert set(heaviest(codes, weights, 1)) == {0, 2, 4}
    assert len(heaviest(codes, weights, 99)) == 5


def test_supports_of_parts_come_close_to_the_exact_fit(small_parts, monkeypatch):
    """In many dimensions, where the number of kernels counts."""
    X, y = make_ringnorm(2000, random_state=0)
    Q, truth = make_ringnorm(4000, random_state=1)
    exact = L2Classifier(bandwidth=1.0, n_landmarks=None).fit(X, y)
    merged = L2Classifier(bandwidth=1.0, n_landmarks=1200).fit(X, y)
    few = L2Classifier(bandwidth=1.0, n_landmarks=500).fit(X, y)
    drawn_at_random(monkeypatch)
    drawn = L2Classifier(bandwidth=1.0, n_landmarks=500).fit(X, y)
    assert exact.objective_ - 1e-9 <= merged.objective_ <= few.objective_ <= drawn.objective_
    assert merged.score(Q, truth) > exact.score(Q, truth) - 0.003
    assert few.score(Q, truth) > drawn.score(Q, truth) + 0.02
    assert len(few.support_) <= 500


def test_parts_agree_with_the_whole_where_few_kernels_do(small_parts):
    X, y = make_blobs(1500, centers=3, cluster_std=2.5, random_state=0)
    exact = L2Classifier(bandwidth=2.0, n_landmarks=None).fit(X, y)
    merged = L2Classifier(bandwidth=2.0, n_landmarks=300).fit(X, y)
    assert merged.objective_ == pytest.approx(exact.objective_, rel=2e-3)
    assert np.mean(merged.predict(X) != exact.predict(X)) < 0.01


def test_threads_do_not_matter(small_parts):
    X, y = make_ringnorm(1500, random_state=2)
    one, two = (
        L2Classifier(bandwidth=1.0, n_landmarks=200, n_jobs=jobs).fit(X, y) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.support_, two.support_)
    np.testing.assert_array_equal(one.weights_, two.weights_)


def test_a_rare_class_carries_a_weight(small_parts):
    X, y = make_ringnorm(1500, random_state=3)
    classes = {*np.unique(y).tolist(), 7}
    y[:2] = 7
    clf = L2Classifier(bandwidth=1.0, n_landmarks=100).fit(X, y)
    assert set(y[clf.support_].tolist()) == classes
