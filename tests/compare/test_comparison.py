"""Comparisons of estimators on the same splits."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.multitest import multipletests

from parzen import L2Classifier, ParzenClassifier
from parzen.bandwidth import LSCV
from parzen.compare import (
    BASELINES,
    METHODS,
    Comparison,
    Outcome,
    chosen_parameters,
    compare,
    estimators,
    fold_splits,
    holm,
    method,
    random_splits,
    share_kept,
)

X, y = load_iris(return_X_y=True)
SPLITS = random_splits(y, 4, test_size=0.4)


class Refuser(ClassifierMixin, BaseEstimator):
    """Never fits."""

    def fit(self, X, y):
        raise RuntimeError("no,\n  never")


class OtherSets(DummyClassifier):
    """Has prediction sets with another signature, as classifiers of other libraries do."""

    def predict_set(self, X):
        return self.predict(X), np.ones((len(X), 3, 1), dtype=bool)


@pytest.fixture(scope="module")
def found():
    candidates = {
        "narrow": ParzenClassifier(bandwidth=0.4),
        "wide": ParzenClassifier(bandwidth=8.0),
        "svc": SVC(),
        "refuser": Refuser(),
    }
    return compare(candidates, X, y, SPLITS, n_jobs=1)


def test_errors_and_losses_are_those_of_fitting_by_hand(found):
    for outcome, (train, test) in zip(found.of("narrow"), SPLITS, strict=True):
        by_hand = ParzenClassifier(bandwidth=0.4).fit(X[train], y[train])
        assert outcome.error == np.mean(by_hand.predict(X[test]) != y[test])
        expected = log_loss(y[test], by_hand.predict_proba(X[test]))
        assert outcome.log_loss == pytest.approx(expected, rel=1e-12)
        assert outcome.kept == 1.0
        assert outcome.parameters == {"bandwidth": 0.4}


def test_a_method_without_probabilities_has_no_log_loss(found):
    assert all(o.log_loss is None for o in found.of("svc"))


def test_a_method_that_fails_is_named_with_its_reason_and_comes_last(found):
    last = found.rows()[-1]
    assert last.name == "refuser"
    assert last.failures == ["no, never"] * 4
    assert np.isnan(last.rank)
    assert "refuser" not in found.complete


def test_rows_are_ordered_by_error_and_ranked_over_splits(found):
    rows = found.rows()[:3]
    assert [r.error for r in rows] == sorted(r.error for r in rows)
    ranks = stats.rankdata([found.errors(r.name) for r in rows], axis=0).mean(axis=1)
    np.testing.assert_allclose([r.rank for r in rows], ranks)
    assert rows[0].error_sd == pytest.approx(found.errors(rows[0].name).std(ddof=1))


def test_a_clear_difference_is_significant_and_none_is_not():
    splits = random_splits(y, 10, test_size=0.3)
    candidates = {
        "good": ParzenClassifier(bandwidth=0.4),
        "same": ParzenClassifier(bandwidth=0.4),
        "guess": DummyClassifier(),
    }
    rows = {r.name: r for r in compare(candidates, X, y, splits, n_jobs=1).rows()}
    assert rows["good"].pvalue == rows["same"].pvalue == 1.0
    assert rows["guess"].pvalue < 1e-6


@pytest.mark.slow
def test_the_number_of_processes_does_not_change_the_outcomes():
    candidates = {"tree": DecisionTreeClassifier(random_state=0), "l2": L2Classifier(bandwidth=0.5)}
    one = compare(candidates, X, y, SPLITS[:2], n_jobs=1)
    two = compare(candidates, X, y, SPLITS[:2], n_jobs=2)
    assert [o.error for o in one.outcomes] == [o.error for o in two.outcomes]
    assert [o.log_loss for o in one.outcomes] == [o.log_loss for o in two.outcomes]


def test_known_outcomes_are_not_computed_again(found):
    seen = []
    known = [o for o in found.outcomes if o.split < 3]
    again = compare(
        {"narrow": ParzenClassifier(bandwidth=0.4)},
        X, y, SPLITS, n_jobs=1, known=known, on_outcome=seen.append,
    )  # fmt: skip
    assert [o.split for o in seen] == [3]
    np.testing.assert_array_equal(again.errors("narrow"), found.errors("narrow"))


def test_choices_at_the_end_of_a_grid_are_told_apart_from_other_warnings():
    narrow = {"narrow": ParzenClassifier(bandwidth=LSCV(grid=[8.0, 9.0]))}
    (outcome, *_) = compare(narrow, X, y, SPLITS[:1], n_jobs=1).outcomes
    assert outcome.warnings == []
    (told,) = outcome.ends_of_grids
    assert told.startswith("the bandwidth chosen by 'lscv' is the smallest of its grid, 8")


def test_prediction_sets_of_other_libraries_are_left_alone():
    (outcome,) = compare({"other": OtherSets()}, X, y, SPLITS[:1], n_jobs=1).outcomes
    assert outcome.failure is None
    assert outcome.set_size is None


def test_a_comparison_survives_json(found):
    back = Comparison.from_dict(json.loads(json.dumps(found.as_dict(), allow_nan=False)))
    assert back.names == found.names
    for name in found.names:
        np.testing.assert_array_equal(back.errors(name), found.errors(name))
    assert [r.name for r in back.rows()] == [r.name for r in found.rows()]


def test_nothing_to_compare_is_refused():
    with pytest.raises(ValueError, match="at least one estimator"):
        compare({}, X, y, SPLITS)


def test_holm_equals_statsmodels():
    p = np.random.default_rng(0).uniform(size=12) ** 3
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-14)


def test_an_unknown_method_is_refused_with_the_names_of_all():
    with pytest.raises(ValueError, match=r"auto, parzen, nb, l2.*svc, rf"):
        method("lda")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*METHODS, "svc", "knn", "gnb"])
def test_every_method_learns_iris(name):
    train, test = SPLITS[0]
    scaler = StandardScaler().fit(X[train])
    fitted = estimators([name])[name].fit(scaler.transform(X[train]), y[train])
    assert fitted.score(scaler.transform(X[test]), y[test]) > 0.88
    assert chosen_parameters(fitted)
    json.dumps(chosen_parameters(fitted))


@pytest.mark.parametrize("name", ["knn", "gnb", "svc"])
def test_baselines_are_tuned_on_very_few_rows(name):
    few = np.array([[0.0], [1.0], [5.0], [6.0]])
    tuned = estimators([name])[name].fit(few, [0, 0, 1, 1])
    assert tuned.predict([[0.5], [5.5]]).tolist() == [0, 1]


def test_the_names_of_all_methods_are_there():
    wanted = {"auto", "parzen", "nb", "l2", "l2le", "laplacian", "bmachine", "lssvm", "rls"}
    assert wanted <= set(METHODS)
    assert set(BASELINES) == {"svc", "rf", "hgb", "knn", "gnb"}


def test_kernels_are_counted_through_pipelines_and_searches():
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0]}, cv=2).fit(X, y)
    assert share_kept(search, len(X)) == search.best_estimator_[-1].n_support_.sum() / len(X)
    assert share_kept(DecisionTreeClassifier().fit(X, y), len(X)) is None


def test_splits_keep_the_shares_of_the_classes_and_are_seeded():
    labels = np.repeat([0, 1], [90, 10])
    for train, test in [*random_splits(labels, 3, test_size=0.5), *fold_splits(labels, 5)]:
        assert labels[test].mean() == pytest.approx(0.1)
        assert not set(train) & set(test)
    again = random_splits(labels, 3, test_size=0.5)
    np.testing.assert_array_equal(again[1][0], random_splits(labels, 3, test_size=0.5)[1][0])


def test_a_class_of_one_row_still_gives_splits():
    labels = np.array([0] * 20 + [1] * 20 + [2])
    assert len(random_splits(labels, 2)) == 2
    assert len(fold_splits(labels, 5)) == 5


def test_an_outcome_without_a_result_survives_json():
    failed = Outcome("a", 0, failure="why")
    back = Outcome.from_dict(json.loads(json.dumps(failed.as_dict(), allow_nan=False)))
    assert back.failure == "why"
    assert np.isnan(back.error)
