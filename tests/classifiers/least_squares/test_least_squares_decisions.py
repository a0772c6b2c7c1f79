"""Priors, costs, rejection and novelty of the least-squares family, from its probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import (
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
)

from ..conftest import LEAST_SQUARES

COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])


@pytest.fixture(params=LEAST_SQUARES, ids=lambda build: build.__name__)
def build(request):
    return lambda **parameters: request.param(bandwidth=0.8, **parameters)


def queries():
    return np.random.default_rng(5).uniform(-2, 4, size=(60, 2))


def test_without_parameters_the_largest_score_wins(build, blobs):
    clf = build().fit(*blobs)
    scores = clf.decision_function(queries())
    np.testing.assert_array_equal(clf.predict(queries()), scores.argmax(axis=1))
    np.testing.assert_allclose(
        clf.predict_log_proba(queries()),
        clf.probability_scale_ * scores
        - np.log(np.exp(clf.probability_scale_ * scores).sum(axis=1, keepdims=True)),
        atol=1e-9,
    )


@pytest.mark.parametrize(
    "given",
    [
        {"priors": [0.6, 0.3, 0.1]},
        {"priors": "uniform"},
        {"class_weight": "balanced"},
        {"class_weight": {0: 1.0, 1: 5.0, 2: 0.5}},
    ],
    ids=str,
)
def test_priors_multiply_the_probabilities_by_their_ratio_to_the_shares(build, blobs, given):
    X, y = blobs
    plain, clf = build().fit(X, y), build(**given).fit(X, y)
    shares = np.bincount(y) / len(y)
    p = plain.predict_proba(queries()) * clf.priors_ / shares
    np.testing.assert_allclose(
        clf.predict_proba(queries()), p / p.sum(axis=1, keepdims=True), atol=1e-12
    )
    np.testing.assert_array_equal(clf.predict(queries()), p.argmax(axis=1))
    wanted = ParzenClassifier(bandwidth=0.8, **given).fit(X, y).priors_
    np.testing.assert_array_equal(clf.priors_, wanted)


def test_costs_and_rejection_are_decided_by_expected_costs(build, blobs):
    clf = build(costs=COSTS, reject=0.8).fit(*blobs)
    expected = clf.predict_proba(queries()) @ COSTS
    wanted = np.where(expected.min(axis=1) > 0.8, -1, expected.argmin(axis=1))
    np.testing.assert_array_equal(clf.predict(queries()), wanted)
    assert 0 < (wanted == -1).sum() < 60


def test_gamma_is_the_odds_of_two_classes(build, pair):
    X, y = pair
    clf = build(gamma=3.0).fit(X, y)
    np.testing.assert_allclose(clf.priors_, [0.75, 0.25])
    other = build(priors=[0.75, 0.25]).fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(queries()), other.predict_proba(queries()))
    score = clf.decision_function(queries())
    np.testing.assert_array_equal(clf.predict(queries()), (score > 0).astype(int))


@pytest.mark.slow
def test_novelty_is_that_of_the_kernel_densities(build, blobs):
    X, y = blobs
    for given in ({}, {"priors": "uniform"}):
        clf = build(novelty=0.1, **given).fit(X, y)
        density = ParzenClassifier(bandwidth=0.8, novelty=0.1, **given).fit(X, y)
        Q = np.vstack([queries(), [[50.0, 50.0]]])
        novel = density.predict(Q) == -2
        np.testing.assert_array_equal(clf.predict(Q) == -2, novel)
        np.testing.assert_allclose(clf.score_samples(Q), density.score_samples(Q), rtol=1e-10)
        np.testing.assert_array_equal(
            clf.predict(Q)[~novel], build(**given).fit(X, y).predict(Q)[~novel]
        )
    assert not hasattr(build().fit(X, y), "score_samples")


def test_with_decision_is_a_fit_with_these_parameters(build, blobs):
    X, y = blobs
    clf = build(novelty=0.05).fit(X, y)
    given = {"priors": [0.2, 0.2, 0.6], "costs": COSTS, "reject": 0.7, "novelty": 0.2}
    other, again = clf.with_decision(**given), build(**given).fit(X, y)
    np.testing.assert_array_equal(other.predict(queries()), again.predict(queries()))
    np.testing.assert_array_equal(other.predict_proba(queries()), again.predict_proba(queries()))
    assert clf.priors is None
    assert clf.with_decision(novelty=None).predict([[99.0, 99.0]])[0] in (0, 1, 2)
    with pytest.raises(TypeError, match="'bandwidth' is no decision parameter"):
        clf.with_decision(bandwidth=2.0)
    with pytest.raises(ValueError, match="fit with novelty"):
        build().fit(X, y).with_decision(novelty=0.1)


def test_labels_of_rejection_must_be_no_classes(build, blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="reject_label"):
        build(reject=0.1, reject_label=1).fit(X, y)
    names = np.array(["a", "b", "c"])[y]
    clf = build(reject=0.0, novelty=0.1).fit(X, names)
    assert clf.predict([[0.0, 0.0], [99.0, 99.0]]).tolist() == ["rejected", "novel"]


def test_what_has_no_density_has_no_novelty(blobs):
    for kernel in ("inverse_quadratic", "linear", "precomputed", lambda A, B: A @ B.T):
        with pytest.raises(ValueError, match=r"novelty=0.1 is judged by kernel densities"):
            RLSClassifier(kernel, 0.8, novelty=0.1).fit(*blobs)


def test_novelty_on_landmarks_knows_the_part_that_stands_for_the_sample(blobs):
    X, y = blobs
    clf = LSSVMClassifier(bandwidth=0.8, n_landmarks=20, novelty=0.1).fit(X, y)
    density = ParzenClassifier(bandwidth=0.8, novelty=0.1).fit(X, y)
    np.testing.assert_allclose(
        clf.score_samples(queries()), density.score_samples(queries()), rtol=1e-10
    )
