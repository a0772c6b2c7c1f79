"""A share of the rows chooses the parameters of LS-SVM and RLSC, and leaves the ranks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import parzen
from parzen import LSSVMClassifier, ParzenClassifier, RLSClassifier

CLASSIFIERS = [
    LSSVMClassifier(C="cv", bandwidth_rows=0.4),
    RLSClassifier(regularization="cv", bandwidth_rows=0.4),
]
pytestmark = pytest.mark.filterwarnings("ignore::parzen.bandwidth.EndOfGridWarning")
each = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
QUERIES = np.array([[0.0, 0.0], [1.0, 30.0], [9.0, -400.0]])


def problem():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    weights = rng.integers(0, 3, 60).astype(float)
    return rng.normal(size=(60, 2)) * [1.0, 40.0] + y[:, None], y, weights


@each
def test_all_that_is_learned_is_that_of_the_rows_that_choose(classifier):
    X, y, weights = problem()
    classifier = clone(classifier).fit(X, y, weights)
    X, y, weights = (a[weights > 0] for a in (X, y, weights))
    rows = classifier.bandwidth_rows_
    alone = clone(classifier).set_params(bandwidth_rows=None).fit(X[rows], y[rows], weights[rows])
    name = f"{classifier._regularizer}_"
    for learned in ("bandwidth_", "scale_", "probability_scale_", name):
        np.testing.assert_array_equal(getattr(classifier, learned), getattr(alone, learned))
    given = {"bandwidth": alone.bandwidth_, name[:-1]: getattr(alone, name)}
    whole = type(classifier)(**given).fit(X, y, weights)
    np.testing.assert_array_equal(classifier.dual_coef_, whole.dual_coef_)


@each
def test_other_rows_change_nothing_that_is_chosen(classifier):
    X, y, _ = problem()
    classifier = clone(classifier).fit(X, y)
    others = np.setdiff1d(np.arange(60), classifier.bandwidth_rows_)
    moved = X.copy()
    moved[others] = 5.0 * X[others] + 3.0
    again = clone(classifier).fit(moved, y)
    np.testing.assert_array_equal(again.bandwidth_, classifier.bandwidth_)
    assert again.probability_scale_ == classifier.probability_scale_


@each
@pytest.mark.parametrize("novelty", [None, 0.05])
def test_novelty_has_the_same_ranked_rows(classifier, novelty):
    X, y, weights = problem()
    classifier = clone(classifier).set_params(novelty=novelty).fit(X, y, weights)
    density = ParzenClassifier(bandwidth=classifier.bandwidth_, bandwidth_rows=0.4)
    wanted = density.fit(X, y, weights).novelty_p_values(QUERIES)
    np.testing.assert_allclose(classifier.novelty_p_values(QUERIES), wanted, rtol=1e-12)


@each
def test_a_model_file_keeps_the_ranks(classifier, tmp_path):
    X, y, weights = problem()
    classifier = clone(classifier).fit(X, y, weights)
    parzen.save(classifier, tmp_path / "model.parzen")
    loaded = parzen.load(tmp_path / "model.parzen")
    np.testing.assert_array_equal(loaded.p_values(QUERIES), classifier.p_values(QUERIES))
    np.testing.assert_array_equal(loaded.bandwidth_rows_, classifier.bandwidth_rows_)
    assert clone(loaded).bandwidth_rows == 0.4


@each
def test_held_out_ranks_leave_the_same_rows_out(classifier):
    X, y, _ = problem()
    classifier = clone(classifier).set_params(solver="cg").fit(X, y)
    ranked = np.bincount(np.delete(y, classifier.bandwidth_rows_))
    steps = classifier.p_values(QUERIES) * (ranked + 1)
    np.testing.assert_allclose(steps, steps.round(), atol=1e-9)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 2, "half", True, [0.3]])
@pytest.mark.parametrize("kind", [LSSVMClassifier, RLSClassifier])
def test_no_other_share_is_taken(kind, share):
    X, y, _ = problem()
    with pytest.raises((ValueError, TypeError), match="bandwidth_rows"):
        kind(bandwidth_rows=share).fit(X, y)


@pytest.mark.parametrize("options", [{"kernel": "precomputed"}, {"n_landmarks": 10}], ids=str)
@each
def test_where_there_is_no_system_of_points_it_is_refused(classifier, options):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=r"bandwidth_rows=0\.4"):
        clone(classifier).set_params(**options).fit(X @ X.T, y)


def test_rows_in_batches_choose_nothing():
    classifier = LSSVMClassifier(bandwidth=1.0, bandwidth_rows=0.4)
    assert not hasattr(classifier, "partial_fit")
    assert hasattr(classifier.set_params(bandwidth_rows=None), "partial_fit")
