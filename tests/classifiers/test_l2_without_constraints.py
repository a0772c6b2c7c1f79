"""L2LE-k: the L2 classifier without constraints is a ridge system with its own leave-one-out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from parzen import L2Classifier
from parzen.classifiers.l2.linear import RIDGES
from parzen.kernels import get
from parzen.l2 import L2Form, L2Sample
from parzen.l2.programme import NeighbourSums, dense_gram, target_shifts, targets
from parzen.solvers import RidgeSystem


def test_without_constraints_it_is_a_ridge_system(two_classes, criterion):
    X, y = two_classes()
    s, ridge = 0.6, 0.7
    clf = L2Classifier(bandwidth=s, constraint=None, ridge=ridge).fit(X, y)
    Q, c, gamma = criterion(X, y, "gaussian", s)
    Y = np.where(y == 1, 1.0, -gamma)
    beta = np.linalg.solve(Q / np.outer(Y, Y) + ridge * np.eye(len(X)), c / Y)
    np.testing.assert_allclose(clf.dual_coef_[0], beta, atol=1e-10)
    values = get("gaussian").similarity(X + 0.3, X, bandwidth=s) @ beta
    np.testing.assert_allclose(clf.decision_function(X + 0.3), values, atol=1e-10)
    np.testing.assert_array_equal(clf.predict(X + 0.3), (values > 0).astype(int))
    assert not hasattr(clf, "predict_proba")


def test_without_constraints_eta_changes_nothing(two_classes):
    X, y = two_classes()
    one = L2Classifier(bandwidth=0.6, constraint=None).fit(X, y)
    for options in ({"eta": 3.0}, {"eta": "cv"}):
        other = L2Classifier(bandwidth=0.6, constraint=None, **options).fit(X, y)
        assert other.eta_ == one.eta_ == 1.0
        np.testing.assert_array_equal(other.dual_coef_, one.dual_coef_)
    searched = L2Classifier(constraint=None, eta=3.0, grid=[0.3, 0.6]).fit(X, y)
    assert searched.eta_ == 1.0
    assert not hasattr(searched, "slacks_")
    assert not hasattr(searched, "weights_")


def leave_one_out_decisions(X, y, weights, s, ridge, values):
    form = L2Form(get("gaussian"))
    sample = L2Sample.of(X, y, weights, 2)
    everything = np.ones((1, len(X)), dtype=bool)
    widths = form.widths(np.array([s, s]), X.shape[1])
    sums = NeighbourSums(sample, everything, form, widths.tau[None], None).at(0)
    h = targets(sample, everything, form, widths, sums, values[None])[0]
    system = RidgeSystem(dense_gram(sample, form, widths.rho), h, sample.weights)
    kernel = get("gaussian").similarity(sample.X, sample.X, bandwidth=s)
    shifts = target_shifts(sample, form, widths, sums[:, 0], values)
    signs = np.where(sample.codes == 1, 1.0, -1.0)[None]
    decisions = system.leave_one_out(np.array([ridge]), kernel, shifts, signs)[0, :, 0]
    return sample.unsorted(decisions)


def test_leaving_one_out_of_the_ridge_system_is_a_refit(two_classes):
    X, y = two_classes(24)
    X[1], y[1] = X[0], y[0]
    s, ridge, values = 0.6, 0.4, np.array([0.7, 1.0])
    fast = leave_one_out_decisions(X, y, None, s, ridge, values)
    slow = []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        one = L2Classifier(bandwidth=s, constraint=None, ridge=ridge, gamma=0.7)
        slow.append(one.fit(X[rest], y[rest]).decision_function(X[i : i + 1])[0])
    np.testing.assert_allclose(fast, slow, atol=1e-12)
    merged = np.arange(len(X)) != 1
    w = np.ones(len(X))
    w[0] = 2.0
    weighted = leave_one_out_decisions(X[merged], y[merged], w[merged], s, ridge, values)
    np.testing.assert_allclose(weighted, fast[merged], atol=1e-12)


def test_a_row_of_weight_below_one_is_left_out_as_a_whole(two_classes):
    X, y = two_classes(24)
    w = np.random.default_rng(1).uniform(0.2, 2.5, len(X))
    s, ridge, values = 0.6, 0.4, np.array([0.7, 1.0])
    fast = leave_one_out_decisions(X, y, w, s, ridge, values)
    slow = []
    for i in range(len(X)):
        rest = w.copy()
        rest[i] = max(w[i] - 1.0, 0.0)
        one = L2Classifier(bandwidth=s, constraint=None, ridge=ridge, gamma=0.7)
        slow.append(one.fit(X, y, sample_weight=rest).decision_function(X[i : i + 1])[0])
    np.testing.assert_allclose(fast, slow, atol=1e-12)


def test_weights_of_1e_minus_300_choose_a_ridge_without_a_warning(two_classes):
    X, y = two_classes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = L2Classifier(bandwidth=0.6, constraint=None)
        clf.fit(X, y, sample_weight=np.full(len(X), 1e-300))
    assert np.isfinite(clf.decision_function(X)).all()


def test_the_ridge_is_chosen_among_those_tried(two_classes):
    X, y = two_classes(60)
    clf = L2Classifier(bandwidth=0.6, constraint=None).fit(X, y)
    errors = []
    for ridge in RIDGES:
        left_out = leave_one_out_decisions(X, y, None, 0.6, ridge, np.array([clf.gamma_, 1.0]))
        errors.append(((left_out > 0) != y).sum())
    assert clf.ridge_ == RIDGES[int(np.argmin(errors))]


def test_conjugate_gradients_stop_early(two_classes):
    X, y = two_classes(100)
    few = L2Classifier(bandwidth=0.5, constraint=None, solver="cg", max_iter=3).fit(X, y)
    many = L2Classifier(bandwidth=0.5, constraint=None, solver="cg", max_iter=30).fit(X, y)
    assert few.n_iter_ == 3
    assert many.objective_ < few.objective_ < 0.0
    assert few.score(X, y) > 0.7


def test_without_constraints_there_is_nothing_to_decide_anew(two_classes):
    clf = L2Classifier(bandwidth=0.5, constraint=None).fit(*two_classes())
    with pytest.raises(ValueError, match="fit again"):
        clf.with_decision(priors=[0.5, 0.5])


def test_three_classes_without_constraints():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 30)
    X = rng.normal(size=(90, 2)) + 3.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0)
    clf = L2Classifier(bandwidth=0.8, constraint=None).fit(X, y)
    assert clf.decision_function(X).shape == (90, 3)
    assert clf.score(X, y) > 0.85
    two = L2Classifier(bandwidth=0.8, constraint=None, priors=[0.5, 0.0, 0.5]).fit(X, y)
    far = np.concatenate([X, X + 20.0])
    assert set(two.predict(far)) == {"a", "c"}
