"""Columns of very unequal spread are brought to one scale inside the fitted model."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

from parzen import ParzenClassifier
from parzen.bandwidth import LeaveOneOutError


@pytest.fixture
def raw():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)) * [1.0, 100.0, 0.01] + [0.0, 1e3, 0.0]
    y = (X[:, 0] + 0.5 * rng.normal(size=120) > 0).astype(int)
    return X, y


def test_a_raw_table_needs_no_scaler():
    X, y = load_wine(return_X_y=True)
    assert cross_val_score(ParzenClassifier(), X, y, cv=5).mean() > 0.94
    assert cross_val_score(ParzenClassifier(scale=None), X, y, cv=5).mean() < 0.8


@pytest.mark.parametrize("bandwidth", ["loo", "lscv", LeaveOneOutError(per="class")])
def test_the_model_is_that_of_scaled_columns_and_its_density_that_of_raw_ones(raw, bandwidth):
    X, y = raw
    s = X.std(axis=0, ddof=1)
    clf = ParzenClassifier(bandwidth=bandwidth).fit(X, y)
    by_hand = ParzenClassifier(bandwidth=bandwidth, scale=None).fit(X / s, y)
    np.testing.assert_allclose(clf.scale_, s, rtol=1e-9)
    np.testing.assert_allclose(
        clf.bandwidth_, np.multiply.outer(np.atleast_1d(by_hand.bandwidth_), s)
    )
    np.testing.assert_allclose(
        clf.predict_log_proba(X), by_hand.predict_log_proba(X / s), rtol=1e-7, atol=1e-9
    )
    np.testing.assert_allclose(
        clf.score_samples(X), by_hand.score_samples(X / s) - np.log(s).sum(), rtol=1e-9
    )


def test_a_weight_is_two_copies(raw):
    X, y = raw
    w = np.where(np.arange(len(y)) < 40, 2.0, 1.0)
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    weighted = ParzenClassifier("gaussian", "lscv").fit(X, y, sample_weight=w)
    copied = ParzenClassifier("gaussian", "lscv").fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.scale_, copied.scale_)
    np.testing.assert_allclose(weighted.bandwidth_, copied.bandwidth_)


@pytest.mark.parametrize(
    "parameters",
    [{"scale": None}, {"bandwidth": 0.5}, {"metric": "class"},
     {"bandwidth": LeaveOneOutError([0.5, 1.0, 2.0], per="feature")}],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")
def test_nothing_is_scaled_where_it_is_not_asked_for(raw, parameters):
    assert ParzenClassifier(**parameters).fit(*raw).scale_ is None


def test_columns_of_like_spread_are_left_alone():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2)) * [1.0, 5.0]
    X = np.column_stack([X, np.full(80, 1e6)])  # a constant column has no spread to compare
    assert ParzenClassifier().fit(X, X[:, 0] > 0).scale_ is None
