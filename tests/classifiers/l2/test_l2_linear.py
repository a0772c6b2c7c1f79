"""L2LE: the L2 criterion without constraints is a ridge system with its own leave-one-out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from parzen import L2LinearClassifier
from parzen.classifiers.l2.signed_weights import RIDGES
from parzen.kernels import get
from parzen.l2 import Carriers, L2Form
from parzen.l2.programme import NeighbourSums, dense_gram, target_shifts, targets
from parzen.samples import Sample
from parzen.solvers import RidgeSystem


def test_without_constraints_it_is_a_ridge_system(two_classes, criterion):
    X, y = two_classes()
    s, ridge = 0.6, 0.7
    clf = L2LinearClassifier(bandwidth=s, ridge=ridge).fit(X, y)
    Q, c, gamma = criterion(X, y, "gaussian", s)
    Y = np.where(y == 1, 1.0, -gamma)
    beta = np.linalg.solve(Q / np.outer(Y, Y) + ridge * np.eye(len(X)), c / Y)
    np.testing.assert_allclose(clf.dual_coef_[0], beta, atol=1e-10)
    values = get("gaussian").similarity(X + 0.3, X, bandwidth=s) @ beta
    np.testing.assert_allclose(clf.decision_function(X + 0.3), values, atol=1e-10)
    np.testing.assert_array_equal(clf.predict(X + 0.3), (values > 0).astype(int))
    assert not hasattr(clf, "predict_proba")


def test_signed_weights_have_neither_densities_nor_an_eta(two_classes):
    clf = L2LinearClassifier(grid=[0.3, 0.6]).fit(*two_classes())
    for name in ("predict_proba", "score_samples", "with_decision", "eta_", "slacks_", "weights_"):
        assert not hasattr(clf, name)
    assert {"eta", "reject", "novelty", "tol"}.isdisjoint(clf.get_params())


def leave_one_out_decisions(X, y, weights, s, ridge, values):
    form = L2Form(get("gaussian"))
    order = np.argsort(y, kind="stable")
    sample = Carriers.over(Sample.coded(X, y, weights, np.arange(2)).rows(order))
    everything = np.ones((1, len(X)), dtype=bool)
    widths = form.widths(np.array([s, s]), X.shape[1])
    sums = NeighbourSums(sample, everything, form, widths.tau[None], None).at(0)
    h = targets(sample, everything, form, widths, sums, values[None])[0]
    system = RidgeSystem(dense_gram(sample, form, widths.rho), h, sample.frequencies)
    kernel = get("gaussian").similarity(sample.X, sample.X, bandwidth=s)
    shifts = target_shifts(sample, form, widths, sums[:, 0], values)
    signs = np.where(sample.codes == 1, 1.0, -1.0)[None]
    decisions = system.leave_one_out(np.array([ridge]), kernel, shifts, signs)[0, :, 0]
    return decisions[np.argsort(order)]


def test_leaving_one_out_of_the_ridge_system_is_a_refit(two_classes):
    X, y = two_classes(24)
    X[1], y[1] = X[0], y[0]
    s, ridge, values = 0.6, 0.4, np.array([0.7, 1.0])
    fast = leave_one_out_decisions(X, y, None, s, ridge, values)
    slow = []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        one = L2LinearClassifier(bandwidth=s, ridge=ridge, gamma=0.7)
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
        one = L2LinearClassifier(bandwidth=s, ridge=ridge, gamma=0.7)
        slow.append(one.fit(X, y, sample_weight=rest).decision_function(X[i : i + 1])[0])
    np.testing.assert_allclose(fast, slow, atol=1e-12)


def test_weights_of_1e_minus_300_choose_a_ridge_without_a_warning(two_classes):
    X, y = two_classes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = L2LinearClassifier(bandwidth=0.6)
        clf.fit(X, y, sample_weight=np.full(len(X), 1e-300))
    assert np.isfinite(clf.decision_function(X)).all()


@pytest.mark.slow
def test_the_ridge_is_chosen_among_those_tried(two_classes):
    X, y = two_classes(60)
    clf = L2LinearClassifier(bandwidth=0.6).fit(X, y)
    errors = []
    for ridge in RIDGES:
        left_out = leave_one_out_decisions(X, y, None, 0.6, ridge, np.array([clf.gamma_, 1.0]))
        errors.append(((left_out > 0) != y).sum())
    assert clf.ridge_ == RIDGES[np.flatnonzero(errors == np.min(errors))[-1]]


def test_conjugate_gradients_stop_early(two_classes):
    X, y = two_classes(100)
    few = L2LinearClassifier(bandwidth=0.5, solver="cg", max_iter=3).fit(X, y)
    many = L2LinearClassifier(bandwidth=0.5, solver="cg", max_iter=30).fit(X, y)
    assert few.n_iter_ == 3
    assert many.objective_ < few.objective_ < 0.0
    assert few.score(X, y) > 0.7


def test_without_a_ridge_it_is_the_exact_system_and_warns(two_classes, criterion):
    X, y = two_classes(30)
    s = 0.15  # so small that the matrix is well conditioned
    with pytest.warns(UserWarning, match="ridge=0 solves a nearly singular system"):
        clf = L2LinearClassifier(bandwidth=s, ridge=0).fit(X, y)
    Q, c, gamma = criterion(X, y, "gaussian", s)
    Y = np.where(y == 1, 1.0, -gamma)
    beta = np.linalg.solve(Q / np.outer(Y, Y), c / Y)
    np.testing.assert_allclose(clf.dual_coef_[0], beta, atol=1e-12)
    assert clf.ridge_ == 0.0
    assert clf.optimality_gap_ < 1e-10


def test_a_singular_system_without_a_ridge_has_the_shortest_solution(two_classes, criterion):
    X, y = two_classes(80)
    s = 2.0  # rank about 40 of 80 in double precision
    with pytest.warns(UserWarning, match="ridge=0"):
        clf = L2LinearClassifier(bandwidth=s, ridge=0).fit(X, y)
    Q, c, gamma = criterion(X, y, "gaussian", s)
    Y = np.where(y == 1, 1.0, -gamma)
    K, h = Q / np.outer(Y, Y), c / Y
    assert np.linalg.matrix_rank(K) < len(K)
    ridge = L2LinearClassifier(bandwidth=s).fit(X, y)
    # The weights explode, which is why a ridge takes the place of the constraints.
    assert np.abs(clf.dual_coef_).max() > 1e3 * np.abs(ridge.dual_coef_).max()
    assert np.linalg.norm(K @ clf.dual_coef_[0] - h) < np.linalg.norm(K @ ridge.dual_coef_[0] - h)


def test_one_class_is_always_predicted():
    clf = L2LinearClassifier().fit(np.arange(5.0)[:, None], np.full(5, "a"))
    assert (clf.predict([[1e9], [0.0]]) == "a").all()


def test_three_classes_without_constraints():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 30)
    X = rng.normal(size=(90, 2)) + 3.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0)
    clf = L2LinearClassifier(bandwidth=0.8).fit(X, y)
    assert clf.decision_function(X).shape == (90, 3)
    assert clf.score(X, y) > 0.85
    two = L2LinearClassifier(bandwidth=0.8, priors=[0.5, 0.0, 0.5]).fit(X, y)
    far = np.concatenate([X, X + 20.0])
    assert set(two.predict(far)) == {"a", "c"}
