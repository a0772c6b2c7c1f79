"""Bandwidths of the columns of a table, beside plain sums over the pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer

from parzen import KernelDensity, ParzenClassifier
from parzen.bandwidth import CrossValidation, KFoldError, LeaveOneOutError
from parzen.bandwidth.table_columns import (
    _embedded,
    _learned,
    _likeliest,
    _LikelihoodLoss,
    _path,
    _rule,
    _scaled_sums,
    column_rates,
)
from parzen.kernels import ColumnProduct
from parzen.metric import RIDGES
from parzen.samples import KernelSample, leave_one_out_sums

KERNEL = ColumnProduct(unordered=(1,), ordered=(3,))
WEIGHTS = 1.0 + (np.arange(48) % 3 == 0)


def table(n=48, seed=5, told=1.0):
    """A number that tells, a category of three that tells, a number of noise, an ordered one."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    number, other = rng.normal(size=n) + told * y, rng.random(n) < 0.3
    X = [number, (told * y + other).astype(int) % 3, 4 * rng.normal(size=n)]
    return np.column_stack([*X, rng.integers(0, 4, n)]), y


def sample_of(X, y, weights=None):
    is_category, is_ordered = np.array([0, 1, 0, 1], bool), np.array([0, 0, 0, 1], bool)
    kernel = KERNEL.fitted(X, is_category, is_ordered)
    return KernelSample.of(X, y, kernel, weights, None, None)


def log_losses(sample, rates, rows, others):
    """-log posterior of the rows' own classes by the others, of a row's copies all but one."""
    K = sample.kernel(sample.X[rows], sample.X[others], bandwidth=sample.kernel.row_of(rates))
    K = K * (sample.frequencies[others] - (rows[:, None] == others))
    sums = np.stack([K[:, sample.codes[others] == c].sum(axis=1) for c in (0, 1)], axis=1)
    return -np.log(sums[np.arange(len(rows)), sample.codes[rows]] / sums.sum(axis=1))


def test_the_rule_is_that_of_the_page():
    X, _ = table()
    found = KernelDensity("silverman", kernel=KERNEL).fit(X, sample_weight=WEIGHTS).bandwidth_[0]
    n = WEIGHTS.sum()
    deviations = [np.cov(X[:, j], fweights=WEIGHTS.astype(int)) ** 0.5 for j in (0, 2)]
    expected = np.array(deviations) * (4 / (5 * n)) ** (1 / 6)
    np.testing.assert_allclose(found[[0, 2]], expected, rtol=1e-12)
    assert found[1] == pytest.approx(2 / 3 * n ** (-1 / 3), rel=1e-12)
    only_categories = KernelDensity("scott", kernel=ColumnProduct((0,), ())).fit(X[:, [1]])
    assert only_categories.bandwidth_ == pytest.approx(2 / 3 * 48**-0.5, rel=1e-12)
    assert np.isnan(only_categories.selection_.score)
    assert len(only_categories.selection_.grid) == len(only_categories.selection_.scores) == 0


@pytest.mark.parametrize("name", ["silverman", "likelihood"])
def test_gaps_are_filled_by_medians_and_the_most_frequent_values(name):
    X, y = table()
    X[[3, 9], 0] = X[[4, 30], 1] = X[7, 3] = np.nan
    fill = ColumnTransformer([
        (str(j), SimpleImputer(strategy="median" if j in (0, 2) else "most_frequent"), [j])
        for j in range(4)
    ])  # fmt: skip
    filled = ParzenClassifier(KERNEL, name).fit(fill.fit_transform(X), y)
    with_gaps = ParzenClassifier(KERNEL, name).fit(X, y)
    np.testing.assert_allclose(with_gaps.bandwidth_, filled.bandwidth_, rtol=1e-9)


def test_the_likelihood_is_that_of_the_definition():
    X, y = table()
    sample = sample_of(X, y, WEIGHTS)
    rates = _rule(sample) * [1.5, 0.7, 0.3, 1.2]
    found = _LikelihoodLoss(sample)(np.log(rates))[0]
    rows = np.repeat(np.arange(48), WEIGHTS.astype(int))  # weights are copies
    K = sample.kernel(X[rows], X[rows], bandwidth=sample.kernel.row_of(rates))
    np.fill_diagonal(K, 0.0)
    own = y[rows][:, None] == y[rows]
    expected = -np.mean(np.log((K * own).sum(axis=1) / (own.sum(axis=1) - 1)))
    assert found == pytest.approx(expected, rel=1e-12)


def test_the_slope_of_the_likelihood_is_that_of_finite_differences():
    X, y = table()
    loss, log_rates = _LikelihoodLoss(sample_of(X, y, WEIGHTS)), np.log(_rule(sample_of(X, y)))
    for at in (log_rates, log_rates + np.array([1.0, -0.5, -2.0, 0.3])):
        expected = approx_fprime(at, lambda rates: loss(rates)[0], 1e-7)
        np.testing.assert_allclose(loss(at)[1], expected, atol=1e-6)


