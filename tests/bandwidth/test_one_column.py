"""Plug-in bandwidths of one column, against R, the papers' equations and sums over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import factorial2, hermitenorm
from scipy.stats import norm

from parzen import KernelDensity, KernelNaiveBayes, ParzenClassifier
from parzen.bandwidth import Rule, improved_sheather_jones, one_column, sheather_jones
from parzen.kernels import get

RULES = [sheather_jones, improved_sheather_jones]


def two_modes(n: int = 150) -> np.ndarray:
    """A sample by formula, so that R can be given the same one."""
    i = np.arange(1, n + 1)
    z = norm.ppf((i * 0.6180339887) % 1)
    return np.where(i % 5 < 2, -5 + z, 4 + 2 * z)[:, None]


def test_sheather_jones_is_the_value_of_r():
    """R 4.2: ``bw.SJ(x, nb = 2e6, tol = 1e-13)``, whose own binning leaves an error of 1e-6."""
    assert sheather_jones(two_modes()) == pytest.approx(0.731796533334, rel=2e-6)
    assert sheather_jones(two_modes() ** 2) == pytest.approx(5.55495090884, rel=2e-6)


def test_the_grid_gives_what_all_pairs_give(monkeypatch):
    x = np.round(np.random.default_rng(0).standard_cauchy((650, 1)), 2)
    exact = sheather_jones(x)
    monkeypatch.setattr(one_column, "_MAX_POINTS_OF_PAIRS", 1)
    assert sheather_jones(x) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_both_come_near_the_best_bandwidth_of_a_normal_sample(rule):
    x = np.random.default_rng(1).normal(size=(20_000, 1))
    assert rule(x) == pytest.approx((4 / 3) ** 0.2 * len(x) ** -0.2, rel=0.06)


@pytest.mark.parametrize("rule", RULES)
def test_weights_are_copies_and_units_do_not_matter(rule):
    rng = np.random.default_rng(2)
    x, w = rng.normal(size=(80, 1)), rng.integers(0, 4, 80)
    assert rule(x, weights=w) == pytest.approx(rule(np.repeat(x, w, axis=0)), rel=1e-12)
    for unit in (1e9, 1e-9, 1e100, 1e-100):
        assert rule(unit * x) == pytest.approx(unit * rule(x), rel=1e-10)
    fewer_than_two = 1.5 * w / w.sum()  # counts as two rows
    assert rule(x, weights=fewer_than_two) == pytest.approx(rule(x, weights=2 * w / w.sum()))


@pytest.mark.parametrize("rule", RULES)
def test_several_columns_are_refused_with_the_cure(rule):
    with pytest.raises(ValueError, match="per='feature'"):
        rule(np.zeros((5, 2)))


@pytest.mark.parametrize("name", ["sheather_jones", "improved_sheather_jones"])
def test_estimators_take_them_by_name(name):
    x = two_modes()
    y = (x[:, 0] > 0).astype(int)
    density = KernelDensity(bandwidth=name).fit(x)
    assert density.bandwidth_ == pytest.approx(Rule(name).select(x).bandwidth)
    assert ParzenClassifier(bandwidth=Rule(name, per="class")).fit(x, y).bandwidth_.shape == (2,)
    X = np.hstack([x, x**2])
    assert KernelDensity(bandwidth=Rule(name, per="feature")).fit(X).bandwidth_.shape == (1, 2)
    assert KernelNaiveBayes(bandwidth=name).fit(X, y).score(X, y) > 0.95


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.filterwarnings("ignore:.*stands in:UserWarning")
def test_few_and_equal_values_give_a_bandwidth(rule):
    for x in ([[0.0], [1.0]], [[0.0], [0.0], [0.0], [1.0]], np.arange(3.0)[:, None]):
        assert 0 < rule(x) < 10
    with pytest.warns(UserWarning, match="no scale"):
        assert rule([[2.0], [2.0]]) > 0


def test_botev_s_bandwidth_solves_the_equation_of_the_paper():
    """Botev et al. (2010): t = (2 N sqrt(pi) |f''|^2)^(-2/5), the norms from the seventh down."""
    x = two_modes()[:, 0]
    n, cells = len(x), 2**14
    width = 2 * np.ptp(x) / (cells - 1)
    place = ((x - x.min() + np.ptp(x) / 2) / width + 0.5) / cells  # in the grid's range
    k = np.arange(1, 400)
    coefficients = 2 * np.cos(np.pi * np.outer(k, place)).mean(axis=1)

    def squared_norm(s, t):
        terms = (np.pi * k) ** (2 * s) * coefficients**2 * np.exp(-((np.pi * k) ** 2) * t)
        return 0.5 * terms.sum()

    time = (improved_sheather_jones(x[:, None]) / (width * cells)) ** 2
    value = squared_norm(7, time)
    for s in (6, 5, 4, 3, 2):
        odd = factorial2(2 * s - 1) / np.sqrt(2 * np.pi)
        step = (2 * (1 + 2 ** -(s + 0.5)) / 3 * odd / (n * value)) ** (2 / (3 + 2 * s))
        value = squared_norm(s, step)
    assert (2 * n * np.sqrt(np.pi) * value) ** -0.4 == pytest.approx(time, rel=1e-4)


@pytest.mark.parametrize("cells", [40, 300])
def test_the_cosine_bandwidth_solves_the_equation_of_the_binned_sample(cells):
    """A value is shared between its two nearest points of the grid."""
    x = two_modes(60)[:, 0]
    w = 1.0 + (np.arange(60) % 3 == 0)
    width = 2 * np.ptp(x) / (cells - 1)
    place = (x - x.min() + np.ptp(x) / 2) / width
    shares = np.maximum(1 - np.abs(place[:, None] - np.arange(cells)), 0.0)
    masses = w @ shares / w.sum()
    k = np.arange(1, cells)
    cosines = np.cos(np.pi * np.outer(k, np.arange(cells) + 0.5) / cells)
    power = (2 * cosines @ masses) ** 2

    def squared_norm(s, t):
        terms = (np.pi * k) ** (2.0 * s) * power * np.exp(-((np.pi * k) ** 2.0) * t)
        return 0.5 * terms.sum()

    column = one_column._DistinctValues.of(x[:, None], w, "")
    time = (one_column._cosine_bandwidth(column, cells) / (width * cells)) ** 2
    n = len(np.unique(x))
    value = squared_norm(7, time)
    for s in (6, 5, 4, 3, 2):
        odd = factorial2(2 * s - 1) / np.sqrt(2 * np.pi)
        step = (2 * (1 + 2 ** -(s + 0.5)) / 3 * odd / (n * value)) ** (2 / (3 + 2 * s))
        value = squared_norm(s, step)
    assert (2 * n * np.sqrt(np.pi) * value) ** -0.4 == pytest.approx(time, rel=1e-9)


@pytest.mark.parametrize("most", [700, 1])
def test_the_functionals_are_means_of_derivatives_over_all_pairs(monkeypatch, most):
    monkeypatch.setattr(one_column, "_MAX_POINTS_OF_PAIRS", most)
    x = two_modes(60)
    w = 1.0 + (np.arange(60) % 3 == 0)
    column = one_column._DistinctValues.of(x, w, "")
    psi = one_column._Functionals.of(column, 1.0, 32.0)
    copies = np.repeat(x[:, 0], w.astype(int))
    gaps = copies[:, None] - copies
    for r, found in ((4, psi.fourth(0.8)), (6, psi.sixth(0.8))):
        u = gaps / 0.8
        derivatives = hermitenorm(r)(u) * norm.pdf(u) / 0.8 ** (r + 1)
        expected = derivatives.sum() / (len(copies) * (len(copies) - 1))
        assert found == pytest.approx(expected, rel=1e-12 if most == 700 else 2e-5)


def test_the_robust_scale_is_that_of_the_copies():
    rng = np.random.default_rng(3)
    close = np.r_[1e-200, np.arange(40.0) % 2]  # two values nearly equal
    samples = (rng.normal(size=31), rng.exponential(size=40), np.r_[0.0, 1e6, np.ones(30)], close)
    for values in samples:
        w = rng.integers(1, 4, len(values)).astype(float)
        copies = np.repeat(values, w.astype(int))
        iqr = np.subtract(*np.quantile(copies, [0.75, 0.25])) / 1.349
        expected = min(copies.std(ddof=1), iqr) if iqr > 0 else copies.std(ddof=1)
        found = one_column._DistinctValues.of(values[:, None], w, "").robust_scale()
        assert found == pytest.approx(expected, rel=1e-12)


def test_pairs_of_cells_are_counted_by_their_lag():
    rng = np.random.default_rng(4)
    cells = np.r_[rng.integers(0, 30, 12), 500 + rng.integers(0, 9, 5), 1000].astype(float)
    weights = rng.integers(1, 4, len(cells)).astype(float)
    for n_lags in (0, 7, 100):
        lags = cells[:, None] - cells
        pairs = np.outer(weights, weights)
        expected = [pairs[lags == lag].sum() for lag in range(n_lags + 1)]
        found = one_column._lag_counts(cells, weights, n_lags)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_where_the_equation_has_no_solution_a_formula_stands_in():
    x = np.append(np.zeros(20), 1.0)[:, None]
    with pytest.warns(UserWarning, match="no solution for this column; 0.9214 stands in"):
        found = improved_sheather_jones(x)
    assert found == pytest.approx(np.sqrt(0.28 * 2**-0.4) * 2 * 2**14 / (2**14 - 1), rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_another_kernel_has_its_own_factor(rule):
    x = two_modes()
    factor = get("epanechnikov").bandwidth_factor(1)
    assert rule(x, kernel="epanechnikov") == pytest.approx(factor * rule(x), rel=1e-12)


@pytest.mark.filterwarnings("ignore:.*no scale|.*stands in:UserWarning")
@pytest.mark.parametrize("n", [2, 900])
@pytest.mark.parametrize("rule", RULES)
def test_a_value_of_nearly_all_weight_gives_a_bandwidth(rule, n):
    weights = np.full(n, 1e-300)
    weights[0] = 1e-5
    assert 0 < rule(np.arange(n)[:, None] / n, weights=weights) < 10


def test_quartiles_that_differ_by_rounding_are_no_scale():
    x = np.concatenate([np.arange(50) * 1e-100, np.linspace(0.1, 3.0, 12)])[:, None]
    assert sheather_jones(x) == pytest.approx(sheather_jones(np.round(x, 9)), rel=1e-9)
