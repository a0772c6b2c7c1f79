"""One bandwidth per feature in the L2 classifier, by itself and with one per class."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context

from parzen import L2Classifier, L2LinearClassifier
from parzen.bandwidth import CrossValidation, KFoldError

H = np.array([[0.6, 2.5]])
LEVELS = np.array([[0.7], [1.5], [1.1]])


def sample(classes=3, n=30):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(classes), n)
    centres = np.array([[0.0, 0.0], [1.5, 4.0], [0.0, 8.0]])
    return rng.normal(size=(len(y), 2)) * [0.7, 3.0] + centres[y], y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"constraint": "relaxed"},
        {"constraint": "separate"},
        {"smoothing": 0.7},
        {"eta": "cv", "eta_grid": 3},
        {"kernel": "laplacian"},
        {"kernel": "triangular"},
        {"n_landmarks": 40},
    ],
    ids=repr,
)
def test_per_feature_is_a_scaling_of_the_columns_and_densities_keep_their_volume(classes, options):
    X, y = sample(classes)
    options = {"tol": 1e-10, **options}
    each = L2Classifier(bandwidth=H, **options).fit(X, y)
    scaled = L2Classifier(bandwidth=1.0, **options).fit(X / H, y)
    np.testing.assert_array_equal(each.bandwidth_, H)
    np.testing.assert_array_equal(each.support_, scaled.support_)
    np.testing.assert_allclose(each.weights_, scaled.weights_, atol=1e-6)
    assert each.objective_ == pytest.approx(scaled.objective_, rel=1e-8)
    assert each.eta_ == scaled.eta_
    queries = X + 0.1
    np.testing.assert_allclose(
        each.score_samples(queries), scaled.score_samples(queries / H) - np.log(H).sum(), atol=1e-5
    )
    np.testing.assert_allclose(
        each.predict_proba(queries), scaled.predict_proba(queries / H), atol=1e-5
    )
    np.testing.assert_array_equal(each.support_vectors_, X[each.support_])


def test_without_constraints_too():
    X, y = sample()
    each = L2LinearClassifier(bandwidth=H, ridge=1.0).fit(X, y)
    scaled = L2LinearClassifier(bandwidth=1.0, ridge=1.0).fit(X / H, y)
    np.testing.assert_allclose(
        each.decision_function(X + 0.1), scaled.decision_function((X + 0.1) / H), rtol=1e-8
    )


@pytest.mark.parametrize("kernel", ["gaussian", "cauchy"])
@pytest.mark.parametrize("classes", [2, 3])
def test_classes_in_proportion_are_one_bandwidth_per_class_of_scaled_columns(kernel, classes):
    X, y = sample(classes)
    levels = LEVELS[:classes]
    each = L2Classifier(kernel, levels * H, tol=1e-10).fit(X, y)
    scaled = L2Classifier(kernel, levels.ravel(), tol=1e-10).fit(X / H, y)
    np.testing.assert_array_equal(each.bandwidth_, levels * H)
    np.testing.assert_allclose(
        each.score_samples(X), scaled.score_samples(X / H) - np.log(H).sum(), atol=1e-5
    )


def test_novelty_and_the_oracle_follow_the_columns():
    X, y = sample(2)
    each = L2Classifier(bandwidth=H, novelty=0.1).fit(X, y)
    scaled = L2Classifier(bandwidth=1.0, novelty=0.1).fit(X / H, y)
    queries = np.vstack([X, [[100.0, 100.0]]])
    np.testing.assert_array_equal(each.predict(queries), scaled.predict(queries / H))
    assert each.predict(queries)[-1] == -2
    assert each.oracle_bound(0.1) == pytest.approx(scaled.oracle_bound(0.1) / H.prod())


def test_the_own_error_takes_a_grid_folds_and_one_bandwidth_per_feature():
    X, y = sample()
    grid = [0.5, 1.0, 2.0]
    by_selector = L2Classifier(bandwidth=CrossValidation(grid, folds=3)).fit(X, y)
    by_parameters = L2Classifier(grid=grid, cv=3).fit(X, y)
    np.testing.assert_array_equal(by_selector.selection_.scores, by_parameters.selection_.scores)
    assert by_selector.bandwidth_ == by_parameters.bandwidth_
    relative = KFoldError([1.0], per="feature").select(X, y).bandwidth  # of geometric mean 1
    each = L2Classifier(bandwidth=CrossValidation(grid, per="feature", folds=3)).fit(X, y)
    scaled = L2Classifier(grid=grid, cv=3).fit(X / relative, y)
    np.testing.assert_allclose(each.selection_.scores, scaled.selection_.scores)
    np.testing.assert_allclose(each.bandwidth_, scaled.bandwidth_ * relative)


BOTH = np.array([[0.5, 3.0], [0.9, 1.2], [0.4, 5.0]])


def gaussian(A, B, widths):
    """Product of normal densities, with a width for every feature."""
    u = (A[:, None] - B) / widths
    return np.prod(np.exp(-0.5 * u**2) / (np.sqrt(2 * np.pi) * widths), axis=2)


def plain_programme(X, y, h, v, smoothing, eta):
    """Q and c of the sum over all pairs of classes, by loops over classes and rows."""
    n, classes = len(X), len(h)
    low_pass = smoothing * np.exp(np.log(h).mean(axis=0))
    Q, means = np.empty((n, n)), np.empty((n, classes))
    for g in range(classes):
        tau = np.sqrt(h[g] ** 2 + 2 * low_pass**2)
        for k in range(classes):
            rho = np.sqrt(h[g] ** 2 + h[k] ** 2 + 2 * low_pass**2)
            M = (classes - 1) * v[g] ** 2 if g == k else -v[g] * v[k]
            Q[np.ix_(y == g, y == k)] = M * gaussian(X[y == g], X[y == k], rho)
        for i in np.flatnonzero(y == g):
            for k in range(classes):
                others = np.flatnonzero((y == k) & (np.arange(n) != i))
                means[i, k] = gaussian(X[[i]], X[others], tau).mean()
    signs = np.where(y[:, None] == np.arange(classes), classes - 1.0, -1.0)
    return Q, v[y] * ((signs * v) * means).sum(axis=1) / eta


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"smoothing": 0.6}, {"eta": 1.3}], ids=repr)
@pytest.mark.parametrize("working_memory", [1024, 0.01])
def test_proportions_of_their_own_minimise_the_criterion(classes, options, working_memory):
    X, y = sample(classes)
    h = BOTH[:classes]
    with config_context(working_memory=working_memory):  # rows of the matrix on demand
        clf = L2Classifier(bandwidth=h, tol=1e-10, **options).fit(X, y)
    v = clf.priors_ / clf.priors_[-1]
    Q, c = plain_programme(X, y, h, v, options.get("smoothing", 0.0), options.get("eta", 1.0))
    a = np.zeros(len(X))
    a[clf.support_] = clf.weights_
    np.testing.assert_allclose(np.bincount(y, a), 1.0, atol=1e-12)
    gradient = Q @ a - c
    for g in range(classes):
        own = gradient[y == g]
        assert a[y == g] @ (own - own.min()) <= 1e-8 * np.abs(own).max()
    peak = max(
        gaussian(X[:1], X[:1], np.sqrt(2 * s**2 + 2 * (options.get("smoothing", 0.0) * m) ** 2))
        for s, m in zip(h, [np.exp(np.log(h).mean(axis=0))] * classes, strict=True)
    ).item()
    objective = (0.5 * a @ Q @ a - c @ a) / peak
    assert clf.objective_ == pytest.approx(objective, rel=1e-8)
    densities = [gaussian(X, X[y == g], h[g]) @ a[y == g] for g in range(classes)]
    np.testing.assert_allclose(np.exp(clf.score_samples(X)), clf.priors_ @ densities, rtol=1e-9)


def test_proportions_of_their_own_in_the_limit_of_equal_ones():
    X, y = sample()
    bent = LEVELS * H * (1 + 1e-10 * BOTH)
    for options in ({"constraint": "relaxed"}, {"eta": "cv", "eta_grid": 3}, {"n_landmarks": 40}):
        even = L2Classifier(bandwidth=LEVELS * H, tol=1e-10, **options).fit(X, y)
        other = L2Classifier(bandwidth=bent, tol=1e-10, **options).fit(X, y)
        assert other.objective_ == pytest.approx(even.objective_, rel=1e-7)
        np.testing.assert_allclose(other.score_samples(X), even.score_samples(X), atol=1e-4)
        if "eta" in options:
            np.testing.assert_allclose(other.selection_.scores, even.selection_.scores, atol=1e-12)


def test_proportions_of_their_own_are_refused_where_they_cannot_be():
    X, y = sample()
    for kernel in ("cauchy", "laplacian", "uniform"):
        with pytest.raises(ValueError, match=f"only the gaussian .* kernel='{kernel}'; give rows"):
            L2Classifier(kernel, BOTH).fit(X, y)
    with pytest.raises(ValueError, match="L2LinearClassifier needs one bandwidth for all classes"):
        L2LinearClassifier(bandwidth=BOTH).fit(X, y)


def test_a_kernel_without_convolutions_at_two_bandwidths_says_so():
    X, y = sample()
    with pytest.raises(ValueError, match="a bandwidth per class needs a kernel"):
        L2Classifier("laplacian", LEVELS * H).fit(X, y)
