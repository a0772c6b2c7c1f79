"""Weights far from 1: right answers, or a sentence about the weights."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import (
    BMachineClassifier,
    KernelDensity,
    KernelFisherClassifier,
    KernelNaiveBayes,
    L2Classifier,
    L2KernelDensity,
    L2LinearClassifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
    StackedDensityClassifier,
)
from parzen.classifiers.base import TemperedDecision, tempering_exponent
from parzen.solvers import solve_ridge

pytestmark = pytest.mark.filterwarnings("ignore")
X = np.array([[0.0, 0.0], [1.0, 3.0], [2.0, 0.5], [3.0, 2.0], [0.5, 2.5], [2.5, 3.5]])
y = np.array([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(
    "estimator",
    [
        ParzenClassifier(), ParzenClassifier(metric="learned"), StackedDensityClassifier(),
        L2LinearClassifier(bandwidth=0.7), LSSVMClassifier(bandwidth=0.7),
        RLSClassifier(bandwidth=0.7),
        KernelFisherClassifier(bandwidth=0.7), BMachineClassifier(bandwidth=0.7),
        LaplacianClassifier(bandwidth=0.7, keep=2), KernelDensity(), L2KernelDensity(),
    ],
    ids=lambda e: repr(e),
)  # fmt: skip
@pytest.mark.parametrize("size", [1e60, 1e300])
def test_more_rows_than_can_be_counted_are_refused(estimator, size):
    weights = np.where(np.arange(len(y)) == 2, size, 1.0)
    with pytest.raises(ValueError, match=r"adds up to 1e.*common factor"):
        estimator.fit(X, y, sample_weight=weights)


def test_at_given_bandwidths_huge_weights_are_weights():
    weights = np.array([1.0, 2.0, 3.0, 1.0, 5.0, 2.0])
    for clf in (ParzenClassifier(bandwidth=0.7), LaplacianClassifier(bandwidth=0.7)):
        expected = clf.fit(X, y, weights).decision_function(X)
        found = clf.fit(X, y, 1e200 * weights).decision_function(X)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_light_point_that_no_heavy_one_reaches_has_a_density():
    points, weights = np.array([[0.0], [5.0], [10.0]]), np.array([1.0, 1e100, 1e-300])
    density = KernelDensity(bandwidth=1.0, kernel="uniform").fit(points, sample_weight=weights)
    expected = np.log(0.5) + np.log(weights) - np.log(weights.sum())
    np.testing.assert_allclose(density.score_samples(points), expected, rtol=1e-12)
    clf = LaplacianClassifier(bandwidth=0.7, kernel="uniform").fit(points, [0, 0, 1], weights)
    assert np.isfinite(clf.log_weights_).all()
    assert clf.predict(points).tolist() == [0, 0, 1]


def test_folds_whose_other_classes_have_no_rows_give_a_bandwidth():
    points = np.array([[0.0], [0.1], [0.2], [5.0]])
    clf = LaplacianClassifier("epanechnikov", "cv").fit(points, [0, 0, 0, 1])
    assert clf.predict(points).tolist() == [0, 0, 0, 1]


def test_rows_that_weigh_next_to_nothing_give_no_scale():
    weights = np.array([1.3, 1e-320, 1e-300, 1.0, 1e-300, 1e-160])
    for selector in ("likelihood", "lscv"):
        clf = ParzenClassifier(bandwidth=selector).fit(X, y, weights)
        assert clf.bandwidth_ > 1e-3 * np.ptp(X)
        assert np.isfinite(clf.predict_proba(X)).all()


def test_priors_that_underflow_with_the_shares_leave_the_scores_alone():
    decision = TemperedDecision(
        log_priors=np.array([0.0, -np.inf]), costs=None, reject=None,
        log_shares=np.array([0.0, -np.inf]), exponent=2.0,
    )  # fmt: skip
    np.testing.assert_array_equal(decision.joint(np.array([[1.0, 3.0]])), [[2.0, 6.0]])


def test_scores_that_differ_by_rounding_alone_have_the_exponent_one():
    scores = 20.0 + np.random.default_rng(0).choice([0.0, 4e-15], size=(30, 3))
    assert tempering_exponent(scores, np.arange(30) % 3) == 1.0


def test_a_singular_system_has_its_shortest_solution():
    K = np.ones((3, 3))
    coefficients, _ = solve_ridge(K, np.zeros(3), np.array([[1.0], [1.0], [1.0]]), offset=False)
    np.testing.assert_allclose(coefficients, np.full((3, 1), 1 / 3))


def test_weights_that_leave_no_solution_are_named():
    weights = np.array([1e-300, 1e-60, 1e-300])
    with pytest.raises(ValueError, match="sample_weight spans 1e-300 to 1e-60"):
        KernelFisherClassifier(bandwidth=0.7).fit(X[:3], [0, 0, 1], weights)


def test_a_class_of_next_to_no_weight_keeps_its_kernels():
    weights = np.array([1e300, 1e300, 1e300, 1e60, 1e60, 1e60])
    clf = L2Classifier(bandwidth=0.7).fit(X, y, weights)
    assert set(clf.expansion_.labels) == {0, 1}
    assert np.isfinite([clf.objective_, clf.optimality_gap_]).all()
    assert np.isfinite(clf.predict_proba(X)).all()


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", ["sheather_jones", "improved_sheather_jones"])
def test_less_than_two_observations_count_as_two(bandwidth):
    weights = np.array([1.0, 2.0, 1.0, 2.0, 1.0, 1.0])
    found = [
        KernelNaiveBayes(bandwidth=bandwidth).fit(X, y, size * weights).predict_proba(X)
        for size in (1e-3, 1e-300)
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
