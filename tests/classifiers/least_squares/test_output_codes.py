"""Output codes of the least-squares family, against their definitions and scikit-learn's."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from parzen import (
    KernelFisherClassifier,
    LSSVMClassifier,
    RLSClassifier,
)
from parzen.classifiers.least_squares.coding import CODINGS, code_book

from ..conftest import LEAST_SQUARES


@pytest.fixture(scope="module")
def four():
    X, y = make_blobs(90, centers=4, cluster_std=1.5, random_state=0)
    return X, y


def queries():
    return np.random.default_rng(1).uniform(-6, 10, size=(40, 2))


def scores_of(make, book, X, y):
    """Scores of every column by a classifier of two classes on the rows that take part."""
    columns = []
    for column in book.T:
        rows = column[y] != 0
        clf = make().fit(X[rows], column[y[rows]])
        columns.append(clf.decision_function(queries()))
    return np.column_stack(columns)


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("n_classes", [3, 4, 5, 6, 11])
def test_code_books_tell_every_class_apart(coding, n_classes):
    book = code_book(coding, n_classes)
    assert len(np.unique(book, axis=0)) == n_classes
    for column in book.T:
        assert {-1.0, 1.0} <= set(column) <= {-1.0, 0.0, 1.0}
    assert len(np.unique(book * book[-1:] if coding != "pairwise" else book, axis=1).T) == len(
        book.T
    )


def test_code_books_are_those_of_their_names():
    for n in (3, 4, 7):
        np.testing.assert_array_equal(code_book("one_vs_rest", n), 2 * np.eye(n) - 1)
        pairs = code_book("pairwise", n)
        sides = [(np.flatnonzero(c == -1)[0], np.flatnonzero(c == 1)[0]) for c in pairs.T]
        assert sides == list(combinations(range(n), 2))
        assert (np.count_nonzero(pairs, axis=0) == 2).all()
        assert code_book("minimum", n).shape[1] == int(np.ceil(np.log2(n)))
    exhaustive = code_book("error_correcting", 5)  # Dietterich and Bakiri: 2^(C - 1) - 1 columns
    assert exhaustive.shape == (5, 15)
    distances = [np.sum(a != b) for a, b in combinations(exhaustive, 2)]
    assert set(distances) == {8}  # half of 2^(C - 1)
    for n in (6, 8, 12):  # a random code corrects more errors than the bits, which correct none
        book = code_book("error_correcting", n)
        assert min(np.sum(a != b) for a, b in combinations(book, 2)) >= 5
        np.testing.assert_array_equal(book, code_book("error_correcting", n))


@pytest.mark.slow
@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("make", LEAST_SQUARES[:-1])  # Fisher's scores of two classes: other units
def test_scores_are_decoded_from_classifiers_of_two_classes(four, make, coding):
    X, y = four
    options = {"tol": 1e-12} if "tol" in make().get_params() else {}
    if make is RLSClassifier:
        options["regularization"] = 0.05

    def one():
        return make(bandwidth=2.0, **options)

    clf = one().set_params(coding=coding).fit(X, y)
    book = code_book(coding, 4)
    np.testing.assert_array_equal(clf.code_book_, book)
    expected = scores_of(one, book, X, y)
    if coding != "one_vs_rest":
        expected = expected @ book.T / np.count_nonzero(book, axis=1)
    np.testing.assert_allclose(clf.decision_function(queries()), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(clf.predict(queries()), expected.argmax(axis=1))


@pytest.mark.parametrize("coding", ["pairwise", "minimum", "error_correcting"])
def test_fisher_scores_of_a_column_are_least_squares_fits(four, coding):
    X, y = four
    clf = KernelFisherClassifier("linear", threshold=1e-10, coding=coding).fit(X, y)
    book, columns = code_book(coding, 4), []
    for column in book.T:
        rows = column[y] != 0
        design = np.column_stack([np.ones(rows.sum()), X[rows]])
        fit = np.linalg.lstsq(design, column[y[rows]], rcond=None)[0]
        columns.append(np.column_stack([np.ones(40), queries()]) @ fit)
    expected = np.column_stack(columns) @ book.T / np.count_nonzero(book, axis=1)
    np.testing.assert_allclose(clf.decision_function(queries()), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("coding", CODINGS)
def test_rlsc_in_codes_is_kernel_ridge_of_scikit_learn(four, coding):
    X, y = four
    book, columns = code_book(coding, 4), []
    for column in book.T:
        rows = column[y] != 0
        ridge = KernelRidge(alpha=0.02 * rows.sum(), kernel="precomputed")
        ridge.fit(rbf_kernel(X[rows], gamma=0.125), column[y[rows]])
        columns.append(ridge.predict(rbf_kernel(queries(), X[rows], gamma=0.125)))
    scores = np.column_stack(columns)
    if coding != "one_vs_rest":
        scores = scores @ book.T / np.count_nonzero(book, axis=1)
    clf = RLSClassifier(bandwidth=2.0, regularization=0.02, coding=coding).fit(X, y)
    np.testing.assert_allclose(clf.decision_function(queries()), scores, rtol=1e-8, atol=1e-10)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*widen")
@pytest.mark.parametrize("coding", CODINGS[1:])
@pytest.mark.parametrize("make", [LSSVMClassifier, RLSClassifier])
def test_leave_one_out_errors_equal_refits(four, make, coding):
    X, y = four[0][:24], four[1][:24]
    name = make._regularizer
    clf = make(bandwidth=1.5, coding=coding, **{name: [0.05, 0.5, 5.0]}).fit(X, y)
    for j, value in enumerate([0.05, 0.5, 5.0]):
        wrong = 0
        for k in range(len(y)):
            kept = np.arange(len(y)) != k
            one = make(bandwidth=1.5, coding=coding, **{name: value}).fit(X[kept], y[kept])
            wrong += int(one.predict(X[k : k + 1])[0] != y[k])
        assert clf.selection_.scores[0, j] == pytest.approx(wrong / len(y))


@pytest.mark.parametrize("coding", CODINGS[1:])
def test_conjugate_gradients_and_all_landmarks_give_the_direct_solution(four, coding):
    X, y = four
    direct = LSSVMClassifier(bandwidth=2.0, coding=coding).fit(X, y)
    iterated = LSSVMClassifier(bandwidth=2.0, coding=coding, solver="cg", tol=1e-12).fit(X, y)
    landmarks = LSSVMClassifier(bandwidth=2.0, coding=coding, n_landmarks=len(X)).fit(X, y)
    for other in (iterated, landmarks):
        np.testing.assert_allclose(
            other.decision_function(queries()), direct.decision_function(queries()), atol=1e-7
        )


@pytest.mark.parametrize("make", LEAST_SQUARES)
def test_two_classes_are_one_problem_in_every_coding(make):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    expected = make(bandwidth=1.0).fit(X, y).decision_function(X)
    for coding in CODINGS[1:]:
        clf = make(bandwidth=1.0, coding=coding).fit(X, y)
        assert clf.dual_coef_.shape[1] == 1
        np.testing.assert_array_equal(clf.decision_function(X), expected)


def test_one_bandwidth_per_class_is_for_one_against_the_rest(four):
    for coding in CODINGS[1:]:
        with pytest.raises(ValueError, match=rf"one per class, and coding='{coding}'"):
            LSSVMClassifier(bandwidth=[1.0, 2.0, 1.0, 2.0], coding=coding).fit(*four)
