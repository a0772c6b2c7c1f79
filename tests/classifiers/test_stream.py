"""Learning from a stream: windows, decaying weights, bandwidths that are held or chosen anew."""

from __future__ import annotations

import pickle
import tracemalloc
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

import parzen
from parzen import KernelDensity, KernelNaiveBayes, ParzenClassifier
from parzen.bandwidth import Rule

CLASSIFIERS = [ParzenClassifier, KernelNaiveBayes]


def batches(n, size=20):
    return [slice(i, i + size) for i in range(0, n, size)]


def streamed(estimator, X, y, size=20):
    for rows in batches(len(X), size):
        estimator.partial_fit(X[rows], y[rows], classes=[0, 1])
    return estimator


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_a_window_keeps_the_latest_rows(make):
    X, y = make_moons(100, noise=0.2, random_state=0)
    stream = streamed(make(bandwidth=0.4, window=30), X, y)
    latest = make(bandwidth=0.4).fit(X[-30:], y[-30:])
    np.testing.assert_allclose(stream.predict_proba(X), latest.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_forgetting_is_a_weight_that_decays_with_every_row(make):
    X, y = make_moons(100, noise=0.2, random_state=0)
    stream = streamed(make(bandwidth=0.4, forget=0.05), X, y, size=7)
    weights = 0.95 ** np.arange(99, -1, -1)
    whole = make(bandwidth=0.4).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(stream.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


def test_a_density_forgets_too():
    X = np.random.default_rng(0).normal(size=(60, 2))
    stream = KernelDensity(bandwidth=0.4, forget=0.1, window=50)
    for rows in batches(60):
        stream.partial_fit(X[rows])
    weights = 0.9 ** np.arange(49, -1, -1)
    whole = KernelDensity(bandwidth=0.4).fit(X[10:], sample_weight=weights)
    np.testing.assert_allclose(stream.score_samples(X), whole.score_samples(X), rtol=1e-11)


@pytest.mark.parametrize("make", [*CLASSIFIERS, KernelDensity])
def test_a_chosen_bandwidth_is_held_until_it_is_chosen_anew(make):
    X, y = make_moons(120, noise=0.2, random_state=0)
    X = X * np.linspace(1, 3, 120)[:, None]
    held, anew = make(bandwidth="silverman"), make(bandwidth="silverman", rechoose=60)
    widths = []
    for rows in batches(120):
        for estimator in (held, anew):
            feed(estimator, X, y, rows)
        widths.append((np.copy(held.bandwidth_), np.copy(anew.bandwidth_)))
    first = make(bandwidth="silverman")
    first = first.fit(X[:20]) if make is KernelDensity else first.fit(X[:20], y[:20])
    for width, _ in widths:
        np.testing.assert_allclose(width, first.bandwidth_)
    changes = [bool(np.any(a[1] != b[1])) for a, b in pairwise(widths)]
    assert changes == [False, False, True, False, False]


def feed(estimator, X, y, rows):
    more = () if isinstance(estimator, KernelDensity) else (y[rows], [0, 1])
    return estimator.partial_fit(X[rows], *more)


@pytest.mark.parametrize("make", [*CLASSIFIERS, KernelDensity])
@pytest.mark.parametrize("before", ["likelihood", "silverman", 0.5])
def test_a_bandwidth_that_is_given_along_a_stream_is_taken(make, before):
    X, y = make_moons(120, noise=0.2, random_state=0)
    stream = make(bandwidth=before)
    for rows in batches(80):
        feed(stream, X, y, rows)
    feed(stream.set_params(bandwidth=0.25), X, y, slice(80, 120))
    whole = make(bandwidth=0.25)
    whole = whole.fit(X) if make is KernelDensity else whole.fit(X, y)
    np.testing.assert_array_equal(stream.bandwidth_, whole.bandwidth_)
    np.testing.assert_allclose(stream.score_samples(X), whole.score_samples(X), rtol=1e-11)


@pytest.mark.parametrize("make", [*CLASSIFIERS, KernelDensity])
def test_rows_are_counted_from_the_last_choice_or_fit(make):
    X, y = make_moons(120, noise=0.2, random_state=0)
    stream = make(bandwidth="silverman", rechoose=40)
    for rows in batches(60, 30):
        feed(stream, X, y, rows)
    if make is KernelDensity:
        stream.fit(X[:60])
    else:
        stream.fit(X[:60], y[:60])
    widths = [np.copy(stream.bandwidth_)]
    for rows in (slice(60, 80), slice(80, 100), slice(100, 120)):
        widths.append(np.copy(feed(stream, X, y, rows).bandwidth_))
    assert [bool(np.any(a != b)) for a, b in pairwise(widths)] == [False, True, False]


@dataclass(frozen=True)
class InterruptedRule(Rule):
    """Silverman's rule, which is interrupted where rows are as many as these."""

    n_rows: list[int] = field(default_factory=list)

    def _select(self, sample):
        if len(sample) in self.n_rows:
            self.n_rows.remove(len(sample))
            raise KeyboardInterrupt
        return super()._select(sample)


@pytest.mark.parametrize("make", [ParzenClassifier, KernelDensity])
def test_rows_whose_choice_was_interrupted_are_not_added(make):
    X, y = make_moons(120, noise=0.2, random_state=0)
    stream = make(bandwidth=InterruptedRule(n_rows=[80]), rechoose=40)
    feed(stream, X, y, slice(0, 40))
    before = dict(vars(stream))
    with pytest.raises(KeyboardInterrupt):
        feed(stream, X[::-1], y[::-1], slice(40, 80))
    assert vars(stream).keys() == before.keys()
    assert all(vars(stream)[name] is value for name, value in before.items())
    feed(stream, X, y, slice(40, 85))
    whole = make(bandwidth="silverman")
    whole = whole.fit(X[:85]) if make is KernelDensity else whole.fit(X[:85], y[:85])
    assert stream.bandwidth_ == whole.bandwidth_
    np.testing.assert_allclose(stream.score_samples(X), whole.score_samples(X), rtol=1e-12)


@pytest.mark.slow
def test_a_long_stream_stays_in_bounded_memory():
    rng = np.random.default_rng(0)
    clf = ParzenClassifier(bandwidth=0.5, forget=0.01)
    tracemalloc.start()
    for _ in range(100):
        X = rng.normal(size=(10_000, 2))
        clf.partial_fit(X, (X[:, 0] > 0).astype(int), classes=[0, 1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(clf.expansion_.points) < 1500
    assert peak < 20e6
    assert clf.score(X, X[:, 0] > 0) > 0.95


def test_naive_bayes_streams_categories_and_missing_values():
    table = pd.DataFrame({"x": [0.0, 1.0, np.nan, 5.0, 6.0, 7.0], "c": list("aabbba")})
    y = np.array([0, 0, 0, 1, 1, 1])
    clf = KernelNaiveBayes(bandwidth=1.0, categorical_features=["c"])
    clf.partial_fit(table[::2], y[::2], classes=[0, 1]).partial_fit(table[1::2], y[1::2])
    whole = KernelNaiveBayes(bandwidth=1.0, categorical_features=["c"]).fit(table, y)
    np.testing.assert_allclose(clf.predict_proba(table), whole.predict_proba(table), rtol=1e-12)
    more = whole.partial_fit(table[:3], y[:3])
    twice = KernelNaiveBayes(bandwidth=1.0, categorical_features=["c"])
    twice.fit(pd.concat([table, table[:3]]), np.append(y, y[:3]))
    np.testing.assert_allclose(more.predict_proba(table), twice.predict_proba(table), rtol=1e-12)


def test_fit_forgets_the_stream_and_pickles_carry_it_on():
    X, y = make_moons(80, noise=0.2, random_state=0)
    clf = streamed(ParzenClassifier(window=40), X[:60], y[:60])
    again = pickle.loads(pickle.dumps(clf))
    for model in (clf, again):
        model.partial_fit(X[60:], y[60:])
    np.testing.assert_array_equal(clf.predict_proba(X), again.predict_proba(X))
    fresh = ParzenClassifier(window=40).fit(X, y)
    np.testing.assert_array_equal(clf.fit(X, y).bandwidth_, fresh.bandwidth_)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_a_model_file_carries_the_stream_on(make, tmp_path):
    X, y = make_moons(80, noise=0.2, random_state=0)
    clf = streamed(make(bandwidth="silverman", rechoose=50), X[:40], y[:40])
    parzen.save(clf, tmp_path / "stream.parzen")
    again = parzen.load(tmp_path / "stream.parzen")
    for rows in (slice(40, 55), slice(55, 80)):  # the bandwidth is held, then chosen anew
        for model in (clf, again):
            model.partial_fit(X[rows], y[rows])
        np.testing.assert_array_equal(clf.bandwidth_, again.bandwidth_)
        np.testing.assert_array_equal(clf.predict_proba(X), again.predict_proba(X))


def test_a_column_that_was_constant_gets_its_bandwidth_when_it_varies():
    X, y = make_moons(80, noise=0.2, random_state=0)
    later = X * [1e-6, 1.0]
    first = later.copy()
    first[:, 0] = 0.0
    clf = KernelNaiveBayes().partial_fit(first, y, classes=[0, 1]).partial_fit(later, y)
    assert (clf.bandwidth_[:, 0] < 1e-6).all()
    np.testing.assert_array_equal(
        clf.bandwidth_[:, 1], KernelNaiveBayes().fit(first, y).bandwidth_[:, 1]
    )


def test_a_label_is_explained_after_its_rival_lost_all_rows():
    X, y = make_moons(60, noise=0.2, random_state=0)
    order = np.argsort(y)
    clf = KernelNaiveBayes(bandwidth=0.4, window=20)
    clf.partial_fit(X[order], y[order], classes=[0, 1])
    found = clf.explain(X[:1])[0]
    assert found.label == 1
    assert len(found.supporting) == 5
    assert len(found.opposing) == 0
