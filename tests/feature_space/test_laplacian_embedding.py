"""The embedding is the eigendecomposition of D^(-1/2) K D^(-1/2), for old points and new ones."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen.feature_space import EmpiricalKernelMap, LaplacianEmbedding
from parzen.kernels import get


def laplacian_matrix(X, s, kernel="gaussian", weighted=True):
    k = get(kernel)
    K = k.self_convolution(X, X, bandwidth=s)
    f = k(X, X, bandwidth=s).mean(axis=1) if weighted else np.ones(len(X))
    return K / np.sqrt(np.outer(f, f))


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "laplacian", "epanechnikov"])
@pytest.mark.parametrize("weighted", [True, False])
def test_inner_products_of_all_coordinates_are_the_laplacian_matrix(X, kernel, weighted):
    embedding = LaplacianEmbedding(len(X), bandwidth=0.7, kernel=kernel, weighted=weighted)
    phi = embedding.fit_transform(X)
    np.testing.assert_allclose(
        phi @ phi.T, laplacian_matrix(X, 0.7, kernel, weighted), rtol=0, atol=1e-11
    )


@pytest.mark.parametrize("weighted", [True, False])
def test_coordinates_are_orthogonal_and_as_long_as_their_eigenvalues(X, weighted):
    embedding = LaplacianEmbedding(5, bandwidth=0.7, weighted=weighted).fit(X)
    phi, eigenvalues = embedding.embedding_, embedding.eigenvalues_
    expected = np.linalg.eigvalsh(laplacian_matrix(X, 0.7, weighted=weighted))[::-1][:5]
    np.testing.assert_allclose(eigenvalues, expected, rtol=1e-11)
    np.testing.assert_allclose(phi.T @ phi, np.diag(eigenvalues), atol=1e-12 * eigenvalues[0])


@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "laplacian", "epanechnikov"])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_map_of_new_points_agrees_on_the_training_points(X, kernel, weighted):
    embedding = LaplacianEmbedding(4, bandwidth=0.9, kernel=kernel, weighted=weighted).fit(X)
    np.testing.assert_allclose(embedding.transform(X), embedding.embedding_, rtol=0, atol=1e-10)


def test_a_new_point_gets_nystroms_formula(X):
    new = X[:3] + 0.3
    embedding = LaplacianEmbedding(3, bandwidth=0.7).fit(X)
    k = get("gaussian")
    f = k(X, X, bandwidth=0.7).mean(axis=1)
    f_new = k(new, X, bandwidth=0.7).mean(axis=1)
    row = k.self_convolution(new, X, bandwidth=0.7) / np.sqrt(np.outer(f_new, f))
    expected = row @ embedding.embedding_ / embedding.eigenvalues_
    np.testing.assert_allclose(embedding.transform(new), expected, rtol=1e-9, atol=1e-12)


def test_points_far_from_the_data_and_500_dimensions_stay_finite(X):
    embedding = LaplacianEmbedding(2, bandwidth=0.7).fit(X)
    far = embedding.transform(np.full((1, 3), 1e6))
    assert np.isfinite(far).all()
    assert np.abs(far).max() > 0
    wide = np.random.default_rng(1).normal(size=(30, 500))
    phi = LaplacianEmbedding(2).fit_transform(wide)
    assert np.isfinite(phi).all()
    assert (phi**2).sum() > 0


def test_a_point_off_a_compact_support_is_at_the_origin(X):
    embedding = LaplacianEmbedding(2, bandwidth=0.7, kernel="uniform").fit(X)
    np.testing.assert_array_equal(embedding.transform(np.full((1, 3), 1e3)), 0.0)


def test_two_far_clusters_lie_on_two_orthogonal_lines():
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(20, 2)) + 100.0])
    phi = LaplacianEmbedding(2, bandwidth=1.0).fit_transform(X)
    directions = phi / np.linalg.norm(phi, axis=1, keepdims=True)
    np.testing.assert_allclose(directions[:30] @ directions[30:].T, 0.0, atol=1e-12)
    np.testing.assert_allclose(directions[30:] @ directions[30], 1.0, rtol=1e-12)


def test_units_do_not_matter_and_rows_may_be_permuted(X):
    phi = LaplacianEmbedding(3).fit_transform(X)
    np.testing.assert_allclose(LaplacianEmbedding(3).fit_transform(1e6 * X), phi, atol=1e-9)
    order = np.random.default_rng(3).permutation(len(X))
    np.testing.assert_allclose(LaplacianEmbedding(3).fit_transform(X[order]), phi[order], atol=1e-9)


def test_zero_eigenvalues_give_zero_coordinates():
    X = np.repeat(np.array([[0.0], [1.0]]), 3, axis=0)
    embedding = LaplacianEmbedding(4, bandwidth=0.5).fit(X)
    np.testing.assert_array_equal(embedding.embedding_[:, 2:], 0.0)
    np.testing.assert_array_equal(embedding.transform([[0.4]])[:, 2:], 0.0)


def test_unweighted_densities_out_of_range_are_refused_with_the_cure():
    X = 1e-3 * np.random.default_rng(4).normal(size=(10, 500))
    with pytest.raises(ValueError, match="rescale X, or use weighted=True"):
        LaplacianEmbedding(weighted=False).fit(X)


def test_ten_thousand_features_are_refused_with_the_cure():
    X = np.random.default_rng(5).normal(size=(8, 10_000))
    with pytest.raises(ValueError, match="10000 features; reduce them"):
        LaplacianEmbedding().fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": 41}, "exceeds the number of samples"),
        ({"bandwidth": -1.0}, "must be a positive number"),
        ({"bandwidth": "nonsense"}, "'silverman' or 'scott'"),
        ({"kernel": "polynomial"}, "not a density"),
        ({"weighted": "no"}, "weighted must be True or False"),
    ],
)
def test_wrong_parameters_are_refused(X, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        LaplacianEmbedding(**parameters).fit(X)


def test_too_large_a_matrix_is_refused_with_its_size_before_it_is_made():
    many = np.zeros((2000, 1))
    with config_context(working_memory=16), pytest.raises(ValueError, match="takes 31 MB"):
        LaplacianEmbedding().fit(many)
    with config_context(working_memory=16), pytest.raises(ValueError, match="part of the sample"):
        EmpiricalKernelMap(bandwidth=1.0).fit(many)


def test_columns_have_names(X):
    pytest.importorskip("pandas")
    frame = LaplacianEmbedding(2).set_output(transform="pandas").fit_transform(X)
    assert list(frame.columns) == ["laplacianembedding0", "laplacianembedding1"]


def test_float32_stays_close(X):
    phi = LaplacianEmbedding(2, bandwidth=0.7).fit_transform(X)
    single = clone(LaplacianEmbedding(2, bandwidth=0.7)).fit_transform(X.astype(np.float32))
    np.testing.assert_allclose(single, phi, atol=1e-4)


@parametrize_with_checks([LaplacianEmbedding(n_components=1)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("n", "d", "seed"), [(60, 500, 0), (30, 200, 1), (30, 500, 5)])
def test_a_matrix_within_rounding_of_the_identity_has_its_coordinates(n, d, seed):
    """LAPACK finds none of its eigenpairs when asked for a few: X at the rule's bandwidth."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    embedding = LaplacianEmbedding(n_components=2).fit(X)
    diagonal = np.diag(laplacian_matrix_in_logs(X, embedding.bandwidth_))
    np.testing.assert_allclose(embedding.eigenvalues_, diagonal[:2], rtol=1e-12)
    np.testing.assert_allclose(
        embedding.embedding_.T @ embedding.embedding_,
        np.diag(diagonal[:2]),
        atol=1e-12 * diagonal[0],
    )
    np.testing.assert_allclose(
        embedding.transform(X), embedding.embedding_, atol=1e-12 * np.sqrt(diagonal[0])
    )


def laplacian_matrix_in_logs(X, s):
    k = get("gaussian")
    log_f = np.logaddexp.reduce(k.log(X, X, bandwidth=s), axis=1) - np.log(len(X))
    log_K = k.log_self_convolution(X, X, bandwidth=s)
    return np.exp(log_K - 0.5 * (log_f[:, None] + log_f))