def test_the_likeliest_rates_are_a_minimum_or_lie_at_a_bound():
    X, y = table()
    sample = sample_of(X, y, WEIGHTS)
    start = _rule(sample)
    rates, score = _likeliest(sample, start)
    loss = _LikelihoodLoss(sample)
    assert score == pytest.approx(loss(np.log(rates))[0], rel=1e-12)
    low = np.array([np.log(start[0]) - 9, -9, np.log(start[2]) - 9, -9])
    high = np.array([np.log(start[0]) + 9, 3.2, np.log(start[2]) + 9, 3.2])
    at_bound = np.isclose(np.log(rates), low) | np.isclose(np.log(rates), high)
    slope = loss(np.log(rates))[1]
    assert np.abs(slope[~at_bound]).max() < 1e-3
    assert not at_bound.all()
    np.testing.assert_array_equal(column_rates(sample, conditional=False), rates)
    far = np.array([1e9, 1.0, 1e9, 1.0]) * start  # the bounds of numbers follow the rule
    assert np.log(_likeliest(sample, far)[0][0]) >= np.log(far[0]) - 9.001


def test_sums_with_every_length_multiplied_are_those_of_the_wider_kernels():
    X, y = table()
    sample = sample_of(X, y, WEIGHTS)
    rates, factors = _rule(sample), np.array([0.5, 1.0, 3.0])
    (part,) = _scaled_sums(leave_one_out_sums, rates, sample, factors)
    assert part.log_sums.shape == (48, 2, 3)
    for b, factor in enumerate(factors):
        K = sample.kernel(X, X, bandwidth=sample.kernel.row_of(rates / factor**2))
        K = K * (WEIGHTS - np.eye(48))
        sums = np.stack([K[:, y == c].sum(axis=1) for c in (0, 1)], axis=1)
        ratios = np.log(sums) - part.log_sums[:, :, b]  # the peak is left out of one of them
        np.testing.assert_allclose(ratios, ratios[0, 0], atol=1e-9)


def test_a_column_that_all_rows_lack_is_filled_by_one_value():
    X, y = table()
    X[:, 2] = np.nan
    found = ParzenClassifier(KERNEL, "likelihood").fit(X, y).bandwidth_
    X[:, 2] = 0.0
    np.testing.assert_array_equal(
        found, ParzenClassifier(KERNEL, "likelihood").fit(X, y).bandwidth_
    )


def test_where_a_class_is_missing_from_a_fold_no_ridge_is_chosen():
    X, _ = table(9)
    sample = sample_of(X, (np.arange(9) % 3 == 1).astype(int))  # all in one fold
    np.testing.assert_array_equal(_learned(sample, _rule(sample)), np.zeros(4))


def test_conditional_rates_are_the_learned_ones_from_the_best_factor_on_the_rule():
    X, y = table()
    sample, rows = sample_of(X, y), np.arange(48)
    factors = 2.0 ** (np.arange(-2, 7) / 2)
    losses = [log_losses(sample, _rule(sample) / t**2, rows, rows).mean() for t in factors]
    start = _rule(sample) / factors[np.argmin(losses)] ** 2
    assert np.argmin(losses) > 0
    expected = start * np.exp(_learned(sample, start))
    np.testing.assert_allclose(column_rates(sample, conditional=True), expected, rtol=1e-9)


def test_a_row_beside_which_its_class_has_no_weight_left_has_no_likelihood():
    X, _ = table(4)
    sample = sample_of(X, np.array([0, 0, 1, 1]), np.array([1.0, 1e-20, 2.0, 1.0]))
    value, slope = _LikelihoodLoss(sample)(np.log(_rule(sample)))
    assert np.isfinite(value)
    assert np.isfinite(slope).all()


@pytest.mark.filterwarnings("ignore:class 0, 1, 2 has one sample")
def test_the_likelihood_of_rows_alone_in_their_classes_leaves_the_rule():
    X, _ = table(3)
    sample = sample_of(X, np.arange(3))
    assert not _LikelihoodLoss(sample).parts
    by_rule = ParzenClassifier(KERNEL, "silverman").fit(X, np.arange(3))
    for name in ("likelihood", "loo"):
        found = ParzenClassifier(KERNEL, name).fit(X, np.arange(3))
        np.testing.assert_array_equal(found.bandwidth_, by_rule.bandwidth_)
        assert np.isnan(found.selection_.score)


