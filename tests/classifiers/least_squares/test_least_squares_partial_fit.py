"""Batches of rows: the same solution as a fit on all rows so far."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.utils.estimator_checks import check_fit_score_takes_y

from parzen import (
    BMachineClassifier,
    KernelLassoClassifier,
    LSSVMClassifier,
    RLSClassifier,
)
from parzen.model_files import load, save

from ..conftest import LEAST_SQUARES


@pytest.fixture
def three():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 70)
    X = np.array([[0.0, 0.0], [1.6, 0.4], [0.4, 2.0]])[y] + 0.7 * rng.normal(size=(70, 2))
    X[40:50] = X[:10]  # rows that come again, some of them in another class
    return X, np.where(np.arange(70) == 45, (y + 1) % 3, y)


def queries():
    return np.random.default_rng(9).uniform(-1, 3, size=(40, 2))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"coding": "pairwise"}, {"n_landmarks": 25}], ids=str)
@pytest.mark.parametrize("make", LEAST_SQUARES)
def test_batches_give_the_solution_of_all_rows(make, options, three):
    X, y = three
    w = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    w[30] = 2.0
    if make in (BMachineClassifier, KernelLassoClassifier):
        options = {**options, "tol": 1e-12}
    clf = make(bandwidth=0.8, **options)
    for rows in (slice(0, 30), slice(30, 31), slice(31, 70)):
        clf.partial_fit(X[rows], y[rows], [0, 1, 2], w[rows])
        whole = make(bandwidth=0.8, **options).fit(X[: rows.stop], y[: rows.stop], w[: rows.stop])
        scores = whole.decision_function(queries())
        np.testing.assert_allclose(clf.decision_function(queries()), scores, atol=1e-5)
        if make is not BMachineClassifier:  # which starts from its weights
            np.testing.assert_array_equal(clf.decision_function(queries()), scores)
            np.testing.assert_array_equal(clf.support_, whole.support_)
        np.testing.assert_array_equal(clf.class_count_, whole.class_count_)


def test_the_b_machine_learns_on_line_in_fewer_steps():
    X, y = make_moons(300, noise=0.3, random_state=0)
    clf = BMachineClassifier(bandwidth=0.3, margin=0.5)
    clf.partial_fit(X[:295], y[:295]).partial_fit(X[295:], y[295:])
    assert clf.n_iter_ < BMachineClassifier(bandwidth=0.3, margin=0.5).fit(X, y).n_iter_


def test_a_class_may_come_later(three):
    X, y = three
    order = np.argsort(y, kind="stable")
    clf = LSSVMClassifier(bandwidth=0.8)
    for c in range(3):
        rows = order[y[order] == c]
        clf.partial_fit(X[rows], y[rows])
        assert clf.classes_.tolist() == list(range(c + 1))
    whole = LSSVMClassifier(bandwidth=0.8).fit(X[order], y[order])
    np.testing.assert_array_equal(clf.predict_proba(queries()), whole.predict_proba(queries()))


def test_batches_go_on_after_a_pickle_and_a_model_file(three, tmp_path):
    X, y = three
    clf = RLSClassifier(bandwidth=0.8).partial_fit(X[:40], y[:40])
    save(clf, tmp_path / "model.parzen")
    whole = RLSClassifier(bandwidth=0.8).fit(X, y).decision_function(queries())
    for other in (pickle.loads(pickle.dumps(clf)), load(tmp_path / "model.parzen")):
        other.partial_fit(X[40:], y[40:])
        np.testing.assert_array_equal(other.decision_function(queries()), whole)


@pytest.mark.parametrize(
    "clf",
    [
        LSSVMClassifier(),
        LSSVMClassifier(bandwidth=1.0, C="cv"),
        LSSVMClassifier(bandwidth=1.0, C=[1.0, 2.0]),
        LSSVMClassifier("precomputed", bandwidth=1.0),
    ],
    ids=str,
)
def test_what_is_chosen_from_data_has_no_batches(clf):
    assert not hasattr(clf, "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit needs points and numbers"):
        clf.partial_fit([[0.0]], [0])


def test_wrong_batches_are_refused_and_lose_nothing(three):
    X, y = three
    clf = LSSVMClassifier(bandwidth=0.8).partial_fit(X[:40], y[:40], classes=[0, 1, 2])
    before = clf.decision_function(queries())
    with pytest.raises(ValueError, match="y holds 7, which is not in classes"):
        clf.partial_fit(X[:1], [7], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="features"):
        clf.partial_fit(X[:5, :1], y[:5])
    np.testing.assert_array_equal(clf.decision_function(queries()), before)


@pytest.mark.parametrize(
    ("clf", "atol"),
    [
        (LSSVMClassifier(bandwidth=0.8), 0.0),
        (RLSClassifier(bandwidth=0.8), 0.0),
        (BMachineClassifier(bandwidth=0.8, tol=1e-12), 1e-5),  # which starts from its weights
    ],
)
def test_rows_may_follow_a_fit(clf, atol, three):
    X, y = three
    w = np.arange(len(X)) % 3.0
    clf.fit(X[:40], y[:40], sample_weight=w[:40]).partial_fit(X[40:], y[40:], sample_weight=w[40:])
    scores = clone(clf).fit(X, y, sample_weight=w).decision_function(queries())
    np.testing.assert_allclose(clf.decision_function(queries()), scores, rtol=0, atol=atol)


def test_rows_cannot_follow_where_the_earlier_ones_are_not_kept(three, tmp_path):
    X, y = three
    few = LSSVMClassifier(bandwidth=0.8, n_landmarks=10).fit(X, y)
    save(LSSVMClassifier(bandwidth=0.8).fit(X, y), tmp_path / "model.parzen")
    for clf in (few, load(tmp_path / "model.parzen")):
        assert not hasattr(clf, "partial_fit")
        with pytest.raises(AttributeError, match="begin with partial_fit in place of fit"):
            clf.partial_fit(X, y)


@pytest.mark.parametrize("n_landmarks", [None, 10])
def test_scikit_learn_calls_partial_fit_after_fit(n_landmarks):
    clf = BMachineClassifier(bandwidth=1.0, n_landmarks=n_landmarks)
    check_fit_score_takes_y("BMachineClassifier", clf)
