"""Sums over fixed points take queries of any layout and type."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import AnovaKernel, get
from parzen.sums import DEFAULT_RTOL, PreparedSums, image_log_sums, kernel_sums


@pytest.mark.parametrize("n_queries", [1, 40])
@pytest.mark.parametrize("form", [np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]])
def test_the_layout_of_queries_changes_no_digit(n_queries, form):
    rng = np.random.default_rng(0)
    Y, X = rng.normal(size=(30, 3)), rng.normal(size=(n_queries, 3))
    prepared = PreparedSums(Y, None, kernel=get("gaussian"), bandwidth=0.7, mode="log")
    expected = kernel_sums(X, Y, bandwidths=0.7, log=True)
    found = prepared.at(form(X), method="auto", rtol=1e-12, n_jobs=None)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    whole = prepared.at(np.round(X).astype(int), method="auto", rtol=1e-12, n_jobs=None)
    np.testing.assert_allclose(
        whole, kernel_sums(np.round(X), Y, bandwidths=0.7, log=True), rtol=1e-13
    )


def test_no_queries_have_no_sums_where_the_core_lacks_the_kernel():
    Y = np.random.default_rng(0).normal(size=(30, 3))
    kernel = AnovaKernel(Y, 0.5, np.zeros(3))
    sums = PreparedSums(Y, np.ones((30, 2)), kernel=kernel, bandwidth=1.0, mode="scaled")
    found = sums.at(np.empty((0, 3)), method="auto", rtol=DEFAULT_RTOL, n_jobs=None)
    assert found[0].shape == (0, 2, 1)


def by_definition(X, points, weights, kernel, h, factors):
    """The kernel of every point is wider by its factor, with the peak of the bandwidth."""
    k, d = get(kernel), points.shape[1]
    out = np.empty((len(X), weights.shape[1]))
    for i, x in enumerate(X):
        for c in range(weights.shape[1]):
            values = [
                k([x], [y], bandwidth=h * f).item()
                * np.exp(k.log_normalizer(h, d) - k.log_normalizer(h * f, d))
                for y, f in zip(points, factors, strict=True)
            ]
            out[i, c] = np.log(weights[:, c] @ values)
    return out


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "cauchy"])
@pytest.mark.parametrize("labelled", [False, True])
def test_every_point_may_have_a_width_of_its_own(kernel, labelled):
    rng = np.random.default_rng(3)
    Y, X, factors = rng.normal(size=(14, 2)), rng.normal(size=(5, 2)), rng.uniform(0.4, 2.0, 14)
    w, labels = rng.uniform(0.5, 2.0, 14), np.arange(14) % 2
    columns = (labels[:, None] == np.arange(2)) * w[:, None] if labelled else w[:, None]
    own = {"labels": labels, "n_labels": 2} if labelled else {}
    sums = PreparedSums(Y, w, kernel=get(kernel), bandwidth=0.8, mode="log", factors=factors, **own)
    how = {"method": "auto", "rtol": DEFAULT_RTOL, "n_jobs": None}
    expected = by_definition(X, Y, columns, kernel, 0.8, factors)
    np.testing.assert_allclose(sums.at(X, **how)[..., 0], expected, rtol=1e-11)
    single = sums.at(X.astype(np.float32), **how)[..., 0]
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, expected, rtol=1e-5)
    for i, found in enumerate(sums.without_self(**how)[..., 0]):
        left = columns * (np.arange(14) != i)[:, None]
        alone = by_definition(Y[[i]], Y, left, kernel, 0.8, factors)
        np.testing.assert_allclose(found, alone[0], rtol=1e-11)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_sums_at_images_leave_out_the_own_points(kernel):
    rng = np.random.default_rng(4)
    Y, w = rng.normal(size=(11, 2)), rng.uniform(0.5, 2.0, 11)
    images, h = Y + 0.3 * rng.normal(size=Y.shape), np.array([0.5, 1.2])
    found = image_log_sums(images, Y, w, kernel=get(kernel), bandwidths=h, n_jobs=None)
    assert found.shape == (11, 2)
    for b, width in enumerate(h):
        K = get(kernel)(images, Y, bandwidth=width)
        np.fill_diagonal(K, 0.0)
        np.testing.assert_allclose(found[:, b], np.log(K @ w), rtol=1e-12)


def test_few_queries_take_packed_points_only_where_exact_sums_of_logarithms_are_asked_for():
    Y, gaussian = np.random.default_rng(0).normal(size=(30, 3)), get("gaussian")

    def few(points=Y, kernel=gaussian, mode="log", bandwidth=0.7, **more):
        return PreparedSums(
            points, kernel=kernel, bandwidth=bandwidth, mode=mode, **more
        )._max_packed_queries

    assert few() == few(mode="scaled") == (50_000 - 1) // 30
    assert few(Y[:, :1]) == 0
    assert few(factors=np.ones(30)) == 0
    assert few(bandwidth=2.0**140) == 0
    assert few(weights=10.0 ** np.linspace(-200, 200, 30)) == 0
    assert few(np.zeros((2**19, 2))) == 0
    assert few(np.zeros((2**19 + 1, 2))) == 0
    assert few(np.zeros((2**14, 2))) == 3
    assert few(np.zeros((49_999, 2))) == 1
    assert few(np.zeros((50_000, 2))) == 0


@pytest.mark.parametrize("n_jobs", [None, 1, -1])
def test_packed_points_give_the_sums_of_the_strategy(n_jobs):
    rng = np.random.default_rng(0)
    Y, X = rng.normal(size=(30, 3)), rng.normal(size=(4, 3))
    sums = PreparedSums(Y, kernel=get("gaussian"), bandwidth=0.7, mode="scaled")
    how = {"rtol": DEFAULT_RTOL, "n_jobs": n_jobs}
    packed, dense = sums.at(X, method="auto", **how), sums.at(X, method="dense", **how)
    assert sums._packed is not None
    for found, expected in zip(packed, dense, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    own = sums.with_own_trees()
    assert own.call.trees is not None
    assert sums.call.trees is None
    np.testing.assert_array_equal(own.at(X, method="auto", **how).mantissa, packed.mantissa)
