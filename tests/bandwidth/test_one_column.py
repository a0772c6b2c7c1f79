"""Plug-in bandwidths of one column, against R, KDEpy and sums over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from parzen import KernelDensity, KernelNaiveBayes, ParzenClassifier
from parzen.bandwidth import Rule, improved_sheather_jones, one_column, sheather_jones

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


def test_botev_s_bandwidth_is_kdepys_in_units_of_the_whole_grid():
    """KDEpy multiplies by the range of the sample, though its transform is that of the grid."""
    kdepy = pytest.importorskip("KDEpy.bw_selection")
    for seed in range(3):
        x = 20 * np.random.default_rng(seed).normal(size=(400, 1))
        points = 1024  # of KDEpy's grid
        ours = one_column._cosine_bandwidth(one_column._Column.of(x, None, ""), points)
        grid_in_ranges = 2 * points / (points - 1)
        assert ours == pytest.approx(kdepy.improved_sheather_jones(x) * grid_in_ranges, rel=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_both_come_near_the_best_bandwidth_of_a_normal_sample(rule):
    x = np.random.default_rng(1).normal(size=(20_000, 1))
    assert rule(x) == pytest.approx((4 / 3) ** 0.2 * len(x) ** -0.2, rel=0.06)


@pytest.mark.parametrize("rule", RULES)
def test_weights_are_copies_and_units_do_not_matter(rule):
    rng = np.random.default_rng(2)
    x, w = rng.normal(size=(80, 1)), rng.integers(0, 4, 80)
    assert rule(x, weights=w) == pytest.approx(rule(np.repeat(x, w, axis=0)), rel=1e-12)
    assert rule(1e9 * x) == pytest.approx(1e9 * rule(x), rel=1e-10)


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
