"""Full conformal p-values equal those of refits, and keep their promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from parzen import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelLassoClassifier,
    KernelMSEClassifier,
    KernelNaiveBayes,
    L2Classifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
    StackedDensityClassifier,
)
from parzen.bandwidth import CrossValidation
from parzen.kernels import get


def log_conformities(log_K, y, weights, priors, conformity):
    """Log-conformity of every row of a bag, written out: log_K is its Gram matrix."""
    n_classes = y.max() + 1
    with np.errstate(divide="ignore"):
        sizes = np.bincount(y, weights, n_classes)
        log_factors = np.zeros(n_classes) if priors is None else np.log(priors / sizes)
        out = np.full(len(y), -np.inf)
        for i in range(len(y)):
            log_left = np.log(weights - (np.arange(len(y)) == i))
            sums = [logsumexp((log_K[i] + log_left)[y == c]) for c in range(n_classes)]
            if conformity == "density":
                out[i] = sums[y[i]]
            elif np.isfinite(sums[y[i]]):
                rivals = np.delete(sums + log_factors, y[i])
                out[i] = sums[y[i]] + log_factors[y[i]] - logsumexp(rivals)
    return out


def refitted_p_values(X, y, weights, queries, bandwidth, kernel, priors, conformity, conditional):
    out = np.empty((len(queries), y.max() + 1))
    for q, query in enumerate(queries):
        for c in range(out.shape[1]):
            bag = np.vstack([X, query])
            log_K = get(kernel).log(bag, bag, bandwidth=bandwidth)
            labels, copies = np.append(y, c), np.append(weights, 1.0)
            a = log_conformities(log_K, labels, copies, priors, conformity)
            rows = y == c if conditional else np.ones(len(y), dtype=bool)
            below = a[:-1] <= a[-1] + 1e-9
            out[q, c] = (1 + weights[rows & below].sum()) / (1 + weights[rows].sum())
    return out


@pytest.mark.filterwarnings("ignore:class 2 has one sample")
@pytest.mark.parametrize(
    ("conformity", "conditional"), [("posterior", True), ("posterior", False), ("density", True)]
)
@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
@pytest.mark.parametrize(
    ("kernel", "d", "bandwidth"),
    [
        ("gaussian", 2, 0.4),
        ("gaussian", 6, 0.08),  # sums that nearly underflow
        pytest.param("laplacian", 2, 0.6, marks=pytest.mark.slow),
        pytest.param("radial_laplacian", 3, 0.5, marks=pytest.mark.slow),
        pytest.param("cauchy", 5, 0.5, marks=pytest.mark.slow),
        ("epanechnikov", 3, 0.9),  # rows that no kernel reaches
        pytest.param("logistic", 2, 0.3, marks=pytest.mark.slow),
    ],
)
def test_p_values_are_those_of_refits(kernel, d, bandwidth, priors, conformity, conditional):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [14, 15, 1])
    X = rng.normal(size=(30, d)) + 0.8 * (y == 1)[:, None]
    weights = rng.integers(1, 3, size=30).astype(float)
    queries = np.vstack([1.5 * rng.normal(size=(4, d)), X[:1], np.full((1, d), 30.0)])
    given = None if priors is None else np.array(priors)
    classifier = ParzenClassifier(kernel, bandwidth=bandwidth, priors=given)
    classifier.fit(X, y, sample_weight=weights)
    got = classifier._label_p_values(queries, conformity, conditional)
    wanted = refitted_p_values(
        X, y, weights, queries, bandwidth, kernel, given, conformity, conditional
    )
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_each_class_may_have_its_own_bandwidth():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    queries = rng.normal(size=(6, 2))
    both = ParzenClassifier(bandwidth=[0.5, 0.5]).fit(X, y).p_values(queries)
    one = ParzenClassifier(bandwidth=0.5).fit(X, y).p_values(queries)
    np.testing.assert_allclose(both, one, rtol=1e-12)
    wide = ParzenClassifier(bandwidth=[[1.0, 0.5]]).fit(X * [2.0, 1.0], y)
    np.testing.assert_allclose(wide.p_values(queries * [2.0, 1.0]), one, rtol=1e-12)


def problem(rng, n):
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + 1.2 * y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize(
    "classifier",
    [
        ParzenClassifier(bandwidth="silverman", bandwidth_rows=0.3),
        KernelNaiveBayes(bandwidth_rows=0.3),
        LaplacianClassifier(bandwidth=0.5),
        RLSClassifier(bandwidth=1.0),
        LSSVMClassifier(
            bandwidth=CrossValidation(grid=[0.5, 2.0]), C=[0.1, 10.0], bandwidth_rows=0.3
        ),
    ],
    ids=lambda c: type(c).__name__,
)
def test_p_values_of_500_problems_are_uniform_and_sets_cover_as_promised(classifier):
    rng, alpha, missed, spread = np.random.default_rng(2), 0.2, [], []
    for i in range(500):
        X, y = problem(rng, 40)
        new = rng.normal(size=(1, 2)) + 1.2 * (i % 2)
        p = classifier.fit(X, y).p_values(new)[0, i % 2]
        missed.append(p <= alpha)
        rows = getattr(classifier, "bandwidth_rows_", None)
        ranked = y if rows is None else np.delete(y, rows)
        # Ranks are spread over their steps, so that a continuous test applies.
        spread.append(p - rng.uniform() / (1 + (ranked == i % 2).sum()))
    assert stats.kstest(spread, "uniform").pvalue > 1e-3
    error = np.sqrt(alpha * (1 - alpha) / 250)
    for c in (0, 1):
        assert np.mean(missed[c::2]) <= alpha + 3 * error
        # The sets are not wider than they need be: a p-value has steps of at most 0.08.
        assert np.mean(missed[c::2]) >= alpha - 0.08 - 3 * error


def test_rows_that_choose_the_bandwidth_leave_the_ranks():
    rng = np.random.default_rng(8)
    X, y = problem(rng, 60)
    for classifier in (ParzenClassifier(), KernelNaiveBayes(), LaplacianClassifier()):
        classifier.set_params(bandwidth_rows=0.5).fit(X, y)
        chosen = classifier.bandwidth_rows_
        alone = type(classifier)().fit(X[chosen], y[chosen])
        np.testing.assert_array_equal(classifier.bandwidth_, alone.bandwidth_)
        ranked = np.bincount(np.delete(y, chosen))
        steps = classifier.p_values(X[:5]) * (ranked + 1)
        np.testing.assert_allclose(steps, steps.round(), atol=1e-9)


def test_what_was_never_seen_has_a_small_novelty_p_value():
    rng = np.random.default_rng(4)
    X, y = problem(rng, 200)
    for classifier in (ParzenClassifier(bandwidth=0.4), KernelNaiveBayes()):
        p = classifier.fit(X, y).novelty_p_values([[0.5, 0.5], [40.0, -40.0]])
        assert p[0] > 0.1
        assert p[1] < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    "classifier",
    [
        StackedDensityClassifier(families="fast"),
        L2Classifier(bandwidth=0.5),
        LaplacianClassifier(keep=0.5),
        KernelMSEClassifier(bandwidth=1.0),
        KernelFisherClassifier(bandwidth=1.0),
        KernelLassoClassifier(bandwidth=1.0),
        BMachineClassifier(bandwidth=1.0),
        LSSVMClassifier(bandwidth=[1.0, 1.0]),
    ],
    ids=lambda c: type(c).__name__,
)
def test_ranks_of_held_out_rows_cover_as_well(classifier):
    rng = np.random.default_rng(5)
    X, y = problem(rng, 300)
    new, truth = problem(rng, 2000)
    sets = classifier.fit(X, y).predict_set(new, 0.1)
    covered = sets[np.arange(len(new)), truth]
    for c in (0, 1):
        # The coverage of one sample varies as a quantile of its n_c held-out scores does.
        error = np.sqrt(0.1 * 0.9 / (y == c).sum())
        assert covered[truth == c].mean() > 0.9 - 3 * error
    assert sets.sum(axis=1).mean() < 1.8


def test_other_priors_rank_by_other_posteriors():
    rng = np.random.default_rng(6)
    X, y = problem(rng, 80)
    classifier = ParzenClassifier(bandwidth=0.5).fit(X, y)
    before = classifier.p_values(X[:5])
    other = classifier.with_decision(priors=[0.9, 0.1])
    fresh = ParzenClassifier(bandwidth=0.5, priors=[0.9, 0.1]).fit(X, y)
    np.testing.assert_array_equal(other.p_values(X[:5]), fresh.p_values(X[:5]))
    np.testing.assert_array_equal(classifier.p_values(X[:5]), before)


@pytest.mark.parametrize(
    ("classifier", "has_novelty"),
    [
        (StackedDensityClassifier(families="fast"), True),
        (L2Classifier(bandwidth=0.5), True),
        (LaplacianClassifier(), True),
        (LaplacianClassifier(keep=0.5), False),
        (LSSVMClassifier(bandwidth=1.0), True),
        (LSSVMClassifier(bandwidth=1.0, novelty=0.05), True),
        (LSSVMClassifier("polynomial"), False),
    ],
    ids=str,
)
def test_novelty_is_there_where_densities_are(classifier, has_novelty):
    X, y = problem(np.random.default_rng(7), 100)
    classifier.fit(X, y)
    assert hasattr(classifier, "novelty_p_values") == has_novelty
    if has_novelty:
        p = classifier.novelty_p_values([[0.5, 0.5], [40.0, -40.0]])
        assert p[1] < 0.05 < p[0]


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, "a"])
def test_a_wrong_alpha_is_refused(alpha):
    classifier = ParzenClassifier(bandwidth=0.5).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises((ValueError, TypeError), match="alpha"):
        classifier.predict_set([[0.0]], alpha)
