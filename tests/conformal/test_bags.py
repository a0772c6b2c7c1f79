"""P-values of bags equal those of fits to the bag without each of its rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from parzen import KernelNaiveBayes, LaplacianClassifier, LSSVMClassifier, RLSClassifier
from parzen.kernels import ColumnProduct, get

RNG = np.random.default_rng(0)
QUERIES = RNG.normal(size=(4, 2)) + 0.5


def sample(n_classes, n=24):
    y = np.arange(n) % n_classes
    X = np.random.default_rng(n_classes).normal(size=(n, 2))
    X[:, 0] += y
    return X, y


def odds(joint, label):
    return joint[label] - logsumexp(np.delete(joint, label))


def p_values_of_bags(conformities, X, y, queries, conditional, unranked=()):
    """The definition: ``conformities`` (points, labels) of every row of a bag."""
    ranked = ~np.isin(np.arange(len(y)), unranked)
    out = np.empty((len(queries), y.max() + 1))
    for q, query in enumerate(queries):
        for c in range(out.shape[1]):
            a = conformities(np.vstack([X, query]), np.append(y, c))
            rows = ranked & (y == c) if conditional else ranked
            out[q, c] = (1 + (a[:-1][rows] <= a[-1] + 1e-9).sum()) / (1 + rows.sum())
    return out


def refitted(make, decision):
    """Log-odds of every row's label by a fit to the other rows."""

    def conformities(X, y):
        out = np.empty(len(y))
        for i in range(len(y)):
            rest = np.arange(len(y)) != i
            scores = make().fit(X[rest], y[rest])._log_densities(X[[i]])
            out[i] = odds(decision.joint(scores)[0], y[i])
        return out

    return conformities


@pytest.mark.slow
@pytest.mark.parametrize("conditional", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (LSSVMClassifier, {"bandwidth": 0.7, "C": 2.0}),
        (RLSClassifier, {"bandwidth": [[0.7, 1.0]], "regularization": 0.02}),
    ],
)
def test_least_squares_by_rank_one_updates(kind, options, n_classes, conditional):
    X, y = sample(n_classes, n=14)
    classifier = kind(**options).fit(X, y)
    conformities = refitted(lambda: kind(**options), classifier.decision_)
    wanted = p_values_of_bags(conformities, X, y, QUERIES[:2], conditional)
    found = classifier.p_values(QUERIES[:2], conditional=conditional)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::parzen.bandwidth.EndOfGridWarning")
@pytest.mark.parametrize("conditional", [True, False])
@pytest.mark.parametrize(
    ("kind", "regularizer"), [(LSSVMClassifier, "C"), (RLSClassifier, "regularization")]
)
def test_rows_that_choose_are_in_the_system_and_not_in_the_ranks(kind, regularizer, conditional):
    X, y = sample(3, n=15)
    X[14] = X[2]  # equal rows of a class, of which one chooses and the other is ranked
    chooser = kind(bandwidth_rows=0.4, **{regularizer: "cv"}).fit(X, y)
    assert np.isin([2, 14], chooser.bandwidth_rows_).tolist() == [True, False]
    given = {"bandwidth": chooser.bandwidth_, regularizer: getattr(chooser, f"{regularizer}_")}
    conformities = refitted(lambda: kind(**given), chooser.decision_)
    wanted = p_values_of_bags(conformities, X, y, QUERIES[:2], conditional, chooser.bandwidth_rows_)
    found = chooser.p_values(QUERIES[:2], conditional=conditional)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("conditional", [True, False])
@pytest.mark.parametrize(
    "options",
    [{}, {"priors": [0.3, 0.7]}, {"categorical_features": [1]}],
    ids=["plain", "priors", "categories"],
)
def test_naive_bayes_with_missing_entries(options, conditional):
    X, y = sample(2, n=40)
    X, queries = X.copy(), QUERIES.copy()
    X[:, 1] = np.arange(40) // 3 % 4
    queries[:, 1] = [0, 1, 2, 3]
    X[::7, 0], X[::9, 1], queries[0, 0] = np.nan, np.nan, np.nan
    make = lambda: KernelNaiveBayes(bandwidth=0.5, **options)  # noqa: E731

    def conformities(points, labels):
        fitted = make().fit(points, labels)
        joint = fitted._leave_one_out_log_densities() + fitted._leave_one_out_log_priors()
        return np.array([odds(row, label) for row, label in zip(joint, labels, strict=True)])

    wanted = p_values_of_bags(conformities, X, y, queries, conditional)
    found = make().fit(X, y).p_values(queries, conditional=conditional)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("conditional", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_laplacian_with_the_weights_of_the_fit(n_classes, conditional):
    X, y = sample(n_classes)
    classifier = LaplacianClassifier(bandwidth=0.5).fit(X, y)
    table = LaplacianClassifier(ColumnProduct((), ()), [[0.5, 0.5]]).fit(X, y)
    k, overlap = get("gaussian"), get("gaussian").convolved(2)
    exponent, shift = classifier.decision_.exponent_and_shift()

    def conformities(points, labels):
        kernels = np.exp(k.log(points, points, bandwidth=0.5))
        # The rows have the weights of the sample, the last one, the query, that of the bag.
        f = np.append(kernels[:-1, :-1].mean(axis=1), kernels[-1].mean())
        a, G = f**-0.5, np.exp(overlap.log(points, points, bandwidth=0.5))
        out = np.empty(len(labels))
        for i in range(len(labels)):
            others = [(labels == c) & (np.arange(len(labels)) != i) for c in range(n_classes)]
            gamma = [a[o] @ G[o, i] / np.sqrt(a[o] @ G[np.ix_(o, o)] @ a[o]) for o in others]
            out[i] = odds(exponent * np.log(gamma) + shift, labels[i])
        return out

    wanted = p_values_of_bags(conformities, X, y, QUERIES, conditional)
    for one in (classifier, table):
        found = one.p_values(QUERIES, conditional=conditional)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize(
    "classifier",
    [
        KernelNaiveBayes(bandwidth=0.5),
        LaplacianClassifier(bandwidth=0.5),
        LSSVMClassifier(bandwidth=0.7),
        RLSClassifier(bandwidth=0.7),
    ],
    ids=lambda c: type(c).__name__,
)
def test_a_frequency_is_so_many_copies(classifier):
    X, y = sample(3)
    w = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = classifier.fit(X, y, sample_weight=w).p_values(QUERIES)
    copied = classifier.fit(np.repeat(X, w, axis=0), np.repeat(y, w)).p_values(QUERIES)
    np.testing.assert_allclose(weighted, copied, rtol=1e-12)
