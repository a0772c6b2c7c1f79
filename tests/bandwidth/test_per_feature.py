"""One bandwidth per feature: a checked gradient, and features that do not matter smoothed away."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from parzen.bandwidth import (
    LSCV,
    ConditionalLikelihood,
    LeaveOneOutError,
    Likelihood,
    Rule,
    per_feature,
)
from parzen.bandwidth._metric_loss import MetricLoss
from parzen.bandwidth._sample import Sample

pytestmark = pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")


@pytest.fixture(scope="module")
def chessboard():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.fixture(scope="module")
def learned(chessboard):
    return ConditionalLikelihood(per="feature").select(*chessboard)


def sample_of(kernel, priors):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 2] > 1.0)
    return Sample.of(X, y, kernel, rng.choice([0.5, 1.0, 2.0], 60), priors, None)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_the_gradient_is_that_of_finite_differences(kernel, priors):
    sample = sample_of(kernel, priors)
    theta = np.array([0.2, -0.3, 0.1, 0.4])
    test, train = sample.rows(np.arange(20)), sample.rows(np.arange(20, 60))
    for loss in (
        MetricLoss.leave_one_out(sample, sample.frequencies),
        MetricLoss.held_out(test, train),
    ):
        slopes = approx_fprime(theta, lambda t, loss=loss: loss(t)[0], 1e-7)
        np.testing.assert_allclose(loss(theta)[1], slopes, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_the_loss_is_the_conditional_likelihood_of_scaled_features(kernel, priors):
    sample = sample_of(kernel, priors)
    theta = np.array([0.2, -0.3, 0.1, 0.4])
    value, _ = MetricLoss.leave_one_out(sample, sample.frequencies)(theta)
    known = ConditionalLikelihood(grid=[1.0]).select(
        sample.X / np.exp(theta),
        sample.y,
        kernel=kernel,
        priors=priors,
        sample_weight=sample.weights,
    )
    assert value == pytest.approx(known.score, rel=1e-10)


def test_features_that_do_not_matter_are_smoothed_away(chessboard, learned):
    assert learned.bandwidth.shape == (1, 4)
    assert learned.bandwidth[0, :2].max() < learned.bandwidth[0, 2:].min() / 3
    assert learned.score < 0.6 * ConditionalLikelihood().select(*chessboard).score


def test_it_generalises_to_new_points(chessboard, learned, plug_in):
    X, y = chessboard
    Q = np.random.default_rng(9).normal(size=(1000, 4))
    truth = (Q[:, 0] * Q[:, 1] > 0).astype(int)
    errors = [
        np.mean(plug_in(X / h, y, 1.0, n_classes=2).predict(Q / h) != truth)
        for h in (learned.bandwidth, LeaveOneOutError().select(X, y).bandwidth)
    ]
    assert errors[0] < 0.7 * errors[1]


def test_where_all_features_matter_alike_the_ridge_keeps_them_together():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 5)) + 0.8 * y[:, None]
    h = ConditionalLikelihood(per="feature").select(X, y).bandwidth
    assert h.max() / h.min() < 2


def test_it_scales_with_the_data_and_ignores_the_order_of_rows(chessboard, learned):
    X, y = chessboard
    rows = np.random.default_rng(2).permutation(len(X))
    for factor in (1e-12, 3e7):
        other = ConditionalLikelihood(per="feature").select(factor * X[rows], y[rows])
        np.testing.assert_allclose(other.bandwidth, factor * learned.bandwidth, rtol=1e-10)


def test_an_error_estimate_chooses_its_own_common_factor(chessboard, learned):
    found = LeaveOneOutError(per="feature").select(*chessboard)
    ratio = found.bandwidth / learned.bandwidth
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-10)
    assert found.name == "loo"


@pytest.mark.parametrize("selector", [LSCV, Likelihood])
def test_density_criteria_follow_the_columns_deviations(selector):
    X = np.random.default_rng(5).normal(size=(200, 3)) * [1.0, 100.0, 1e-3]
    h = selector(per="feature").select(X).bandwidth
    np.testing.assert_allclose(h / X.std(axis=0), (h / X.std(axis=0))[0, 0], rtol=1e-10)


@pytest.mark.parametrize("selector", [Rule(), LSCV(), Likelihood(per="class")], ids=repr)
def test_naive_bayes_has_a_problem_of_its_own_in_every_feature(chessboard, selector):
    X, y = chessboard
    h, parts = per_feature(selector, X, y)
    for column in range(4):
        alone = selector.select(X[:, [column]], y).bandwidth
        np.testing.assert_array_equal(h[:, column], np.broadcast_to(alone, len(h)))
    assert h.shape == (2 if selector.per == "class" else 1, 4)
    assert len(parts) == 4
