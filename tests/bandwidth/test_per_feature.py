"""One bandwidth per feature: a checked gradient, and features that do not matter smoothed away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import logsumexp

from parzen import ParzenClassifier
from parzen.bandwidth import (
    LSCV,
    ConditionalLikelihood,
    LeaveOneOutError,
    Likelihood,
    Rule,
    per_feature,
)
from parzen.metric.column_weights import RIDGES, _in_canonical_order, _plain_path, held_out_losses
from parzen.metric.loss import Metric, MetricLoss
from parzen.samples import KernelSample

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
    return KernelSample.of(X, y, kernel, rng.choice([0.5, 1.0, 2.0], 60), priors, None)


def metric_of(theta, kernel):
    """The bandwidths exp(theta) as a metric of the plug-in rule."""
    return Metric.plain((-1.0 if kernel == "laplacian" else -2.0) * theta, 3)


def naive_loss(sample, metric):
    """The leave-one-out loss with every pair written out."""
    powers = {"laplacian": 1, "gaussian": 2}[sample.kernel.name]
    dx = np.abs(sample.X[:, None, :] - sample.X[None, :, :]) ** powers / powers
    D = dx @ np.exp(metric.log_weights)
    w = sample.frequencies
    remaining = np.tile(w, (len(w), 1))
    np.fill_diagonal(remaining, w - np.minimum(w, 1.0))
    total, mass = 0.0, 0.0
    for i, label in enumerate(sample.codes):
        scores = np.empty(3)
        for c in range(3):
            own = remaining[i] * (sample.codes == c)
            kernels = np.exp(-np.exp(-metric.log_scales[c]) * D[i])
            mean = own @ kernels / own.sum()
            prior = own.sum() if sample.priors is None else sample.priors[c]
            tau = np.exp(metric.log_temperature)
            scores[c] = np.log(prior) + metric.offsets[c] + tau * np.log(mean)
        total += w[i] * (logsumexp(scores) - scores[label])
        mass += w[i]
    return total / mass


SKEWED = Metric(
    np.array([0.2, -0.3, 0.1, 0.4]), np.array([0.1, -0.2, 0.3]), np.array([0.3, 0.0, -0.1]), -0.4
)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_the_gradient_is_that_of_finite_differences(kernel, priors):
    sample = sample_of(kernel, priors)
    test, train = sample.rows(np.arange(20)), sample.rows(np.arange(20, 60))
    for loss in (
        MetricLoss.leave_one_out(sample, sample.frequencies),
        MetricLoss.held_out(test, train),
    ):
        slopes = approx_fprime(SKEWED.flat(), lambda t, f=loss: f(Metric.of(t, 4))[0], 1e-7)
        np.testing.assert_allclose(loss(SKEWED)[1].flat(), slopes, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-12), (np.float32, 1e-5)])
def test_the_loss_is_the_one_written_out_pair_by_pair(kernel, priors, dtype, error):
    sample = sample_of(kernel, priors)
    value, _ = MetricLoss.leave_one_out(
        replace(sample, X=sample.X.astype(dtype)), sample.frequencies
    )(SKEWED)
    assert value == pytest.approx(naive_loss(sample, SKEWED), rel=error)


def test_single_precision_has_the_gradient_of_double_precision():
    sample = sample_of("gaussian", None)
    single = replace(sample, X=sample.X.astype(np.float32))
    slopes = [
        MetricLoss.leave_one_out(s, s.frequencies)(SKEWED)[1].flat() for s in (sample, single)
    ]
    np.testing.assert_allclose(slopes[1], slopes[0], rtol=0, atol=1e-5)


def test_loss_and_gradient_have_the_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700, 9))
    sample = KernelSample.of(X, (X[:, 0] > 0).astype(int), "laplacian", None, None, 1)
    metric = Metric.plain(np.linspace(-1, 1, 9), 2)
    results = []
    for threads in (1, 2, 3):
        loss = MetricLoss.leave_one_out(replace(sample, n_jobs=threads), sample.frequencies)
        value, slopes = loss(metric)
        results.append(np.append(slopes.flat(), value))
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_the_loss_is_the_conditional_likelihood_of_scaled_features(kernel, priors):
    sample = sample_of(kernel, priors)
    theta = np.array([0.2, -0.3, 0.1, 0.4])
    loss = MetricLoss.leave_one_out(sample, sample.frequencies)
    value, _ = loss(metric_of(theta, kernel))
    known = ConditionalLikelihood(grid=[1.0]).select(
        sample.X / np.exp(theta),
        sample.codes,
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_among_columns_of_noise_it_beats_the_common_bandwidth(seed):
    rng = np.random.default_rng(seed)
    (X, y), (Q, truth) = crescents_in_noise(200, rng), crescents_in_noise(2000, rng)
    each = ParzenClassifier(bandwidth=LeaveOneOutError(per="feature")).fit(X, y)
    common = ParzenClassifier(bandwidth=LeaveOneOutError()).fit(X, y)
    assert each.bandwidth_.shape == (1, 8)
    assert each.bandwidth_[0, :2].max() < 0.6 * each.bandwidth_[0, 2:].min()
    assert np.mean(each.predict(Q) != truth) < 0.6 * np.mean(common.predict(Q) != truth)


def crescents_in_noise(n, rng):
    """Two interleaved half circles in the first two of eight columns."""
    y, angle = rng.integers(0, 2, n), rng.uniform(0, np.pi, n)
    X = rng.normal(size=(n, 8))
    X[:, :2] *= 0.2
    X[:, 0] += np.cos(angle) + y
    X[:, 1] += np.where(y == 0, np.sin(angle), 0.5 - np.sin(angle))
    return X, y


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "wanted"), [(True, "weak"), (False, "infinite")])
def test_the_ridge_is_the_one_of_least_log_loss_on_held_out_folds(noise, wanted):
    rng = np.random.default_rng(0)
    X, y = crescents_in_noise(150, rng)
    if not noise:  # every column tells as much as every other
        y = rng.integers(0, 2, 150)
        X = rng.normal(size=(150, 8)) + 0.7 * y[:, None]
    sample = _in_canonical_order(KernelSample.of(X, y, "gaussian", None, None, None))
    X, y = sample.X, sample.codes
    losses = np.zeros(1 + len(RIDGES))
    for fold in range(3):
        out = np.arange(len(X)) % 3 == fold
        path = [metric.log_weights for metric in _plain_path(sample.rows(~out))]
        assert not path[0].any()
        for k, log_weights in enumerate(path):
            clf = ParzenClassifier(bandwidth=np.exp(-0.5 * log_weights)[None, :])
            proba = clf.fit(X[~out], y[~out]).predict_log_proba(X[out])
            losses[k] -= proba[np.arange(out.sum()), y[out]].sum()
    chosen = np.argmin(held_out_losses(sample, 3, _plain_path))
    assert chosen == np.argmin(losses)
    assert (chosen > 0) == (wanted == "weak")


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
