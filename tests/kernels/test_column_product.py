"""Kernels of categories, and their product with Gaussians, beside statsmodels and plain sums."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from statsmodels.nonparametric.kernel_density import KDEMultivariate

from parzen import KernelDensity, LaplacianClassifier, ParzenClassifier, model_files
from parzen.bandwidth.table_columns import _LikelihoodLoss
from parzen.kernels import AitchisonAitken, ColumnProduct, Gaussian, WangVanRyzin
from parzen.samples import KernelSample

KINDS = "cuocu"
KERNEL = ColumnProduct(unordered=(1, 4), ordered=(2,))
ROW = np.array([0.4, 0.2, 0.3, 0.9, 0.1])


def table(n=200, seed=0):
    """Two numbers, categories of three and two levels, and five ordered levels; two classes."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    X = np.column_stack([
        z,
        rng.integers(0, 3, n),
        np.clip(np.round(z + 2 + rng.normal(size=n)), 0, 4),
        rng.normal(size=n) * 3,
        rng.integers(0, 2, n),
    ])  # fmt: skip
    return X, (z + X[:, 1] + rng.normal(size=n) > 1).astype(int)


def brute_kernel(x, y, row=ROW):
    """The product by its definition."""
    product = Gaussian()([[x[0]]], [[y[0]]], bandwidth=row[0]).item()
    product *= 1 - row[1] if x[1] == y[1] else row[1] / 2
    gap = abs(x[2] - y[2])
    product *= 1 - row[2] if gap == 0 else 0.5 * (1 - row[2]) * row[2] ** gap
    product *= Gaussian()([[x[3]]], [[y[3]]], bandwidth=row[3]).item()
    return product * (1 - row[4] if x[4] == y[4] else row[4])


def test_densities_are_those_of_statsmodels():
    X, _ = table()
    density = KernelDensity(ROW[None], kernel=KERNEL).fit(X)
    theirs = KDEMultivariate(X, KINDS, bw=ROW)
    queries = table(seed=1)[0]
    found = np.exp(density.score_samples(queries))
    np.testing.assert_allclose(found, theirs.pdf(queries), rtol=1e-10)


