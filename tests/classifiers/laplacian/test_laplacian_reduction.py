"""Fewer kernels per class: how many, which ones, and what the best ones are worth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn import config_context
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from parzen import LaplacianClassifier
from parzen.kernels import get

REDUCTIONS = ["l2", "random", "weights"]


def kernels_per_class(clf):
    return np.bincount(clf.expansion_.labels)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(
    ("keep", "counts"),
    [(0.2, [8, 5, 3]), (0.001, [1, 1, 1]), (20, [20, 20, 15]), (1.0, [40, 25, 15]), (1, [1, 1, 1])],
)
def test_a_share_is_rounded_up_and_a_number_is_per_class(blobs, reduction, keep, counts):
    clf = LaplacianClassifier(bandwidth=0.3, keep=keep, reduction=reduction, random_state=0)
    np.testing.assert_array_equal(kernels_per_class(clf.fit(*blobs)), counts)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_keeping_all_kernels_changes_nothing(blobs, reduction):
    X, y = blobs
    full = LaplacianClassifier().fit(X, y)
    kept = LaplacianClassifier(keep=1.0, reduction=reduction).fit(X, y)
    np.testing.assert_allclose(kept.decision_function(X), full.decision_function(X), rtol=1e-12)


@pytest.mark.parametrize("reduction", ["random", "weights"])
def test_the_density_comes_from_all_points_and_v_from_the_kept(blobs, reduction):
    X, y = blobs
    full = LaplacianClassifier(bandwidth=0.7).fit(X, y)
    clf = LaplacianClassifier(bandwidth=0.7, keep=0.3, reduction=reduction, random_state=0).fit(
        X, y
    )
    np.testing.assert_allclose(clf.log_weights_, full.log_weights_, rtol=1e-14)
    for c in range(3):
        rows = [int(np.flatnonzero((p == X).all(axis=1))[0]) for p in clf.expansion_.points]
        rows = [i for i in rows if y[i] == c]
        alpha = full.weights_[rows]
        gram = get("gaussian").self_convolution(X[rows], X[rows], bandwidth=0.7)
        assert clf.log_normalizers_[c] == pytest.approx(
            0.5 * np.log(alpha @ gram @ alpha), rel=1e-12
        )
        gamma = get("gaussian").self_convolution(X, X[rows], bandwidth=0.7) @ alpha
        expected = np.log(gamma) - clf.log_normalizers_[c]
        np.testing.assert_allclose(clf.decision_function(X)[:, c], expected, rtol=1e-11)


def test_the_largest_weights_are_kept(blobs):
    X, y = blobs
    clf = LaplacianClassifier(keep=0.25, reduction="weights").fit(X, y)
    for c in range(3):
        own = np.flatnonzero(y == c)
        first = np.sort(own[np.argsort(-clf.log_weights_[own], kind="stable")][: -(-len(own) // 4)])
        np.testing.assert_array_equal(clf.expansion_.points[clf.expansion_.labels == c], X[first])


def test_an_offset_costs_no_digits_of_the_kept_weights():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(30, 2)) * 2**20) / 2**20  # the shifted entries are exact, too
    y = np.arange(30) % 2
    clf = LaplacianClassifier(bandwidth=0.3, keep=0.5)
    weights = clf.fit(X, y).expansion_.weights
    np.testing.assert_allclose(clf.fit(X + 2.0**27, y).expansion_.weights, weights, rtol=1e-12)


def test_of_equal_weights_the_first_by_their_entries_are_kept():
    X = np.array([[5.0], [-5.0], [15.0], [-15.0], [25.0], [-25.0]])  # all alone, all alike
    y = np.zeros(6, dtype=int)
    clf = LaplacianClassifier(bandwidth=1e-2, keep=0.5, reduction="weights").fit(X, y)
    np.testing.assert_array_equal(clf.log_weights_, clf.log_weights_[0])
    np.testing.assert_array_equal(clf.expansion_.points, [[-5.0], [-15.0], [-25.0]])


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("keep", [0.3, 4])
@pytest.mark.parametrize("bandwidth", [0.6, "silverman"])
def test_a_weight_is_as_many_copies_wherever_they_stand(blobs, reduction, keep, bandwidth):
    X, y = blobs
    w = np.random.default_rng(3).integers(1, 4, len(X))
    parameters = {
        "bandwidth": bandwidth, "keep": keep, "reduction": reduction, "random_state": 0
    }  # fmt: skip
    weighted = LaplacianClassifier(**parameters).fit(X, y, w)
    rows = np.concatenate([np.flatnonzero(w > copy) for copy in range(3)])
    copies = LaplacianClassifier(**parameters).fit(X[rows], y[rows])
    np.testing.assert_allclose(copies.expansion_.points, weighted.expansion_.points)
    np.testing.assert_allclose(copies.expansion_.weights, weighted.expansion_.weights, rtol=1e-9)
    np.testing.assert_allclose(copies.predict_proba(X), weighted.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(copies.predict(X), weighted.predict(X))
    assert len(copies.log_weights_) == len(rows)


def test_a_common_factor_of_the_weights_does_not_change_what_is_kept(blobs):
    X, y = blobs
    w = np.random.default_rng(3).uniform(0.5, 2.0, len(X))
    for reduction in REDUCTIONS:
        clf = LaplacianClassifier(bandwidth=0.6, keep=0.3, reduction=reduction, random_state=0)
        small = clf.fit(X, y, 1e-3 * w).expansion_.points
        np.testing.assert_array_equal(clf.fit(X, y, w).expansion_.points, small)


def score_error(X, a, rows, b, s):
    """Integrated squared error of the score: the Gaussian of bandwidth 2 s as a metric."""
    metric = get("gaussian")(X, X, bandwidth=2 * s)
    difference = a.copy()
    difference[rows] -= b
    return difference @ metric @ difference


def test_the_l2_weights_solve_their_programme_and_beat_both_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.zeros(120, dtype=int)
    s = 0.5
    full = LaplacianClassifier(bandwidth=s).fit(X, y)
    a = full.expansion_.weights
    errors = {}
    for reduction in REDUCTIONS:
        clf = LaplacianClassifier(bandwidth=s, keep=12, reduction=reduction, random_state=0).fit(
            X, y
        )
        points, b = clf.expansion_.points, clf.expansion_.weights
        rows = np.array([int(np.flatnonzero((p == X).all(axis=1))[0]) for p in points])
        best_scale = 1.0
        if reduction != "l2":  # their scale is arbitrary, as V_c normalises: give them the best one
            metric = get("gaussian")(X, X, bandwidth=2 * s)
            best_scale = (b @ metric[rows] @ a) / (b @ metric[np.ix_(rows, rows)] @ b)
        errors[reduction] = score_error(X, a, rows, best_scale * b, s)
        if reduction == "l2":
            metric = get("gaussian")(X, X, bandwidth=2 * s)
            root = np.linalg.cholesky(metric[np.ix_(rows, rows)])
            expected, _ = nnls(root.T, np.linalg.solve(root, metric[rows] @ a))
            np.testing.assert_allclose(b, expected, rtol=1e-6, atol=1e-9)
            assert (b > 0).all()
    assert errors["l2"] < 0.2 * min(errors["random"], errors["weights"])


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.97])
def test_there_are_as_many_kernels_as_asked_for_where_fewer_would_do(keep):
    X = np.random.default_rng(0).normal(size=(400, 1))
    y = np.zeros(400, dtype=int)
    a = LaplacianClassifier(bandwidth=1.0).fit(X, y).expansion_.weights
    clf = LaplacianClassifier(bandwidth=1.0, keep=keep).fit(X, y)
    points, b = clf.expansion_.points, clf.expansion_.weights
    assert len(points) == np.ceil(400 * keep)
    assert (b > 0).all()
    rows = np.array([int(np.flatnonzero((p == X).all(axis=1))[0]) for p in points])
    nothing = np.zeros(0, dtype=int)
    assert score_error(X, a, rows, b, 1.0) < 1e-9 * score_error(X, a, nothing, 0.0, 1.0)
    np.testing.assert_array_equal(np.diff(rows) > 0, True)  # in training order


def test_every_further_kernel_lowers_the_error():
    X = np.random.default_rng(0).normal(size=(150, 2))
    y = np.zeros(150, dtype=int)
    a = LaplacianClassifier(bandwidth=0.4).fit(X, y).expansion_.weights
    errors = []
    for keep in range(1, 40):
        clf = LaplacianClassifier(bandwidth=0.4, keep=keep).fit(X, y)
        points, b = clf.expansion_.points, clf.expansion_.weights
        assert len(points) == keep
        rows = np.array([int(np.flatnonzero((p == X).all(axis=1))[0]) for p in points])
        errors.append(score_error(X, a, rows, b, 0.4))
    assert (np.diff(errors) < 0).all()


@pytest.mark.parametrize("kernel", ["cauchy", "laplacian", "epanechnikov"])
@pytest.mark.parametrize("bandwidth", ["silverman", [0.5, 0.8, 1.2], [[0.5, 1.5]]])
def test_every_kernel_and_every_form_of_bandwidth_can_be_reduced(blobs, kernel, bandwidth):
    X, y = blobs
    full = LaplacianClassifier(kernel=kernel, bandwidth=bandwidth).fit(X, y)
    few = LaplacianClassifier(kernel=kernel, bandwidth=bandwidth, keep=0.4).fit(X, y)
    assert np.mean(full.predict(X) == few.predict(X)) >= 0.85


def test_duplicates_and_many_dimensions_are_no_trouble():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(6, 500)), 5, axis=0)
    y = np.repeat([0, 1], 15)
    clf = LaplacianClassifier(keep=0.5, scale=None).fit(X, y)
    assert kernels_per_class(clf).max() <= 3  # no point twice
    kept = clf.expansion_
    np.testing.assert_array_equal(clf.predict(kept.points), kept.labels)


@pytest.mark.slow
def test_at_a_tenth_of_the_kernels_l2_is_more_accurate_than_both_others_on_wine():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    rng = np.random.default_rng(2)
    scores = {reduction: [] for reduction in REDUCTIONS}
    for trial in range(20):
        order = rng.permutation(len(X))
        train, test = order[:89], order[89:]
        for reduction in REDUCTIONS:
            clf = LaplacianClassifier(keep=0.1, reduction=reduction, random_state=trial, n_jobs=1)
            scores[reduction].append(clf.fit(X[train], y[train]).score(X[test], y[test]))
    mean = {name: np.mean(values) for name, values in scores.items()}
    assert mean["l2"] > mean["random"] > mean["weights"]


def test_too_large_a_programme_is_refused_with_the_cure(blobs):
    with (
        config_context(working_memory=0.001),
        pytest.raises(ValueError, match="lower keep, use reduction='random'"),
    ):
        LaplacianClassifier(keep=0.9).fit(*blobs)


def test_random_kernels_follow_the_seed(blobs):
    X, y = blobs

    def points(seed):
        clf = LaplacianClassifier(keep=0.3, reduction="random", random_state=seed)
        return clf.fit(X, y).expansion_.points

    np.testing.assert_array_equal(points(1), points(1))
    assert not np.array_equal(points(1), points(2))


@pytest.mark.parametrize("reduction", ["l2", "weights"])
def test_the_order_of_rows_does_not_decide_between_points_that_are_as_good(reduction):
    rng = np.random.default_rng(0)
    X, y = 100.0 * rng.normal(size=(12, 2)), np.repeat([0, 1], 6)  # no two kernels overlap
    clf = LaplacianClassifier(bandwidth=0.1, keep=3, reduction=reduction).fit(X, y)
    for _ in range(3):
        order = rng.permutation(12)
        other = LaplacianClassifier(bandwidth=0.1, keep=3, reduction=reduction)
        other.fit(X[order], y[order])
        np.testing.assert_allclose(other.predict_proba(X), clf.predict_proba(X), rtol=1e-12)
