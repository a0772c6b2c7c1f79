"""Large samples: a low-rank factor of a wide base kernel, and the few dimensions of a path."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.feature_space import (
    KernelOptimizer,
    class_separability,
    low_rank as _low_rank,
    solve as _solve,
)
from parzen.feature_space.ascent import best_step, climb_separability
from parzen.feature_space.explored import Explored
from parzen.feature_space.labels import as_classes
from parzen.feature_space.low_rank import low_rank
from parzen.feature_space.scatter import scatter_forms
from parzen.feature_space.scatter_products import ScatterProducts, separability_of_factor
from parzen.kernels import Polynomial, get

GAUSSIAN = get("gaussian")


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1100, 6))
    X = X[np.argsort(np.linalg.norm(X, axis=1))]
    return X, np.digitize(np.linalg.norm(X, axis=1), [2.0, 2.8])


@pytest.mark.parametrize(
    ("kernel", "bandwidth"), [(GAUSSIAN, 25.0), (Polynomial(degree=2, constant=1.0), 1.0)]
)
def test_what_the_factor_leaves_out_is_bounded_by_the_rest_of_the_diagonal(
    sample, kernel, bandwidth
):
    X, _ = sample
    factor = low_rank(X, kernel, bandwidth)
    K = kernel.similarity(X, X, bandwidth=bandwidth)
    left_out = K - factor.factor.T @ factor.factor
    root = np.sqrt(factor.rest)
    assert len(factor.factor) < 220
    assert np.all(np.abs(left_out) <= 1.01 * np.outer(root, root) + 1e-11 * K.max())
    u = np.random.default_rng(2).normal(size=len(X))
    own, whole = factor.products(u, [slice(0, 300), slice(300, 300), slice(300, len(X))])
    np.testing.assert_allclose(whole, K @ u, atol=1e-5 * np.abs(K @ u).max())
    blocks = np.concatenate([K[:300, :300] @ u[:300], K[300:, 300:] @ u[300:]])
    np.testing.assert_allclose(own, blocks, atol=1e-5 * np.abs(blocks).max())


def test_small_samples_narrow_kernels_and_kernels_without_a_feature_space_have_no_factor(sample):
    X, _ = sample
    assert low_rank(X[:900], GAUSSIAN, 25.0) is None
    assert low_rank(X, GAUSSIAN, 1.0) is None
    assert low_rank(X, get("uniform"), 25.0) is None


def test_products_with_the_forms_are_those_of_the_matrices(sample):
    X, y = sample
    w = np.random.default_rng(2).integers(1, 4, size=len(X)).astype(float)
    classes = as_classes(y, len(X), w)
    K1 = np.hstack([np.ones((len(X), 1)), GAUSSIAN.similarity(X, X[:40], bandwidth=2.0)])
    forms = scatter_forms(X, K1, classes, kernel=GAUSSIAN, bandwidth=25.0)
    products = ScatterProducts.of(low_rank(X, GAUSSIAN, 25.0), K1, classes, w)
    alpha = np.random.default_rng(3).normal(size=41)
    for mine, theirs in zip(products.products(alpha), forms.products(alpha), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6 * np.abs(theirs).max())
    q = K1 @ alpha
    K = np.outer(q, q) * GAUSSIAN.similarity(X, X, bandwidth=25.0)
    J = separability_of_factor(X, q, classes, kernel=GAUSSIAN, bandwidth=25.0)
    assert pytest.approx(class_separability(K, y, sample_weight=w), rel=1e-9) == J


def test_the_optimum_by_a_factor_is_that_of_all_pairs(sample, monkeypatch):
    X, y = sample
    options = {"cores": 100, "random_state": 0, "n_jobs": 1}
    fast = KernelOptimizer(**options).fit(X, y)
    monkeypatch.setattr(_solve, "low_rank", lambda *sample: None)
    exact = KernelOptimizer(**options).fit(X, y)
    assert fast.solution_.objective == pytest.approx(exact.solution_.objective, rel=1e-6)
    assert fast.solution_.objective == pytest.approx(fast.separability_path_[-1], rel=1e-6)
    np.testing.assert_allclose(fast.coefficients_, exact.coefficients_, atol=1e-6)


@pytest.mark.parametrize("d", [3, 8])
def test_a_wide_kernel_needs_no_matrices(monkeypatch, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, d))
    y = np.hypot(X[:, 0], X[:, 1]) + 0.3 * rng.normal(size=2000) > 1.2
    monkeypatch.setattr(_solve, "scatter_forms", None)  # calling it is an error
    model = KernelOptimizer(cores=300, random_state=0).fit(X, y)
    assert model.solution_.objective == pytest.approx(model.separability_path_[-1], rel=1e-6)


def test_a_factor_that_gives_another_optimum_is_not_used(sample, monkeypatch):
    X, y = sample
    options = {"cores": 100, "random_state": 0, "n_jobs": 1}
    monkeypatch.setattr(_low_rank, "_MAX_EARLY_RESIDUAL", np.inf)
    monkeypatch.setattr(_low_rank, "_MAX_RESIDUAL", 0.05)
    monkeypatch.setattr(_low_rank, "_MIN_ROWS_PER_COLUMN", 100)
    model = KernelOptimizer(**options).fit(X, y)
    assert low_rank(X, GAUSSIAN, model.bandwidth_).rest.mean() > 1e-5
    assert model.solution_.objective == pytest.approx(model.separability_path_[-1], rel=1e-8)


def test_a_path_is_that_of_figure_2_written_out(sample):
    X, y = sample[0][:300], sample[1][:300]
    K1 = np.hstack([np.ones((300, 1)), GAUSSIAN.similarity(X, X[:60], bandwidth=2.0)])
    forms = scatter_forms(X, K1, as_classes(y, 300), kernel=GAUSSIAN, bandwidth=20.0)
    M, N = forms.between, forms.within
    alpha, expected = np.eye(61)[0], [np.eye(61)[0]]
    for t in range(100):
        J1, J2 = alpha @ M @ alpha, alpha @ N @ alpha
        g = (M @ alpha - J1 / J2 * (N @ alpha)) / J2
        slopes, bends = (alpha @ M @ g, alpha @ N @ g), (g @ M @ g, g @ N @ g)
        alpha = alpha + min(0.01 * (1 - t / 100), best_step((J1, J2), slopes, bends)) * g
        alpha /= np.linalg.norm(alpha)
        expected.append(alpha)
    steps = {"n_steps": 100, "learning_rate": 0.01, "line_search": True}
    path = climb_separability(forms, np.eye(61)[0], **steps)
    np.testing.assert_allclose(path.coefficients, expected, atol=1e-9)


def test_a_path_takes_few_products_with_the_forms(sample):
    X, y = sample[0][:300], sample[1][:300]
    K1 = np.hstack([np.ones((300, 1)), GAUSSIAN.similarity(X, X[:150], bandwidth=2.0)])
    forms = scatter_forms(X, K1, as_classes(y, 300), kernel=GAUSSIAN, bandwidth=20.0)
    space = Explored(forms, np.eye(151)[0], 201)
    assert space.count == 1
    counted = CountedForms(forms)
    steps = {"n_steps": 200, "learning_rate": 0.01, "line_search": True}
    climb_separability(counted, np.eye(151)[0], **steps)
    assert counted.count < 60


class CountedForms:
    negligible_share = 1e-6

    def __init__(self, forms):
        self.forms, self.count = forms, 0

    def products(self, alpha):
        self.count += 1
        return self.forms.products(alpha)

    def is_rounding(self, value, alpha):
        return self.forms.is_rounding(value, alpha)
