"""Normal scores against SciPy's ranks, and as a transformer of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, rankdata
from sklearn.utils.estimator_checks import check_estimator

import parzen
from parzen import NormalScores


def test_they_are_the_normal_quantiles_of_mid_ranks():
    x = np.random.default_rng(0).integers(0, 30, size=200).astype(float)
    z = norm.ppf((rankdata(x) - 0.5) / 200)  # mean ranks of ties
    wanted = (z - z.mean()) / z.std()
    np.testing.assert_allclose(NormalScores().fit_transform(x[:, None])[:, 0], wanted, atol=1e-12)


def test_they_do_not_depend_on_the_scale_and_are_constant_beyond_the_ends():
    x = np.random.default_rng(1).normal(size=(80, 1))
    scores = NormalScores().fit(x)
    skewed = NormalScores().fit_transform(np.exp(3 * x))
    np.testing.assert_allclose(skewed, scores.transform(x), atol=1e-12)
    low, high = x.min(), x.max()
    inner, outer = scores.transform([[low], [high]]), scores.transform([[low - 9], [high + 9]])
    np.testing.assert_array_equal(outer, inner)


def test_a_weight_is_a_number_of_copies():
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(40, 2)), rng.integers(0, 4, size=40)
    weighted = NormalScores().fit(X, sample_weight=w).transform(X)
    copied = NormalScores().fit(np.repeat(X, w, axis=0)).transform(X)
    np.testing.assert_allclose(weighted, copied, atol=1e-12)


def test_a_largest_value_of_next_to_no_weight_has_a_finite_score():
    x, w = np.arange(6.0)[:, None], np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1e-20])
    z = NormalScores().fit(x, sample_weight=w).transform(x)[:, 0]
    without = NormalScores().fit_transform(x[:5])[:, 0]
    np.testing.assert_allclose(z[:5], without, atol=1e-12)
    assert z[4] < z[5] < np.inf


def test_few_values_missing_entries_and_constants():
    x = np.array([0.0, 0.0, 1.0, 5.0])
    plain = NormalScores(min_values=4).fit_transform(x[:, None])[:, 0]
    np.testing.assert_allclose(plain, (x - x.mean()) / x.std(), atol=1e-12)
    holes = NormalScores().fit_transform([[1.0, 3.0], [np.nan, 3.0], [2.0, 3.0]])
    np.testing.assert_allclose(holes[:, 0], [-1.0, np.nan, 1.0], atol=1e-12)
    np.testing.assert_array_equal(holes[:, 1], 0.0)
    with pytest.raises(ValueError, match="min_values=1 must be an integer >= 2"):
        NormalScores(min_values=1).fit([[0.0]])


def test_it_is_a_transformer_of_scikit_learn_and_can_be_saved(tmp_path):
    check_estimator(NormalScores())
    X = np.random.default_rng(3).normal(size=(20, 2))
    scores = NormalScores().fit(X)
    parzen.save(scores, tmp_path / "scores.parzen")
    np.testing.assert_array_equal(
        parzen.load(tmp_path / "scores.parzen").transform(X), scores.transform(X)
    )
