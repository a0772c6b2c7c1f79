"""Explanations: shares of training rows and effects of columns equal brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris

from parzen import (
    KernelDensity,
    KernelMSEClassifier,
    KernelNaiveBayes,
    L2Classifier,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    RLSClassifier,
)
from parzen.classifiers.least_squares.coding import class_scores

X, Y = load_iris(return_X_y=True)


def log_densities(columns, bandwidth, kernel, queries):
    """Class densities of some columns, each by an estimator of its own."""
    return np.stack(
        [
            KernelDensity(kernel=kernel, bandwidth=bandwidth)
            .fit(X[c == Y][:, columns])
            .score_samples(queries[:, columns])
            for c in range(3)
        ],
        axis=1,
    )


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_effects_are_those_of_the_marginal_densities(kernel):
    classifier = ParzenClassifier(kernel, bandwidth=0.5).fit(X, Y)
    queries = X[::30] + 0.1
    every = log_densities([0, 1, 2, 3], 0.5, kernel, queries)
    for i, found in enumerate(classifier.explain(queries)):
        c, r = found.label, found.rival
        assert found.log_odds == pytest.approx(every[i, c] - every[i, r], rel=1e-10)
        for column in range(4):
            rest = [k for k in range(4) if k != column]
            less = log_densities(rest, 0.5, kernel, queries[[i]])[0]
            effect = (every[i, c] - every[i, r]) - (less[c] - less[r])
            assert found.column_effects[column] == pytest.approx(effect, rel=1e-9, abs=1e-9)


def test_one_bandwidth_per_column_is_a_scale_of_the_columns():
    scales = np.array([1.0, 2.0, 0.5, 3.0])
    plain = ParzenClassifier(bandwidth=0.5).fit(X, Y).explain(X[:3])
    wide = ParzenClassifier(bandwidth=0.5 * scales[None]).fit(X * scales, Y).explain(X[:3] * scales)
    for one, other in zip(plain, wide, strict=True):
        np.testing.assert_allclose(one.column_effects, other.column_effects, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "classifier",
    [
        ParzenClassifier(bandwidth=0.5),
        ParzenClassifier("cauchy", bandwidth=0.5),
        ParzenClassifier(bandwidth=0.5, metric="class"),
        ParzenClassifier("epanechnikov", bandwidth=1.0),
        ParzenClassifier(bandwidth=0.5, adaptive=True),
        L2Classifier(bandwidth=0.5),
        LaplacianClassifier(bandwidth=0.5),
        LaplacianClassifier(bandwidth=0.5, keep=0.5),
        KernelNaiveBayes(),
    ],
    ids=str,
)
def test_shares_sum_to_one_and_belong_to_the_two_best_classes(classifier):
    classifier.fit(X, Y)
    for row, found in zip(X[::25], classifier.explain(X[::25], top=len(X)), strict=True):
        assert found.label == classifier.predict(row[None])[0]
        assert found.supporting_shares.sum() == pytest.approx(1.0, rel=1e-12)
        assert (Y[found.supporting] == found.label).all()
        assert (Y[found.opposing] == found.rival).all()
        assert (np.diff(found.supporting_shares) <= 0).all()
        assert np.isfinite(found.column_effects).all()


def test_the_nearest_row_speaks_loudest():
    found = ParzenClassifier(bandwidth=0.3).fit(X, Y).explain(X[[7]], top=3)[0]
    assert found.supporting[0] == 7
    assert len(found.supporting) == len(found.opposing) == 3


def test_a_column_of_noise_has_no_effect_beside_one_that_separates():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    Z = np.column_stack([rng.normal(size=200) + 4 * y, rng.normal(size=200)])
    for found in ParzenClassifier(bandwidth=1.0).fit(Z, y).explain([[0.0, 0.0], [4.0, 0.0]]):
        assert found.column_effects[0] > 2
        assert found.column_effects[0] > 3 * abs(found.column_effects[1])


def test_one_bandwidth_per_class_is_integrated_out_with_its_normaliser():
    classifier = ParzenClassifier(bandwidth=[0.4, 0.6, 0.9]).fit(X, Y)
    found = classifier.explain(X[[70]])[0]
    of_class = {c: (0.4, 0.6, 0.9)[c] for c in range(3)}

    def log_odds(columns):
        logs = [
            KernelDensity(bandwidth=of_class[c])
            .fit(X[c == Y][:, columns])
            .score_samples(X[[70]][:, columns])[0]
            for c in (found.label, found.rival)
        ]
        return logs[0] - logs[1]

    for column in range(4):
        rest = [k for k in range(4) if k != column]
        effect = log_odds([0, 1, 2, 3]) - log_odds(rest)
        assert found.column_effects[column] == pytest.approx(effect, rel=1e-9)


def test_naive_bayes_without_a_column_is_naive_bayes_of_the_others():
    classifier = KernelNaiveBayes(bandwidth=0.5).fit(X, Y)
    found = classifier.explain(X[[70]])[0]
    less = KernelNaiveBayes(bandwidth=0.5).fit(X[:, 1:], Y).predict_log_proba(X[[70], 1:])[0]
    gone = found.log_odds - (less[found.label] - less[found.rival])
    assert found.column_effects[0] == pytest.approx(gone, rel=1e-9)


@pytest.mark.parametrize(
    "classifier",
    [
        LSSVMClassifier(bandwidth=1.0),
        RLSClassifier(bandwidth=1.0, coding="pairwise"),
        KernelMSEClassifier(bandwidth=1.0),
        LSSVMClassifier(kernel=lambda A, B: A @ B.T),
    ],
    ids=["lssvm", "pairwise", "kmse", "function"],
)
def test_signed_terms_add_up_to_the_log_odds(classifier):
    classifier.fit(X, Y)
    for row, found in zip(X[::40], classifier.explain(X[::40], top=len(X)), strict=True):
        assert found.label == classifier.predict(row[None])[0]
        assert found.supporting_shares.sum() == pytest.approx(1.0, rel=1e-12)
        assert found.opposing_shares.sum() == pytest.approx(1.0, rel=1e-12)
        assert len(np.intersect1d(found.supporting, found.opposing)) == 0
        logs = classifier.predict_log_proba(row[None])[0]
        assert found.log_odds == pytest.approx(logs[found.label] - logs[found.rival], rel=1e-9)
        # Without a column is the same scores of points and queries that agree in it.
        flat, query = X.copy(), row.copy()
        flat[:, 2] = query[2] = 0.0
        kernels = classifier.kernel(query[None], flat) if callable(classifier.kernel) else np.exp(
            -0.5 * ((query - flat) ** 2).sum(axis=1)
        )[None]  # fmt: skip
        scores = kernels[:, classifier.support_] @ classifier.dual_coef_ + classifier.intercept_
        joint = classifier.decision_.joint(
            class_scores(scores, classifier.code_book_, classifier.coding)
        )[0]
        gone = found.log_odds - (joint[found.label] - joint[found.rival])
        assert found.column_effects[2] == pytest.approx(gone, rel=1e-6, abs=1e-9)


def test_rows_have_the_names_of_the_index():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, index=[f"flower {i}" for i in range(len(X))])
    for classifier in (ParzenClassifier(bandwidth=0.3), LSSVMClassifier(bandwidth=1.0)):
        found = classifier.fit(frame, Y).explain(frame.iloc[[7]], top=3)[0]
        assert list(found.supporting_names) == [f"flower {i}" for i in found.supporting]
    assert ParzenClassifier(bandwidth=0.3).fit(X, Y).explain(X[:1])[0].supporting_names is None


def test_gaussians_in_a_metric_lose_a_column_by_the_marginal_of_the_normal_distribution():
    classifier = ParzenClassifier(bandwidth=0.7, metric="class").fit(X, Y)
    whitening = classifier.expansion_.whitening
    x = X[70] + 0.1
    found = classifier.explain(x[None])[0]

    def log_density(c, columns):
        root = whitening.roots[c]
        covariance = 0.49 * np.linalg.inv(root @ root.T)[np.ix_(columns, columns)]
        own = X[c == Y][:, columns]
        return np.log(np.mean([multivariate_normal(y, covariance).pdf(x[columns]) for y in own]))

    for column in range(4):
        rest = [k for k in range(4) if k != column]
        odds = [
            log_density(found.label, part) - log_density(found.rival, part)
            for part in (range(4), rest)
        ]
        assert found.column_effects[column] == pytest.approx(odds[0] - odds[1], rel=1e-9)


def test_missing_entries_have_no_effect_and_the_shares_of_the_terms_that_replace_them():
    rng = np.random.default_rng(0)
    gapped = np.where(rng.uniform(size=X.shape) < 0.2, np.nan, X)
    classifier = ParzenClassifier(bandwidth=0.5).fit(gapped, Y)
    x = X[70].copy()
    x[1] = np.nan
    found = classifier.explain(x[None], top=len(X))[0]
    assert found.column_effects[1] == 0
    own, rows = gapped[found.label == Y], np.flatnonzero(found.label == Y)
    terms = np.ones(len(own))
    for j in (0, 2, 3):
        kernels = np.exp(-0.5 * ((x[j] - own[:, j]) / 0.5) ** 2)
        terms *= np.where(np.isnan(kernels), np.nanmean(kernels), kernels)
    shares = np.zeros(len(X))
    shares[found.supporting] = found.supporting_shares
    np.testing.assert_allclose(shares[rows], terms / terms.sum(), rtol=1e-9)
    less = x.copy()
    less[2] = np.nan
    logs = classifier.predict_log_proba(np.stack([x, less]))
    odds = logs[:, found.label] - logs[:, found.rival]
    assert found.column_effects[2] == pytest.approx(odds[0] - odds[1], rel=1e-9)
