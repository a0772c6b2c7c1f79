"""The classifiers among scikit-learn's meta-estimators and displays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.inspection import DecisionBoundaryDisplay

import parzen
from parzen import KernelNaiveBayes, LSSVMClassifier, ParzenClassifier
from parzen.compare import resampled_t_test, wilcoxon_test


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    return X, np.where(X[:, 0] > 0, "right", "left")


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_they_vote(pair, voting):
    X, y = pair
    members = [("p", ParzenClassifier()), ("n", KernelNaiveBayes()), ("l", LSSVMClassifier())]
    novel = ("novel", ParzenClassifier(novelty=0.1))
    voters = members if voting == "hard" else [*members, novel]  # probabilities of all rows
    assert VotingClassifier(voters, voting=voting).fit(X, y).score(X, y) > 0.9


def test_scikit_learn_draws_the_border_of_a_model_with_novelty(pair):
    pytest.importorskip("matplotlib").use("Agg")
    X, y = pair
    clf = ParzenClassifier(novelty=0.1).fit(X, y)
    shown = DecisionBoundaryDisplay.from_estimator(
        clf, X, response_method="decision_function", grid_resolution=20
    )
    assert shown.response.shape == (20, 20)
    DecisionBoundaryDisplay.from_estimator(
        clf.with_decision(novelty=None), X, response_method="predict", grid_resolution=20
    )


def test_naive_bayes_takes_categories_by_their_types():
    rng = np.random.default_rng(1)
    colour = rng.choice(["red", "blue"], 100)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=100),
            "colour": colour,
            "kind": pd.Categorical(rng.choice(["a", "b"], 100)),
            "numbers": pd.Series(rng.integers(0, 5, 100).tolist(), dtype=object),
        }
    )
    clf = KernelNaiveBayes().fit(frame, colour)
    assert clf.is_categorical_.tolist() == [False, True, True, False]
    assert clf.score(frame, colour) == 1.0
    named = KernelNaiveBayes(categorical_features=["colour", "kind"]).fit(frame, colour)
    np.testing.assert_array_equal(clf.predict_proba(frame), named.predict_proba(frame))


@pytest.mark.parametrize("test", [resampled_t_test, wilcoxon_test])
def test_a_paired_result_is_positive_where_the_first_scores_are_larger(test):
    rng = np.random.default_rng(2)
    low = rng.uniform(0.1, 0.2, 20)
    high = low + rng.uniform(0.05, 0.1, 20)
    assert test(high, low).difference > 0 > test(low, high).difference
    if test is resampled_t_test:
        assert test(high, low).statistic > 0 > test(low, high).statistic
    assert test(low, high).pvalue == pytest.approx(test(high, low).pvalue)


def test_rooms_are_there_by_attribute():
    assert parzen.plots.BandwidthPathDisplay
    assert parzen.compare.PairedResult
