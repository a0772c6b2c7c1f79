"""The cut is the mean cosine between class means, the divergence minus its logarithm."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from parzen.feature_space import cauchy_schwarz_divergence, laplacian_information_cut
from parzen.kernels import get


def plain_cut(X, y, s, kernel="gaussian", weights=None):
    k = get(kernel)
    w = np.ones(len(X)) if weights is None else weights
    K = k.self_convolution(X, X, bandwidth=s)
    f = k(X, X, bandwidth=s) @ w / w.sum()
    phi = K / np.sqrt(np.outer(f, f))
    means = {c: w * (y == c) / w[y == c].sum() for c in np.unique(y)}

    def inner(i, j):
        return means[i] @ phi @ means[j]

    cosines = [inner(i, j) / np.sqrt(inner(i, i) * inner(j, j)) for i, j in combinations(means, 2)]
    return np.mean(cosines)


@pytest.fixture(params=[2, 4])
def sample(request):
    rng = np.random.default_rng(0)
    y = np.arange(60) % request.param
    return rng.normal(size=(60, 3)) + y[:, None], y


@pytest.mark.parametrize(
    "kernel", ["gaussian", "cauchy", "laplacian", "radial_laplacian", "uniform"]
)
def test_the_cut_is_the_mean_cosine_of_the_class_means(sample, kernel):
    X, y = sample
    expected = plain_cut(X, y, 0.8, kernel)
    assert laplacian_information_cut(X, y, 0.8, kernel=kernel) == pytest.approx(expected, rel=1e-12)
    divergence = cauchy_schwarz_divergence(X, y, 0.8, kernel=kernel)
    assert divergence == pytest.approx(-np.log(expected), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["gaussian", "cauchy"])
def test_a_bandwidth_per_class_joins_the_widths_of_both_classes(sample, kernel):
    """Gaussian: sqrt(s_i^2 + s_j^2), cauchy: s_i + s_j."""
    X, y = sample
    s = np.array([0.4, 1.1, 0.7, 2.0])[: y.max() + 1]
    k, own = get(kernel), s[y]
    f = np.mean([k(X, X[[j]], bandwidth=own[j])[:, 0] for j in range(len(X))], axis=0)
    joined = np.hypot.outer(own, own) if kernel == "gaussian" else np.add.outer(own, own)
    pairs = [
        [k(X[[i]], X[[j]], bandwidth=joined[i, j]).item() for j in range(60)] for i in range(60)
    ]
    a = (np.eye(len(s))[y] / np.sqrt(f)[:, None]).T
    gram = a @ np.array(pairs) @ a.T
    cosines = gram / np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    expected = cosines[np.triu_indices(len(s), 1)].mean()
    assert laplacian_information_cut(X, y, s, kernel=kernel) == pytest.approx(expected, rel=1e-12)
    divergence = cauchy_schwarz_divergence(X, y, list(s), kernel=kernel)
    assert divergence == pytest.approx(-np.log(expected), rel=1e-12)
    alike = laplacian_information_cut(X, y, np.full(len(s), 0.8), kernel=kernel)
    assert alike == pytest.approx(laplacian_information_cut(X, y, 0.8, kernel=kernel), rel=1e-12)


@pytest.mark.parametrize(
    ("bandwidth", "kernel", "message"),
    [
        ([1.0, 2.0, 3.0], "gaussian", r"shape \(3,\).*each of the 2 classes"),
        ([1.0, -2.0], "gaussian", "positive and finite"),
        ([1.0, 2.0], "uniform", "needs kernel='gaussian' or 'cauchy', got 'uniform'"),
    ],
)
def test_wrong_bandwidths_per_class_are_refused_with_the_cure(bandwidth, kernel, message):
    with pytest.raises(ValueError, match=message):
        laplacian_information_cut([[0.0], [1.0], [2.0]], [0, 1, 1], bandwidth, kernel=kernel)


def test_equal_classes_have_the_cut_one():
    X = np.random.default_rng(1).normal(size=(20, 2))
    X, y = np.tile(X, (3, 1)), np.repeat(["a", "b", "c"], 20)
    assert laplacian_information_cut(X, y) == pytest.approx(1.0, abs=1e-12)
    assert cauchy_schwarz_divergence(X, y) == pytest.approx(0.0, abs=1e-12)
    assert cauchy_schwarz_divergence(X, y) >= 0.0


def test_far_classes_have_a_large_finite_divergence():
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 1e4])
    y = np.repeat([0, 1], 20)
    assert 1e6 < cauchy_schwarz_divergence(X, y, 1.0) < np.inf
    assert laplacian_information_cut(X, y, 1.0) == 0.0
    assert cauchy_schwarz_divergence(X, y, 1.0, kernel="uniform") == np.inf


def test_weights_are_frequencies(sample):
    X, y = sample
    w = np.random.default_rng(3).integers(0, 4, size=len(X)).astype(float)
    copies = np.repeat(np.arange(len(X)), w.astype(int))
    for bandwidth in (0.7, "silverman"):
        weighted = laplacian_information_cut(X, y, bandwidth, sample_weight=w)
        repeated = laplacian_information_cut(X[copies], y[copies], bandwidth)
        assert weighted == pytest.approx(repeated, rel=1e-12)
    expected = plain_cut(X[w > 0], y[w > 0], 0.7, weights=w[w > 0])
    assert laplacian_information_cut(X, y, 0.7, sample_weight=w) == pytest.approx(
        expected, rel=1e-12
    )


def test_the_divergence_grows_as_the_classes_move_apart():
    rng = np.random.default_rng(4)
    base, y = rng.normal(size=(100, 2)), np.repeat([0, 1], 50)
    divergences = [cauchy_schwarz_divergence(base + t * y[:, None], y, 0.5) for t in range(6)]
    assert np.all(np.diff(divergences) > 0)


def test_500_dimensions():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 500))
    y = np.repeat([0, 1], 20)
    X[y == 1] += 0.5
    assert 0 < cauchy_schwarz_divergence(X, y) < np.inf


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two"):
        laplacian_information_cut([[0.0], [1.0]], ["a", "a"])


def test_labels_that_are_missing_are_refused(sample):
    X, y = sample[:2]
    with pytest.raises(ValueError, match="y contains NaN"):
        laplacian_information_cut(X, np.where(y == y[0], np.nan, y))


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_the_cut_of_a_sample_is_that_of_the_densities(p):
    """(1) and (7), by quadrature: two normal classes on the line, with the priors p and 1 - p."""
    rng = np.random.default_rng(0)
    y = rng.random(4000) > p
    found = laplacian_information_cut((rng.normal(size=4000) + 2.0 * y)[:, None], y, 0.15)
    assert found == pytest.approx(exact_cut(2.0, p)[0], rel=0.1)


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_for_classes_far_apart_the_cut_is_in_proportion_to_the_bayes_error(p):
    """(5) and (6) of the paper have the factor 1: it is pi/4, whatever the priors.

    The paper takes f for one of the two classes on either side of the border. At the border itself,
    where all errors happen, f is the sum of both.
    """
    for distance, tolerance in ((6.0, 0.03), (9.0, 0.015)):
        cut, error = exact_cut(distance, p)
        assert cut / (error / np.sqrt(p * (1 - p))) == pytest.approx(np.pi / 4, rel=tolerance)


def exact_cut(distance, p):
    """P_f of (7) and the error P_e of Bayes's rule (6)."""
    x = np.linspace(-12.0, 12.0 + distance, 40_001)
    first, second = norm.pdf(x), norm.pdf(x - distance)
    f = p * first + (1 - p) * second

    def inner(a, b):
        return np.trapezoid(a * b / f, x)

    cut = inner(first, second) / np.sqrt(inner(first, first) * inner(second, second))
    return cut, np.trapezoid(np.minimum(p * first, (1 - p) * second), x)
