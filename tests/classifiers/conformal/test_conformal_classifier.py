"""Cross-conformal sets of any classifier."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import ConformalClassifier, L2Classifier, LSSVMClassifier, ParzenClassifier


@pytest.mark.slow
@parametrize_with_checks([ConformalClassifier(LogisticRegression(), cv=2)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def problem(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + 1.2 * y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize(
    "classifier",
    [SVC(), LogisticRegression(), RandomForestClassifier(20, min_samples_leaf=10), L2Classifier(),
     LSSVMClassifier()],
    ids=lambda c: type(c).__name__,
)  # fmt: skip
def test_the_true_label_is_covered_for_every_classifier(classifier):
    (X, y), (new, truth) = problem(300, 0), problem(2000, 1)
    sets = ConformalClassifier(classifier).fit(X, y).predict_set(new, alpha=0.1)
    covered = sets[np.arange(len(new)), truth]
    assert all(covered[truth == c].mean() > 0.86 for c in (0, 1))
    assert sets.sum(axis=1).mean() < 1.7


def test_p_values_are_vovks_formula():
    (X, y), (new, _) = problem(60, 2), problem(7, 3)
    conformal = ConformalClassifier(LogisticRegression(), cv=3).fit(X, y)
    count = np.zeros((7, 2))
    for train, test in StratifiedKFold(3).split(X, y):
        model = LogisticRegression().fit(X[train], y[train])
        held_out, at_new = model.predict_proba(X[test]), model.predict_proba(new)
        for c in (0, 1):
            own = held_out[y[test] == c, c]
            count[:, c] += (own[None] <= at_new[:, [c]]).sum(axis=1)
    wanted = (1 + count) / (1 + np.bincount(y))
    np.testing.assert_allclose(conformal.p_values(new), wanted, rtol=1e-12)


def test_novelty_is_that_of_the_classifier_and_absent_where_it_has_none():
    X, y = problem(40, 4)
    assert not hasattr(ConformalClassifier(LogisticRegression()), "novelty_p_values")
    found = ConformalClassifier(ParzenClassifier(bandwidth=0.5)).fit(X, y).novelty_p_values(X)
    wanted = ParzenClassifier(bandwidth=0.5).fit(X, y).novelty_p_values(X)
    np.testing.assert_array_equal(found, wanted)


class Mute(LogisticRegression):
    """A classifier whose probabilities never arrive once it is told so."""

    is_mute = False

    def predict_log_proba(self, X):
        if self.is_mute:
            raise KeyboardInterrupt
        return super().predict_log_proba(X)


def test_a_fit_that_ends_while_rows_are_scored_leaves_no_former_ranks(monkeypatch):
    conformal = ConformalClassifier(Mute(), cv=2).fit(*problem(40, 0))
    with monkeypatch.context() as patch:
        patch.setattr(Mute, "is_mute", True)
        with pytest.raises(KeyboardInterrupt):
            conformal.fit(*problem(60, 1))
    with pytest.raises(NotFittedError):
        conformal.predict_set(problem(3, 2)[0])


def test_labels_probabilities_and_evidence_are_those_of_the_fit_to_all_rows():
    X, y = problem(60, 0)
    whole = ParzenClassifier().fit(X, y)
    conformal = ConformalClassifier(ParzenClassifier(), cv=3).fit(X, y)
    np.testing.assert_array_equal(conformal.predict(X), whole.predict(X))
    np.testing.assert_array_equal(conformal.predict_proba(X), whole.predict_proba(X))
    for found, expected in zip(conformal.explain(X[:2]), whole.explain(X[:2]), strict=True):
        assert (found.label, found.log_odds) == (expected.label, expected.log_odds)
    assert conformal.n_features_in_ == 2
    with pytest.raises(AttributeError, match="has no explain; use a classifier of this library"):
        ConformalClassifier(LogisticRegression()).explain  # noqa: B018
    assert not hasattr(ConformalClassifier(SVC()), "predict_proba")
    with pytest.raises(ValueError, match="KNeighborsClassifier does not take it"):
        ConformalClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(60))
