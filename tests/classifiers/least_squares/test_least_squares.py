"""The least-squares family: every classifier against its definition, written out with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from parzen import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelMSEClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
)
from parzen.bandwidth import LSCV, CrossValidation, KFoldError
from parzen.classifiers.least_squares.coding import code_book
from parzen.datasets import UnavailableError, load, make_parity
from parzen.feature_space import EmpiricalKernelMap, KernelOptimizer
from parzen.kernels import gram

from ..conftest import LEAST_SQUARES

pytestmark = pytest.mark.filterwarnings("ignore:.*(grid|one distinct sample)")

KERNELS = ["gaussian", "inverse_quadratic", "gaussian_exponential", "epanechnikov", "polynomial"]


@pytest.fixture
def three():
    """Three overlapping classes, sorted as the classifiers sort them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [30, 20, 15])
    X = np.array([[0.0, 0.0], [1.6, 0.4], [0.4, 2.0]])[y] + 0.7 * rng.normal(size=(65, 2))
    order = np.lexsort(X.T[::-1])
    return X[order], y[order]


@pytest.fixture
def two(three):
    X, y = three
    return X[y < 2], y[y < 2]


def queries():
    return np.random.default_rng(9).uniform(-1, 3, size=(40, 2))


def signs(y):
    return np.where(y == 1, 1.0, -1.0)


# The B-machine


@pytest.mark.parametrize("name", KERNELS)
def test_the_b_machine_minimises_29(two, name):
    X, y = two
    t, K = signs(y), gram(X, X, name, 0.8)
    clf = BMachineClassifier(name, 0.8, 0.4, tol=1e-8).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[clf.support_] = clf.dual_coef_[:, 0] * t[clf.support_]
    assert (alpha >= 0).all()
    assert (alpha <= 1).all()
    g = (K * t) @ alpha
    np.testing.assert_allclose(clf.decision_function(X), g, atol=1e-9)
    gradient = t * (K.T @ (g - 0.4 * t))
    gap = np.where(gradient > 0, gradient * alpha, -gradient * (1 - alpha)).sum()
    assert gap <= 1e-8 * 0.5 * np.sum((0.4 * t) ** 2) + 1e-12
    assert clf.optimality_gap_ <= 1e-8
    W = 0.4 * t @ K @ (t * alpha) - 0.5 * np.sum((K @ (t * alpha)) ** 2)  # (29)
    loss = 0.5 * np.sum((g - 0.4 * t) ** 2)  # (28)
    np.testing.assert_allclose(W, 0.5 * np.sum((0.4 * t) ** 2) - loss, rtol=1e-9)


def test_a_box_of_one_over_the_margin_is_the_same_machine(two):
    """(46)-(47): beta = alpha t / margin fits the targets themselves within 1 / margin."""
    from parzen.solvers import box_least_squares

    X, y = two
    t, K = signs(y), gram(X, X, "gaussian", 0.6)
    clf = BMachineClassifier(bandwidth=0.6, margin=0.3, tol=1e-12).fit(X, y)
    scaled = box_least_squares(K * t, t, upper=1 / 0.3, tol=1e-12)
    np.testing.assert_allclose(clf.decision_function(X) / 0.3, (K * t) @ scaled.weights, atol=1e-6)


def test_one_machine_per_class_decides_by_the_largest_score(three):
    X, y = three
    clf = BMachineClassifier(bandwidth=0.7, margin=0.4, tol=1e-9).fit(X, y)
    scores = clf.decision_function(queries())
    assert scores.shape == (40, 3)
    for c in range(3):
        alone = BMachineClassifier(bandwidth=0.7, margin=0.4, tol=1e-9).fit(X, y == c)
        np.testing.assert_allclose(scores[:, c], alone.decision_function(queries()), atol=1e-5)
    np.testing.assert_array_equal(clf.predict(queries()), scores.argmax(axis=1))


def test_a_smaller_margin_needs_fewer_b_vectors(two):
    X, y = two
    counts = [
        len(BMachineClassifier(bandwidth=0.3, margin=m, tol=1e-9).fit(X, y).support_)
        for m in (0.1, 1.0)
    ]
    assert counts[0] <= counts[1]


