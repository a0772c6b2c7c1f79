"""One bandwidth per class in the least-squares family: that of the class's machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parzen import (
    BMachineClassifier,
    LSSVMClassifier,
    RLSClassifier,
)
from parzen.bandwidth import CrossValidation, LeaveOneOutError
from parzen.kernels import ConformalKernel

from ..conftest import LEAST_SQUARES

H = np.array([0.5, 0.9, 1.6])
BOTH = np.array([[0.5, 1.0], [0.9, 0.4], [1.6, 2.5]])


def sample(classes=3, n=25, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(classes), n)
    centres = np.array([[0.0, 0.0], [1.5, 1.0], [0.0, 2.5]])
    return rng.normal(size=(len(y), 2)) * 0.8 + centres[y], y


QUERIES = np.random.default_rng(9).normal(size=(30, 2)) * 2


def gram(A, B, h):
    return np.exp(-0.5 * (((A[:, None] - B) / h) ** 2).sum(axis=2))


@pytest.mark.parametrize("h", [H, BOTH], ids=["per class", "both"])
@pytest.mark.parametrize("classes", [2, 3])
def test_every_machine_solves_the_system_of_its_own_kernel(h, classes):
    X, y = sample(classes)
    n, scores = len(y), []
    for c in range(classes):
        K, across, t = gram(X, X, h[c]), gram(QUERIES, X, h[c]), np.where(y == c, 1.0, -1.0)
        rls = across @ np.linalg.solve(K + 0.02 * n * np.eye(n), t)
        S = np.block([[np.zeros((1, 1)), np.ones((1, n))], [np.ones((n, 1)), K + np.eye(n) / 3]])
        solved = np.linalg.solve(S, np.concatenate([[0.0], t]))
        scores.append((rls, across @ solved[1:] + solved[0]))
    rls, svm = np.moveaxis(scores, 0, 2)
    if classes == 2:  # half the difference of the two machines
        rls, svm = (rls[:, 1] - rls[:, 0]) / 2, (svm[:, 1] - svm[:, 0]) / 2
    for solver in ("cholesky", "cg"):
        how = {"solver": solver, "tol": 1e-12}
        clf = RLSClassifier(bandwidth=h[:classes], regularization=0.02, **how).fit(X, y)
        np.testing.assert_allclose(clf.decision_function(QUERIES), rls, rtol=1e-8, atol=1e-10)
        clf = LSSVMClassifier(bandwidth=h[:classes], C=3.0, **how).fit(X, y)
        np.testing.assert_allclose(clf.decision_function(QUERIES), svm, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("make", LEAST_SQUARES)
@pytest.mark.parametrize("landmarks", [None, 30])
def test_column_c_is_that_of_a_fit_with_the_bandwidth_of_class_c(make, landmarks):
    X, y = sample()
    clf = make(bandwidth=H, n_landmarks=landmarks).fit(X, y)
    assert clf.dual_coef_.shape[1] == 3
    for c, h in enumerate(H):
        alone = make(bandwidth=h, n_landmarks=landmarks).fit(X, y)
        np.testing.assert_allclose(
            clf.decision_function(QUERIES)[:, c], alone.decision_function(QUERIES)[:, c],
            rtol=1e-6, atol=1e-8,
        )  # fmt: skip


@pytest.mark.parametrize("make", LEAST_SQUARES)
@pytest.mark.parametrize("landmarks", [None, 30])
def test_two_classes_have_half_the_difference_of_two_machines(make, landmarks):
    X, y = sample(2)
    options = {"n_landmarks": landmarks}
    clf = make(bandwidth=H[:2], **options).fit(X, y)
    alone = [make(bandwidth=h, **options).fit(X, y).decision_function(QUERIES) for h in H[:2]]
    np.testing.assert_allclose(
        clf.decision_function(QUERIES), (alone[0] + alone[1]) / 2, rtol=1e-6, atol=1e-8
    )
    np.testing.assert_array_equal(clf.predict(X), clf.predict_proba(X).argmax(axis=1))
    assert clf.score(X, y) > 0.7


@pytest.mark.parametrize("make", LEAST_SQUARES)
def test_equal_bandwidths_are_one_bandwidth(make):
    X, y = sample(2)
    common = make(bandwidth=0.7).fit(X, y)
    for equal in ([0.7, 0.7], np.full((2, 2), 0.7)):
        clf = make(bandwidth=equal).fit(X, y)
        np.testing.assert_allclose(
            clf.decision_function(QUERIES), common.decision_function(QUERIES), rtol=1e-9, atol=1e-12
        )
    nearly = make(bandwidth=[0.7, 0.7 * (1 + 1e-12)]).fit(X, y)
    assert nearly.dual_coef_.shape[1] == 2
    np.testing.assert_allclose(
        nearly.decision_function(QUERIES), common.decision_function(QUERIES), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("make", LEAST_SQUARES)
def test_the_order_is_that_of_the_classes_not_of_the_rows(make):
    X, y = sample()
    names = np.array(["b", "c", "a"])[y]
    by_name = make(bandwidth=H[[2, 0, 1]]).fit(X, names)
    by_code = make(bandwidth=H).fit(X, y)
    np.testing.assert_allclose(
        by_name.decision_function(QUERIES)[:, [1, 2, 0]], by_code.decision_function(QUERIES),
        rtol=1e-6, atol=1e-8,
    )  # fmt: skip


@pytest.mark.parametrize("make", LEAST_SQUARES)
def test_a_selector_per_class_gives_every_machine_its_bandwidth(make):
    X, y = sample()
    selector = LeaveOneOutError([0.2, 0.5, 1.0], per="class")
    expected = selector.select(X, y).bandwidth
    found = make(bandwidth=selector).fit(X, y).bandwidth_
    np.testing.assert_array_equal(np.broadcast_to(found, 3), expected)


@pytest.mark.slow
@pytest.mark.parametrize("make", LEAST_SQUARES)
def test_the_own_error_takes_a_grid_and_folds(make):
    X, y = sample()
    grid = (0.2, 0.8, 3.0)
    clf = make(bandwidth=CrossValidation(grid, folds=3)).fit(X, y)
    np.testing.assert_array_equal(clf.selection_.grid, grid)
    assert clf.selection_.criterion == "3-fold error"
    fold = np.empty(len(y), dtype=int)
    order = np.lexsort((y, X[:, 1], X[:, 0]))
    for c in range(3):
        rows = order[y[order] == c]
        fold[rows] = (np.arange(len(rows)) + c) % 3
    wrong = np.zeros(3)
    for k in range(3):
        for b, h in enumerate(grid):
            part = make(bandwidth=h).fit(X[fold != k], y[fold != k])
            wrong[b] += (part.predict(X[fold == k]) != y[fold == k]).sum()
    np.testing.assert_allclose(clf.selection_.scores[:, 0], wrong / len(y), atol=1e-12)


def test_a_b_machine_may_start_from_a_fit_with_other_machines():
    X, y = sample(2)
    clf = BMachineClassifier(bandwidth=0.7, warm_start=True, tol=1e-14).fit(X, y)
    again = clf.set_params(bandwidth=[0.6, 0.7]).fit(X, y)
    cold = BMachineClassifier(bandwidth=[0.6, 0.7], tol=1e-14).fit(X, y)
    np.testing.assert_allclose(
        again.decision_function(QUERIES), cold.decision_function(QUERIES), atol=1e-9
    )


def test_minimum_output_codes_have_no_machine_per_class():
    X, y = sample()
    with pytest.raises(ValueError, match=r"one per class, and coding='minimum'"):
        LSSVMClassifier(bandwidth=H, coding="minimum").fit(X, y)


def test_a_conformal_kernel_has_one_bandwidth_per_class_but_none_per_feature():
    X, y = sample()
    kernel = ConformalKernel("gaussian", X[:3], [1.0, 0.5, 0.2, 0.1])
    clf = RLSClassifier(kernel, H).fit(X, y)
    for c, h in enumerate(H):
        alone = RLSClassifier(kernel, h).fit(X, y).decision_function(QUERIES)[:, c]
        np.testing.assert_allclose(clf.decision_function(QUERIES)[:, c], alone, rtol=1e-8)
    for bandwidth in ([[0.5, 1.0]], CrossValidation(per="feature")):
        with pytest.raises(ValueError, match="the cores of kernel='conformal'"):
            RLSClassifier(kernel, bandwidth).fit(X, y)


def test_a_machine_without_weights_scores_zero():
    X, y = sample(2)
    expansion = RLSClassifier(bandwidth=H[:2]).fit(X, y).expansion_
    W = np.array(expansion.weights)
    expected = replace(expansion, weights=W).scores(QUERIES)
    W[:, 1] = 0.0
    scores = replace(expansion, weights=W).scores(QUERIES)
    np.testing.assert_allclose(scores[:, 0], expected[:, 0], rtol=1e-12)
    np.testing.assert_array_equal(scores[:, 1], 0.0)


def test_folds_of_merged_rows_are_a_number():
    with pytest.raises(ValueError, match="folds must be a whole number here"):
        RLSClassifier(bandwidth=CrossValidation(folds=[([0], [1])])).fit(*sample())


@pytest.mark.parametrize("make", LEAST_SQUARES)
def test_one_class_takes_what_fits_it(make):
    X, _ = sample(1)
    clf = make(bandwidth=[0.5]).fit(X, np.zeros(len(X)))
    assert clf.bandwidth_ == 0.5
    assert (clf.predict(QUERIES) == 0).all()
    with pytest.raises(ValueError, match="bandwidth has shape"):
        make(bandwidth=[0.5, 0.7]).fit(X, np.zeros(len(X)))
