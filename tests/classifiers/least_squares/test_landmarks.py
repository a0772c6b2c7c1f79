"""Weights on landmarks: the whole criterion, few carriers, bounded memory."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

import parzen.samples.landmarks
from parzen import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    L2Classifier,
    L2LinearClassifier,
    LSSVMClassifier,
    RLSClassifier,
)
from parzen.model_files import load, save
from parzen.samples.landmarks import draw_rows
from parzen.solvers import LandmarkFactor, simplex_qp

LEAST_SQUARES = {
    "rls": RLSClassifier,
    "ls-svm": LSSVMClassifier,
    "ls-svm in codes": partial(LSSVMClassifier, coding="minimum"),
    "ls-svm in pairs": partial(LSSVMClassifier, coding="pairwise"),
    "kernel lasso": partial(KernelLassoClassifier, tol=1e-13),
    "kmse": KernelMSEClassifier,
    "kfd": KernelFisherClassifier,
    "b-machine": partial(BMachineClassifier, tol=1e-13),
    "sparse b-machine": partial(BMachineClassifier, sparsity=1e-3, tol=1e-10),
}
L2 = {
    "l2": L2Classifier,
    "l2 relaxed": partial(L2Classifier, constraint="relaxed"),
    "l2 system": L2LinearClassifier,
    "l2 cauchy": partial(L2Classifier, kernel="cauchy", smoothing=0.5),
    "l2 epanechnikov": partial(L2Classifier, kernel="epanechnikov"),
}
ALL = LEAST_SQUARES | L2


def sample(classes=2, n=150, seed=0):
    if classes == 2:
        return make_moons(n, noise=0.3, random_state=seed)
    return make_blobs(n, centers=classes, cluster_std=2.5, random_state=seed)


def gram(X, Y, h=1.0):
    return np.exp(-((X[:, None] - Y[None]) ** 2).sum(axis=2) / (2 * h * h))


@pytest.fixture(params=ALL, ids=str)
def machine(request):
    return ALL[request.param]


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_all_rows_as_landmarks_are_the_exact_fit(machine, classes):
    X, y = sample(classes)
    w = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    exact = machine(bandwidth=1.0, n_landmarks=None).fit(X, y, w)
    whole = machine(bandwidth=1.0, n_landmarks=len(X)).fit(X, y, w)
    Q = X[:40] + 0.1
    np.testing.assert_allclose(
        whole.decision_function(Q), exact.decision_function(Q), rtol=1e-8, atol=1e-8
    )
    np.testing.assert_array_equal(whole.predict(X), exact.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize(
    "machine", [KernelMSEClassifier, KernelFisherClassifier, BMachineClassifier]
)
def test_candidates_are_judged_by_the_same_folds(machine):
    X, y = sample(3)
    exact = machine(n_landmarks=None).fit(X, y).selection_
    whole = machine(n_landmarks=len(X)).fit(X, y).selection_
    np.testing.assert_allclose(whole.scores, exact.scores, atol=1e-12)
    assert (whole.places, whole.second.place) == (exact.places, exact.second.place)


@pytest.mark.parametrize("offset", [False, True])
def test_ridge_on_landmarks_is_the_regularised_loss_of_all_rows(offset):
    X, y = sample()
    make = partial(LSSVMClassifier, C=2.0) if offset else partial(RLSClassifier, regularization=0.1)
    w = np.random.default_rng(2).uniform(0.5, 2.0, len(X))
    clf = make(bandwidth=1.0, n_landmarks=20).fit(X, y, w)
    L = X[clf.support_]
    K, root, t = gram(X, L), np.sqrt(w)[:, None], np.where(y == 1, 1.0, -1.0)
    mu = 0.5 if offset else 0.1 * w.sum()
    # |W^1/2 (K a + b - t)|^2 + mu a'K_LL a as one least-squares problem.
    half = np.linalg.cholesky(gram(L, L) + 1e-13 * np.eye(len(L))).T
    top = np.hstack([root * K, root * offset])
    bottom = np.hstack([np.sqrt(mu) * half, np.zeros((len(L), 1))])
    side = np.concatenate([root[:, 0] * t, np.zeros(len(L))])
    solution = np.linalg.lstsq(np.vstack([top, bottom]), side, rcond=None)[0]
    wanted = K @ solution[:-1] + solution[-1] * offset
    np.testing.assert_allclose(clf.decision_function(X), wanted, rtol=1e-5, atol=1e-6)


def test_b_machine_on_landmarks_is_box_least_squares_over_all_rows():
    X, y = sample()
    clf = BMachineClassifier(bandwidth=0.5, n_landmarks=25, tol=1e-10).fit(X, y)
    t = np.where(y == 1, 1.0, -1.0)
    chosen = draw_landmarks(X, y, 25)
    upper = np.array([np.sum(y == c) / np.sum(y[chosen] == c) for c in y[chosen]])
    A = gram(X, X[chosen], 0.5) * t[chosen]
    wanted = lsq_linear(A, 0.5 * t, (np.zeros(25), upper), method="bvls", tol=1e-14)
    loss = 0.5 * np.sum((clf.decision_function(X) - 0.5 * t) ** 2)
    assert set(clf.support_) <= set(chosen)
    assert loss == pytest.approx(wanted.cost, rel=1e-7)


def draw_landmarks(X, y, count):
    """The rows that a fit with random_state=0 takes, which a ridge keeps all of."""
    return RLSClassifier(bandwidth=1.0, n_landmarks=count).fit(X, y).support_


def test_l2_on_landmarks_has_the_linear_term_of_all_rows(monkeypatch):
    X, y = sample(n=120)
    h, gamma = 0.4, np.mean(y == 0) / np.mean(y == 1)
    chosen = L2LinearClassifier(bandwidth=h, n_landmarks=30, ridge=1.0).fit(X, y)
    L = chosen.support_
    monkeypatch.setattr(
        "parzen.classifiers.l2.simplex_weights.merged_supports",
        lambda ordered, *_: np.flatnonzero((ordered.X[:, None] == X[L]).all(axis=2).any(axis=1)),
    )
    clf = L2Classifier(bandwidth=h, n_landmarks=30, tol=1e-12).fit(X, y)
    K = gram(X, X, h)
    np.fill_diagonal(K, 0.0)
    means = np.array([K[:, y == c].sum(axis=1) / (np.sum(y == c) - (y == c)) for c in (0, 1)])
    sign = np.where(y == 1, 1.0, -gamma)
    c = sign * (means[1] - gamma * means[0]) * np.sqrt(2.0) ** 2  # in units of k_rho's peak
    Q = np.multiply.outer(sign[L], sign[L]) * gram(X[L], X[L], np.sqrt(2.0) * h)
    wanted = simplex_qp(Q, c[L], y[L], tol=1e-12)
    assert clf.objective_ == pytest.approx(wanted.objective, rel=1e-9)
    weights = np.zeros(len(X))
    weights[clf.support_] = clf.weights_
    np.testing.assert_allclose(weights[L], wanted.weights, atol=1e-6)


def test_copies_are_weights_and_order_does_not_matter(machine):
    X, y = sample(n=80)
    w = np.random.default_rng(3).integers(1, 4, len(X))
    one = machine(bandwidth=1.0, n_landmarks=20).fit(X, y, w)
    copied = machine(bandwidth=1.0, n_landmarks=20).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    order = np.random.default_rng(4).permutation(len(X))
    shuffled = machine(bandwidth=1.0, n_landmarks=20).fit(X[order], y[order], w[order])
    wanted = one.decision_function(X)
    for other in (copied, shuffled):
        np.testing.assert_allclose(other.decision_function(X), wanted, rtol=1e-7, atol=1e-9)


def test_random_state_draws_the_landmarks(machine, monkeypatch):
    monkeypatch.setattr("parzen.classifiers.l2.supports.PART_ROWS", 40)
    X, y = sample()
    first, again, other = (
        machine(bandwidth=1.0, n_landmarks=20, random_state=s).fit(X, y) for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.support_, again.support_)
    np.testing.assert_array_equal(first.decision_function(X), again.decision_function(X))
    assert set(first.support_) != set(other.support_)
    assert len(first.support_) <= 20


@pytest.mark.slow
def test_auto_takes_landmarks_of_large_samples_only(machine, monkeypatch):
    monkeypatch.setattr(parzen.samples.landmarks, "MIN_ROWS_FOR_LANDMARKS", 100)
    X, y = sample(3, n=100)
    exact = machine(bandwidth=1.0, n_landmarks=None)
    np.testing.assert_array_equal(
        machine(bandwidth=1.0).fit(X, y).decision_function(X), exact.fit(X, y).decision_function(X)
    )
    monkeypatch.setattr(
        parzen.samples.landmarks.landmark_count, "__kwdefaults__", {"most": 30, "matrices": True}
    )
    monkeypatch.setattr("parzen.classifiers.l2.l2_base.MOST_DENSITIES", 30)
    X, y = sample(3, n=101)
    assert len(machine().fit(X, y).support_) <= 31


def test_a_solver_asked_for_by_name_is_not_replaced(monkeypatch):
    monkeypatch.setattr(parzen.samples.landmarks, "MIN_ROWS_FOR_LANDMARKS", 100)
    X, y = sample()
    assert len(RLSClassifier(bandwidth=1.0, solver="cholesky").fit(X, y).support_) == len(X)
    assert RLSClassifier(bandwidth=1.0, solver="cg").fit(X, y).n_iter_ > 1


@pytest.mark.parametrize("name", ["rls", "kfd", "b-machine", "l2", "l2 cauchy"])
def test_every_class_has_a_landmark(name):
    rng = np.random.default_rng(5)
    y = np.repeat(np.arange(30), rng.integers(1, 20, 30))
    X = rng.normal(size=(len(y), 2)) + 10 * np.column_stack([y % 6, y // 6])
    with pytest.warns(UserWarning, match="one|single"):
        clf = ALL[name](bandwidth=2.0, n_landmarks=5).fit(X, y)
    assert set(y[clf.support_]) == set(y)
    assert clf.score(X, y) > 0.9


def test_rows_are_drawn_by_frequency():
    codes, weights = np.zeros(2000, dtype=int), np.repeat([1.0, 9.0], 1000)
    rng = np.random.RandomState(0)
    heavy = np.mean([np.mean(draw_rows(codes, weights, 50, rng) >= 1000) for _ in range(200)])
    assert heavy == pytest.approx(0.9, abs=0.01)


def test_factors_of_parts_make_the_factor_of_the_whole():
    rng = np.random.default_rng(6)
    K, T, w = rng.normal(size=(70, 5)), rng.normal(size=(70, 2)), rng.uniform(size=70)
    whole = LandmarkFactor.of(K, T, w)
    parts = [
        LandmarkFactor.of(K[i], T[i], w[i]) for i in (slice(0, 3), slice(3, 50), slice(50, 70))
    ]
    nothing = LandmarkFactor(np.zeros_like(whole.R), whole.m)
    for found in (whole, LandmarkFactor.all_but_one([*parts, nothing])[-1]):
        A = np.hstack([K, np.ones((70, 1)), T])
        np.testing.assert_allclose(found.R.T @ found.R, A.T @ (w[:, None] * A), atol=1e-12)


@pytest.mark.slow
@parametrize_with_checks(
    [
        LSSVMClassifier(n_landmarks=10),
        KernelFisherClassifier(n_landmarks=10),
        BMachineClassifier(n_landmarks=10),
        L2Classifier(n_landmarks=10),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_models_survive_storage(machine, tmp_path):
    X, y = sample(3)
    clf = machine(n_landmarks=20, bandwidth=1.0).fit(X, y)
    save(clf, tmp_path / "model.parzen")
    for other in (pickle.loads(pickle.dumps(clf)), load(tmp_path / "model.parzen")):
        np.testing.assert_array_equal(other.predict(X), clf.predict(X))
        assert clone(other).n_landmarks == 20


@pytest.mark.parametrize(
    ("value", "error"),
    [("some", ValueError), (0, ValueError), (-3, ValueError), (2.5, TypeError), (True, TypeError)],
)
def test_bad_numbers_of_landmarks(machine, value, error):
    X, y = sample()
    with pytest.raises(error, match="n_landmarks"):
        machine(bandwidth=1.0, n_landmarks=value).fit(X, y)


def test_landmarks_need_points_and_a_square_loss():
    X, y = sample()
    with pytest.raises(ValueError, match="precomputed"):
        RLSClassifier("precomputed", n_landmarks=20).fit(gram(X, X), y)
    with pytest.raises(ValueError, match="superfluity"):
        BMachineClassifier(bandwidth=1.0, superfluity=0.5, n_landmarks=20).fit(X, y)


SCRIPT = """
import sys
import numpy as np
import parzen
def megabytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":"))
name, n = sys.argv[1], int(sys.argv[2])
X = np.random.default_rng(0).normal(size=(n, 3))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
make = getattr(parzen, name)
make(bandwidth=0.5, n_landmarks=50).fit(X[:500], y[:500])
before = megabytes("VmRSS")
clf = make(bandwidth=0.5, n_landmarks=100).fit(X, y)
print(megabytes("VmHWM") - before, clf.score(X[:2000], y[:2000]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.parametrize("name", ["L2Classifier", "RLSClassifier", "BMachineClassifier"])
def test_a_hundred_thousand_rows_in_little_memory(name):
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, name, "100000"],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    peak, score = map(float, run.stdout.split())
    assert peak < 100  # MB; the Gram matrix would take 80 000, and n x m numbers 80
    assert score > 0.9