def test_with_a_wide_kernel_b_vectors_lie_near_the_other_class():
    """Section 4.1: at a small sigma they lie anywhere. The distance to the nearest row of the other
    class, relative to the mean of all rows."""
    nearness = []
    for sigma in (0.2, 1.0):
        each = []
        for seed in range(4):
            X, y = make_parity(200, random_state=seed)
            clf = BMachineClassifier(bandwidth=sigma, margin=0.5, sparsity=1e-5).fit(X, y)
            away = np.where(y[:, None] == y, np.inf, cdist(X, X)).min(axis=1)
            each.append(away[clf.support_].mean() / away.mean())
        nearness.append(np.mean(each))
    assert abs(nearness[0] - 1.0) < 0.05
    assert nearness[1] < 0.85


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sigma", "margin", "least", "span"),
    [("iris", 2.0, 0.3, 0.95, 0.015), ("bupa", 3.0, 0.4, 0.7, 0.03)],
)
def test_neighbours_of_the_reports_parameters_are_as_good(name, sigma, margin, least, span):
    """Section 4.4: sigma from 4/5 to 5/4 and half to 3/2 of the margin of its Table 2."""
    try:
        data = load(name)
    except UnavailableError as reason:
        pytest.skip(str(reason))
    X = MinMaxScaler((-1, 1)).fit_transform(data.X)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    right = []
    for s, m in ((1.0, 1.0), (0.8, 0.5), (0.8, 1.5), (1.25, 0.5), (1.25, 1.5)):
        machine = BMachineClassifier("inverse_quadratic", s * sigma, m * margin)
        right.append(cross_val_score(machine, X, data.y, cv=folds).mean())
    assert min(right) > least
    assert np.ptp(right) < span


def test_superfluity_weighs_scores_beyond_the_margin(two):
    X, y = two
    t = signs(y)

    def loss(clf, s):
        r = t * clf.decision_function(X) - 0.4
        return np.sum(np.where(r > 0, s, 1.0) * r**2)

    report = BMachineClassifier(bandwidth=0.6, margin=0.4, tol=1e-8).fit(X, y)
    for s in (0.0, 0.2, 5.0):
        clf = BMachineClassifier(bandwidth=0.6, margin=0.4, superfluity=s, tol=1e-8).fit(X, y)
        assert clf.optimality_gap_ <= 1e-8
        assert loss(clf, s) <= loss(report, s) * (1 + 1e-7)
        beyond = (t * clf.decision_function(X) > 0.4).sum()
        assert beyond >= (t * report.decision_function(X) > 0.4).sum() or s > 1


def test_a_little_sparsity_leaves_out_b_vectors_but_no_accuracy():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1000, 2))
    y = (X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=1000) > 0).astype(int)
    train, test = slice(0, 200), slice(200, None)
    plain = BMachineClassifier(bandwidth=2.0, margin=0.3).fit(X[train], y[train])
    sparse = BMachineClassifier(bandwidth=2.0, margin=0.3, sparsity=1e-4).fit(X[train], y[train])
    assert len(sparse.support_) < 0.5 * len(plain.support_)
    assert sparse.score(X[test], y[test]) >= plain.score(X[test], y[test]) - 0.01


def test_a_warm_start_for_a_growing_sample_takes_fewer_steps():
    X, y = make_moons(300, noise=0.3, random_state=0)
    clf = BMachineClassifier(bandwidth=0.3, margin=0.5, warm_start=True).fit(X[:295], y[:295])
    clf.fit(X, y)
    cold = BMachineClassifier(bandwidth=0.3, margin=0.5).fit(X, y)
    assert clf.n_iter_ < cold.n_iter_
    np.testing.assert_allclose(
        clf.decision_function(queries()), cold.decision_function(queries()), atol=5e-3
    )


def test_bandwidth_and_margin_are_chosen_by_k_folds(two):
    X, y = two
    grid = CrossValidation((0.05, 0.7, 5.0))
    clf = BMachineClassifier(bandwidth=grid, margin=(0.2, 0.6)).fit(X, y)
    s = clf.selection_
    assert s.scores.shape == (3, 2)
    i, j = s.places[0], s.second.place
    assert s.score == s.scores[i, j] == s.scores.min()
    assert (clf.bandwidth_, clf.margin_) == (s.grid[i], s.second.values[j])
    assert s.second.name == "margin"
    assert s.criterion == "5-fold error"
    fold = np.empty(len(y), dtype=int)
    for c in (0, 1):
        rows = np.flatnonzero(y == c)
        fold[rows] = (np.arange(len(rows)) + c) % 5
    wrong = 0
    for k in range(5):
        part = BMachineClassifier(bandwidth=s.grid[i], margin=s.second.values[j])
        part.fit(X[fold != k], y[fold != k])
        wrong += (part.predict(X[fold == k]) != y[fold == k]).sum()
    assert s.scores[i, j] == pytest.approx(wrong / len(y))


