"""The L2 classifier against Clarabel: every constraint, kernel, k, eta and gamma.

Clarabel's answer is good to half of its digits where the programme is flat. The kernels that it
keeps are solved for once more by linear algebra, and the result is checked to be the optimum.
"""

from __future__ import annotations

import warnings

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp

from parzen import L2Classifier, L2LinearClassifier
from parzen.kernels import get


def two_classes(n=60, d=2, shift=1.2):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1], [n // 3, n - n // 3]))
    return rng.normal(size=(n, d)) + shift * y[:, None], y


def with_duplicates():
    X, y = two_classes(45)
    return np.concatenate([X, X[:15], X[:5]]), np.concatenate([y, y[:15], y[:5]])


def class_of_one():
    X, y = two_classes(50)
    return np.concatenate([X[y == 1], [[0.5, 0.4]]]), np.append(np.ones((y == 1).sum(), int), 0)


def one_blob(seed):
    return np.random.default_rng(seed).normal(size=(40, 1)), np.arange(40) % 2


SAMPLES = {
    "plain": two_classes,
    "duplicates": with_duplicates,
    "one blob, a class lost": lambda: one_blob(2),
    "one blob, both lost": lambda: one_blob(1),
    "a class of one": class_of_one,
    "300 dimensions": lambda: two_classes(60, 300, 0.3),
}
CASES = [
    ("gaussian", {}, 0.5),
    ("gaussian", {"smoothing": 1.0}, 0.5),
    ("gaussian", {"smoothing": 2.5, "eta": 1.2}, 0.4),
    ("gaussian", {"eta": 2.0}, 0.7),
    ("gaussian", {"gamma": 3.0}, 0.5),
    ("gaussian", {"gamma": 0.2, "linear_term": "resubstitution"}, 0.5),
    ("gaussian", {"smoothing": 1.0}, [0.4, 0.8]),
    ("cauchy", {}, 0.3),
    ("cauchy", {"smoothing": 0.5, "eta": 1.5, "gamma": 0.7}, [0.3, 0.2]),
    ("laplacian", {}, 0.4),
    ("laplacian", {"eta": 1.5, "gamma": 2.0}, 0.4),
    ("radial_laplacian", {}, 0.4),
    ("radial_laplacian", {"eta": 2.0, "gamma": 0.5}, 0.4),
    ("uniform", {}, 1.1),
    ("uniform", {"gamma": 2.0}, 1.1),
    ("triangular", {}, 1.2),
    ("triangular", {"eta": 1.4, "gamma": 0.4}, 1.2),
    ("epanechnikov", {"eta": 1.3}, 1.2),
    ("epanechnikov", {"gamma": 1.7}, 1.2),
]
FEW = [
    ("gaussian", {}, 0.5),
    ("gaussian", {"smoothing": 1.0, "gamma": 0.5}, 0.5),
    ("laplacian", {"eta": 1.2}, 0.5),
    ("cauchy", {}, 0.3),
]
# In many dimensions eta = 1 would keep next to nothing; these are near the end of its range.
WIDE = [
    ("gaussian", {"eta": 2.0**150}, 10.0),
    ("gaussian", {"smoothing": 1.0, "eta": (4.0 / 3.0) ** 150, "gamma": 0.5}, 10.0),
    ("laplacian", {"eta": 2.0**299}, 50.0),
    ("cauchy", {"eta": 2.0**300}, 10.0),
]
OTHERS = [
    *(("duplicates", *case) for case in FEW),
    *(("a class of one", *case) for case in FEW),
    *(("300 dimensions", *case) for case in WIDE),
]


def optimum(Q, c, A):
    """Minimise 1/2 v'Qv - c'v over Av = 1, v >= 0."""
    n, m = len(c), len(A)
    scale = np.abs(Q).max()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    found = clarabel.DefaultSolver(
        sp.triu(sp.csc_matrix(Q / scale)).tocsc(), -c / scale,
        sp.csc_matrix(np.vstack([A, -np.eye(n)])), np.concatenate([np.ones(m), np.zeros(n)]),
        [clarabel.ZeroConeT(m), clarabel.NonnegativeConeT(n)], settings,
    ).solve()  # fmt: skip
    v, z = np.array(found.x), np.array(found.z)[m:]
    return polished(Q, c, A, v, kept=v > z)


def polished(Q, c, A, v, kept):
    """Exchange variables until the kept ones solve their equations and no other gains."""
    n, m = len(c), len(A)
    for _ in range(20):
        f = int(kept.sum())
        system = np.zeros((f + m, f + m))
        system[:f, :f], system[:f, f:], system[f:, :f] = (
            Q[np.ix_(kept, kept)],
            A[:, kept].T,
            A[:, kept],
        )
        solved = np.linalg.lstsq(system, np.concatenate([c[kept], np.ones(m)]), rcond=1e-15)[0]
        new = np.zeros(n)
        new[kept] = solved[:f]
        gains = c - Q @ new - A.T @ solved[f:]
        low, high = new.min() < 0, gains[~kept].max(initial=0.0) > 1e-13 * np.abs(c).max()
        if not low and not high:
            return new
        if low:
            kept[np.argmin(new)] = False
        else:
            kept[np.argmax(np.where(kept, -np.inf, gains))] = True
    return np.clip(v, 0.0, None)


def programme(Q, c, y, gamma, constraint):
    """Matrix, linear term and equations of the constraint; the relaxed one has a variable more."""
    n = len(c)
    A = np.zeros((2, n))
    A[y, np.arange(n)] = 1.0
    if constraint == "separate":
        # Each class alone: no terms between classes, and none of gamma.
        return np.where(y[:, None] == y, Q, 0.0), c, A
    if constraint == "simplex":
        return Q, c, A
    P = np.zeros((n + 1, n + 1))
    P[:n, :n] = Q
    return P, np.append(c, 0.0), np.column_stack([A, [1.0 / gamma, 1.0]])


def log_ratio(a, X, y, kernel, s, gamma, queries):
    s = np.broadcast_to(s, 2).astype(float)
    logs = []
    for c in (0, 1):
        values = get(kernel).log(queries, X[y == c], bandwidth=s[c])
        with np.errstate(divide="ignore"):
            logs.append(np.logaddexp.reduce(values + np.log(a[y == c]), axis=1))
    with np.errstate(invalid="ignore"):
        return logs[1] - logs[0] - np.log(gamma)


def compare(sample, name, options, bandwidth, constraint, criterion):
    X, y = SAMPLES[sample]()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*one sample")
        clf = L2Classifier(name, bandwidth, constraint=constraint, tol=1e-13, **options).fit(X, y)
    separate = constraint == "separate"
    Q, c, _ = criterion(
        X, y, name, bandwidth, smoothing=options.get("smoothing", 0.0),
        eta=options.get("eta", 1.0), gamma=1.0 if separate else options.get("gamma"),
        loo=options.get("linear_term") is None, separate=separate,
    )  # fmt: skip
    gamma = options.get("gamma", (y == 0).sum() / (y == 1).sum())
    P, q, A = programme(Q, c, y, gamma, constraint)
    v = optimum(P, q, A)
    a = v[: len(y)]
    value = 0.5 * v @ P @ v - q @ v
    assert clf.objective_ == pytest.approx(value, rel=1e-8)
    assert clf.gamma_ == pytest.approx(gamma)
    queries = np.concatenate([X, X[:30] + 0.1 * np.min(bandwidth)])
    ours, theirs = (
        clf.decision_function(queries),
        log_ratio(a, X, y, name, bandwidth, gamma, queries),
    )
    finite = np.isfinite(theirs)
    assert constraint == "relaxed" or finite.mean() > 0.5  # the relaxed one may lose a class
    np.testing.assert_allclose(ours[finite], theirs[finite], atol=1e-6)
    np.testing.assert_array_equal(np.isposinf(ours), np.isposinf(theirs))
    np.testing.assert_array_equal(np.isneginf(ours), np.isneginf(theirs))


def unconstrained(K, h, ridge):
    """Minimise 1/2 b'(K + ridge I)b - h'b."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    n, scale = len(h), np.abs(h).max()
    P = sp.triu(sp.csc_matrix(K + ridge * np.eye(n))).tocsc()
    free = sp.csc_matrix((0, n))
    found = clarabel.DefaultSolver(P, -h / scale, free, np.empty(0), [], settings).solve()
    return scale * np.array(found.x)


def compare_unconstrained(sample, name, options, bandwidth, ridge, criterion):
    X, y = SAMPLES[sample]()
    options = {key: value for key, value in options.items() if key != "eta"}  # it has no effect
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*one sample")
        clf = L2LinearClassifier(name, bandwidth, ridge=ridge, **options).fit(X, y)
    Q, c, gamma = criterion(
        X, y, name, bandwidth, smoothing=options.get("smoothing", 0.0),
        gamma=options.get("gamma"), loo=options.get("linear_term") is None,
    )  # fmt: skip
    Y = np.where(y == 1, 1.0, -gamma)
    K, h = Q / np.outer(Y, Y), c / Y
    beta = unconstrained(K, h, ridge)
    value = 0.5 * beta @ (K + ridge * np.eye(len(h))) @ beta - h @ beta
    assert clf.objective_ == pytest.approx(value, rel=1e-8)
    queries = np.concatenate([X, X[:30] + 0.1 * bandwidth])
    theirs = get(name).similarity(queries, X, bandwidth=bandwidth) @ beta
    largest = np.abs(theirs).max()
    np.testing.assert_allclose(clf.decision_function(queries), theirs, atol=1e-6 * largest)
    assert sample != "plain" or clf.dual_coef_[0] == pytest.approx(beta, abs=1e-6 * largest)


@pytest.mark.parametrize("ridge", [0.1, 3.0])
@pytest.mark.parametrize(
    ("name", "options", "bandwidth"), [case for case in CASES if np.isscalar(case[2])]
)
def test_without_constraints_it_is_a_general_solvers_optimum_too(
    name, options, bandwidth, ridge, criterion
):
    compare_unconstrained("plain", name, options, bandwidth, ridge, criterion)


@pytest.mark.parametrize(("sample", "name", "options", "bandwidth"), OTHERS)
def test_without_constraints_on_the_other_samples(sample, name, options, bandwidth, criterion):
    compare_unconstrained(sample, name, options, bandwidth, 1.0, criterion)


@pytest.mark.parametrize("constraint", ["simplex", "relaxed", "separate"])
@pytest.mark.parametrize(("name", "options", "bandwidth"), CASES)
def test_objective_and_decision_are_those_of_a_general_solver(
    name, options, bandwidth, constraint, criterion
):
    compare("plain", name, options, bandwidth, constraint, criterion)


@pytest.mark.parametrize("constraint", ["simplex", "relaxed", "separate"])
@pytest.mark.parametrize(("sample", "name", "options", "bandwidth"), OTHERS)
def test_also_with_duplicates_a_class_of_one_sample_and_300_dimensions(
    sample, name, options, bandwidth, constraint, criterion
):
    compare(sample, name, options, bandwidth, constraint, criterion)


@pytest.mark.parametrize(
    ("sample", "gamma", "bandwidth"),
    [("one blob, a class lost", 0.3, 0.2), ("one blob, both lost", 1.0, 3.0)],
)
def test_also_where_the_relaxed_constraints_take_all_kernels(sample, gamma, bandwidth, criterion):
    X, y = SAMPLES[sample]()
    clf = L2Classifier(bandwidth=bandwidth, gamma=gamma, constraint="relaxed", tol=1e-12).fit(X, y)
    Q, c, _ = criterion(X, y, "gaussian", bandwidth, gamma=gamma)
    v = optimum(*programme(Q, c, y, gamma, "relaxed"))
    ours = np.zeros(len(y))
    ours[clf.support_] = clf.weights_
    np.testing.assert_allclose(ours, v[: len(y)], atol=1e-8)
    assert v[: len(y)][y == 0].max() < 1e-12
    assert (y[clf.support_] == 1).all()
