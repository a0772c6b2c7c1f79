"""Abramson's adaptive bandwidths, against the formula and KDEpy's variable bandwidths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.datasets import make_moons

import parzen
from parzen import KernelDensity, ParzenClassifier
from parzen.kernels import Gaussian


def abramson(x, h, at):
    pilot = norm.pdf(x, x.T, h).mean(axis=1)
    widths = h * np.sqrt(np.exp(np.log(pilot).mean()) / pilot)
    return norm.pdf(at, x.T, widths).mean(axis=1), widths


def test_the_density_is_abramson_s():
    rng = np.random.default_rng(0)
    x, at = rng.standard_t(3, size=(80, 1)), np.linspace(-9, 9, 31)[:, None]
    expected, widths = abramson(x, 0.4, at)
    density = KernelDensity(bandwidth=0.4, adaptive=True).fit(x)
    np.testing.assert_allclose(np.exp(density.score_samples(at)), expected, rtol=1e-11)
    kdepy = pytest.importorskip("KDEpy")
    theirs = kdepy.TreeKDE(kernel="gaussian", bw=widths).fit(x).evaluate(at, eps=1e-12)
    np.testing.assert_allclose(np.exp(density.score_samples(at)), theirs, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"metric": "class"}, {"kernel": "epanechnikov"}])
def test_weights_are_copies_and_units_do_not_matter(options):
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(40, 2)), rng.integers(1, 4, 40)
    density = KernelDensity(bandwidth=0.5, adaptive=True, **options)
    weighted = density.fit(X, sample_weight=w).score_samples(X)
    copied = density.fit(np.repeat(X, w, axis=0)).score_samples(X)
    np.testing.assert_allclose(weighted, copied, rtol=1e-11)


def test_a_classifier_has_the_densities_of_its_classes_and_leaves_one_out():
    X, y = make_moons(60, noise=0.2, random_state=0)
    w = np.random.default_rng(2).integers(1, 3, 60)
    clf = ParzenClassifier(bandwidth=0.3, adaptive=True).fit(X, y, sample_weight=w)
    for c in (0, 1):
        own = KernelDensity(bandwidth=0.3, adaptive=True).fit(X[y == c], sample_weight=w[y == c])
        logs = clf.expansion_.log_sums(X)[:, c]
        np.testing.assert_allclose(logs, own.score_samples(X), rtol=1e-11)
    held_out = clf.expansion_.leave_one_out_log_sums()
    i, h = 7, 0.3 * clf.expansion_.factors
    rest = w - (np.arange(60) == i)
    pairs = norm.pdf(X[i, 0], X[:, 0], h) * norm.pdf(X[i, 1], X[:, 1], h)
    mine = y == y[i]
    expected = np.log((rest * pairs)[mine].sum() / w[mine].sum())
    assert held_out[i, y[i]] == pytest.approx(expected, rel=1e-11)
    assert clf.predict_set(X).shape == (60, 2)
    # Without a column: the kernels of the other one, as wide as they are.
    label, rival = (found := clf.explain(X[:1])[0]).label, found.rival
    left = w * norm.pdf(X[0, 1], X[:, 1], h) / np.array([w[y == c].sum() for c in y])
    odds = np.log(left[y == label].sum()) - np.log(left[y == rival].sum())
    odds += np.log(w[y == label].sum()) - np.log(w[y == rival].sum())
    assert found.column_effects[0] == pytest.approx(found.log_odds - odds, rel=1e-9)


def test_files_and_draws(tmp_path):
    X, y = make_moons(50, noise=0.2, random_state=0)
    clf = ParzenClassifier(adaptive=True).fit(X, y)
    parzen.save(clf, tmp_path / "c.parzen")
    again = parzen.load(tmp_path / "c.parzen")
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    density = KernelDensity(adaptive=True).fit(X)
    assert np.abs(density.sample(3000, random_state=0).mean(axis=0) - X.mean(axis=0)).max() < 0.1


def test_a_product_over_columns_and_a_learned_metric_are_refused():
    X, y = make_moons(30, random_state=0)
    with pytest.raises(ValueError, match="learned"):
        ParzenClassifier(metric="learned", adaptive=True).fit(X, y)


def test_no_queries_have_no_densities():
    density = KernelDensity(bandwidth=0.5, adaptive=True).fit(np.eye(3))
    assert density.score_samples(np.empty((0, 3))).shape == (0,)


def log_sums_by_numpy(expansion, X, c):
    """The class's sum, pair by pair: its kernel at the width of each point."""
    rows = np.flatnonzero(expansion.labels == c)
    space, d = expansion.space(c), X.shape[1]
    h = space.bandwidth * expansion.factors[rows]
    logs = expansion.kernel.log_profile(
        expansion.kernel.pairs(space.map(X), space.map(expansion.points[rows])), h, d
    )
    logs = logs + expansion.kernel.log_normalizer(h, d) + space.log_volume
    if expansion.weights is not None:
        logs = logs + np.log(expansion.weights[rows])
    return logsumexp(logs, axis=1) + expansion.class_factors[c]


class PlainGaussian(Gaussian):
    """A kernel that the native core does not know."""

    def native(self, n_features):
        return None


@pytest.mark.parametrize(
    "kernel", ["gaussian", "laplacian", "cauchy", "triangular", "logistic", PlainGaussian()]
)
@pytest.mark.parametrize("d", [1, 6, 300])
def test_native_sums_are_those_of_numpy(kernel, d):
    rng = np.random.default_rng(3)
    X, w = rng.standard_t(4, size=(90, d)), rng.integers(1, 4, 90)
    y = rng.integers(0, 3, 90)
    h = np.array([0.8, 1.0, 1.3]) * np.sqrt(d) * (3 if kernel == "triangular" else 1)
    clf = ParzenClassifier(bandwidth=h, kernel=kernel, adaptive=True).fit(X, y, sample_weight=w)
    at = np.concatenate([X[:20], 50 * X[:5]])
    found = clf.expansion_.log_sums(at)
    for c in range(3):
        with np.errstate(divide="ignore"):
            expected = log_sums_by_numpy(clf.expansion_, at, c)
        np.testing.assert_allclose(found[:, c], expected, rtol=1e-12, atol=1e-12)


def test_kernels_of_very_unequal_heights_are_all_there():
    """In 2 000 dimensions a kernel that is twice as wide is lower by exp(1386)."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(12, 2000)) * np.repeat([1.0, 2.0, 4.0], 4)[:, None]
    density = KernelDensity(bandwidth=30.0, adaptive=True).fit(X)
    found = replace(density.expansion_, factors=np.repeat([0.5, 1.0, 2.0], 4))
    at = rng.normal(size=(5, 2000)) * 3.0
    expected = log_sums_by_numpy(found, at, 0)
    np.testing.assert_allclose(found.log_sums(at)[:, 0], expected, rtol=1e-12)
    left_out = found.leave_one_out_log_sums()[3, 0]
    others = found.subset(np.arange(12) != 3)
    assert left_out == pytest.approx(log_sums_by_numpy(others, X[3:4], 0).item(), rel=1e-12)