def test_values_that_no_training_row_has_follow_the_definition():
    X, _ = table(60)
    density = KernelDensity(ROW[None], kernel=KERNEL).fit(X)
    for query in ([0.1, 7, 2, 0.0, 1], [0.1, 0, 9, 0.0, 1], [0.1, 0, -3, 0.0, -1]):
        expected = np.mean([brute_kernel(query, x) for x in X])
        assert np.exp(density.score_samples([query])[0]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kernel", [AitchisonAitken(4), WangVanRyzin()], ids=str)
def test_a_kernel_of_categories_is_a_distribution(kernel):
    values = np.arange(4.0) if isinstance(kernel, AitchisonAitken) else np.arange(-60.0, 61)
    total = kernel([[1.0]], values[:, None], bandwidth=0.3).sum()
    assert total == pytest.approx(1.0, rel=1e-12)


def test_a_share_that_prefers_other_categories_is_refused():
    with pytest.raises(ValueError, match="is a share up to"):
        AitchisonAitken(4)([[0]], [[1]], bandwidth=0.8)


def test_the_self_convolution_is_the_sum_over_all_values():
    X, _ = table(30)
    kernel = KERNEL.fitted(X, np.array([0, 1, 1, 0, 1], bool), np.array([0, 0, 1, 0, 0], bool))
    found = kernel.convolved(5)(X[:5], X[:5], bandwidth=ROW)
    z = np.arange(-200.0, 201)[:, None]
    wang = WangVanRyzin()(X[:5, [2]], z, bandwidth=ROW[2])
    expected = wang @ wang.T
    for j, levels in ((1, 3), (4, 2)):
        part = AitchisonAitken(levels)(X[:5, [j]], np.arange(levels)[:, None], bandwidth=ROW[j])
        expected = expected * (part @ part.T)
    for j in (0, 3):
        expected = expected * Gaussian().self_convolution(X[:5, [j]], X[:5, [j]], bandwidth=ROW[j])
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.slow
def test_likelihood_finds_the_bandwidths_of_statsmodels():
    X, y = table(60)
    X = np.column_stack([X[:, [0, 2]], y])
    kernel = ColumnProduct(unordered=(2,), ordered=(1,))
    theirs = KDEMultivariate(X, "cou", bw="cv_ml").bw
    ours = KernelDensity("likelihood", kernel=kernel).fit(X)
    np.testing.assert_allclose(ours.bandwidth_[0], theirs, rtol=0.02, atol=1e-4)

    def loss(row):
        gram = ours.expansion_.kernel(X, X, bandwidth=row)
        np.fill_diagonal(gram, 0.0)
        return -np.log(gram.sum(axis=1) / 59).mean()

    assert ours.selection_.score == pytest.approx(loss(ours.bandwidth_), rel=1e-9)
    assert ours.selection_.score <= loss(theirs) + 1e-6


def test_the_slope_of_the_likelihood_is_that_of_differences():
    X, y = table(80)
    kernel = KernelDensity(ROW[None], kernel=KERNEL).fit(X).expansion_.kernel
    weights = 1.0 + (np.arange(80) % 3 == 0)
    loss = _LikelihoodLoss(KernelSample.of(X, y, kernel, weights, None, None))
    theta = np.array([0.1, 0.5, 0.2, -0.3, 0.4])
    steps = 1e-6 * np.eye(5)
    differences = [(loss(theta + e)[0] - loss(theta - e)[0]) / 2e-6 for e in steps]
    np.testing.assert_allclose(loss(theta)[1], differences, atol=1e-8)


@pytest.mark.slow
def test_the_error_of_the_chosen_bandwidths_is_that_of_refits():
    X, y = table(50)
    chosen = ParzenClassifier(KERNEL, "loo").fit(X, y)
    wrong = 0
    for i in range(50):
        rest = np.arange(50) != i
        refit = ParzenClassifier(KERNEL, chosen.bandwidth_).fit(X[rest], y[rest])
        wrong += refit.predict(X[[i]])[0] != y[i]
    assert chosen.selection_.score == pytest.approx(wrong / 50)


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", ["loo", "likelihood", "silverman", "kfold"])
def test_categories_help_a_classifier(bandwidth):
    X, y = table(400)
    mixed = ParzenClassifier(KERNEL, bandwidth).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    numbers = ParzenClassifier().fit(X[::2, [0, 3]], y[::2]).score(X[1::2, [0, 3]], y[1::2])
    assert mixed > numbers + 0.01


def test_the_laplacian_classifier_has_the_definition_of_its_scores():
    X, y = table(40)
    found = LaplacianClassifier(KERNEL, ROW[None]).fit(X, y)
    kernel = found._density.kernel
    f = kernel(X, X, bandwidth=ROW).mean(axis=1)
    overlap = kernel.convolved(5)(X, X, bandwidth=ROW)
    a = f**-0.5
    expected = []
    for c in (0, 1):
        own = y == c
        norm = np.sqrt(a[own] @ overlap[np.ix_(own, own)] @ a[own])
        expected.append(overlap[:, own] @ a[own] / norm)
    scores = found.decision_function(X)
    np.testing.assert_allclose(scores, np.log(expected[1]) - np.log(expected[0]), atol=1e-10)


def log_factors(kernel, x, Y):
    return np.column_stack([kernel.log_factor(j, np.abs(Y[:, j] - x[j]), ROW[j]) for j in range(5)])


@pytest.mark.parametrize("classifier", [ParzenClassifier, LaplacianClassifier])
def test_the_factors_of_an_explanation_multiply_to_the_kernel(classifier):
    X, y = table(40)
    expansion = classifier(KERNEL, ROW[None]).fit(X, y).expansion_
    factors = log_factors(expansion.kernel, X[0], X)
    expected = expansion.kernel.log(X[:1], X, bandwidth=ROW)[0]
    np.testing.assert_allclose(factors.sum(axis=1), expected, rtol=1e-10)


def test_an_explanation_has_the_marginal_densities_and_the_shares_of_the_definition():
    X, y = table(40)
    query = np.array([0.3, 7.0, 2.0, -1.0, 1.0])  # no row has its second value
    found = ParzenClassifier(KERNEL, ROW[None]).fit(X, y).explain(query[None], top=40)[0]
    # A bandwidth per column, and the share of a value that no row has.
    terms = np.array([brute_kernel(query, row) for row in X])
    logs = [np.log(terms[y == c].sum()) for c in (0, 1)]
    assert found.log_odds == pytest.approx(logs[found.label] - logs[found.rival], rel=1e-10)
    own = np.flatnonzero(y == found.label)
    shares = dict(zip(found.supporting, found.supporting_shares, strict=True))
    np.testing.assert_allclose([shares[i] for i in own], terms[own] / terms[own].sum(), rtol=1e-10)
    for j in range(5):
        kernel = KERNEL.fitted(X, np.isin(range(5), (1, 2, 4)), np.isin(range(5), 2))
        without = np.exp(np.delete(log_factors(kernel, query, X), j, axis=1).sum(axis=1))
        less = [np.log(without[y == c].sum()) for c in (0, 1)]
        effect = found.log_odds - (less[found.label] - less[found.rival])
        assert found.column_effects[j] == pytest.approx(effect, rel=1e-9, abs=1e-9)


def test_a_data_frame_says_which_columns_are_categories(tmp_path):
    X, y = table(120)
    sizes = pd.CategoricalDtype(["small", "medium", "large"], ordered=True)
    frame = pd.DataFrame({
        "height": X[:, 0],
        "colour": np.array(["red", "blue", "green"])[X[:, 1].astype(int)],
        "size": pd.Series(np.array(sizes.categories)[X[:, 1].astype(int)]).astype(sizes),
    })  # fmt: skip
    clf = ParzenClassifier(ColumnProduct(), [[0.4, 0.2, 0.3]]).fit(frame, y)
    assert clf.expansion_.kernel.unordered == (1,)
    assert clf.expansion_.kernel.ordered == (2,)
    np.testing.assert_array_equal(clf.expansion_.points[:, 2], X[:, 1])  # in their own order
    model_files.save(clf, tmp_path / "model.parzen")
    again = model_files.load(tmp_path / "model.parzen")
    np.testing.assert_array_equal(again.predict_proba(frame), clf.predict_proba(frame))
    assert clone(clf).fit(frame, y).kernel == clf.kernel


def test_samples_follow_the_density():
    X, _ = table(50)
    density = KernelDensity(ROW[None], kernel=KERNEL).fit(X)
    drawn = density.sample(20_000, random_state=0)
    for j, values in ((1, range(3)), (2, range(-1, 6)), (4, range(2))):
        for v in values:
            one = density.expansion_.kernel
            factor = one.factors[j](np.full((1, 1), v), X[:, [j]], bandwidth=ROW[j]).mean()
            assert abs((drawn[:, j] == v).mean() - factor) < 4 * np.sqrt(factor / 20_000)


def test_what_a_table_kernel_cannot_do_is_said():
    X, y = table(40)
    for classifier, words in (
        (ParzenClassifier(KERNEL, 0.3), "one bandwidth for each of its 5 columns"),
        (ParzenClassifier(KERNEL, "lscv"), "use 'silverman'"),
        (ParzenClassifier(KERNEL, metric="class"), "exclude each other"),
        (LaplacianClassifier(KERNEL, "cv"), "keep=None and bandwidth='silverman'"),
        (ParzenClassifier(ColumnProduct((), (0,)), "loo"), "must be whole numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            classifier.fit(X, y)
