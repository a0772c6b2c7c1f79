"""Paired tests: against SciPy, the worked example of Demsar (2006), and equal classifiers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from parzen.compare.paired_tests import (
    corrected_resampled_t_test,
    friedman_test,
    resampled_t_test,
    wilcoxon_test,
)

# Demsar (2006), Table 6: AUC of C4.5, with m, with cf, with both, on fourteen data sets. On the
# last but one the table prints 0.975 twice but ranks 2 and 3: unrounded, the third is larger.
DEMSAR = np.array([
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


def test_friedmans_test_is_the_worked_example():
    result = friedman_test(DEMSAR)
    np.testing.assert_allclose(result.average_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert result.statistic == pytest.approx(9.28, abs=0.01)
    assert result.f_statistic == pytest.approx(3.69, abs=0.01)
    assert result.critical_difference == pytest.approx(1.25, abs=0.005)
    assert friedman_test(DEMSAR, alpha=0.10).critical_difference == pytest.approx(1.12, abs=0.005)
    assert not result.differs().any()
    assert friedman_test(DEMSAR, alpha=0.10).differs()[0, 1]


def test_wilcoxons_test_is_the_worked_example():
    result = wilcoxon_test(DEMSAR[:, 0], DEMSAR[:, 1])
    assert result.statistic == 12.0
    assert result.pvalue < 0.05
    assert result.difference < 0
    assert wilcoxon_test([0.5, 0.6], [0.5, 0.6]).pvalue == 1.0


def test_friedmans_test_without_ties_is_scipys():
    scores = np.random.default_rng(0).normal(size=(12, 5))
    expected = stats.friedmanchisquare(*scores.T)
    result = friedman_test(scores)
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.pvalue == pytest.approx(expected.pvalue)
    turned = friedman_test(-scores, higher_is_better=False)
    np.testing.assert_allclose(turned.average_ranks, result.average_ranks)


def test_the_uncorrected_test_is_scipys_paired_t_test():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30), rng.normal(size=30) + 0.3
    expected, ours = stats.ttest_rel(a, b), resampled_t_test(a, b)
    assert ours.statistic == pytest.approx(expected.statistic)
    assert ours.pvalue == pytest.approx(expected.pvalue)
    assert ours.df == 29


def test_the_corrected_test_equals_baycomps_posterior():
    """The correlated t-test of an independent package has the same t distribution.

    The package is not among the test packages: it installs a package ``tests`` of its own, which
    hides the one here.
    """
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(0)
    a = rng.normal(0.80, 0.02, size=10)
    b = a - rng.normal(0.005, 0.01, size=10)
    ours = corrected_resampled_t_test(a, b, train_size=9, test_size=1)
    posterior = baycomp.CorrelatedTTest(a, b, runs=1)
    left = posterior.probs()[0]
    assert ours.pvalue / 2 == pytest.approx(min(left, 1 - left), rel=1e-6)


def test_the_corrected_test_widens_the_variance_by_the_ratio_of_sizes():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30), rng.normal(size=30) + 0.3
    plain = resampled_t_test(a, b)
    fair = corrected_resampled_t_test(a, b, train_size=200, test_size=100)
    assert fair.statistic == pytest.approx(plain.statistic / np.sqrt(1 + 30 * 0.5))
    assert fair.pvalue > plain.pvalue


def test_equal_classifiers_are_told_apart_by_the_uncorrected_test_only():
    """Errors of two equal rules on splits of one sample: the plain test is too sure of itself."""
    rng = np.random.default_rng(0)
    rejected = np.zeros(2)
    for _ in range(200):
        wrong = rng.random((2, 90)) < 0.3  # which rows each of two equally good rules gets wrong
        tests = [rng.permutation(90)[:30] for _ in range(30)]
        a, b = np.array([wrong[:, rows].mean(axis=1) for rows in tests]).T
        fair = corrected_resampled_t_test(a, b, train_size=60, test_size=30)
        rejected += [resampled_t_test(a, b).pvalue < 0.05, fair.pvalue < 0.05]
    assert rejected[0] / 200 > 0.3
    assert rejected[1] / 200 < 0.15


def test_no_difference_at_all_and_a_constant_difference():
    assert resampled_t_test([1.0, 1.0], [1.0, 1.0]).pvalue == 1.0
    assert resampled_t_test([2.0, 2.0], [1.0, 1.0]).statistic == np.inf


def test_two_splits_that_happen_to_agree_prove_nothing():
    errors = np.array([0.02, 0.02]), np.array([0.04, 0.04])
    sizes = {"train_size": 120, "test_size": 50}
    assert corrected_resampled_t_test(*errors, **sizes).pvalue == 0.0
    assert corrected_resampled_t_test(*errors, **sizes, resolution=1 / 50).pvalue > 0.1
    many = [np.repeat(e, 10) for e in errors]
    assert corrected_resampled_t_test(*many, **sizes, resolution=1 / 50).pvalue < 0.01
    spread = np.random.default_rng(0).normal(size=(2, 10))
    plain = corrected_resampled_t_test(*spread, **sizes)
    assert corrected_resampled_t_test(*spread, **sizes, resolution=1 / 50) == plain


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: resampled_t_test([1.0], [1.0]), "at least 2"),
        (lambda: resampled_t_test([1.0, 2.0], [1.0]), "one length"),
        (lambda: resampled_t_test([1.0, np.nan], [1.0, 2.0]), "NaN"),
        (
            lambda: corrected_resampled_t_test([1.0, 2.0], [0.0, 0.0], train_size=0, test_size=1),
            "train_size",
        ),
        (
            lambda: corrected_resampled_t_test(
                [1.0, 2.0], [0.0, 0.0], train_size=2, test_size=1, resolution=-1.0
            ),
            "resolution",
        ),
        (lambda: friedman_test([[1.0, 2.0]]), "two rows"),
        (lambda: friedman_test(DEMSAR, alpha=2.0), "alpha"),
    ],
)
def test_senseless_scores_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_numbers_that_are_none_are_refused():
    with pytest.raises(ValueError, match="leave those data sets out"):
        friedman_test([[0.1, np.nan], [0.2, 0.3]])
    with pytest.raises(ValueError, match="leave those splits out of both"):
        resampled_t_test([0.1, np.inf], [0.2, 0.3])
    with pytest.raises(ValueError, match=r"resolution=-1 must be finite and not negative"):
        corrected_resampled_t_test([0.1, 0.2], [0.2, 0.3], train_size=2, test_size=1, resolution=-1)
