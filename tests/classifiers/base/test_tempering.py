"""The exponent of the probabilities is the root of the log-loss's slope, and follows the scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from parzen.classifiers.base.tempering import tempering_exponent


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=200)
    return rng.normal(size=(200, 3)) + 0.8 * np.eye(3)[codes], codes


def test_it_minimises_the_log_loss_of_smoothed_targets(scores):
    log_scores, codes = scores
    targets = np.full(log_scores.shape, 0.0015)
    targets[np.arange(200), codes] = 0.997

    def loss(a):
        return -np.sum(targets * log_softmax(a * log_scores, axis=1))

    best = minimize_scalar(loss, bounds=(1e-3, 10), method="bounded", options={"xatol": 1e-9})
    assert tempering_exponent(log_scores, codes) == pytest.approx(best.x, rel=1e-6)


def test_it_is_inverse_to_the_scale_of_the_scores_at_any_scale(scores):
    log_scores, codes = scores
    a = tempering_exponent(log_scores, codes)
    for factor in (1e-9, 1e3, 1e9):
        assert tempering_exponent(factor * log_scores, codes) == pytest.approx(
            a / factor, rel=1e-10
        )


def test_weights_are_frequencies(scores):
    log_scores, codes = scores
    w = np.random.default_rng(1).integers(0, 3, size=200).astype(float)
    copies = np.repeat(np.arange(200), w.astype(int))
    weighted = tempering_exponent(log_scores[w > 0], codes[w > 0], w[w > 0])
    assert tempering_exponent(log_scores, codes, np.full(200, 1e-300)) == pytest.approx(
        tempering_exponent(log_scores, codes), rel=1e-12
    )
    assert weighted == pytest.approx(
        tempering_exponent(log_scores[copies], codes[copies]), rel=1e-12
    )


def test_separable_scores_have_a_finite_exponent_and_useless_ones_a_small_one(scores):
    _, codes = scores
    assert 0 < tempering_exponent(np.eye(3)[codes], codes) < 100
    noise = np.random.default_rng(2).normal(size=(200, 3))
    wrong = noise - np.eye(3)[codes]
    assert 0 < tempering_exponent(wrong, codes) < 1e-3


def test_rows_without_a_score_of_their_class_say_nothing(scores):
    log_scores, codes = scores
    a = tempering_exponent(log_scores[20:], codes[20:])
    absent = log_scores.copy()
    absent[np.arange(20), codes[:20]] = -np.inf
    assert tempering_exponent(absent, codes) == pytest.approx(a, rel=1e-12)
    nothing = np.full((3, 2), -np.inf)
    assert tempering_exponent(nothing, np.array([0, 1, 0])) == 1.0
    assert tempering_exponent(np.zeros((3, 2)), np.array([0, 1, 0])) == 1.0


def test_other_classes_without_a_score_are_allowed(scores):
    log_scores, codes = scores
    compact = log_scores.copy()
    compact[np.arange(200), (codes + 1) % 3] = -np.inf
    assert np.isfinite(tempering_exponent(compact, codes))
