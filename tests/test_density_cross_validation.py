"""``bandwidth="cv"`` of the densities: K refits, by plain NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KernelDensity as TheirKernelDensity

from parzen import KernelDensity, L2KernelDensity
from parzen.bandwidth import CrossValidation, KFoldLikelihood
from parzen.kernels import get

GRID = np.array([0.2, 0.35, 0.5, 0.8, 1.3])


def sample(n=53, d=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * rng.choice([0.4, 1.5], size=(n, 1))


def folds(n, k):
    """Rows of every fold: consecutive, the first ones longer by one."""
    return np.array_split(np.arange(n), k)


def log_means(queries, points, w, h, kernel):
    """Log of the weighted mean of kernels, by plain sums of densities."""
    values = get(kernel)(queries, points, bandwidth=h) @ w / w.sum()
    with np.errstate(divide="ignore"):
        return np.log(values)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "epanechnikov"])
@pytest.mark.parametrize("k", [2, 5, 25, 53])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_criterion_of_a_density_is_the_likelihood_of_held_out_folds(kernel, k, weighted):
    X = sample()
    w = np.random.default_rng(1).integers(1, 4, len(X)) if weighted else np.ones(len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the edge of the grid
        density = KernelDensity(CrossValidation(GRID, folds=k), kernel=kernel)
        density.fit(X, sample_weight=w)
    scores = np.zeros(len(GRID))
    for test in folds(len(X), k):
        train = np.delete(np.arange(len(X)), test)
        for b, h in enumerate(GRID):
            logs = log_means(X[test], X[train], w[train], h, kernel)
            scores[b] -= w[test] @ logs / w[test].sum() / k
    path = density.selection_
    np.testing.assert_allclose(path.scores, scores, rtol=1e-11)
    best = GRID[np.flatnonzero(scores == scores.min())[-1]]
    assert density.bandwidth_ == path.bandwidth == best
    assert path.score == path.scores.min()


def test_the_choice_is_that_of_a_grid_search_over_scikit_learns_density():
    X = sample(60, 1)
    theirs = GridSearchCV(TheirKernelDensity(), {"bandwidth": GRID}, cv=KFold(5)).fit(X)
    ours = KernelDensity(CrossValidation(GRID)).fit(X)
    assert ours.bandwidth_ == theirs.best_params_["bandwidth"]
    means = theirs.cv_results_["mean_test_score"]
    np.testing.assert_allclose(ours.selection_.scores, -means / 12, rtol=1e-9)


def test_a_splitter_or_a_list_of_folds_is_taken_as_it_is():
    X = sample()
    shuffled = KFold(4, shuffle=True, random_state=7)
    by_splitter = KernelDensity(CrossValidation(GRID, folds=shuffled)).fit(X).selection_
    by_list = KFoldLikelihood(GRID, folds=list(shuffled.split(X))).select(X)
    np.testing.assert_allclose(by_splitter.scores, by_list.scores, rtol=1e-13)
    assert not np.allclose(by_splitter.scores, KFoldLikelihood(GRID, folds=4).select(X).scores)


def test_per_feature_the_bandwidths_are_in_proportion_to_the_deviations():
    X = sample(80) * [1.0, 30.0]
    h = KernelDensity(CrossValidation(per="feature")).fit(X).bandwidth_
    deviations = X.std(axis=0, ddof=1)
    np.testing.assert_allclose(h[0] / deviations, h[0, 0] / deviations[0], rtol=1e-12)
    scaled = KernelDensity("cv").fit(X / deviations).bandwidth_
    np.testing.assert_allclose(h[0] / deviations, scaled, rtol=1e-12)


def test_a_density_in_its_own_metric_learns_the_metric_without_the_fold():
    X = sample(60) @ np.array([[1.0, 3.0], [0.0, 0.5]])
    found = KernelDensity(CrossValidation(GRID, folds=4), metric="class").fit(X).selection_
    scores = np.zeros(len(GRID))
    for test in folds(len(X), 4):
        train = np.delete(np.arange(len(X)), test)
        for b, h in enumerate(GRID):
            refit = KernelDensity(h, metric="class").fit(X[train])
            scores[b] -= refit.score_samples(X[test]).mean() / 4
    np.testing.assert_allclose(found.scores, scores, rtol=1e-11)


@pytest.mark.parametrize("density", [KernelDensity, L2KernelDensity])
def test_labels_and_single_points_do_not_stop_a_density(density):
    one = density("cv").fit([[1.0, 2.0]])
    assert one.bandwidth_ > 0
    two = density("cv").fit([[0.0], [1.0]])
    assert two.bandwidth_ > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        equal = density("cv").fit(np.ones((6, 2)))
    assert equal.bandwidth_ > 0


def plain_l2_errors(X, w, k, options, kernel):
    """int f^2 - 2 mean f(held out), refitted for every fold and bandwidth."""
    scores = np.zeros(len(GRID))
    for test in folds(len(X), k):
        train = np.delete(np.arange(len(X)), test)
        for b, h in enumerate(GRID):
            f = L2KernelDensity(h, kernel=kernel, **options).fit(X[train], sample_weight=w[train])
            overlap = np.exp(get(kernel).log_self_convolution(f.points_, f.points_, bandwidth=h))
            values = get(kernel)(X[test], f.points_, bandwidth=h) @ f.weights_
            square = f.weights_ @ overlap @ f.weights_
            scores[b] += (square - 2.0 * w[test] @ values / w[test].sum()) / k
    return scores


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ("gaussian", {}),
        ("gaussian", {"smoothing": 0.5}),
        ("gaussian", {"eta": 1.5, "linear_term": "resubstitution"}),
        ("epanechnikov", {}),
        ("laplacian", {}),
    ],
)
def test_the_criterion_of_the_l2_density_is_its_squared_error_on_held_out_folds(kernel, options):
    X = sample(40)
    options = {"tol": 1e-9, **options}
    w = np.random.default_rng(1).integers(1, 4, len(X))
    density = L2KernelDensity(CrossValidation(GRID, folds=4), kernel=kernel, **options)
    density.fit(X, sample_weight=w)
    expected = plain_l2_errors(X, w, 4, options, kernel)
    np.testing.assert_allclose(density.selection_.scores, expected, rtol=1e-6)
    assert density.bandwidth_ == GRID[expected.argmin()]


def test_the_first_term_is_the_integral_of_the_square():
    X = sample(30, 1)
    h, rows = 0.4, np.arange(30)
    found = L2KernelDensity(CrossValidation([h], folds=3), tol=1e-9).fit(X).selection_
    score = 0.0
    for test in folds(30, 3):
        f = L2KernelDensity(h, tol=1e-9).fit(X[np.delete(rows, test)])
        square = quad(lambda x, f=f: np.exp(2 * f.score_samples([[x]])[0]), -9, 9, limit=200)[0]
        score += (square - 2 * np.exp(f.score_samples(X[test])).mean()) / 3
    np.testing.assert_allclose(found.score, score, rtol=1e-6)


def test_an_l2_density_per_feature_is_that_of_scaled_columns():
    X, h = sample(60), np.array([[0.5, 3.0]])
    queries = sample(20, seed=5)
    for kernel in ("gaussian", "epanechnikov"):
        each = L2KernelDensity(h, kernel=kernel, tol=1e-12).fit(X)
        scaled = L2KernelDensity(1.0, kernel=kernel, tol=1e-12).fit(X / h)
        inside = np.isfinite(scaled.score_samples(queries / h))
        np.testing.assert_allclose(
            each.score_samples(queries)[inside],
            scaled.score_samples(queries / h)[inside] - np.log(h).sum(),
            rtol=1e-6,
        )
        assert each.objective_ == pytest.approx(scaled.objective_, rel=1e-10)
        assert each.oracle_bound(0.1) == pytest.approx(scaled.oracle_bound(0.1) / h.prod())
    assert each.sample(5, random_state=0).shape == (5, 2)


def test_the_l2_densitys_choice_scales_with_the_data_and_takes_float32():
    X = sample(50)
    h = L2KernelDensity("cv").fit(X).bandwidth_
    for factor in (1e-12, 7.0, 1e12):
        scaled = L2KernelDensity("cv").fit(factor * X).bandwidth_
        np.testing.assert_allclose(scaled, factor * h, rtol=1e-10)
    np.testing.assert_allclose(L2KernelDensity("cv").fit(np.float32(X)).bandwidth_, h, rtol=1e-6)
