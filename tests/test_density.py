"""KernelDensity: scikit-learn's interface, frequencies, rules, samples, any dimension."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.integrate import trapezoid
from scipy.stats import gaussian_kde, kstest, multivariate_normal
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity as SklearnKernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import KernelDensity, kernels
from parzen.bandwidth import scott, silverman
from parzen.sums import reference

DENSITIES = kernels.density_names()
SKLEARN_NAMES = {  # ours: theirs; the others differ in meaning
    "gaussian": "gaussian",
    "epanechnikov": "epanechnikov",
    "uniform": "tophat",
    "radial_laplacian": "exponential",
    "triangular": "linear",
}


def sample(n=300, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@parametrize_with_checks([KernelDensity()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [KernelDensity(0.7, kernel="cauchy"), KernelDensity("scott", kernel="uniform")]
)
def test_scikit_learn_contract_with_other_kernels(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kernel", SKLEARN_NAMES)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_same_densities_as_scikit_learn_where_that_is_right(kernel, d):
    X, queries = sample(d=d), sample(50, d, seed=1)
    ours = KernelDensity(0.8, kernel=kernel).fit(X).score_samples(queries)
    theirs = SklearnKernelDensity(bandwidth=0.8, kernel=SKLEARN_NAMES[kernel], rtol=0, atol=0)
    theirs = theirs.fit(X).score_samples(queries)
    inside = np.isfinite(ours)
    np.testing.assert_allclose(ours[inside], theirs[inside], rtol=1e-9, atol=1e-9)
    assert (theirs[~inside] < -30).all()  # off a support theirs is rounding, or minus infinity


def test_the_same_densities_as_scipy():
    X = sample(200, 1)
    estimate = gaussian_kde(X.T, bw_method=0.3)
    h = float(np.sqrt(estimate.covariance.item()))
    queries = np.linspace(-4, 4, 40)[:, None]
    got = KernelDensity(h).fit(X).score_samples(queries)
    np.testing.assert_allclose(got, estimate.logpdf(queries.T), rtol=1e-10)


@pytest.mark.parametrize("kernel", DENSITIES)
def test_the_estimate_integrates_to_one(kernel):
    X = sample(40, 1)
    grid = np.concatenate([-np.geomspace(1e6, 8, 3000), np.linspace(-8, 8, 20001)[1:-1],
                           np.geomspace(8, 1e6, 3000)])  # fmt: skip
    density = np.exp(KernelDensity("scott", kernel=kernel).fit(X).score_samples(grid[:, None]))
    assert trapezoid(density, grid) == pytest.approx(1.0, abs=2e-3)


def test_digits_where_scikit_learn_loses_the_logarithm():
    X, y = load_digits(return_X_y=True)
    train, test = X[:1200], X[1200:1400]
    for digit in (0, 5):
        ours = KernelDensity(1.0).fit(train[y[:1200] == digit]).score_samples(test)
        exact = reference.kernel_sums(test, train[y[:1200] == digit], bandwidths=1.0, log=True)
        exact = exact[:, 0, 0] - np.log((y[:1200] == digit).sum())
        assert float(np.abs(ours - exact).max()) <= 1e-9


@pytest.mark.parametrize("kernel", DENSITIES)
def test_500_dimensions(kernel):
    X = sample(60, 500)
    model = KernelDensity(kernel=kernel).fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    exact = reference.kernel_sums(X, X, kernel=kernel, bandwidths=model.bandwidth_, log=True)
    exact = exact[:, 0, 0] - np.log(len(X))
    error = np.abs(model.score_samples(X) - exact) / (1 + np.abs(exact))
    assert float(error.max()) <= 1e-12


def test_silverman_is_the_printed_rule():
    X = sample(120, 3) * [1.0, 5.0, 0.2]
    scale = np.sqrt(np.mean(np.var(X, axis=0, ddof=1)))
    wanted = scale * (4 / ((2 * 3 + 1) * 120)) ** (1 / (3 + 4))
    assert KernelDensity("silverman").fit(X).bandwidth_ == pytest.approx(wanted, rel=1e-14)


def test_scott_is_the_printed_rule():
    X = sample(120, 3) * [1.0, 5.0, 0.2]
    wanted = np.sqrt(np.mean(np.var(X, axis=0, ddof=1))) * 120 ** (-1 / 7)
    assert KernelDensity("scott").fit(X).bandwidth_ == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("rule", ["silverman", "scott"])
@pytest.mark.parametrize("kernel", DENSITIES)
@pytest.mark.parametrize("c", [1e-12, 1e-3, 1e3, 1e12])
def test_the_rules_follow_the_scale_of_the_data(kernel, rule, c):
    X = sample()
    h = KernelDensity(rule, kernel=kernel).fit(X).bandwidth_
    assert KernelDensity(rule, kernel=kernel).fit(c * X).bandwidth_ == pytest.approx(
        c * h, rel=1e-10
    )


# Canonical bandwidths (R / mu_2^2)^(1/5) in one dimension (Marron and Nolan, 1988).
CANONICAL = {"uniform": 4.5**0.2, "epanechnikov": 15**0.2, "triangular": 24**0.2}


@pytest.mark.parametrize("rule", [silverman, scott])
@pytest.mark.parametrize("kernel", CANONICAL)
def test_the_rules_keep_the_canonical_ratio_of_compact_kernels(kernel, rule):
    X = sample(d=1)
    gaussian = (4 * np.pi) ** -0.1
    assert rule(X, kernel=kernel) / rule(X) == pytest.approx(CANONICAL[kernel] / gaussian, rel=1e-8)


@pytest.mark.parametrize("rule", [silverman, scott])
@pytest.mark.parametrize("kernel", ["cauchy", "radial_laplacian"])
@pytest.mark.parametrize("d", [1, 2, 10])
def test_the_rules_match_the_half_width_of_heavy_tails(kernel, rule, d):
    X = sample(d=d)
    origin, edge = np.zeros((1, d)), np.zeros((1, d))
    edge[0, 0] = rule(X) * np.sqrt(2 * np.log(2))  # there the Gaussian has fallen to a half
    value = kernels.get(kernel).similarity(origin, edge, bandwidth=rule(X, kernel=kernel))
    assert value.item() == pytest.approx(0.5, rel=1e-10)


@pytest.mark.parametrize("kernel", DENSITIES)
@pytest.mark.parametrize("bandwidth", [0.6, "silverman", "scott"])
def test_a_weight_is_a_number_of_copies(kernel, bandwidth):
    X = sample(80)
    w = np.random.default_rng(1).integers(0, 4, 80)
    weighted = KernelDensity(bandwidth, kernel=kernel).fit(X, sample_weight=w)
    copied = KernelDensity(bandwidth, kernel=kernel).fit(np.repeat(X, w, axis=0))
    assert weighted.bandwidth_ == pytest.approx(copied.bandwidth_, rel=1e-12)
    queries = sample(30, seed=2)
    a, b = weighted.score_samples(queries), copied.score_samples(queries)
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)
    assert (w == 0).any()
    assert len(weighted.points_) == (w > 0).sum()


def test_a_common_factor_of_the_weights_does_not_matter_at_a_given_bandwidth():
    X, w = sample(50), np.random.default_rng(0).random(50)
    one = KernelDensity(0.5).fit(X, sample_weight=w).score_samples(X)
    ten = KernelDensity(0.5).fit(X, sample_weight=10 * w).score_samples(X)
    np.testing.assert_allclose(one, ten, rtol=1e-12)


@pytest.mark.parametrize("kernel", DENSITIES)
def test_partial_fit_adds_points(kernel):
    X = sample(90)
    whole = KernelDensity(0.9, kernel=kernel).fit(X)
    parts = KernelDensity(0.9, kernel=kernel).partial_fit(X[:40]).partial_fit(X[40:])
    np.testing.assert_array_equal(parts.score_samples(X), whole.score_samples(X))


def test_partial_fit_with_and_without_weights():
    X, w = sample(90), np.random.default_rng(0).integers(0, 3, 90)
    w[40:] = 1
    whole = KernelDensity(0.9).fit(X, sample_weight=w)
    parts = KernelDensity(0.9).partial_fit(X[:40], sample_weight=w[:40]).partial_fit(X[40:])
    np.testing.assert_array_equal(parts.score_samples(X), whole.score_samples(X))
    late = KernelDensity(0.9).partial_fit(X[40:]).partial_fit(X[:40], sample_weight=w[:40])
    np.testing.assert_allclose(late.score_samples(X), whole.score_samples(X), rtol=1e-12)


def test_partial_fit_needs_the_metric_of_the_data():
    assert not hasattr(KernelDensity(metric="class"), "partial_fit")
    assert hasattr(KernelDensity("scott"), "partial_fit")


@pytest.mark.parametrize("kernel", DENSITIES)
def test_samples_follow_the_estimate(kernel):
    X = sample(25, 1)
    model = KernelDensity(0.7, kernel=kernel).fit(X, sample_weight=np.arange(25))
    drawn = model.sample(4000, random_state=0)
    assert drawn.shape == (4000, 1)
    grid = np.concatenate([-np.geomspace(1e7, 9, 4000), np.linspace(-9, 9, 40001)[1:-1],
                           np.geomspace(9, 1e7, 4000)])  # fmt: skip
    density = np.exp(model.score_samples(grid[:, None]))
    steps = np.diff(grid) * (density[1:] + density[:-1]) / 2
    cumulated = np.concatenate([[0], np.cumsum(steps)])
    p_value = kstest(drawn[:, 0], lambda x: np.interp(x, grid, cumulated / cumulated[-1])).pvalue
    assert p_value > 1e-3


@pytest.mark.parametrize("kernel", DENSITIES)
def test_samples_lie_in_the_support(kernel):
    X = sample(20, 3)
    model = KernelDensity(0.4, kernel=kernel).fit(X)
    assert np.isfinite(model.score_samples(model.sample(200, random_state=1))).all()


def test_samples_are_reproducible_and_never_of_weight_zero():
    X = np.array([[0.0], [100.0]])
    model = KernelDensity(0.1).fit(X, sample_weight=[0.0, 2.0])
    np.testing.assert_array_equal(model.sample(5, random_state=3), model.sample(5, random_state=3))
    assert (model.sample(50, random_state=0) > 90).all()


def test_score_is_the_sum_of_the_logarithms():
    X = sample()
    model = KernelDensity().fit(X)
    assert model.score(X) == pytest.approx(model.score_samples(X).sum())


def test_float32_stays_and_is_right():
    X = sample().astype(np.float32)
    narrow = KernelDensity(0.5).fit(X).score_samples(X)
    assert narrow.dtype == np.float32
    wide = KernelDensity(0.5).fit(X.astype(float)).score_samples(X.astype(float))
    np.testing.assert_allclose(narrow, wide, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_column_names(frame):
    X = frame({"height": [1.0, 2.0, 3.0], "width": [0.5, 0.1, 0.9]})
    model = KernelDensity(1.0).fit(X)
    assert model.feature_names_in_.tolist() == ["height", "width"]
    assert model.score_samples(X).shape == (3,)
    with pytest.raises(ValueError, match="feature names"):
        model.score_samples(frame({"width": [1.0], "height": [1.0]}))


def test_zero_queries_give_an_empty_result():
    model = KernelDensity(1.0).fit(sample())
    assert model.score_samples(np.empty((0, 2))).shape == (0,)


def test_pipelines_grids_clones_and_pickles():
    X = sample(120)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KernelDensity()),
        {
            "kerneldensity__bandwidth": [0.05, 0.4, 3.0],
            "kerneldensity__kernel": ["gaussian", "cauchy"],
        },
        cv=3,
    ).fit(X)
    assert search.best_params_["kerneldensity__bandwidth"] == 0.4
    model = KernelDensity(kernel=kernels.Cauchy()).fit(X)
    assert clone(model).kernel == kernels.Cauchy()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))


def with_times():
    when = pd.date_range("2026-01-01", periods=5)
    return pd.DataFrame({"length": np.arange(5.0), "when": when})


def with_nan():
    return pd.DataFrame({"height": [1.0, 2.0], "width": [0.5, np.nan]})


@pytest.mark.parametrize(
    ("parameters", "X", "error", "message"),
    [
        ({"bandwidth": 0.0}, sample(), ValueError, "must be positive and finite"),
        ({"bandwidth": -1}, sample(), ValueError, "positive and finite, got -1"),
        ({"bandwidth": np.nan}, sample(), ValueError, "positive and finite, got nan"),
        ({"bandwidth": np.inf}, sample(), ValueError, "positive and finite, got inf"),
        ({"bandwidth": "wide"}, sample(), ValueError, "'scott', 'lscv', 'likelihood'"),
        ({"bandwidth": [1.0, 2.0]}, sample(), ValueError, "bandwidth has shape"),
        ({"bandwidth": "loo"}, sample(), ValueError, "a density has no labels"),
        ({"metric": "classes"}, sample(), ValueError, "give None or 'class'"),
        ({"bandwidth": True}, sample(), TypeError, "bandwidth=True is not a bandwidth"),
        ({"kernel": "rbf"}, sample(), ValueError, "kernel='rbf' is called 'gaussian' here"),
        ({"kernel": "gausian"}, sample(), ValueError, "the kernels are biweight.* uniform\\.$"),
        ({"kernel": "linear"}, sample(), ValueError, "'linear' is not a density; the density"),
        ({"kernel": 3}, sample(), TypeError, "kernel must be a name"),
        ({"n_jobs": 0}, sample(), ValueError, "n_jobs=0"),
        ({}, with_nan(), ValueError, r"NaN in column 1 \('width'\)"),
        ({}, np.array([[1.0], [np.inf]]), ValueError, "infinity in column 0"),
        ({}, np.ones(5), ValueError, "2D array"),
        ({}, np.empty((0, 2)), ValueError, "0 sample"),
        ({}, [["a"], ["b"]], ValueError, "column 0 of X holds text"),
        ({}, with_times(), ValueError, "column 'when' of X holds times .*as numbers"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(parameters, X, error, message):
    with pytest.raises(error, match=message):
        KernelDensity(**parameters).fit(X)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0, 1.0], "Negative values"),
        ([0.0, 0.0, 0.0], "at least one"),
        ([1.0, np.nan, 1.0], "NaN"),
        ([1.0, 1.0], "inconsistent|shape"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        KernelDensity().fit(sample(3), sample_weight=weights)


def test_a_sample_without_spread_gets_a_floor_and_a_warning():
    for value in (0.0, 1e6, 1e-20):
        with pytest.warns(UserWarning, match="no scale"):
            model = KernelDensity().fit(np.full((5, 2), value))
        assert model.bandwidth_ > 0
        assert np.isfinite(model.score_samples(np.full((1, 2), value))).all()


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.filterwarnings("ignore:all points are equal")
def test_very_small_samples(n):
    model = KernelDensity().fit(sample(n, 1))
    assert np.isfinite(model.score_samples([[0.0], [1e9]])).all()


def test_an_estimator_that_was_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        KernelDensity().score_samples(sample())
    with pytest.raises(NotFittedError):
        KernelDensity().sample()


def test_a_refused_fit_leaves_the_estimator_unfitted():
    model = KernelDensity()
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[np.nan]])
    with pytest.raises(NotFittedError):
        model.score_samples([[0.0]])


def correlated(n=200):
    X = np.random.default_rng(3).normal(size=(n, 2))
    return X @ np.array([[2.0, 1.9], [0.0, 0.4]]) + 100.0


def test_the_class_metric_of_a_gaussian_is_scipys_full_covariance():
    X = correlated()
    model = KernelDensity(0.5, metric="class").fit(X)
    spread = np.diag(X.std(axis=0, ddof=1) ** 2)
    S = 0.95 * np.cov(X.T) + 0.05 * spread
    kernels = [multivariate_normal(x, 0.25 * S) for x in X]
    expected = np.log(np.mean([k.pdf(X[:20]) for k in kernels], axis=0))
    np.testing.assert_allclose(model.score_samples(X[:20]), expected, rtol=1e-9)


def test_the_class_metric_fits_correlated_data_better():
    X, fresh = correlated(), correlated(2000)[200:]
    for bandwidth in ("silverman", "likelihood", "lscv"):
        round_kernel = KernelDensity(bandwidth).fit(X)
        own = KernelDensity(bandwidth, metric="class").fit(X)
        assert own.score(fresh) > round_kernel.score(fresh) + 100


def test_a_sample_drawn_in_the_class_metric_has_its_covariance():
    X = correlated()
    drawn = KernelDensity(0.5, metric="class").fit(X).sample(40_000, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), 1.25 * np.cov(X.T), rtol=0.06)


def test_bandwidths_per_feature_are_a_product_of_scales():
    X = correlated(30)
    model = KernelDensity([[2.0, 0.5]]).fit(X)
    scaled = KernelDensity(1.0).fit(X / [2.0, 0.5])
    np.testing.assert_allclose(
        model.score_samples(X), scaled.score_samples(X / [2.0, 0.5]), rtol=1e-12
    )


@pytest.mark.parametrize("name", ["lscv", "likelihood"])
def test_a_chosen_bandwidth_comes_with_its_path(name):
    model = KernelDensity(name).fit(correlated(60))
    path = model.selection_
    assert model.bandwidth_ == path.grid[np.argmin(path.scores)]
    assert KernelDensity(1.0).fit(correlated(60)).selection_ is None
