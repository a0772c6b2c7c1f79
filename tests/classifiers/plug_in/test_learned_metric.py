"""``metric="learned"``: idle columns fade, posteriors are tempered, densities stay densities."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import check_estimator

from parzen import ParzenClassifier


@pytest.fixture(scope="module")
def chessboard():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) * [1.0, 1.0, 1e3, 1.0, 1e-3]
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.fixture(
    scope="module", params=["gaussian", pytest.param("laplacian", marks=pytest.mark.slow)]
)
def learned(request, chessboard):
    return ParzenClassifier(request.param, metric="learned", n_jobs=1).fit(*chessboard)


def fresh(n=1500):
    Q = np.random.default_rng(1).normal(size=(n, 5)) * [1.0, 1.0, 1e3, 1.0, 1e-3]
    return Q, (Q[:, 0] * Q[:, 1] > 0).astype(int)


@pytest.mark.slow
def test_every_check_of_scikit_learn_passes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(ParzenClassifier(metric="learned"), on_fail=None)
    assert [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")] == []


def test_columns_that_do_not_matter_fade_whatever_their_units(learned):
    assert learned.metric_.sum() == pytest.approx(1.0)
    assert learned.metric_[:2].min() > 3 * learned.metric_[2:].max()
    Q, truth = fresh()
    assert learned.score(Q, truth) > 0.9
    assert log_loss(truth, learned.predict_proba(Q)) < 0.25


def test_the_weakest_penalties_have_the_smallest_held_out_loss_here(learned):
    assert learned.selection_.grid.tolist() == [np.inf, 16.0, 3.0, 0.5]
    losses = learned.selection_.scores
    assert losses[0] == losses.max()
    assert losses[0] > 1.5 * losses.min()


def test_posteriors_are_tempered_densities_and_the_mixture_is_not(learned):
    Q, _ = fresh(20)
    log_f = learned.expansion_.log_sums(Q)
    joint = learned.temperature_ * (log_f - learned.expansion_.log_peaks())
    joint += learned._tempering.offsets + np.log(learned.priors_)
    np.testing.assert_allclose(learned.predict_log_proba(Q), log_softmax(joint, axis=1), rtol=1e-9)
    np.testing.assert_allclose(
        learned.score_samples(Q), logsumexp(log_f + np.log(learned.priors_), axis=1), rtol=1e-10
    )


def test_leave_one_out_predictions_use_the_temperature_too(chessboard, learned):
    _, y = chessboard
    assert (learned.loo_predictions_ == y).mean() > 0.9


def test_where_labels_are_noise_the_columns_stay_together():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 2, size=150)
    clf = ParzenClassifier(metric="learned").fit(X, y)
    Q, truth = rng.normal(size=(1000, 4)), rng.integers(0, 2, size=1000)
    assert log_loss(truth, clf.predict_proba(Q)) < 0.75


@pytest.mark.slow
def test_threads_rows_and_copies_change_nothing(chessboard):
    X, y = chessboard
    X, y = X[:90], y[:90]
    weights = np.random.default_rng(3).integers(1, 4, size=len(y))
    weighted = ParzenClassifier(metric="learned", n_jobs=1).fit(X, y, sample_weight=weights)
    rows = np.random.default_rng(4).permutation(np.repeat(np.arange(len(y)), weights))
    copied = ParzenClassifier(metric="learned", n_jobs=2).fit(X[rows], y[rows])
    np.testing.assert_array_equal(copied.bandwidth_, weighted.bandwidth_)
    np.testing.assert_allclose(copied.predict_proba(X), weighted.predict_proba(X), atol=1e-10)


@pytest.mark.slow
def test_units_of_the_data_are_units_of_the_bandwidths(chessboard, learned):
    X, y = chessboard
    scale = 2.0 ** np.array([-40, 3, 0, 7, 60])
    scaled = ParzenClassifier(learned.kernel, metric="learned", n_jobs=1).fit(X * scale, y)
    np.testing.assert_allclose(scaled.bandwidth_, learned.bandwidth_ * scale, rtol=1e-10)


@pytest.mark.slow
def test_a_given_bandwidth_is_where_the_search_starts(chessboard):
    X, y = chessboard
    X = X / X.std(axis=0)
    near, far = (ParzenClassifier(bandwidth=h, metric="learned").fit(X, y) for h in (0.3, 1.0))
    assert near.bandwidth_.shape[1] == 5
    assert not np.array_equal(near.bandwidth_, far.bandwidth_)


def test_other_kernels_are_refused_by_name(chessboard):
    with pytest.raises(ValueError, match="needs kernel='gaussian' or 'laplacian', got 'cauchy'"):
        ParzenClassifier("cauchy", metric="learned").fit(*chessboard)
    with pytest.raises(ValueError, match="give None, 'class' or 'learned'"):
        ParzenClassifier(metric="learnt").fit(*chessboard)


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", ["loo", 0.5])
def test_a_class_without_weight_is_known_and_never_predicted(bandwidth):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 3)), np.repeat([0, 1, 2], 30)
    X[:, 0] += 2.0 * y
    model = ParzenClassifier(bandwidth=bandwidth, metric="learned", class_weight={0: 0.0})
    model.fit(X, y)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert model.score(X[30:], y[30:]) > 0.8
    assert np.all(model.predict_proba(X)[:, 0] == 0.0)


@pytest.mark.parametrize("novelty", [None, 0.1])
def test_trees_decide_as_exact_sums_do(novelty):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 0.8).astype(int)
    model = ParzenClassifier(metric="learned", novelty=novelty, method="dense").fit(X, y)
    assert model.temperature_ != 1
    exact = model.predict(X)
    np.testing.assert_array_equal(model.set_params(method="tree").predict(X), exact)
