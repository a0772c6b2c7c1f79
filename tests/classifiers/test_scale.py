"""Columns of very unequal spread are brought to one scale inside the fitted model."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

import parzen
from parzen import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    L2Classifier,
    L2LinearClassifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
)
from parzen.bandwidth import CrossValidation, LeaveOneOutError

pytestmark = pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")

EVERY = [
    ParzenClassifier, LaplacianClassifier, L2Classifier, L2LinearClassifier, LSSVMClassifier,
    RLSClassifier, BMachineClassifier, KernelMSEClassifier, KernelFisherClassifier,
    KernelLassoClassifier,
]  # fmt: skip
DENSITIES = [ParzenClassifier, LaplacianClassifier, L2Classifier]


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


@pytest.mark.slow
@pytest.mark.parametrize("classifier", EVERY)
def test_every_default_is_as_good_on_raw_wine_as_on_scaled_wine(classifier):
    X, y = load_wine(return_X_y=True)
    train = np.arange(len(y)) % 3 == 0
    s = X[train].std(axis=0, ddof=1)
    clf = classifier().fit(X[train], y[train])
    by_hand = classifier(scale=None).fit(X[train] / s, y[train])
    np.testing.assert_allclose(clf.scale_, s)
    assert by_hand.scale_ is None
    assert clf.score(X[~train], y[~train]) == by_hand.score(X[~train] / s, y[~train]) > 0.9
    # Densities of raw columns are those of scaled ones but for one factor, that of all classes.
    found, wanted = clf.decision_function(X), by_hand.decision_function(X / s)
    np.testing.assert_allclose(
        found - found[:, :1], wanted - wanted[:, :1], rtol=1e-4, atol=1e-4 * np.ptp(wanted)
    )


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


@pytest.mark.parametrize("classifier", DENSITIES)
def test_densities_are_those_of_the_raw_columns(raw, classifier):
    X, y = raw
    s = X.std(axis=0, ddof=1)
    clf, by_hand = classifier().fit(X, y), classifier(scale=None).fit(X / s, y)
    np.testing.assert_allclose(
        clf.score_samples(X), by_hand.score_samples(X / s) - np.log(s).sum(), rtol=1e-6
    )


def test_novelty_of_scores_is_judged_in_the_scaled_columns(raw):
    X, y = raw
    s = X.std(axis=0, ddof=1)
    clf = LSSVMClassifier(novelty=0.1).fit(X, y)
    by_hand = LSSVMClassifier(novelty=0.1, scale=None).fit(X / s, y)
    np.testing.assert_array_equal(clf.predict(X), by_hand.predict(X / s))
    assert (clf.predict(X) == -2).any()


@pytest.mark.parametrize(
    "classifier", [ParzenClassifier, LaplacianClassifier, L2Classifier, RLSClassifier]
)
def test_a_weight_is_two_copies(raw, classifier):
    X, y = raw
    w = np.where(np.arange(len(y)) < 40, 2.0, 1.0)
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    weighted = classifier(bandwidth="lscv").fit(X, y, sample_weight=w)
    copied = classifier(bandwidth="lscv").fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.scale_, copied.scale_)
    np.testing.assert_allclose(weighted.bandwidth_, copied.bandwidth_)


@pytest.mark.parametrize(
    ("classifier", "parameters"),
    [
        (ParzenClassifier, {"scale": None}),
        (ParzenClassifier, {"bandwidth": 0.5}),
        (ParzenClassifier, {"metric": "class"}),
        (ParzenClassifier, {"bandwidth": LeaveOneOutError([0.5, 1.0, 2.0])}),
        (ParzenClassifier, {"bandwidth": LeaveOneOutError(per="feature")}),
        (LaplacianClassifier, {"scale": None}),
        (L2Classifier, {"grid": [20.0, 40.0]}),
        (L2Classifier, {"bandwidth": 20.0}),
        (L2LinearClassifier, {"bandwidth": CrossValidation(per="feature")}),
        (LSSVMClassifier, {"kernel": "polynomial"}),
        (LSSVMClassifier, {"bandwidth": CrossValidation([20.0, 40.0])}),
    ],
)
def test_nothing_is_scaled_where_it_is_not_asked_for(raw, classifier, parameters):
    assert classifier(**parameters).fit(*raw).scale_ is None


@pytest.mark.parametrize("classifier", EVERY)
def test_columns_of_like_spread_are_left_alone(classifier):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2)) * [1.0, 5.0]
    X = np.column_stack([X, np.full(60, 1e6)])  # a constant column has no spread to compare
    assert classifier().fit(X, X[:, 0] > 0).scale_ is None


@pytest.mark.parametrize(
    "classifier", [LaplacianClassifier, L2LinearClassifier, KernelMSEClassifier]
)
def test_a_model_file_keeps_the_scale(raw, classifier, tmp_path):
    X, y = raw
    clf = classifier().fit(X, y)
    parzen.save(clf, tmp_path / "m.parzen")
    again = parzen.load(tmp_path / "m.parzen")
    np.testing.assert_array_equal(again.scale_, clf.scale_)
    np.testing.assert_array_equal(again.decision_function(X), clf.decision_function(X))


def test_dask_arrays_give_the_same_scale(raw):
    da = pytest.importorskip("dask.array")
    X, y = raw
    chunked = RLSClassifier(n_landmarks=40).fit(da.from_array(X, 30), da.from_array(y, 30))
    whole = RLSClassifier(n_landmarks=40).fit(X, y)
    np.testing.assert_allclose(chunked.scale_, whole.scale_)
