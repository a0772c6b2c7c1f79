"""The L2 classifier against NumPy and scikit-learn's grid search."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import L2Classifier, L2KernelDensity, L2LinearClassifier
from parzen.kernels import get


def alpha_of(clf, n):
    a = np.zeros(n)
    a[clf.support_] = clf.weights_
    return a


def test_separate_is_the_density_of_each_class_alone(two_classes):
    X, y = two_classes()
    clf = L2Classifier(bandwidth=0.5, constraint="separate", tol=1e-11).fit(X, y)
    for c in (0, 1):
        density = L2KernelDensity(bandwidth=0.5, tol=1e-11).fit(X[y == c])
        a = alpha_of(clf, len(X))[y == c]
        b = np.zeros((y == c).sum())
        b[density.support_] = density.weights_
        np.testing.assert_allclose(a, b, atol=1e-7)


def test_the_density_minimises_its_programme():
    X = np.random.default_rng(3).normal(size=(80, 2))
    density = L2KernelDensity(bandwidth=0.6, tol=1e-11).fit(X)
    d2 = ((X[:, None] - X) ** 2).sum(-1)
    Q = np.exp(-d2 / (4 * 0.36))
    K = np.exp(-d2 / (2 * 0.36)) * 2.0
    np.fill_diagonal(K, 0.0)
    c = K.sum(axis=1) / 79
    mine = np.zeros(80)
    mine[density.support_] = density.weights_
    gradient = Q @ mine - c
    assert gradient[mine > 0].max() - gradient.min() < 1e-9
    assert density.weights_.sum() == pytest.approx(1.0, abs=1e-14)


def test_the_objective_is_the_centroid_form_of_section_4_2(two_classes):
    X, y = two_classes()
    s, gamma = 0.6, 0.5
    clf = L2Classifier(bandwidth=s, gamma=gamma, tol=1e-9).fit(X, y)
    a = alpha_of(clf, len(X))
    plus, minus = y == 1, y == 0
    n_plus, n_minus = plus.sum(), minus.sum()
    k = get("gaussian")
    K = k(X, X, bandwidth=s)
    K2 = k(X, X, bandwidth=np.sqrt(2) * s)

    def inner(matrix, u, v):
        return u @ matrix @ v

    mean_plus, mean_minus = plus / n_plus, minus / n_minus
    a_plus, a_minus = a * plus, a * minus
    difference = a_plus - gamma * a_minus
    centroid = (
        0.5 * inner(K2, difference, difference)
        - inner(K, a_plus, n_plus / (n_plus - 1) * mean_plus - gamma * mean_minus)
        - gamma * inner(K, a_minus, gamma * n_minus / (n_minus - 1) * mean_minus - mean_plus)
    )
    constant = (1 / (n_plus - 1) + gamma**2 / (n_minus - 1)) * K[0, 0]
    assert clf.objective_ * K2[0, 0] == pytest.approx(centroid + constant, rel=1e-10)


def test_slacks_close_the_duality_gap_of_the_primal(two_classes, criterion):
    X, y = two_classes()
    eta = 1.7
    clf = L2Classifier(bandwidth=0.5, eta=eta, tol=1e-10).fit(X, y)
    Q, c, _ = criterion(X, y, "gaussian", 0.5, eta=eta)
    a = alpha_of(clf, len(X))
    # (11) divided by eta^2: primal value 1/2 w'w + eta (xi_+ + xi_-) with w = eta sum a Y Phi.
    primal = 0.5 * eta**2 * a @ Q @ a + eta * clf.slacks_.sum()
    dual = eta**2 * (c @ a - 0.5 * a @ Q @ a)
    assert primal == pytest.approx(dual, rel=1e-8)
    margins = eta * (Q @ a)
    for label, xi in zip((0, 1), clf.slacks_, strict=True):
        assert (margins[y == label] >= eta * c[y == label] - xi - 1e-9).all()


def test_it_works_in_300_dimensions():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 300)) + 0.5 * y[:, None]
    clf = L2Classifier(bandwidth=0.05).fit(X, y)
    assert np.isfinite(clf.decision_function(1e3 * X)).all()
    wide = L2Classifier(bandwidth=12.0, eta=2.0**150).fit(X, y)
    assert wide.score(X, y) > 0.95
    assert np.isfinite(wide.objective_)


def test_ten_thousand_dimensions_do_not_overflow():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    X = rng.normal(size=(20, 10_000)) + 0.1 * y[:, None]
    clf = L2Classifier(bandwidth=90.0).fit(X, y)
    assert np.isfinite(clf.weights_).all()
    assert clf.weights_.sum() == pytest.approx(2.0)


def test_a_class_of_one_sample_has_no_linear_term_of_its_own(two_classes):
    X, y = two_classes()
    X = np.concatenate([X, [[3.0, -3.0]]])
    y = np.append(y + 1, 0)
    y[y == 1] = 2
    y = (y == 2).astype(int)
    with pytest.warns(UserWarning, match="one sample"):
        clf = L2Classifier(bandwidth=0.5, tol=1e-10).fit(X, y)
    assert alpha_of(clf, len(X))[y == 0].sum() == pytest.approx(1.0)
    assert clf.predict([[3.0, -3.0]]) == [0]


def test_duplicated_rows_change_neither_objective_nor_decision(two_classes):
    X, y = two_classes()
    twice = np.concatenate([X, X]), np.concatenate([y, y])
    options = {"bandwidth": 0.5, "linear_term": "resubstitution", "tol": 1e-11}
    one, two = L2Classifier(**options).fit(X, y), L2Classifier(**options).fit(*twice)
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-10)
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-5)


EVERY_KIND = {
    "simplex": L2Classifier,
    "relaxed": partial(L2Classifier, constraint="relaxed"),
    "separate": partial(L2Classifier, constraint="separate"),
    "linear": L2LinearClassifier,
}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_weight_of_three_is_three_copies(two_classes, kind):
    X, y = two_classes(40)
    w = np.random.default_rng(0).integers(1, 4, len(X))
    options = {"bandwidth": 0.6} | ({} if kind == "linear" else {"tol": 1e-11})
    make = partial(EVERY_KIND[kind], **options)
    copies = make().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    weighted = make().fit(X, y, sample_weight=w)
    assert weighted.objective_ == pytest.approx(copies.objective_, rel=1e-9)
    queries = X + 0.1
    np.testing.assert_allclose(
        weighted.decision_function(queries), copies.decision_function(queries), atol=1e-6
    )


def test_a_weight_is_as_good_as_copies_for_the_novelty_too(two_classes):
    X, y = two_classes(40)
    w = np.random.default_rng(0).integers(1, 4, len(X))
    options = {"bandwidth": 0.6, "novelty": 0.2, "tol": 1e-11}
    copies = L2Classifier(**options).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    weighted = L2Classifier(**options).fit(X, y, sample_weight=w)
    threshold = copies.decision_.novelty_threshold
    assert weighted.decision_.novelty_threshold == pytest.approx(threshold, rel=1e-9)
    queries = np.vstack([X + 0.1, 3.0 * X])
    assert (copies.predict(queries) == -2).any()
    np.testing.assert_array_equal(weighted.predict(queries), copies.predict(queries))


def test_a_row_of_weight_zero_is_absent(two_classes):
    X, y = two_classes()
    w = np.ones(len(X))
    w[::4] = 0.0
    weighted = L2Classifier().fit(X, y, sample_weight=w)
    absent = L2Classifier().fit(X[w > 0], y[w > 0])
    assert weighted.bandwidth_ == absent.bandwidth_
    np.testing.assert_array_equal(weighted.support_, np.flatnonzero(w > 0)[absent.support_])
    np.testing.assert_array_equal(weighted.support_vectors_, X[weighted.support_])


def test_the_joint_programme_of_three_classes_is_a_sum_over_pairs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 15, 25])
    X = rng.normal(size=(60, 2)) + 1.5 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    s = 0.7
    clf = L2Classifier(bandwidth=s, tol=1e-10).fit(X, y)
    v = clf.priors_ / clf.priors_[2]
    K2, K = get("gaussian")(X, X, bandwidth=np.sqrt(2) * s), get("gaussian")(X, X, bandwidth=s)
    np.fill_diagonal(K, 0.0)
    a = alpha_of(clf, 60)

    def pairs(a):
        total = 0.0
        for g in range(3):
            for h in range(g):
                u = a * (v[g] * (y == g) - v[h] * (y == h))
                target = np.zeros(60)
                for c, sign in ((g, 1.0), (h, -1.0)):
                    size = (y == c).sum() - (y == c)
                    target += sign * v[c] * K[:, y == c].sum(axis=1) / size
                total += 0.5 * u @ K2 @ u - u @ target
        return total

    assert clf.objective_ * K2[0, 0] == pytest.approx(pairs(a), rel=1e-9)
    for _ in range(50):  # no feasible direction descends
        other = rng.dirichlet(np.ones(60))
        other /= np.bincount(y, other)[y]
        assert pairs(a + 1e-3 * (other - a)) >= pairs(a) - 1e-12
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1.0)
    assert clf.dual_coef_.shape == (3, len(clf.support_))


def test_priors_and_costs_are_gamma_by_another_name(two_classes):
    X, y = two_classes()
    gamma = L2Classifier(bandwidth=0.5, gamma=2.0 * 0.3 / 0.7).fit(X, y)
    spoken = L2Classifier(bandwidth=0.5, priors=[0.3, 0.7], costs=[[0, 2], [1, 0]]).fit(X, y)
    assert spoken.gamma_ == pytest.approx(gamma.gamma_)
    np.testing.assert_allclose(spoken.decision_function(X), gamma.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(spoken.predict(X), gamma.predict(X))


def test_dual_coefficients_are_signed_weights(two_classes):
    X, y = two_classes()
    clf = L2Classifier(bandwidth=0.5).fit(X, y)
    assert clf.dual_coef_.shape == (1, len(clf.support_))
    positive = y[clf.support_] == 1
    np.testing.assert_allclose(clf.dual_coef_[0, positive].sum(), 1.0)
    np.testing.assert_allclose(clf.dual_coef_[0, ~positive].sum(), -clf.gamma_)


@pytest.mark.parametrize("kind", ["simplex", "linear"])
def test_a_prior_of_one_leaves_the_other_class_no_say(two_classes, kind):
    X, y = two_classes()
    first = EVERY_KIND[kind](bandwidth=0.5, priors=[1, 0]).fit(X, y)
    assert first.gamma_ == np.inf
    assert (first.predict(X) == 0).all()
    kernel = get("gaussian").similarity(X, first.support_vectors_, bandwidth=0.5)
    assert (first.decision_function(X) < 0).all()
    if kind == "simplex":
        assert (first.dual_coef_[0] @ kernel.T < 0).all()
        assert (first.dual_coef_[0, y[first.support_] == 1] == 0).all()
        assert first.dual_coef_.sum() == pytest.approx(-1.0)


@pytest.mark.slow
@pytest.mark.parametrize("eta", [1.0, "cv"])
@pytest.mark.parametrize("seed", range(3))
def test_grid_search_with_the_same_folds_chooses_the_same(two_classes, seed, eta):
    X, y = two_classes(150, seed=seed)
    grid = np.geomspace(1.5, 0.1, 8)
    etas = [1.0] if eta == 1.0 else [1.0, 1.4, 2.0]
    mine = L2Classifier(grid=grid, eta=eta, eta_grid=etas, tol=1e-3).fit(X, y)
    theirs = GridSearchCV(
        L2Classifier(tol=1e-3), {"bandwidth": grid, "eta": etas}, cv=StratifiedKFold(5)
    ).fit(X, y)
    assert mine.bandwidth_ == pytest.approx(theirs.best_params_["bandwidth"])
    assert mine.eta_ == pytest.approx(theirs.best_params_["eta"])
    found = mine.selection_
    np.testing.assert_array_equal(found.grid, grid[::-1])
    falling = found.scores[::-1].ravel()
    np.testing.assert_allclose(1.0 - falling, theirs.cv_results_["mean_test_score"], atol=0.015)
    assert found.sparsity.shape == found.spread.shape == (8, len(etas))
    assert mine.cv_results_["errors"] is found.scores
    assert mine.cv_results_["fold_errors"] is found.fold_scores
    assert (found.bandwidth, found.second.chosen) == (mine.bandwidth_, mine.eta_)


def test_class_weights_count_in_the_choice_of_the_bandwidth(two_classes):
    X, y = two_classes(80)
    w = np.where(y == 0, 3.0, 1.0)
    grid = np.geomspace(0.1, 2.0, 10)
    mine = L2Classifier(grid=grid, class_weight={0: 3.0, 1: 1.0}).fit(X, y)
    for f, (train, test) in enumerate(StratifiedKFold(5).split(X, y)):
        for b in (0, 4, 9):
            one = L2Classifier(bandwidth=grid[b], class_weight={0: 3.0, 1: 1.0}, tol=1e-3)
            wrong = one.fit(X[train], y[train]).predict(X[test]) != y[test]
            expected = w[test] @ wrong / w[test].sum()
            assert mine.selection_.fold_scores[f, b, 0] == pytest.approx(expected, abs=0.05)


def test_ties_go_to_the_largest_bandwidth():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]])
    y = np.repeat([0, 1], 4)
    clf = L2Classifier(grid=[0.5, 1.0, 2.0], cv=4).fit(X, y)
    assert (clf.selection_.scores == 0).all()
    assert clf.bandwidth_ == 2.0


@pytest.mark.filterwarnings("ignore:the bandwidth chosen")
@pytest.mark.parametrize("size", [10, 28])
def test_a_grid_of_any_size_is_widened_by_the_same_factor(size):
    X = np.random.default_rng(2).normal(size=(60, 30))
    clf = L2Classifier(grid=size).fit(X, np.arange(60) % 2)
    grid = clf.selection_.grid
    assert clf.selection_.widened
    assert len(grid) > size
    assert grid[-1] / grid[0] == pytest.approx(2.0 ** (4.5 + 1.5))


@pytest.mark.filterwarnings("ignore:the bandwidth chosen")
def test_a_grid_per_class_is_searched_too():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 3)) * np.where(y == 1, 0.3, 1.0)[:, None]
    pairs = np.array([[a, b] for a in (0.1, 0.3, 0.9) for b in (0.1, 0.3, 0.9)])
    falling = pairs[np.argsort(-np.log(pairs).mean(axis=1), kind="stable")]
    mine = L2Classifier(grid=pairs, tol=1e-3).fit(X, y)
    theirs = GridSearchCV(
        L2Classifier(tol=1e-3), {"bandwidth": list(falling)}, cv=StratifiedKFold(5)
    ).fit(X, y)
    np.testing.assert_array_equal(mine.bandwidth_, theirs.best_params_["bandwidth"])
    scores = mine.selection_.scores[::-1].ravel()
    np.testing.assert_allclose(1.0 - scores, theirs.cv_results_["mean_test_score"], atol=0.01)


def test_the_selected_bandwidth_moves_with_the_data(two_classes):
    X, y = two_classes()
    for c in (1e-12, 1e12, 1e150, 1e-150):
        one, other = L2Classifier(tol=1e-10).fit(X, y), L2Classifier(tol=1e-10).fit(c * X, y)
        assert other.bandwidth_ == pytest.approx(c * one.bandwidth_, rel=1e-10)
        np.testing.assert_allclose(other.weights_, one.weights_, atol=1e-6)


def test_the_result_does_not_depend_on_the_threads(two_classes):
    X, y = two_classes(200)
    one, three = L2Classifier(n_jobs=1).fit(X, y), L2Classifier(n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(one.weights_, three.weights_)
    np.testing.assert_array_equal(one.selection_.scores, three.selection_.scores)


def one_blob_of_two_classes(seed):
    return np.random.default_rng(seed).normal(size=(40, 1)), np.arange(40) % 2


def test_relaxed_a_class_that_loses_all_its_kernels_has_density_zero():
    X, y = one_blob_of_two_classes(2)
    gamma = 0.3
    clf = L2Classifier(bandwidth=0.2, gamma=gamma, constraint="relaxed", tol=1e-9).fit(X, y)
    assert (y[clf.support_] == 1).all()
    assert clf.weights_.sum() == pytest.approx(1.0 - gamma, abs=1e-12)
    rows = np.vstack([X, X + 50.0])
    assert np.isposinf(clf.decision_function(rows)).all()
    np.testing.assert_array_equal(clf.predict_proba(rows), np.tile([0.0, 1.0], (80, 1)))
    log_density = np.log(0.2 * np.sqrt(2 * np.pi))
    K = np.exp(-0.5 * ((X - clf.support_vectors_.T) / 0.2) ** 2 - log_density)
    expected = np.log(K @ clf.weights_ / (1.0 + gamma))
    np.testing.assert_allclose(clf.score_samples(X), expected, atol=1e-12)


def test_relaxed_where_both_classes_lose_all_their_kernels_the_priors_decide():
    X, y = one_blob_of_two_classes(1)
    clf = L2Classifier(bandwidth=3.0, gamma=1.0, constraint="relaxed", tol=1e-9).fit(X, y)
    assert len(clf.support_) == 0
    np.testing.assert_array_equal(clf.predict_proba(X), np.full((40, 2), 0.5))
    np.testing.assert_array_equal(clf.decision_function(X), 0.0)
    assert (clf.predict(X) == 0).all()
    assert np.isneginf(clf.score_samples(X)).all()


def test_relaxed_classes_that_overlap_in_part_lose_a_part_of_their_mass(two_classes):
    X, y = two_classes(200)
    clf = L2Classifier(bandwidth=0.5, constraint="relaxed", tol=1e-9).fit(X, y)
    mass = np.bincount(y[clf.support_], clf.weights_, 2)
    assert clf.gamma_ * (1.0 - mass[0]) == pytest.approx(1.0 - mass[1], abs=1e-12)
    assert 0.0 < mass[0] < 1.0


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_gamma_zero_predicts_the_second_class_and_names_the_density(two_classes, kind):
    X, y = two_classes()
    with pytest.warns(UserWarning, match="L2KernelDensity"):
        clf = EVERY_KIND[kind](bandwidth=0.5, gamma=0.0).fit(X, y)
    rows = np.vstack([X, X + 30.0, X - 30.0])
    assert (clf.predict(rows) == 1).all()
    assert (clf.decision_function(rows) > 0).all()


@pytest.mark.parametrize("constraint", ["simplex", "relaxed"])
def test_two_equal_classes_cancel_and_still_converge(two_classes, constraint):
    X = np.vstack([two_classes()[0]] * 2)
    y = np.repeat([0, 1], len(X) // 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        clf = L2Classifier(
            bandwidth=0.5, constraint=constraint, linear_term="resubstitution", max_iter=2000
        ).fit(X, y)
    assert clf.optimality_gap_ <= clf.tol


def test_one_class_only_is_a_constant():
    clf = L2Classifier().fit(np.arange(5.0)[:, None], np.full(5, "a"))
    assert (clf.predict([[1e9], [0.0]]) == "a").all()


def test_too_few_iterations_warn_with_the_gap(two_classes):
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning, match="gap of"):
        L2Classifier(bandwidth=0.3, max_iter=2).fit(X, y)


def test_many_classes_take_linear_time():
    n_classes = 400
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), 3)
    X = 10.0 * np.stack([y // 20, y % 20], axis=1) + rng.normal(size=(len(y), 2))
    clf = L2Classifier(bandwidth=1.0).fit(X, y)
    assert clf.score(X, y) > 0.99


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"eta": 0.0}, ValueError, "eta"),
        ({"eta": "big"}, ValueError, "eta"),
        ({"gamma": -1.0}, ValueError, "gamma"),
        ({"smoothing": -1}, ValueError, "smoothing"),
        ({"smoothing": 1, "kernel": "laplacian"}, ValueError, "gaussian or cauchy"),
        ({"constraint": "box"}, ValueError, "constraint"),
        ({"linear_term": "both"}, ValueError, "linear_term"),
        ({"kernel": "polynomial"}, ValueError, "not a density"),
        ({"bandwidth": "best"}, ValueError, "bandwidth"),
        ({"bandwidth": [0.1, 0.2], "kernel": "uniform"}, ValueError, "per class"),
        ({"tol": 0.0}, ValueError, "tol"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"cv": 1}, ValueError, "cv"),
        ({"grid": [-1.0, 1.0]}, ValueError, "grid"),
        ({"grid": [[1.0, 1.0, 1.0]]}, ValueError, "classes"),
        ({"constraint": None}, ValueError, "use that|L2LinearClassifier"),
        ({"constraint": np.array(["simplex", "relaxed"])}, ValueError, "constraint=array"),
        ({"constraint": ["simplex"]}, ValueError, "constraint=.*'relaxed' or 'separate'"),
        ({"linear_term": np.array(["loo"])}, ValueError, "linear_term=array"),
        ({"eta": np.array([1.0, 2.0])}, TypeError, "eta must be a positive number or 'cv'"),
        ({"eta": np.array(["cv"])}, TypeError, "eta must be"),
        ({"class_weight": np.ones(2)}, ValueError, "class_weight=array"),
    ],
)
def test_wrong_parameters_are_refused_with_a_reason(two_classes, parameters, error, message):
    X, y = two_classes()
    with pytest.raises(error, match=message):
        L2Classifier(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"ridge": -1.0}, ValueError, "ridge=-1.0 must be a number >= 0 or None"),
        ({"solver": "lu"}, ValueError, "solver"),
        ({"solver": np.array(["cg"])}, ValueError, "solver=array"),
        ({"max_iter": None}, TypeError, "max_iter"),
        ({"smoothing": 1, "kernel": "laplacian"}, ValueError, "gaussian or cauchy"),
        ({"bandwidth": [0.1, 0.2]}, ValueError, "one bandwidth"),
        ({"gamma": 2.0, "priors": "uniform"}, ValueError, "one or the other"),
        ({"cv": 1}, ValueError, "cv"),
    ],
)
def test_wrong_parameters_of_signed_weights_are_refused(two_classes, parameters, error, message):
    X, y = two_classes()
    with pytest.raises(error, match=message):
        L2LinearClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize("kind", ["simplex", "linear"])
def test_the_search_reports_every_bandwidth(two_classes, kind, capsys):
    X, y = two_classes()
    EVERY_KIND[kind](grid=[0.3, 0.6, 1.2], cv=2, verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    for place, h in enumerate((1.2, 0.6, 0.3)):
        shown = f"bandwidth {h} ({place + 1} of 3): "
        assert any(shown in line and "gap" in line for line in lines)
    EVERY_KIND[kind](grid=[0.3, 0.6, 1.2], cv=2).fit(X, y)
    assert not capsys.readouterr().out


def test_an_oversized_matrix_is_refused_with_the_cure(two_classes):
    from sklearn import config_context

    X, y = two_classes(200)
    with config_context(working_memory=0.1), pytest.raises(ValueError, match="working_memory"):
        L2LinearClassifier("epanechnikov", 1.0).fit(X, y)


@pytest.mark.parametrize("kernel", ["radial_laplacian", "uniform", "triangular", "epanechnikov"])
def test_kernels_without_native_rows_need_no_whole_matrix(two_classes, kernel):
    from sklearn import config_context

    X, y = two_classes(200)
    whole = L2Classifier(kernel, 1.0).fit(X, y)
    with config_context(working_memory=0.1):  # a few dozen rows
        rows = L2Classifier(kernel, 1.0).fit(X, y)
    assert rows.optimality_gap_ <= 1e-6
    np.testing.assert_allclose(rows.objective_, whole.objective_, rtol=1e-9)
    np.testing.assert_allclose(rows.predict_proba(X), whole.predict_proba(X), atol=1e-6)


@pytest.mark.slow
@parametrize_with_checks(
    [
        L2Classifier(),
        L2Classifier(constraint="relaxed"),
        L2Classifier(constraint="separate"),
        L2LinearClassifier(),
        L2LinearClassifier(solver="cg"),
        L2Classifier("epanechnikov", eta="cv"),
        L2KernelDensity(),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
