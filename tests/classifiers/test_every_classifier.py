"""What every public classifier answers: sets of labels, novelty, and evidence."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression

import parzen
from parzen import model_files

PARAMETERS = {
    "BMachineClassifier": {"bandwidth": 1.0, "margin": 0.1},
    "ConformalClassifier": {"estimator": parzen.ParzenClassifier(bandwidth=0.7), "cv": 3},
    "KernelFisherClassifier": {"bandwidth": 1.0, "threshold": 0.1},
    "KernelLassoClassifier": {"bandwidth": 1.0, "penalty": 0.05},
    "KernelMSEClassifier": {"bandwidth": 1.0, "threshold": 0.1},
    "KernelNaiveBayes": {"bandwidth": 0.7},
    "L2Classifier": {"bandwidth": 0.7},
    "L2LinearClassifier": {"bandwidth": 1.0, "ridge": 1.0},
    "LSSVMClassifier": {"bandwidth": 1.0, "C": 1.0},
    "LaplacianClassifier": {"bandwidth": 0.7},
    "ParzenClassifier": {"bandwidth": 0.7},
    "RLSClassifier": {"bandwidth": 1.0, "regularization": 0.01},
    "StackedDensityClassifier": {"families": ["lap", "nb"]},
}
NAMES = [
    name
    for name in parzen.__all__
    if inspect.isclass(getattr(parzen, name)) and issubclass(getattr(parzen, name), ClassifierMixin)
]


def problem(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    centres = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    return centres[y] + rng.normal(size=(n, 2)), y


def fitted(name, n_classes):
    X, y = problem(120, n_classes, 0)
    return getattr(parzen, name)(**PARAMETERS[name]).fit(X, y), X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_sets_hold_the_labels_whose_p_values_exceed_alpha_and_cover(name, n_classes):
    clf, _, y = fitted(name, n_classes)
    new, truth = problem(200, n_classes, 1)
    for conditional in (True, False):
        p = clf.p_values(new, conditional=conditional)
        assert p.shape == (200, n_classes)
        assert (p > 0).all()
        assert (p <= 1).all()
        sets = clf.predict_set(new, 0.1, conditional=conditional)
        np.testing.assert_array_equal(sets, p > 0.1)
        covered = sets[np.arange(200), truth]
        # The quantiles of the training scores vary, and so does the share of new rows.
        error = np.sqrt(0.09 * (1 / len(y) + 1 / 200))
        assert abs(covered.mean() - 0.9) < 3 * error + n_classes / len(y)
        assert sets.sum() < 0.8 * sets.size


@pytest.mark.parametrize("name", NAMES)
def test_novelty_is_judged_with_few_false_alarms(name):
    clf, _, y = fitted(name, 3)
    new, _ = problem(200, 3, 1)
    error = np.sqrt(0.09 * (1 / len(y) + 1 / 200))
    assert (clf.novelty_p_values(new) <= 0.1).mean() < 0.1 + 3 * error
    assert (clf.novelty_p_values([[30.0, -30.0]]) < 0.05).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_explanations_name_the_label_and_shares_that_sum_to_one(name, n_classes):
    clf, X, _ = fitted(name, n_classes)
    new, _ = problem(20, n_classes, 2)
    found = clf.explain(new, top=len(X))
    np.testing.assert_array_equal([one.label for one in found], clf.predict(new))
    for one in found:
        assert one.rival != one.label
        assert one.log_odds >= 0
        assert one.column_effects.shape == (2,)
        for rows, shares in (
            (one.supporting, one.supporting_shares),
            (one.opposing, one.opposing_shares),
        ):
            assert len(np.unique(rows)) == len(rows) == len(shares) > 0
            assert rows.max() < len(X)
            assert shares.sum() == pytest.approx(1.0)
            assert (np.diff(shares) <= 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_model_answers_as_before(name, tmp_path):
    clf, X, _ = fitted(name, 2)
    model_files.save(clf, tmp_path / "model.parzen")
    again = model_files.load(tmp_path / "model.parzen")
    if name == "L2Classifier":  # a sparse model does not carry all rows
        with pytest.raises(ValueError, match="a model file keeps only if novelty was given"):
            again.p_values(X)
    else:
        np.testing.assert_array_equal(again.p_values(X), clf.p_values(X))
    effects = [[one.column_effects for one in c.explain(X[:5])] for c in (again, clf)]
    np.testing.assert_array_equal(*effects)


def test_what_a_classifier_lacks_is_said():
    X, y = problem(60, 2, 0)
    plain = parzen.L2LinearClassifier(bandwidth=1.0, solver="cg").fit(X, y)
    with pytest.raises(ValueError, match="prediction sets need leave-one-out scores"):
        plain.p_values(X)
    gram = parzen.LSSVMClassifier("precomputed", C=1.0).fit(X @ X.T, y)
    with pytest.raises(AttributeError, match="use a density kernel"):
        gram.novelty_p_values(X @ X.T)
    with pytest.raises(AttributeError, match="has no explain"):
        parzen.ConformalClassifier(LogisticRegression()).fit(X, y).explain(X)


def test_left_out_scores_of_the_linear_rule_are_those_of_refits():
    X, y = problem(40, 2, 3)
    clf = parzen.L2LinearClassifier(bandwidth=1.0, ridge=0.5, gamma=0.8).fit(X, y)
    scores, codes, _ = clf._left_out
    for place, row in enumerate(clf._carrying_rows):
        rest = np.arange(40) != row
        refit = parzen.L2LinearClassifier(bandwidth=1.0, ridge=0.5, gamma=0.8).fit(X[rest], y[rest])
        assert scores[place, 0] == pytest.approx(refit.decision_function(X[[row]])[0], rel=1e-8)
        assert codes[place] == y[row]


def test_evidence_of_the_linear_rule_is_its_terms():
    X, y = problem(40, 2, 3)
    clf = parzen.L2LinearClassifier(bandwidth=1.0, ridge=0.5).fit(X, y)
    row = np.array([[0.7, 0.2]])
    found = clf.explain(row, top=40)[0]
    kernels = np.exp(-0.5 * ((clf.support_vectors_ - row) ** 2).sum(axis=1))
    terms = clf.dual_coef_[0] * kernels * (1 if found.label == 1 else -1)
    assert found.log_odds == pytest.approx(terms.sum(), rel=1e-10)
    order = np.argsort(-terms)[: (terms > 0).sum()]
    np.testing.assert_array_equal(found.supporting, clf.support_[order])
    np.testing.assert_allclose(found.supporting_shares, terms[order] / terms[terms > 0].sum())
    for column in (0, 1):
        other = 1 - column
        less = np.exp(-0.5 * (clf.support_vectors_[:, other] - row[0, other]) ** 2)
        sign = 1 if found.label == 1 else -1
        effect = found.log_odds - sign * (clf.dual_coef_[0] @ less)
        assert found.column_effects[column] == pytest.approx(effect, rel=1e-8)
