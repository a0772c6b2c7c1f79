"""The two-sample test, against its formula and under the null."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, norm

from parzen.compare import two_sample_test


@pytest.mark.parametrize("divergence", ["cauchy_schwarz", "l2"])
def test_the_statistic_is_the_distance_of_the_two_densities(divergence):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(15, 1)), rng.normal(1, 2, size=(20, 1))
    found = two_sample_test(x, y, divergence=divergence, bandwidth=0.5, n_permutations=9)
    grid = np.linspace(-15, 15, 60_001)
    f, g = (norm.pdf(grid[:, None], s.T, 0.5).mean(axis=1) for s in (x, y))
    ff, gg, fg = (np.trapezoid(a * b, grid) for a, b in ((f, f), (g, g), (f, g)))
    if divergence == "l2":
        expected = (ff + gg - 2 * fg) / norm.pdf(0, scale=0.5 * np.sqrt(2))
    else:
        expected = -np.log(fg / np.sqrt(ff * gg))
    assert found.statistic == pytest.approx(expected, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("divergence", ["cauchy_schwarz", "l2"])
def test_p_values_are_uniform_if_the_samples_come_from_one_density(divergence):
    rng = np.random.default_rng(1)
    values = []
    for _ in range(200):
        X = rng.standard_t(3, size=(40, 2))
        how = {"divergence": divergence, "n_permutations": 99}
        test = two_sample_test(X[:15], X[15:], random_state=rng.integers(2**31), **how)
        values.append(test.pvalue - rng.uniform() / 100)  # p-values are multiples of 1 / 100
    assert kstest(values, "uniform").pvalue > 0.01


def test_a_shift_and_a_change_of_spread_are_found():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 3))
    for Y in (rng.normal([1.0, 0, 0], size=(150, 3)), rng.normal(scale=2, size=(150, 3))):
        assert two_sample_test(X, Y, random_state=0).pvalue < 0.02


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="same columns"):
        two_sample_test(np.zeros((5, 2)), np.zeros((5, 3)))
    with pytest.raises(ValueError, match="divergence"):
        two_sample_test(np.zeros((5, 2)), np.ones((5, 2)), divergence="kl")


def test_samples_that_no_kernel_connects_have_the_smallest_p_value():
    found = two_sample_test(np.zeros((9, 1)), np.full((9, 1), 1e6), bandwidth=0.5, random_state=0)
    assert found.statistic == np.inf
    assert found.pvalue == 1 / 200
