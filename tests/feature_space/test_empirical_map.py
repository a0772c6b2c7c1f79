"""The empirical kernel map keeps the geometry of the feature space."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen.feature_space import EmpiricalKernelMap
from parzen.kernels import ConformalKernel, Polynomial, get


@parametrize_with_checks([EmpiricalKernelMap()])
def test_it_is_a_scikit_learn_transformer(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([EmpiricalKernelMap(centered=True, n_components=3)])
def test_it_is_a_scikit_learn_transformer_in_another_form(estimator, check):
    check(estimator)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 3))


KERNELS = [
    get("gaussian"),
    get("laplacian"),
    get("linear"),
    Polynomial(degree=2, constant=0.0),
    ConformalKernel("gaussian", np.zeros((1, 3)), [0.5, 3.0]),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_inner_products_of_the_image_are_the_gram_matrix(X, kernel):
    image = EmpiricalKernelMap(kernel, 2.0).fit_transform(X)
    np.testing.assert_allclose(image @ image.T, kernel.similarity(X, X, bandwidth=2.0), atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_a_new_point_keeps_its_products_with_the_sample(X, kernel):
    new = np.random.default_rng(1).normal(size=(9, 3))
    mapping = EmpiricalKernelMap(kernel, 2.0).fit(X)
    products = mapping.transform(new) @ mapping.transform(X).T
    np.testing.assert_allclose(products, kernel.similarity(new, X, bandwidth=2.0), atol=1e-7)


def test_nearest_neighbours_do_not_change(X):
    new = np.random.default_rng(1).normal(size=(9, 3))
    kernel = KERNELS[-1]
    mapping = EmpiricalKernelMap(kernel, 2.0).fit(X)
    gaps = mapping.transform(new)[:, None, :] - mapping.transform(X)[None, :, :]
    mine = np.argsort((gaps**2).sum(axis=2), axis=1)[:, :3]
    theirs = np.argsort(kernel.distances(new, X, bandwidth=2.0), axis=1)[:, :3]
    np.testing.assert_array_equal(mine, theirs)


def test_centred_it_is_kernel_pca(X):
    new = np.random.default_rng(1).normal(size=(9, 3))
    mine = EmpiricalKernelMap("gaussian", 1.5, n_components=4, centered=True).fit(X)
    peer = KernelPCA(4, kernel="rbf", gamma=1 / (2 * 1.5**2)).fit(X)
    np.testing.assert_allclose(mine.eigenvalues_, peer.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(abs(mine.transform(new)), abs(peer.transform(new)), atol=1e-9)


def test_weights_are_frequencies(X):
    weights = np.random.default_rng(1).integers(0, 4, size=len(X))
    for centered in (False, True):
        options = {"bandwidth": 2.0, "n_components": 5, "centered": centered}
        weighted = EmpiricalKernelMap(**options).fit(X, sample_weight=weights)
        repeated = EmpiricalKernelMap(**options).fit(np.repeat(X, weights, axis=0))
        np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-9)


def test_equal_points_and_a_single_point_are_mapped():
    assert EmpiricalKernelMap(bandwidth=1.0).fit_transform(np.ones((5, 2))).shape == (5, 1)
    centred = EmpiricalKernelMap(bandwidth=1.0, centered=True).fit_transform(np.ones((1, 2)))
    np.testing.assert_array_equal(centred, [[0.0]])


def test_a_constant_column_changes_nothing(X):
    wider = np.column_stack([X, np.full(len(X), 7.0)])
    plain = EmpiricalKernelMap().fit(X)
    np.testing.assert_allclose(plain.bandwidth_, EmpiricalKernelMap().fit(wider).bandwidth_)


def test_the_default_bandwidth_follows_the_scale(X):
    h = EmpiricalKernelMap().fit(X).bandwidth_
    assert EmpiricalKernelMap().fit(1e6 * X).bandwidth_ == pytest.approx(1e6 * h, rel=1e-12)


@pytest.mark.parametrize(("options", "error", "message"), [
    ({"bandwidth": -1.0}, ValueError, "bandwidth=-1.0 must be a positive number or None"),
    ({"bandwidth": "wide"}, TypeError, "bandwidth must be a positive number or None"),
    ({"n_components": 0}, ValueError, "n_components=0 must be an integer >= 1 or None"),
    ({"n_components": 2.5}, TypeError, "n_components must be an integer"),
    ({"kernel": "gausian"}, ValueError, "unknown kernel"),
    ({"n_jobs": 0}, ValueError, "n_jobs=0"),
])  # fmt: skip
def test_wrong_parameters_are_named(X, options, error, message):
    with pytest.raises(error, match=message):
        EmpiricalKernelMap(**options).fit(X)


def test_a_gram_matrix_within_rounding_of_the_identity_has_as_many_axes_as_asked_for():
    X = np.random.default_rng(0).normal(size=(60, 500))
    mapped = EmpiricalKernelMap(bandwidth=1.5, n_components=2).fit(X)
    np.testing.assert_allclose(mapped.eigenvalues_, [1.0, 1.0], rtol=1e-12)
