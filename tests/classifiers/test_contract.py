"""scikit-learn's contract: its own checks, data frames, pipelines, searches, routing, pickles."""

from __future__ import annotations

import pickle
import warnings

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from parzen import KernelDensity, L2LinearClassifier, ParzenClassifier

pytestmark = pytest.mark.filterwarnings("ignore:.*(scale|grid|equal|compare bandwidths)")


def failures(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None)
    return [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")]


@pytest.mark.slow
def test_every_check_of_scikit_learn_passes(make):
    assert failures(make()) == []


@pytest.mark.parametrize("density", [KernelDensity(), KernelDensity(metric="class")], ids=str)
def test_every_check_passes_for_densities(density):
    assert failures(density) == []


def test_signed_weights_keep_the_contract_without_probabilities(pair, tmp_path):
    X, y = pair
    clf = L2LinearClassifier(bandwidth=0.7).fit(X, y)
    expected = clf.decision_function(X)
    joblib.dump(clf, tmp_path / "model.joblib")
    again = clone(clf).fit(X, y)
    for other in (pickle.loads(pickle.dumps(clf)), joblib.load(tmp_path / "model.joblib"), again):
        np.testing.assert_array_equal(other.decision_function(X), expected)
    before = pickle.dumps(clf)
    clf.predict(X)
    assert pickle.dumps(clf) == before
    search = GridSearchCV(
        Pipeline([("scale", StandardScaler()), ("classify", L2LinearClassifier(ridge=1.0))]),
        {"classify__bandwidth": [1e-3, 0.5]},
    ).fit(X, y)
    assert search.best_params_ == {"classify__bandwidth": 0.5}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_of_columns_are_kept_and_checked(make, pair, library):
    frames = pytest.importorskip(library)
    X, y = pair
    table = frames.DataFrame({"width": X[:, 0], "height": X[:, 1]})
    clf = make(bandwidth=0.7).fit(table, y)
    assert clf.feature_names_in_.tolist() == ["width", "height"]
    expected = make(bandwidth=0.7).fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(table), expected.predict_proba(X))
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(table[["height", "width"]])


def test_clones_pickles_and_joblib_files_predict_the_same_bits(make, pair, tmp_path):
    X, y = pair
    clf = make().fit(X, y)
    expected = clf.predict_proba(X)
    joblib.dump(clf, tmp_path / "model.joblib")
    again = clone(clf).fit(X, y)
    for other in (pickle.loads(pickle.dumps(clf)), joblib.load(tmp_path / "model.joblib"), again):
        np.testing.assert_array_equal(other.predict_proba(X), expected)


@pytest.mark.slow
def test_a_grid_search_in_a_pipeline_finds_a_bandwidth(make):
    if "bandwidth" not in make().get_params():
        pytest.skip("has no bandwidth to choose")
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 2)) + 2.0 * np.column_stack([y, y])
    pipeline = Pipeline([("scale", StandardScaler()), ("classify", make())])
    search = GridSearchCV(pipeline, {"classify__bandwidth": [1e-3, 0.5, 1.0]})
    search.fit(X, y)
    assert search.best_params_["classify__bandwidth"] in (0.5, 1.0)
    assert search.best_score_ > 0.75


@pytest.mark.slow
def test_probabilities_can_be_calibrated(make, pair):
    proba = CalibratedClassifierCV(make(bandwidth=0.7), cv=3).fit(*pair).predict_proba(pair[0])
    assert np.isfinite(proba).all()


def test_sample_weights_are_routed(make, pair):
    X, y = pair
    weights = np.where(np.arange(len(y)) % 2, 1.0, 3.0)
    with sklearn.config_context(enable_metadata_routing=True):
        clf = make(bandwidth=0.7).set_fit_request(sample_weight=True)
        clf.set_score_request(sample_weight=False)
        results = cross_validate(
            clf, X, y, cv=2, params={"sample_weight": weights},
            return_estimator=True, return_indices=True,
        )  # fmt: skip
    train = results["indices"]["train"][0]
    expected = np.bincount(y[train], weights=weights[train])
    np.testing.assert_allclose(results["estimator"][0].class_count_, expected)


def test_predicting_changes_no_attribute(make, pair):
    X, y = pair
    clf = make(novelty=0.05, reject=0.2).fit(X, y)
    before = pickle.dumps(clf)
    (
        clf.predict(X),
        clf.predict_proba(X),
        clf.score_samples(X),
        getattr(clf, "loo_predictions_", None),
    )
    assert pickle.dumps(clf) == before


def test_an_interrupted_fit_leaves_the_estimator_unfitted(make, pair, monkeypatch):
    X, y = pair
    clf = make(bandwidth=0.7).fit(X, y)

    def interrupted(sample):
        raise KeyboardInterrupt

    monkeypatch.setattr(clf, "_fit_densities", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    with pytest.raises(NotFittedError):
        clf.predict(X)
    monkeypatch.undo()
    assert clf.fit(X, y).score(X, y) > 0.7


def test_partial_fit_in_batches_equals_one_fit(blobs):
    X, y = blobs
    rng = np.random.default_rng(0)
    weights = rng.choice([0.5, 1.0, 2.0], size=len(y))
    order = rng.permutation(len(y))
    clf = ParzenClassifier(bandwidth=[0.5, 0.7, 0.9])
    for batch in np.array_split(order, 4):
        clf.partial_fit(X[batch], y[batch], classes=[0, 1, 2], sample_weight=weights[batch])
    whole = ParzenClassifier(bandwidth=[0.5, 0.7, 0.9]).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(clf.predict_proba(X), whole.predict_proba(X), rtol=1e-12)


def test_partial_fit_asks_for_the_classes_and_refuses_others(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        ParzenClassifier(bandwidth=1.0).partial_fit(X, y)
    clf = ParzenClassifier(bandwidth=1.0).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert clf.predict_proba(X)[:, 2].max() == 0.0
    with pytest.raises(ValueError, match="not in classes"):
        clf.partial_fit(X[:1], [7])
    assert not hasattr(ParzenClassifier(metric="class"), "partial_fit")
    with pytest.raises(AttributeError, match="needs metric=None"):
        ParzenClassifier.partial_fit(ParzenClassifier(metric="learned"), X, y)
