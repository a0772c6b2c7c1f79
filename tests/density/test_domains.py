"""Bounded and periodic columns, against quadrature and SciPy's von Mises density."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, norm, vonmises
from sklearn.model_selection import KFold

import parzen
from parzen import KernelDensity
from parzen.bandwidth import LSCV, CrossValidation, Likelihood


@pytest.mark.parametrize("bounds", [(0.0, None), (None, 4.0), (0.0, 4.0)])
def test_a_bounded_density_keeps_all_its_mass_inside(bounds):
    x = np.random.default_rng(0).uniform(0, 4, size=(200, 1))
    density = KernelDensity(bandwidth=0.3, bounds={0: bounds}).fit(x)
    grid = np.linspace(-4, 8, 24_001)
    values = np.exp(density.score_samples(grid[:, None]))
    assert np.trapezoid(values, grid) == pytest.approx(1, abs=1e-3)
    outside = (grid < (bounds[0] or -9)) if bounds[0] is not None else grid > 4
    assert (values[outside] == 0).all()


def test_reflection_is_the_density_of_the_mirrored_sample_twice():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.exponential(size=50), rng.normal(size=50)])
    density = KernelDensity(bandwidth=[[0.4, 0.7]], bounds={0: (0, None)}).fit(X)
    mirrored = np.concatenate([X, X * [-1, 1]])
    plain = KernelDensity(bandwidth=[[0.4, 0.7]]).fit(mirrored)
    at = X[:7] + 0.1
    expected = plain.score_samples(at) + np.log(2)
    np.testing.assert_allclose(density.score_samples(at), expected, rtol=1e-12)


def test_a_periodic_column_has_von_mises_kernels():
    rng = np.random.default_rng(2)
    hours, y = rng.uniform(0, 24, 60), rng.normal(size=60)
    density = KernelDensity(bandwidth=[[2.0, 0.5]], periods={0: 24}).fit(np.c_[hours, y])
    at = np.array([[0.5, 0.1], [23.9, -1.0], [100.0, 0.3]])
    angle = 2 * np.pi / 24
    circle = vonmises.pdf((at[:, :1] - hours) * angle, (1 / (2.0 * angle)) ** 2) * angle
    expected = np.log((circle * norm.pdf(at[:, 1:], y, 0.5)).mean(axis=1))
    np.testing.assert_allclose(density.score_samples(at), expected, rtol=1e-12)


def test_draws_follow_the_density_and_stay_within_the_columns():
    rng = np.random.default_rng(3)
    X = np.c_[rng.exponential(size=300), rng.vonmises(0, 3, 300) % (2 * np.pi)]
    density = KernelDensity(bandwidth=0.3, bounds={0: (0, None)}, periods={1: 2 * np.pi}).fit(X)
    drawn = density.sample(4000, random_state=0)
    assert drawn.min() >= 0
    assert drawn[:, 1].max() <= 2 * np.pi
    more = density.sample(4000, random_state=1)
    for column in range(2):
        assert kstest(drawn[:, column], more[:, column]).pvalue > 1e-3
    assert np.abs(drawn[:, 0].mean() - X[:, 0].mean()) < 0.15


def test_columns_are_named_and_added_to():
    table = pd.DataFrame({"hour": [1.0, 2.0, 23.0], "price": [0.1, 5.0, 2.0]})
    density = KernelDensity(bandwidth=1.0, bounds={"price": (0, None)}, periods={"hour": 24})
    whole = density.fit(table).score_samples(table)
    density.fit(table[:2]).partial_fit(table[2:])
    np.testing.assert_allclose(density.score_samples(table), whole, rtol=1e-12)


def test_model_files_keep_the_columns(tmp_path):
    X = np.random.default_rng(4).uniform(size=(30, 2))
    density = KernelDensity(bandwidth=0.2, bounds={0: (0, 1)}, periods={1: 1.0}).fit(X)
    parzen.save(density, tmp_path / "d.parzen")
    again = parzen.load(tmp_path / "d.parzen")
    np.testing.assert_array_equal(again.score_samples(X), density.score_samples(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bounds": {0: (0.5, None)}}, "outside the bounds"),
        ({"bounds": {0: (1, 0)}}, "low < high"),
        ({"bounds": {0: 3}}, "must be a pair"),
        ({"bounds": {5: (0, 1)}}, "columns are 0 to 1"),
        ({"periods": {0: -1}}, "positive number"),
        ({"periods": {0: 1.0}, "bounds": {0: (0, 1)}}, "has either"),
        ({"periods": {0: 1.0}, "kernel": "epanechnikov"}, "kernel='gaussian'"),
        ({"periods": {0: 1.0}, "bandwidth": "lscv"}, "'likelihood', 'cv', 'silverman'"),
        ({"periods": {0: 1.0}, "bandwidth": Likelihood(per="feature")}, "one per feature"),
        ({"bounds": {0: (0, 1)}, "bandwidth": "lscv", "metric": "class"}, "need metric=None"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        KernelDensity(**options).fit(np.random.default_rng(0).uniform(size=(20, 2)))


def test_a_float32_entry_on_a_bound_is_inside_it():
    X = np.array([[0.02], [0.05], [0.1]], dtype=np.float32)
    density = KernelDensity(bandwidth=0.05, bounds={0: (0, 0.1)}).fit(X)
    assert np.isfinite(density.score_samples(X)).all()


def test_whole_numbers_of_numpy_are_periods():
    X = np.array([[1.0], [23.0], [12.0]])
    found = KernelDensity(bandwidth=2.0, periods={0: np.int64(24)}).fit(X).score_samples(X)
    np.testing.assert_array_equal(
        found, KernelDensity(bandwidth=2.0, periods={0: 24}).fit(X).score_samples(X)
    )


@pytest.mark.parametrize("name", ["bounds", "periods"])
def test_columns_that_are_no_dict_are_refused(name):
    with pytest.raises(TypeError, match=rf"{name}=\[\(0, 1\)\] must be a dict"):
        KernelDensity(**{name: [(0, 1)]}).fit(np.eye(2))


def test_a_rule_for_one_column_is_refused_on_a_circle():
    with pytest.raises(ValueError, match="periods= needs bandwidth="):
        KernelDensity("sheather_jones", periods={0: 24}).fit(np.arange(9.0)[:, None])


at_any_end = pytest.mark.filterwarnings("ignore::parzen.bandwidth.EndOfGridWarning")
GRID = np.array([0.1, 0.3, 0.8])
TRAPS = {  # rows, bounds, periods
    "one end": (lambda r: r.exponential(size=(25, 1)), {0: (0, None)}, None),
    "two columns": (lambda r: r.uniform(0, 9, size=(25, 2)), {0: (0, None), 1: (0, 9)}, None),
    "circle": (lambda r: r.vonmises(3, 2, size=(25, 2)) % 6, {1: (None, 6)}, {0: 6.0}),
}


def density_without(X, w, i, h, options):
    """Log-density at row i of the fit to all copies but one of row i."""
    left = w.astype(float)
    left[i] -= min(1.0, left[i])
    return KernelDensity(h, **options).fit(X, sample_weight=left).score_samples(X[[i]])[0]


@at_any_end
@pytest.mark.parametrize("name", TRAPS)
def test_likelihood_is_that_of_the_density_fitted_without_the_row(name):
    draw, bounds, periods = TRAPS[name]
    X, w = draw(np.random.default_rng(5)), np.arange(25) % 3 + 0.5
    options = {"bounds": bounds, "periods": periods}
    found = KernelDensity(Likelihood(GRID), **options).fit(X, sample_weight=w).selection_.scores
    for h, score in zip(GRID, found, strict=True):
        left = [density_without(X, w, i, h, options) for i in range(25)]
        assert score == pytest.approx(-np.average(left, weights=w), rel=1e-10)


@at_any_end
def test_likelihood_in_a_metric_sums_over_the_images_in_that_metric():
    X = np.random.default_rng(5).exponential(size=(25, 2))
    options = {"bounds": {0: (0, None)}, "metric": "class"}
    fitted = KernelDensity(Likelihood(GRID), **options).fit(X)
    tilted = fitted.whitening_.apply(np.concatenate([X, X * [-1, 1]]), 0)
    square = ((tilted[:, None] - tilted[None, :25]) ** 2).sum(axis=2)
    square[np.arange(50), np.arange(50) % 25] = np.inf
    values = [np.exp(-square / (2 * h * h)).sum(axis=1) / (2 * np.pi * h * h * 24) for h in GRID]
    expected = [-np.log(v[:25] + v[25:]).mean() for v in values]
    np.testing.assert_allclose(fitted.selection_.scores, expected, rtol=1e-10)


@at_any_end
@pytest.mark.parametrize(
    ("name", "metric"),
    [(n, None) for n in TRAPS] + [("one end", "class"), ("two columns", "class")],
)
def test_folds_judge_the_density_fitted_without_them(name, metric):
    draw, bounds, periods = TRAPS[name]
    X = draw(np.random.default_rng(6))
    options = {"bounds": bounds, "periods": periods, "metric": metric}
    folds = list(KFold(4).split(X))
    found = KernelDensity(CrossValidation(GRID, folds=folds), **options).fit(X).selection_.scores
    for h, score in zip(GRID, found, strict=True):
        fits = [KernelDensity(h, **options).fit(X[train]) for train, _ in folds]
        means = [f.score_samples(X[test]).mean() for f, (_, test) in zip(fits, folds, strict=True)]
        assert score == pytest.approx(-np.mean(means), rel=1e-10)


@at_any_end
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "laplacian"])
def test_least_squares_take_the_integral_of_the_reflected_density(kernel):
    rng = np.random.default_rng(7)
    X, w = rng.uniform(0, 8, size=(25, 1)), rng.integers(1, 3, size=25)
    X[:5] /= 20
    options = {"bounds": {0: (0, 8)}, "kernel": kernel}
    grid = [0.1, 0.3]  # no kernel of such a bandwidth reaches past both bounds
    found = KernelDensity(LSCV(grid), **options).fit(X, sample_weight=w).selection_.scores
    at = np.linspace(0, 8, 40_001)
    for h, score in zip(grid, found, strict=True):
        fitted = KernelDensity(h, **options).fit(X, sample_weight=w)
        square = np.trapezoid(np.exp(2 * fitted.score_samples(at[:, None])), at)
        left = [np.exp(density_without(X, w, i, h, options)) for i in range(25)]
        assert score == pytest.approx(square - 2 * np.average(left, weights=w), rel=1e-6)


def test_bounds_change_the_choice_and_a_bandwidth_per_feature_follows_the_units():
    rng = np.random.default_rng(8)
    X = np.c_[rng.exponential(size=300), rng.normal(size=300)]
    bounds = {0: (0, None)}
    plain = KernelDensity("likelihood").fit(X).bandwidth_
    assert KernelDensity("likelihood", bounds=bounds).fit(X).bandwidth_ > 1.05 * plain
    wide = KernelDensity(Likelihood(per="feature"), bounds=bounds).fit(X * [1000, 1]).bandwidth_
    narrow = KernelDensity(Likelihood(per="feature"), bounds=bounds).fit(X).bandwidth_
    np.testing.assert_allclose(wide, narrow * [[1000, 1]], rtol=1e-9)


def test_constant_columns_with_bounds_have_no_part_in_the_choice():
    x = np.random.default_rng(9).exponential(size=(60, 1))
    alone = KernelDensity("likelihood", bounds={0: (0, None)}).fit(x)
    bounds = {0: (0, None), 1: (0, None)}
    beside = KernelDensity("likelihood", bounds=bounds).fit(np.c_[x, np.full(60, 0.1)])
    assert beside.bandwidth_ == alone.bandwidth_


def test_a_stream_chooses_anew_on_the_circle():
    hours = np.random.default_rng(10).vonmises(0, 4, size=(80, 1)) % (2 * np.pi)
    options = {"periods": {0: 2 * np.pi}}
    stream = KernelDensity("likelihood", rechoose=1, **options).fit(hours[:40])
    whole = KernelDensity("likelihood", **options).fit(hours)
    assert stream.partial_fit(hours[40:]).bandwidth_ == pytest.approx(whole.bandwidth_, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bounds": {0: (2.0, 1.0)}}, r"bounds\[0\]=\(2.0, 1.0\) must have low < high"),
        ({"periods": {1: -24}}, r"periods\[1\]=-24 must be a positive number"),
        ({"bounds": {0: (0, None)}, "periods": {0: 24}}, "column 0 is in bounds= and in periods="),
        ({"bandwidth": np.eye(3)[None]}, "bandwidth is a matrix for 3 columns, and X has 2"),
        ({"bandwidth": "loo"}, "judges a classifier, and a density has no labels"),
        ({"bandwidth": "lscv", "bounds": {0: (0, None)}, "metric": "class"},
         "bandwidth='lscv' and bounds= need metric=None"),
        ({"bandwidth": np.eye(2)[None], "metric": "class"}, "means a matrix, and metric='class'"),
        ({"bandwidth": [[1.0, 2.0]], "metric": "class"}, "is one per feature, and metric='class'"),
        ({"periods": {0: 24}, "kernel": "uniform"}, "periods= needs kernel='gaussian'"),
        ({"periods": {0: 24}, "bandwidth": "lscv"}, "periods= needs bandwidth='likelihood'"),
    ],
)  # fmt: skip
def test_options_that_exclude_each_other_are_named(options, message):
    X = np.random.default_rng(0).uniform(0, 1, size=(30, 2))
    with pytest.raises(ValueError, match=message):
        KernelDensity(**options).fit(X)