def test_stopping_early_warns_with_the_gap(two):
    with pytest.warns(UserWarning, match="optimality gap of"):
        BMachineClassifier(bandwidth=0.7, max_iter=1, tol=1e-10).fit(*two)


# LS-SVM and RLSC


@pytest.mark.parametrize("name", ["gaussian", "inverse_quadratic", "linear", "polynomial"])
def test_ls_svm_and_rlsc_solve_their_systems(three, name):
    X, y = three
    n, K = len(y), gram(X, X, name, 0.8)
    across = gram(queries(), X, name, 0.8)
    T = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    rls = RLSClassifier(name, 0.8, 0.02).fit(X, y)
    a = np.linalg.solve(K + 0.02 * n * np.eye(n), T)
    np.testing.assert_allclose(rls.decision_function(queries()), across @ a, rtol=1e-7, atol=1e-9)
    svm = LSSVMClassifier(name, 0.8, 3.0).fit(X, y)
    S = np.block([[np.zeros((1, 1)), np.ones((1, n))], [np.ones((n, 1)), K + np.eye(n) / 3.0]])
    solved = np.linalg.solve(S, np.vstack([np.zeros((1, 3)), T]))
    expected = across @ solved[1:] + solved[0]
    np.testing.assert_allclose(svm.decision_function(queries()), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make_one", "name", "grid"),
    [(LSSVMClassifier, "C", (0.1, 10.0)), (RLSClassifier, "regularization", (1e-4, 0.1))],
)
def test_leave_one_out_errors_of_the_grid_equal_refits(three, make_one, name, grid):
    X, y = three
    clf = make_one(bandwidth=CrossValidation((0.3, 1.0)), **{name: grid}).fit(X, y)
    assert clf.selection_.criterion == "leave-one-out error"
    for i, h in enumerate((0.3, 1.0)):
        for j, value in enumerate(grid):
            wrong = 0
            for k in range(len(y)):
                kept = np.arange(len(y)) != k
                one = make_one(bandwidth=h, **{name: value}).fit(X[kept], y[kept])
                wrong += int(one.predict(X[k : k + 1])[0] != y[k])
            assert clf.selection_.scores[i, j] == pytest.approx(wrong / len(y))


def test_conjugate_gradients_give_the_direct_solution(three):
    X, y = three
    for make_one in (LSSVMClassifier, RLSClassifier):
        direct = make_one(bandwidth=0.8).fit(X, y)
        iterated = make_one(bandwidth=0.8, solver="cg", tol=1e-12).fit(X, y)
        np.testing.assert_allclose(
            iterated.decision_function(queries()),
            direct.decision_function(queries()),
            rtol=1e-8, atol=1e-9,
        )  # fmt: skip
        assert iterated.n_iter_ > 1
    with pytest.raises(ValueError, match="conjugate gradients"):
        RLSClassifier(bandwidth="cv", solver="cg").fit(X, y)


def test_minimum_codes_tell_every_class_apart():
    for n_classes in (2, 3, 5, 8, 9):
        codes = code_book("minimum", n_classes)
        assert codes.shape == (n_classes, int(np.ceil(np.log2(n_classes))))
        assert len(np.unique(codes, axis=0)) == n_classes
    X, y = load_iris(return_X_y=True)
    clf = LSSVMClassifier(bandwidth=1.0, C=10.0, coding="minimum").fit(X, y)
    assert clf.dual_coef_.shape[1] == 2
    assert clf.decision_function(X).shape == (150, 3)
    assert clf.score(X, y) > 0.9


# KMSE and KFD


@pytest.mark.parametrize("absolute", [False, True])
def test_kernel_mse_is_21(two, absolute):
    X, y = two
    K, across = gram(X, X, "gaussian", 0.6), gram(queries(), X, "gaussian", 0.6)
    largest = np.linalg.eigvalsh(K + 1.0).max()
    share = 1e-3 / largest if absolute else 1e-3
    expected = (1.0 + across) @ np.linalg.pinv(K + 1.0, rcond=share, hermitian=True) @ signs(y)
    clf = KernelMSEClassifier(bandwidth=0.6, threshold=1e-3, absolute=absolute).fit(X, y)
    np.testing.assert_allclose(clf.decision_function(queries()), expected, rtol=1e-7, atol=1e-8)


