"""What the library promises about its numbers, held against independent references."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.datasets import load_digits
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KernelDensity as SklearnKernelDensity

from parzen import KernelNaiveBayes, ParzenClassifier
from parzen.classifiers.base.leave_one_out import LeaveOneOutClassifier
from parzen.kernels import get
from parzen.sums import reference

pytestmark = pytest.mark.filterwarnings("ignore:.*(scale|grid|equal|compare bandwidths)")


def reference_posteriors(X, y, queries, kernel, h, priors=None):
    """The plug-in rule in extended precision."""
    one_hot = np.eye(y.max() + 1)[y]
    sums = reference.kernel_sums(queries, X, one_hot, kernel=kernel, bandwidths=h, log=True)
    joint = (
        sums[:, :, 0] if priors is None else sums[:, :, 0] + np.log(priors / one_hot.sum(axis=0))
    )
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))


@pytest.mark.slow
@pytest.mark.parametrize("h", [0.5, 1.0, 2.0, 3.0, 5.0])
def test_digits_are_read_as_the_reference_reads_them(h):
    X, y = load_digits(return_X_y=True)
    train, test = np.arange(0, 1797, 4), np.arange(1, 1797, 12)
    expected = reference_posteriors(X[train], y[train], X[test], "gaussian", h)
    clf = ParzenClassifier(bandwidth=h).fit(X[train], y[train])
    np.testing.assert_array_equal(clf.predict(X[test]), expected.argmax(axis=1))
    np.testing.assert_allclose(clf.predict_proba(X[test]), expected.astype(float), atol=1e-9)


def test_labels_equal_those_of_scikit_learn_where_it_is_right(blobs):
    X, y = blobs
    clf = ParzenClassifier(bandwidth=0.6).fit(X, y)
    columns = [
        SklearnKernelDensity(bandwidth=0.6).fit(X[y == c]).score_samples(X) for c in range(3)
    ]
    joint = np.column_stack(columns) + np.log(np.bincount(y) / len(y))
    np.testing.assert_array_equal(clf.predict(X), joint.argmax(axis=1))
    np.testing.assert_allclose(clf.decision_function(X), joint, rtol=1e-6)
    np.testing.assert_allclose(clf.score_samples(X), logsumexp(joint, axis=1), rtol=1e-6)


def test_posteriors_equal_the_reference_with_every_kernel(kernel, blobs):
    X, y = blobs
    priors = np.array([0.2, 0.5, 0.3])
    clf = ParzenClassifier(kernel, 1.5, priors=priors).fit(X, y)
    expected = reference_posteriors(X, y, X, kernel, 1.5, priors)
    np.testing.assert_allclose(clf.predict_proba(X), expected.astype(float), atol=1e-12)


def test_a_query_a_million_bandwidths_away_gets_the_limit(pair):
    X, y = pair
    far = np.array([[1e6, 0.0], [0.0, -1e6]])
    clf = ParzenClassifier(bandwidth=1.0).fit(X, y)
    expected = reference_posteriors(X, y, far, "gaussian", 1.0).astype(float)
    np.testing.assert_allclose(clf.predict_proba(far), expected, atol=1e-3)
    np.testing.assert_array_equal(clf.predict(far), expected.argmax(axis=1))


@pytest.mark.slow
def test_five_hundred_dimensions_do_not_underflow(make):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 500)) + 0.3 * y[:, None]
    far = np.vstack([X, 1e3 * X[:3]])
    proba = make(bandwidth=0.5).fit(X, y).predict_proba(far)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(proba[:40].argmax(axis=1), y)


@pytest.mark.parametrize("kernel_name", ["uniform", "triangular", "epanechnikov"])
def test_off_the_support_of_a_compact_kernel_the_priors_decide(make, blobs, kernel_name):
    if "kernel" not in make().get_params():
        pytest.skip("has no kernel to choose")
    X, y = blobs
    far = np.array([[1e3, 1e3]])
    clf = make(kernel=kernel_name, bandwidth=1.0).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(far), [np.bincount(y) / len(y)], rtol=1e-14)
    assert clf.predict(far)[0] == 0
    assert np.isneginf(clf.score_samples(far))
    given = clf.with_decision(priors=[0.2, 0.5, 0.3])
    assert given.predict(far)[0] == 1
    two = make(kernel=kernel_name, bandwidth=1.0).fit(X[y < 2], y[y < 2])
    np.testing.assert_allclose(two.decision_function(far), [np.log(25 / 40)], rtol=1e-14)


def test_weights_are_frequencies(make, blobs):
    X, y = blobs
    weights = np.random.default_rng(1).integers(0, 4, size=len(y))
    for bandwidth in (0.7, "silverman"):
        weighted = make(bandwidth=bandwidth).fit(X, y, sample_weight=weights)
        copied = make(bandwidth=bandwidth).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        np.testing.assert_allclose(
            weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_array_equal(weighted.predict(X), copied.predict(X))


def test_leave_one_out_selection_takes_weights_as_frequencies(blobs):
    X, y = blobs
    weights = np.random.default_rng(1).integers(1, 4, size=len(y))
    weighted = ParzenClassifier().fit(X, y, sample_weight=weights)
    copied = ParzenClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.bandwidth_, copied.bandwidth_, rtol=1e-12)
    np.testing.assert_array_equal(
        np.repeat(weighted.loo_predictions_, weights), copied.loo_predictions_
    )


@pytest.mark.parametrize("priors", [None, "uniform"])
@pytest.mark.parametrize("bandwidth", [0.05, 0.7, [0.4, 0.7, 1.0]], ids=str)
def test_leave_one_out_predictions_equal_refits(kernel, blobs, bandwidth, priors):
    X, y = blobs
    X, y = np.vstack([X, [[8.0, 8.0]]]), np.append(y, -1)  # with a class of one, first in order
    if np.ndim(bandwidth):
        bandwidth = [0.5, *bandwidth]
    clf = ParzenClassifier(kernel, bandwidth, priors=priors).fit(X, y)
    for i in range(0, len(y), 5):
        rest = np.arange(len(y)) != i
        h = bandwidth[1:] if i == len(y) - 1 and np.ndim(bandwidth) else bandwidth
        refitted = ParzenClassifier(kernel, h, priors=priors).fit(X[rest], y[rest])
        assert clf.loo_predictions_[i] == refitted.predict(X[[i]])[0]


def test_leave_one_out_densities_equal_refits(blobs):
    X, y = blobs
    weights = np.random.default_rng(1).choice([0.5, 1.0, 3.0], size=len(y))
    for model in (ParzenClassifier(bandwidth=0.6), KernelNaiveBayes(bandwidth=0.6)):
        one_pass = model.fit(X, y, sample_weight=weights)._leave_one_out_joint()
        for i in range(0, len(y), 7):
            rest = weights.copy()
            rest[i] -= min(rest[i], 1.0)
            refitted = type(model)(bandwidth=0.6).fit(X, y, sample_weight=rest)
            expected = refitted.decision_function(X[[i]])[0]
            np.testing.assert_allclose(one_pass[i], expected, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_are_the_cheapest_decisions(make, kernel, blobs, n_classes):
    X, y = blobs
    X, y = X[y < n_classes], y[y < n_classes]
    costs = np.array([[0.0, 5.0, 1.0], [1.0, 0.5, 3.0], [2.0, 1.0, 0.0]])[:n_classes, :n_classes]
    queries = np.vstack([X, 30.0 * X[:5]])
    plain = make(kernel=kernel, bandwidth=0.9).fit(X, y)
    for clf, cost in ((plain, 1 - np.eye(n_classes)), (plain.with_decision(costs=costs), costs)):
        proba = clf.predict_proba(queries)
        np.testing.assert_array_equal(clf.predict(queries), (proba @ cost).argmin(axis=1))
        if n_classes == 2:
            np.testing.assert_array_equal(clf.decision_function(queries) > 0, clf.predict(queries))


def test_gamma_is_the_odds_of_priors_and_costs(make, pair):
    X, y = pair
    priors, costs = np.array([0.3, 0.7]), np.array([[0.0, 4.0], [1.5, 0.0]])
    gamma = costs[0, 1] * priors[0] / (costs[1, 0] * priors[1])
    by_gamma = make(bandwidth=0.7, gamma=gamma).fit(X, y)
    by_parts = make(bandwidth=0.7, priors=priors, costs=costs).fit(X, y)
    np.testing.assert_array_equal(by_gamma.predict(X), by_parts.predict(X))
    np.testing.assert_allclose(
        by_gamma.decision_function(X), by_parts.decision_function(X), rtol=1e-9, atol=1e-12
    )
    assert (make(bandwidth=0.7, gamma=0.0).fit(X, y).predict(X) == 1).all()


def test_balanced_classes_are_uniform_priors(make, blobs):
    X, y = blobs
    balanced = make(bandwidth=0.7, class_weight="balanced").fit(X, y)
    uniform = make(bandwidth=0.7, priors="uniform").fit(X, y)
    np.testing.assert_array_equal(balanced.predict_proba(X), uniform.predict_proba(X))


def test_even_counts_of_a_flat_kernel_are_ties(blobs):
    X, y = blobs
    queries = np.vstack([X, X + 0.1])
    ties = 0
    for h in (0.3, 0.6, 0.9, 1.5):
        clf = ParzenClassifier("uniform", h).fit(X, y)
        near = np.linalg.norm(queries[:, None] - X, axis=2) <= h
        counts = np.stack([near[:, y == c].sum(axis=1) for c in range(3)], axis=1)
        some = counts.any(axis=1)
        np.testing.assert_array_equal(clf.predict(queries[some]), counts[some].argmax(axis=1))
        proba = clf.predict_proba(queries[some])
        best = counts[some] == counts[some].max(axis=1, keepdims=True)
        np.testing.assert_array_equal(proba == proba.max(axis=1, keepdims=True), best)
        ties += np.count_nonzero(best.sum(axis=1) > 1)
    assert ties > 20


def test_exact_ties_go_to_the_first_class(make):
    if {"eta", "families"} & set(make().get_params()):
        pytest.skip("the weights of a solver are symmetric to its tolerance only")
    clf = make(bandwidth=1.0).fit([[-1.0], [-2.0], [1.0], [2.0]], ["b", "b", "a", "a"])
    assert clf.predict([[0.0]])[0] == "a"
    assert clf.decision_function([[0.0]])[0] == 0.0


def test_the_result_has_the_same_bits_for_any_number_of_threads(make):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    one, two, three = (make(n_jobs=n).fit(X, y) for n in (1, 2, 3))
    for other in (two, three):
        np.testing.assert_array_equal(other.predict_proba(X), one.predict_proba(X))
        if hasattr(one, "bandwidth_"):
            np.testing.assert_array_equal(other.bandwidth_, one.bandwidth_)
    halves = np.vstack([one.predict_proba(X[:313]), one.predict_proba(X[313:])])
    np.testing.assert_allclose(halves, one.predict_proba(X), atol=1e-12)


def test_a_decision_can_be_changed_without_fitting(make, blobs):
    if "eta" in make().get_params():
        pytest.skip("priors and costs enter the fit of the L2 classifier")
    X, y = blobs
    costs = [[0, 1, 1], [20, 0, 1], [20, 1, 0]]
    options = {"priors": [0.1, 0.1, 0.8], "costs": costs, "reject": 0.3, "novelty": 0.1}
    fitted = make(bandwidth=0.7, **options).fit(X, y)
    plain = make(bandwidth=0.7).fit(X, y)
    before = plain.predict_proba(X)
    changed = plain.with_decision(**options)
    np.testing.assert_array_equal(changed.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(plain.predict_proba(X), before)
    with pytest.raises(TypeError, match="no decision parameter"):
        plain.with_decision(bandwidth=3.0)


def test_ambiguous_rows_are_rejected(make, pair):
    X, y = pair
    clf = make(bandwidth=0.7).fit(X, y)
    doubt = 1 - clf.predict_proba(X).max(axis=1)
    labels = clf.with_decision(reject=0.2).predict(X)
    np.testing.assert_array_equal(labels == -1, doubt > 0.2)
    np.testing.assert_array_equal(labels[labels != -1], clf.predict(X)[labels != -1])
    assert 0 < (labels == -1).sum() < len(X)
    named = clf.with_decision(reject=0.2, reject_label="?").predict(X)
    assert set(named.tolist()) == {0, 1, "?"}


def test_strangers_are_novel_at_the_rate_that_was_asked_for(make):
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 2)) + 4.0 * y[:, None]
    fresh = rng.normal(size=(4000, 2)) + 4.0 * (np.arange(4000) % 2)[:, None]
    clf = make(novelty=0.1).fit(X, y)
    assert clf.predict([[30.0, -30.0]])[0] == -2
    assert abs((clf.predict(fresh) == -2).mean() - 0.1) < 0.03
    assert (make(novelty=0.0).fit(X, y).predict(X) != -2).all()


def test_text_labels_have_text_for_rejections(make, pair):
    X, y = pair
    clf = make(bandwidth=0.7, novelty=0.05, reject=0.2).fit(X, np.array(["no", "yes"])[y])
    labels = clf.predict(np.vstack([X, [[99.0, 99.0]]]))
    assert labels[-1] == "novel"
    assert set(labels) == {"no", "yes", "rejected", "novel"}


def test_naive_bayes_is_a_product_of_one_dimensional_densities(kernel, blobs):
    X, y = blobs
    clf = KernelNaiveBayes(kernel, "scott").fit(X, y)
    joint = np.zeros((len(X), 3))
    for c in range(3):
        own = X[y == c]
        joint[:, c] = np.log(len(own) / len(X))
        for j in range(2):
            factor = get(kernel).bandwidth_factor(1)
            h = own[:, j].std(ddof=1) * len(own) ** (-1 / 5) * factor
            pairs = get(kernel)(X[:, [j]], own[:, [j]], bandwidth=h)
            with np.errstate(divide="ignore"):
                joint[:, c] += np.log(pairs.mean(axis=1))
    np.testing.assert_allclose(clf.decision_function(X), joint, rtol=1e-9, atol=1e-9)


def test_categories_are_counted_as_scikit_learn_counts_them():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(200, 3))
    y = (X[:, 0] + rng.integers(0, 3, size=200) > 3).astype(int)
    weights = rng.uniform(0.5, 2.0, size=200)
    ours = KernelNaiveBayes(categorical_features=[0, 1, 2], smoothing=0.7)
    theirs = CategoricalNB(alpha=0.7, min_categories=4)
    ours.fit(X, y, sample_weight=weights), theirs.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.25])
def test_the_novelty_threshold_is_the_largest_that_keeps_the_rate(make, blobs, rate):
    X, y = blobs
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    clf = make(bandwidth=0.7, novelty=rate).fit(X, y, sample_weight=weights)
    if not isinstance(clf, LeaveOneOutClassifier):
        pytest.skip("has no leave-one-out densities")
    left_out = logsumexp(clf._leave_one_out_joint(), axis=1)
    above = left_out - clf.decision_.novelty_threshold
    assert weights[above < -1e-12].sum() <= rate * weights.sum()  # the threshold is a row's own
    assert weights[above < 1e-12].sum() > rate * weights.sum()