def test_every_ridge_has_the_factors_at_which_its_slope_is_zero():
    X, y = table()
    sample = sample_of(X, y, WEIGHTS)
    start, rows = _rule(sample) / 4, np.arange(48)
    codes = _embedded(sample, start)
    _, owners, factors = sample.kernel.codes(X[:1])
    owners = np.where(factors > 0, owners, 4)

    def objective(theta, ridge):
        losses = log_losses(sample, start * np.exp(theta), rows, rows)
        return np.average(losses, weights=WEIGHTS) + 0.5 * ridge * theta @ theta / WEIGHTS.sum()

    unpenalised = []
    for theta, ridge in zip(_path(codes, owners, 4), RIDGES, strict=True):
        at_zero = approx_fprime(np.zeros(4), objective, 1e-6, ridge)
        slope = approx_fprime(theta, objective, 1e-6, ridge)
        assert np.abs(slope).max() < 0.03 * np.abs(at_zero).max()
        unpenalised.append(objective(theta, 0.0))
    assert unpenalised[0] > unpenalised[1] > unpenalised[2]


@pytest.mark.parametrize(
    ("seed", "told", "best"),
    [
        (4, 0, 0),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [(1, 1, 1), (2, 1, 2), (5, 1, 3)]
        ),
    ],
)
def test_folds_choose_the_ridge(seed, told, best):
    X, y = table(48, seed, told)
    sample = sample_of(X, y, WEIGHTS)
    start = _rule(sample) / 4
    _, owners, factors = sample.kernel.codes(X[:1])
    owners, rows = np.where(factors > 0, owners, 4), np.arange(48)
    losses = np.zeros(4)
    for k in range(3):
        train, test = rows[rows % 3 != k], rows[rows % 3 == k]
        path = [np.zeros(4), *_path(_embedded(sample, start).rows(train), owners, 4)]
        for i, theta in enumerate(path):
            losses[i] += WEIGHTS[test] @ log_losses(sample, start * np.exp(theta), test, train)
    assert losses.argmin() == best
    path = [np.zeros(4), *_path(_embedded(sample, start), owners, 4)]
    np.testing.assert_allclose(_learned(sample, start), path[best], atol=1e-10)


@pytest.mark.slow
def test_rates_are_the_learned_ones_times_a_common_factor():
    X, y = table()
    sample, rows = sample_of(X, y), np.arange(48)
    factors = 2.0 ** (np.arange(-2, 7) / 2)
    losses = [log_losses(sample, _rule(sample) / t**2, rows, rows).mean() for t in factors]
    start = _rule(sample) / factors[np.argmin(losses)] ** 2
    chosen = ParzenClassifier(KERNEL, LeaveOneOutError()).fit(X, y).bandwidth_[0]
    ratios = sample.kernel.rates(chosen) / (start * np.exp(_learned(sample, start)))
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the bandwidth chosen by")
@pytest.mark.parametrize(
    ("selector", "folds"),
    [
        (LeaveOneOutError(), np.arange(48)),
        (KFoldError(folds=4), np.arange(48) // 12),
        (LeaveOneOutError(grid=(0.5, 1.0, 2.0)), np.arange(48)),
    ],
)
def test_the_scores_of_the_common_factors_are_the_errors_on_held_out_rows(selector, folds):
    X, y = table()
    chosen = ParzenClassifier(KERNEL, selector).fit(X, y)
    found, sample = chosen.selection_, sample_of(X, y)
    default = 2.0 ** (np.arange(-8, 9) / 4)
    np.testing.assert_allclose(found.grid, default if selector.grid is None else selector.grid)

    def error(factor):
        row = sample.kernel.row_of(sample.kernel.rates(chosen.bandwidth_[0]) / factor**2)
        K = sample.kernel(X, X, bandwidth=row) * (folds[:, None] != folds)
        sums = np.stack([K[:, y == c].sum(axis=1) for c in (0, 1)], axis=1)
        return np.mean(sums.argmax(axis=1) != y)

    best = found.grid[found.scores == found.scores.min()]  # one of them was chosen
    tables = [[error(factor / one) for factor in found.grid] for one in best]
    assert any(np.allclose(found.scores, errors) for errors in tables)
    assert found.score == found.scores.min() < found.scores.max()


def test_what_has_no_bandwidth_for_every_column_is_refused():
    X, y = table()
    with pytest.raises(ValueError, match="per='class' is not available for a ColumnProduct"):
        ParzenClassifier(KERNEL, CrossValidation(per="class")).fit(X, y)
    with pytest.raises(ValueError, match="use 'silverman', 'scott' or 'likelihood'"):
        KernelDensity("lscv", kernel=KERNEL).fit(X)


@pytest.mark.parametrize("bandwidth", ["silverman", "likelihood"])
def test_a_weight_is_as_good_as_copies_where_entries_are_missing(bandwidth):
    X, y = table()
    rng = np.random.default_rng(1)
    X[rng.random(X.shape) < 0.25] = np.nan
    weights = rng.integers(1, 5, len(X))
    weights[X[:, 1] == 0] = 9  # another category is the most frequent one then
    one = ParzenClassifier(KERNEL, bandwidth).fit(X, y, weights.astype(float))
    copied = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    many = ParzenClassifier(KERNEL, bandwidth).fit(*copied)
    np.testing.assert_allclose(one.bandwidth_, many.bandwidth_, rtol=1e-9)