def test_kernel_fisher_is_the_papers_formula(two):
    X, y = two
    m, K = len(y), gram(X, X, "gaussian", 0.6)
    H = np.eye(m) - 1.0 / m
    omega, beta = np.linalg.eigh(H @ K @ H)
    kept = omega > 1e-3 * omega.max()
    lam = np.where(y == 1, 1.0 / (y == 1).sum(), -1.0 / (y == 0).sum())
    middle = beta[:, kept] @ np.diag(omega[kept] ** -2.0) @ beta[:, kept].T
    across = gram(queries(), X, "gaussian", 0.6)
    expected = m * (across - K.mean(axis=0)) @ middle @ K @ lam
    clf = KernelFisherClassifier(bandwidth=0.6, threshold=1e-3).fit(X, y)
    np.testing.assert_allclose(clf.decision_function(queries()), expected, rtol=1e-7, atol=1e-7)


def test_kernel_fisher_with_the_linear_kernel_is_fishers_direction(two):
    X, y = two
    clf = KernelFisherClassifier("linear", threshold=1e-10).fit(X, y)
    S = np.cov(X.T, bias=True)
    w = np.linalg.solve(S, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    expected = (queries() - X.mean(axis=0)) @ w
    np.testing.assert_allclose(clf.decision_function(queries()), expected, rtol=1e-8)


def test_kernel_fisher_maximises_the_rayleigh_quotient_of_the_scatter_matrices(two):
    """In the empirical feature space, on the axes whose eigenvalues are above the threshold."""
    X, y = two
    axes = EmpiricalKernelMap("gaussian", 1.5).fit_transform(X)
    U, roots, _ = np.linalg.svd(axes - axes.mean(axis=0), full_matrices=False)
    Z = (U * roots)[:, roots**2 > 1e-4 * roots[0] ** 2]

    def scatter(Z):
        parts = [Z[y == c] for c in (0, 1)]
        between = sum(len(P) * np.multiply.outer(d, d) for P in parts for d in [P.mean(axis=0)])
        return between, sum((P - P.mean(axis=0)).T @ (P - P.mean(axis=0)) for P in parts)

    clf = KernelFisherClassifier(bandwidth=1.5, threshold=1e-4).fit(X, y)
    scores = clf.decision_function(X)
    between, within = scatter(scores - scores.mean())
    assert 1 < Z.shape[1] < 30
    assert between / within == pytest.approx(eigh(*scatter(Z), eigvals_only=True)[-1], rel=1e-6)


def test_kernel_fisher_scores_of_more_classes_are_least_squares_fits(three):
    X, y = three
    clf = KernelFisherClassifier("linear", threshold=1e-10).fit(X, y)
    design = np.column_stack([np.ones(len(y)), X])
    T = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    fit = np.linalg.lstsq(design, T, rcond=None)[0]
    expected = np.column_stack([np.ones(40), queries()]) @ fit
    np.testing.assert_allclose(clf.decision_function(queries()), expected, rtol=1e-7, atol=1e-9)


# All of them


@pytest.mark.slow
@pytest.mark.parametrize("machine", LEAST_SQUARES)
def test_functions_and_gram_matrices_give_the_same_machine(machine, three):
    X, y = three
    named = machine(bandwidth=0.7).fit(X, y)
    function = machine(lambda A, B: gram(A, B, "gaussian", 0.7)).fit(X, y)
    ready = machine("precomputed").fit(gram(X, X, "gaussian", 0.7), y)
    expected = named.decision_function(queries())
    np.testing.assert_allclose(
        function.decision_function(queries()), expected, rtol=1e-9, atol=1e-9
    )
    across = gram(queries(), X, "gaussian", 0.7)
    np.testing.assert_allclose(ready.decision_function(across), expected, atol=1e-3)
    assert named.predict_proba(queries()).shape == (40, 3)
    score = cross_val_score(machine("precomputed"), gram(X, X, "gaussian", 0.7), y, cv=3)
    assert score.mean() > 0.6


@pytest.mark.parametrize("machine", LEAST_SQUARES)
def test_a_learned_kernel_is_a_kernel_as_any_other(machine, two):
    X, y = two
    learned = KernelOptimizer(bandwidth=0.7, core_bandwidth=1.0, random_state=0).fit(X, y).kernel_
    own = machine(learned, bandwidth=0.7).fit(X, y)
    ready = machine("precomputed").fit(gram(X, X, learned, 0.7), y)
    across = gram(queries(), X, learned, 0.7)
    np.testing.assert_allclose(
        own.decision_function(queries()), ready.decision_function(across), atol=1e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize("machine", LEAST_SQUARES)
def test_weights_are_copies_to_the_last_bit(machine, three):
    X, y = three
    weights = np.random.default_rng(1).integers(0, 4, size=len(y))
    weighted = machine().fit(X, y, sample_weight=weights)
    copied = machine().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(
        weighted.predict_proba(queries()), copied.predict_proba(queries())
    )
    order = np.random.default_rng(2).permutation(len(y))
    shuffled = machine().fit(X[order], y[order], sample_weight=weights[order])
    np.testing.assert_array_equal(
        shuffled.predict_proba(queries()), copied.predict_proba(queries())
    )


@pytest.mark.parametrize("machine", LEAST_SQUARES)
def test_weight_two_is_two_rows_in_the_definition(machine, two):
    """Merging rows is no trick: two rows a hair apart give what one row of weight two gives."""
    X, y = two
    options = {"tol": 1e-10} if machine is BMachineClassifier else {}
    weights = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    weighted = machine(bandwidth=0.7, **options).fit(X, y, sample_weight=weights)
    twice = weights == 2
    copies = machine(bandwidth=0.7, **options).fit(
        np.vstack([X, X[twice] + 1e-9]), np.append(y, y[twice])
    )
    np.testing.assert_allclose(
        copies.decision_function(queries()), weighted.decision_function(queries()), atol=2e-5
    )


@pytest.mark.parametrize("machine", LEAST_SQUARES)
def test_probabilities_agree_with_labels_and_with_the_size_of_scores(machine, three):
    X, y = three
    clf = machine(bandwidth=0.7).fit(X, y)
    proba, scores = clf.predict_proba(queries()), clf.decision_function(queries())
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(clf.predict(queries()), clf.classes_[proba.argmax(axis=1)])
    np.testing.assert_array_equal(proba.argmax(axis=1), scores.argmax(axis=1))
    np.testing.assert_allclose(
        np.log(proba[:, 0] / proba[:, 1]),
        clf.probability_scale_ * (scores[:, 0] - scores[:, 1]),
        rtol=1e-9, atol=1e-9,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("machine", LEAST_SQUARES)
def test_accuracy_is_that_of_a_support_vector_machine(machine, three):
    X, y = three
    ours = cross_val_score(machine(bandwidth=0.8), X, y, cv=5).mean()
    theirs = cross_val_score(SVC(gamma=1 / (2 * 0.8**2)), X, y, cv=5).mean()
    assert ours > theirs - 0.08


@pytest.mark.parametrize("make_one", LEAST_SQUARES)
@pytest.mark.parametrize(
    "selector", ["silverman", "lscv", "loo", KFoldError(folds=3), LSCV(per="feature")], ids=repr
)
def test_selectors_choose_the_bandwidth_of_the_plug_in_rule(three, make_one, selector):
    X, y = three
    plug_in = ParzenClassifier(bandwidth=selector).fit(X, y).bandwidth_
    clf = make_one(bandwidth=selector).fit(X, y)
    np.testing.assert_allclose(clf.bandwidth_, plug_in, rtol=1e-12)


@pytest.mark.parametrize("make_one", LEAST_SQUARES)
def test_a_bandwidth_per_feature_is_a_scaling_of_the_columns(three, make_one):
    X, y = three
    h = np.linspace(0.6, 1.5, X.shape[1])[None, :]
    each = make_one(bandwidth=h).fit(X, y)
    scaled = make_one(bandwidth=1.0).fit(X / h, y)
    np.testing.assert_allclose(
        each.decision_function(queries()), scaled.decision_function(queries() / h), rtol=1e-9,
        atol=1e-12,
    )  # fmt: skip
    np.testing.assert_array_equal(each.bandwidth_, h)


def test_a_selector_of_densities_refuses_a_kernel_that_is_none(three):
    for selector in ("silverman", LSCV()):
        with pytest.raises(ValueError, match="'inverse_quadratic' is none"):
            RLSClassifier("inverse_quadratic", bandwidth=selector).fit(*three)


def test_conjugate_gradients_take_a_selector(three):
    X, y = three
    h = RLSClassifier(bandwidth="silverman").fit(X, y).bandwidth_
    assert RLSClassifier(bandwidth="silverman", solver="cg").fit(X, y).bandwidth_ == h
