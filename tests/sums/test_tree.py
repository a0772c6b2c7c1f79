"""Sums by trees: never farther from the reference than the tolerance allows."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import kernel_sums
from parzen.kernels import get
from parzen.sums import labelled_kernel_sums, reference
from parzen.sums.forest import Forest, TreeColumn

RADIAL = ("gaussian", "cauchy", "radial_laplacian", "inverse_quadratic")
COMPACT = ("uniform", "triangular", "epanechnikov")


def sample(n=2500, d=2, q=25, seed=0, offset=0.0):
    """Clusters of very different widths, ties, and queries in and around them."""
    rng = np.random.default_rng(seed)
    widths = 10.0 ** rng.uniform(-3, 0.5, size=(n, 1))
    Y = rng.normal(size=(n, d)) * widths + rng.integers(-2, 3, size=(n, 1)) + offset
    Y[: n // 10] = Y[n // 2]  # ties
    X = np.concatenate(
        [Y[rng.integers(0, n, q // 2)], rng.normal(size=(q - q // 2, d)) * 3 + offset]
    )
    return X, Y


def relative_error(got, wanted):
    empty = np.isneginf(wanted)
    np.testing.assert_array_equal(np.isneginf(got), empty)
    return float(np.abs(np.expm1(got[~empty] - wanted[~empty])).max(initial=0))


@pytest.mark.slow
@pytest.mark.parametrize("rtol", [1e-1, 1e-4, 1e-10])
@pytest.mark.parametrize("d", [1, 2, 5, 10])
@pytest.mark.parametrize("kernel", [*RADIAL, "laplacian", *COMPACT])
def test_the_relative_error_never_exceeds_the_tolerance(kernel, d, rtol):
    X, Y = sample(d=d)
    weights = np.random.default_rng(1).exponential(size=len(Y)) ** 4
    for h in (0.02, 0.3, 3.0):
        for w in (None, weights):
            options = {"kernel": kernel, "bandwidths": h, "log": True}
            got = kernel_sums(X, Y, w, method="tree", rtol=rtol, n_jobs=1, **options)
            assert relative_error(got, reference.kernel_sums(X, Y, w, **options)) <= rtol


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [2, 7, 30])
def test_log_sums_keep_the_promise_of_exact_ones(assert_log_sums, d, dtype):
    X, Y = sample(d=d)
    X, Y = X.astype(dtype), Y.astype(dtype)
    options = {"kernel": "gaussian", "bandwidths": 0.5}
    got = kernel_sums(X, Y, log=True, method="tree", **options)
    assert got.dtype == dtype
    assert_log_sums(got, X, Y, **options)


@pytest.mark.parametrize("kernel", RADIAL[:3])
def test_queries_far_from_all_points_do_not_underflow(assert_log_sums, kernel):
    X, Y = sample(d=3)
    for distance in (1e3, 1e6):
        got = kernel_sums(X + distance, Y, kernel=kernel, bandwidths=1.0, log=True, method="tree")
        assert_log_sums(got, X + distance, Y, kernel=kernel, bandwidths=1.0)


def test_tiny_bandwidths_find_the_nearest_point(assert_log_sums):
    X, Y = sample(d=4)
    for h in (1e-2, 1e-4, 1e-8):
        got = kernel_sums(X, Y, bandwidths=h, log=True, method="tree")
        assert_log_sums(got, X, Y, kernel="gaussian", bandwidths=h)


def test_offsets_and_far_clusters_cost_no_digits(assert_log_sums):
    X, Y = sample(d=3, offset=1e8)
    got = kernel_sums(X, Y, bandwidths=1.0, log=True, method="tree")
    assert_log_sums(got, X, Y, kernel="gaussian", bandwidths=1.0, tolerance=1e-9)
    X, Y = sample(d=3)
    Y[::2] += 1e6
    got = kernel_sums(X, Y, bandwidths=1.0, log=True, method="tree")
    assert_log_sums(got, X, Y, kernel="gaussian", bandwidths=1.0, tolerance=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e-60, 1e60, 1e140])
def test_extreme_scales_stay_in_range(scale):
    X, Y = sample(d=2)
    plain = kernel_sums(X, Y, bandwidths=0.5, log=True, method="tree")
    scaled = kernel_sums(scale * X, scale * Y, bandwidths=scale * 0.5, log=True, method="tree")
    np.testing.assert_allclose(scaled + 2 * np.log(scale), plain, rtol=1e-10)


def test_signed_weights_are_bounded_by_their_absolute_values():
    X, Y = sample(d=2)
    W = np.random.default_rng(2).normal(size=(len(Y), 3))
    wanted = reference.kernel_sums(X, Y, W, bandwidths=0.4)
    room = 1e-8 * reference.kernel_sums(X, Y, np.abs(W), bandwidths=0.4)
    got = kernel_sums(X, Y, W, bandwidths=0.4, method="tree", rtol=1e-8)
    assert (np.abs(got - wanted) <= room).all()
    mantissa, log_scale = kernel_sums(
        X, Y, W, bandwidths=0.4, method="tree", rtol=1e-8, scaled=True
    )
    assert (np.abs(mantissa * np.exp(log_scale) - wanted) <= room).all()


def test_labels_make_columns_and_an_empty_one_has_no_sum():
    X, Y = sample(d=2)
    labels = np.random.default_rng(0).integers(0, 3, len(Y))
    labels[labels == 1] = 0
    exact = labelled_kernel_sums(X, Y, labels, 3, bandwidths=0.5, method="dense")
    tree = labelled_kernel_sums(X, Y, labels, 3, bandwidths=0.5, method="tree")
    assert np.isneginf(tree[:, 1]).all()
    np.testing.assert_allclose(tree[:, ::2], exact[:, ::2], rtol=1e-11, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("rtol", [1e-1, 1e-6, 1e-12])
@pytest.mark.parametrize("h", [1e-3, 0.05, 3.0])
@pytest.mark.parametrize("kernel", ["gaussian", "cauchy", "laplacian", "epanechnikov"])
def test_without_the_own_term_the_error_stays_within_the_tolerance(kernel, h, rtol):
    """The own term is nearly all of a sum at some of these bandwidths, and nothing at others."""
    _, Y = sample(n=700, d=2)
    Y[-1] = 1e4  # alone
    weights = np.random.default_rng(1).exponential(size=len(Y)) ** 4
    options = {"kernel": kernel, "bandwidths": h, "log": True, "exclude_self": True}
    for w in (None, weights):
        got = kernel_sums(Y, Y, w, method="tree", rtol=rtol, n_jobs=1, **options)
        wanted = reference.kernel_sums(Y, Y, w, **options)
        some = np.isfinite(wanted)
        np.testing.assert_array_equal(np.isfinite(got), some)
        room = -np.log1p(-rtol) + 1e-12 * (1 + np.abs(wanted[some]))
        assert (np.abs(got[some] - wanted[some]) <= room).all()


@pytest.mark.slow
def test_of_equal_points_one_is_left_out():
    _, Y = sample(n=400, d=10)
    Y = np.repeat(Y, 3, axis=0)
    options = {"bandwidths": 0.02, "log": True, "exclude_self": True}
    got = kernel_sums(Y, Y, method="tree", rtol=1e-10, **options)
    np.testing.assert_allclose(got, reference.kernel_sums(Y, Y, **options), rtol=1e-10)


def test_each_label_leaves_out_its_own_points_only():
    _, Y = sample(n=1500, d=2)
    rng = np.random.default_rng(3)
    labels, weights = rng.integers(0, 3, len(Y)), rng.exponential(size=len(Y))
    options = {"bandwidths": 0.2, "exclude_self": True}
    exact = labelled_kernel_sums(Y, Y, labels, 3, weights, method="dense", **options)
    tree = labelled_kernel_sums(Y, Y, labels, 3, weights, method="tree", **options)
    np.testing.assert_allclose(tree, exact, rtol=1e-11, atol=1e-11)


def test_signed_sums_leave_out_the_own_points_too():
    _, Y = sample(n=1500, d=2)
    W = np.random.default_rng(2).normal(size=(len(Y), 2))
    options = {"bandwidths": 0.4, "exclude_self": True}
    exact = kernel_sums(Y, Y, W, method="dense", **options)
    room = 1e-8 * kernel_sums(Y, Y, np.abs(W), method="dense", **options)
    got = kernel_sums(Y, Y, W, method="tree", rtol=1e-8, **options)
    assert (np.abs(got - exact) <= room).all()
    mantissa, scale = kernel_sums(Y, Y, W, method="tree", rtol=1e-8, scaled=True, **options)
    assert (np.abs(mantissa * np.exp(scale) - exact) <= room).all()


@pytest.mark.parametrize("rtol", [1e-3, 1e-12])
def test_any_number_of_threads_and_any_batches_give_the_same_bits(rtol):
    X, Y = sample(n=6000, q=200, d=3)
    options = {"bandwidths": 0.3, "log": True, "method": "tree", "rtol": rtol}
    one = kernel_sums(X, Y, n_jobs=1, **options)
    for threads in (2, 5):
        np.testing.assert_array_equal(kernel_sums(X, Y, n_jobs=threads, **options), one)
    parts = [kernel_sums(X[i : i + 13], Y, **options) for i in range(0, len(X), 13)]
    np.testing.assert_array_equal(np.concatenate(parts), one)


def test_loose_tolerances_look_into_few_nodes():
    rng = np.random.default_rng(0)
    Y, X = rng.normal(size=(50_000, 2)), rng.normal(size=(100, 2))
    forest = Forest([TreeColumn(Y, None, 0.1)], get("gaussian"), 1)
    pairs = [forest.sums([X], rtol, 1)[2].pairs / (len(X) * len(Y)) for rtol in (1e-1, 1e-12)]
    assert pairs[0] < 0.05
    assert pairs[1] < 0.4


def test_auto_stays_dense_where_trees_do_not_pay():
    X, Y = sample(n=500, d=2, q=40)
    exact = kernel_sums(X, Y, bandwidths=0.3, log=True, method="dense")
    np.testing.assert_array_equal(kernel_sums(X, Y, bandwidths=0.3, log=True), exact)
    np.testing.assert_array_equal(
        kernel_sums(X, Y, bandwidths=0.3, log=True, method="tree", rtol=0), exact
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "quick"}, "method='quick' is unknown; choose one of auto, dense, tree"),
        ({"rtol": -1e-3}, "rtol=-0.001 must be a relative error"),
        ({"rtol": float("nan")}, "rtol=nan must be a relative error"),
        ({"method": "tree", "kernel": "polynomial"}, "no bounds for kernel 'polynomial'; use meth"),
        ({"method": "tree", "bandwidths": [1.0, 2.0]}, "takes one bandwidth, not 2; use method="),
    ],
)
def test_what_cannot_be_served_is_refused_with_the_cure(options, message):
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match=message):
        kernel_sums(X, X, **({"bandwidths": 1.0} | options))
