"""The native entry points, called past the Python layer, refuse what they cannot index."""

from __future__ import annotations

import numpy as np
import pytest

from parzen import _native, kernels


def sums_arguments(**changes):
    arguments = {
        "queries": np.zeros((3, 2)),
        "points": np.ones((4, 2)),
        "weights": None,
        "labels": None,
        "kernel": "gaussian",
        "parameters": [],
        "bandwidths": np.ones(2),
        "log_normalizers": np.zeros(2),
        "mode": "plain",
        "same": False,
        "exclude_self": False,
        "out": np.empty((3, 1, 2)),
        "log_scale": None,
        "threads": 1,
    }
    return arguments | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"queries": np.zeros((3, 5))},
        {"points": np.ones((0, 2))},
        {"out": np.empty((2, 1, 2))},
        {"out": np.empty((3, 1, 1))},
        {"out": np.empty((3, 2, 2))},
        {"log_normalizers": np.zeros(1)},
        {"bandwidths": np.array([1.0, 0.0])},
        {"bandwidths": np.array([1.0, np.nan])},
        {"weights": np.ones((3, 1, 1))},
        {"weights": np.ones((4, 1, 3))},
        {"weights": np.ones((4, 2, 1))},
        {"labels": np.array([0, 0, 0, 1], dtype=np.int32)},
        {"labels": np.array([0, 0, 0, -1], dtype=np.int32)},
        {"labels": np.zeros(3, dtype=np.int32)},
        {"mode": "scaled"},
        {"mode": "scaled", "log_scale": np.empty((3, 1))},
        {"mode": "logarithm"},
        {"same": True},
        {"exclude_self": True},
        {"kernel": "abacus"},
        {"parameters": [1.0]},
        {"kernel": "rational", "parameters": [1e300]},
        {"kernel": "polynomial", "parameters": [1.0, -3.0]},
    ],
)
def test_sums_refuse_shapes_indices_and_numbers_that_do_not_fit(changes):
    _native.kernel_sums(**sums_arguments())
    with pytest.raises(ValueError):
        _native.kernel_sums(**sums_arguments(**changes))


def test_packed_points_refuse_several_bandwidths_and_queries_that_do_not_fit():
    grid = np.ones(1), np.zeros(1)
    arguments = (np.ones((4, 2)), None, None, "gaussian", [])
    with pytest.raises(ValueError):
        _native.pack(*arguments, np.ones(2), np.zeros(2), "log", 1)
    with pytest.raises(ValueError):
        _native.pack(*arguments, *grid, "log", 2)
    packed = _native.pack(*arguments, *grid, "scaled", 1)
    queries, out, scale = np.ones((3, 2)), np.empty((3, 1, 1)), np.empty((3, 1))
    assert packed.at(queries, out, scale)
    for wrong in (
        (np.ones((3, 5)), out, scale), (queries, np.empty((2, 1, 1)), scale),
        (queries, np.empty((3, 2, 1)), scale), (queries, out, None),
        (queries, out, np.empty((2, 1))),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            packed.at(*wrong)


def sorted_arguments(**changes):
    one = {"queries": np.zeros((3, 1)), "points": np.ones((4, 1)), "kernel": "uniform"}
    return sums_arguments(**(one | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"queries": np.zeros((3, 2)), "points": np.ones((4, 2))},
        {"kernel": "gaussian"},
        {"kernel": "biweight"},
        {"points": np.array([[0.0], [np.nan], [1.0], [2.0]])},
        {"queries": np.full((3, 1), np.nan)},
    ],
)
def test_sorted_sums_refuse_kernels_they_do_not_know_and_points_without_an_order(changes):
    _native.sorted_sums(**sorted_arguments())
    with pytest.raises(ValueError):
        _native.sorted_sums(**sorted_arguments(**changes))


def metric_arguments(**changes):
    m, n, d, k = 3, 4, 2, 2
    arguments = {
        "queries": np.zeros((m, d)),
        "points": np.ones((n, d)),
        "absolute": False,
        "starts": np.array([0, 2, 4], dtype=np.uint64),
        "weights": np.ones(n),
        "labels": np.zeros(m, dtype=np.int32),
        "own": np.full(m, -1, dtype=np.int64),
        "left": np.zeros(m),
        "log_sizes": np.zeros((m, k)),
        "base": np.zeros((m, k)),
        "shares": np.ones(m),
        "parameters": np.ones(d + 2 * k + 1),
        "gradient": np.empty(d + 2 * k + 1),
        "log_means": None,
        "threads": 1,
    }
    return arguments | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"own": np.full(1, -1, dtype=np.int64)},
        {"own": np.array([0, 1, 4], dtype=np.int64)},
        {"own": np.array([0, 1, -2], dtype=np.int64)},
        {"labels": np.zeros(2, dtype=np.int32)},
        {"labels": np.array([0, 1, 2], dtype=np.int32)},
        {"starts": np.array([], dtype=np.uint64)},
        {"starts": np.array([0], dtype=np.uint64)},
        {"starts": np.array([0, 2, 5], dtype=np.uint64)},
        {"starts": np.array([0, 2**63, 4], dtype=np.uint64)},
        {"weights": np.ones(3)},
        {"left": np.zeros(1)},
        {"shares": np.ones(1)},
        {"log_sizes": np.zeros((3, 1))},
        {"base": np.zeros((1, 2))},
        {"parameters": np.ones(6)},
        {"gradient": np.empty(6)},
        {"log_means": np.empty((1, 2))},
    ],
)
def test_the_likelihood_of_a_metric_refuses_arrays_that_do_not_belong_together(changes):
    _native.metric_loss(**metric_arguments())
    with pytest.raises(ValueError):
        _native.metric_loss(**metric_arguments(**changes))


def simplex_arguments(**changes):
    n, classes = 4, 2
    arguments = {
        "points": np.arange(8.0).reshape(n, 2),
        "matrix": None,
        "evaluate": None,
        "shape": "gaussian",
        "power": 1.0,
        "starts": np.array([0, 2, 4], dtype=np.uint64),
        "bandwidths": np.ones((classes, classes)),
        "budget": 1 << 20,
        "linear": np.ones((1, n)),
        "factors": np.ones(1),
        "active": None,
        "coupling": np.ones((1, classes, classes)),
        "rates": None,
        "tolerance": 1e-6,
        "max_iterations": 100,
        "weights": np.zeros((1, 1, n)),
        "objectives": np.empty((1, 1)),
        "gaps": np.empty((1, 1)),
        "iterations": np.empty((1, 1), dtype=np.int64),
        "floors": np.empty((1, 1, classes)),
        "threads": 1,
        "report": None,
    }
    return arguments | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"points": np.ones((3, 2))},
        {"points": None},
        {"matrix": np.eye(4)},
        {"points": None, "matrix": np.eye(3)},
        {"points": None, "evaluate": lambda i: np.ones(3)},
        {"starts": np.array([], dtype=np.uint64)},
        {"starts": np.array([0, 4, 4], dtype=np.uint64)},
        {"starts": np.array([0, 9, 4], dtype=np.uint64)},
        {"bandwidths": np.ones((1, 2))},
        {"coupling": np.ones((1, 2, 1))},
        {"active": np.ones((1, 3), dtype=np.uint8)},
        {"rates": np.ones((1, 1))},
        {"weights": np.zeros((1, 2, 4))},
        {"objectives": np.empty((2, 1))},
        {"gaps": np.empty((1, 2))},
        {"iterations": np.empty((1, 2), dtype=np.int64)},
        {"floors": np.empty((1, 1, 1))},
        {"linear": np.ones((1, 0))},
        {"shape": "abacus"},
    ],
)
def test_simplex_programmes_refuse_arrays_that_do_not_belong_together(changes):
    _native.simplex_qp(**simplex_arguments())
    with pytest.raises(ValueError):
        _native.simplex_qp(**simplex_arguments(**changes))


@pytest.mark.parametrize("name", ["linear", "matrix", "coupling"])
def test_simplex_programmes_survive_numbers_that_are_none(name):
    n = 300
    rng = np.random.default_rng(0)
    changes = {
        "points": None,
        "matrix": np.full((n, n), 0.5) + 0.5 * np.eye(n),
        "starts": np.array([0, 150, n], dtype=np.uint64),
        "linear": rng.normal(size=(1, n)),
        "weights": np.zeros((1, 1, n)),
    }
    arguments = simplex_arguments(**changes)
    arguments[name] = np.where(rng.uniform(size=arguments[name].shape) < 0.5, np.nan, 1.0)
    _native.simplex_qp(**arguments)  # no promise on the result, but on memory


def forest_arguments(**changes):
    arguments = {
        "points": [np.arange(8.0).reshape(4, 2), np.ones((3, 2))],
        "weights": [None, np.ones(3)],
        "bandwidths": [1.0, 2.0],
        "kernel": "gaussian",
        "parameters": [],
        "threads": 1,
    }
    return arguments | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"points": []},
        {"points": [np.ones((4, 2)), np.ones((3, 3))]},
        {"points": [np.ones((4, 2)), np.full((3, 2), np.nan)]},
        {"weights": [None]},
        {"weights": [None, np.ones(2)]},
        {"weights": [None, np.array([1.0, np.nan, 1.0])]},
        {"weights": [None, np.array([1.0, -1.0, 1.0])]},
        {"bandwidths": [1.0]},
        {"bandwidths": [1.0, 0.0]},
        {"kernel": "polynomial", "parameters": [0.0, 1.0]},
        {"kernel": "biweight"},
    ],
)
def test_trees_refuse_columns_that_they_cannot_sort_or_bound(changes):
    _native.make_forest(**forest_arguments())
    with pytest.raises(ValueError):
        _native.make_forest(**forest_arguments(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"queries": [np.zeros((5, 3))]},
        {"queries": []},
        {"queries": [np.zeros((5, 2)), np.zeros((4, 2))]},
        {"queries": [np.full((5, 2), np.nan)]},
        {"values": np.empty((5, 1))},
        {"levels": np.empty((4, 2))},
        {"own": [np.zeros(5, dtype=np.int64)]},
        {"own": [np.zeros(5, dtype=np.int64), np.full(5, 3)]},
        {"own": [np.zeros(5, dtype=np.int64), np.full(5, -2)]},
        {"own": [np.zeros(5, dtype=np.int64), np.zeros(4, dtype=np.int64)]},
        {"rtol": np.nan},
        {"rtol": 0.0},
    ],
)
def test_sums_by_trees_refuse_queries_and_places_that_do_not_fit(changes):
    forest = _native.make_forest(**forest_arguments())
    arguments = {
        "queries": [np.zeros((5, 2))],
        "rtol": 1e-6,
        "values": np.empty((5, 2)),
        "levels": np.empty((5, 2)),
        "threads": 1,
    }
    forest.sums(**arguments)
    with pytest.raises(ValueError):
        forest.sums(**arguments | changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"costs": np.ones((1, 2))},
        {"costs": np.ones((2, 0))},
        {"constant": True},
        {"log_shift": np.zeros(1)},
        {"labels": np.empty(4, dtype=np.int32)},
        {"exponent": -(2.0**31)},
        {"exponent": np.nan},
        {"margin": -1.0},
        {"margin": np.nan},
        {"log_shift": np.array([0.0, np.nan])},
        {"costs": np.array([[0.0, 1.0], [np.inf, 0.0]])},
        {"reject": np.nan},
        {"novelty": np.nan},
    ],
)
def test_decisions_by_trees_refuse_rules_that_do_not_fit(changes):
    forest = _native.make_forest(**forest_arguments())
    arguments = {
        "queries": [np.zeros((5, 2))],
        "costs": None,
        "constant": False,
        "exponent": 1.0,
        "log_shift": np.zeros(2),
        "reject": None,
        "novelty": None,
        "margin": 1e-10,
        "labels": np.empty(5, dtype=np.int32),
        "threads": 1,
    }
    forest.decide(**arguments)
    with pytest.raises(ValueError):
        forest.decide(**arguments | changes)


def test_products_and_triangles_refuse_shapes_that_do_not_fit():
    with pytest.raises(ValueError):
        _native.few_products(np.ones((2, 3)), np.ones((4, 5)), np.empty((2, 5)))
    with pytest.raises(ValueError):
        _native.few_products(np.ones((2, 4)), np.ones((4, 5)), np.empty((2, 4)))
    with pytest.raises(ValueError):
        _native.few_transposed_products(np.ones((2, 5)), np.ones((5, 4)).T, np.empty((2, 4)))
    with pytest.raises(ValueError):
        _native.gaussian_of_products(np.ones((2, 3)), np.ones(3), np.ones(3))
    with pytest.raises(ValueError):
        _native.triangle_of(np.ones((4, 3)), np.empty((2, 2)), 1)
    with pytest.raises(ValueError):
        _native.join_diagonal(np.ones(3), np.empty((3, 2)), 1)


def test_every_kernel_names_a_row_of_the_native_table():
    for name in kernels.names():
        native = kernels.get(name).native(3)
        assert native is None or native[0] in _native.kernel_names()


@pytest.mark.parametrize("strategy", ["tree", "sorted"])
def test_what_a_strategy_knows_is_in_the_table(strategy):
    assert set(_native.kernel_names(strategy)) < set(_native.kernel_names())
    with pytest.raises(ValueError):
        _native.kernel_names("abacus")


PROFILES = {
    "biweight": lambda r: np.maximum(1 - r**2, 0) ** 2,
    "triweight": lambda r: np.maximum(1 - r**2, 0) ** 3,
    "tricube": lambda r: np.maximum(1 - r**3, 0) ** 3,
    "cosine": lambda r: np.where(r < 1, np.cos(np.pi / 2 * r), 0.0),
    "logistic": lambda r: 1 / np.cosh(np.minimum(r, 700) / 2) ** 2,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PROFILES)
def test_native_profiles_are_the_formulas_of_their_kernels(name, dtype):
    rng = np.random.default_rng(3)
    X, Y = (rng.normal(size=(n, 3)).astype(dtype) for n in (20, 57))
    h = np.array([0.7, 1.4, 3.0])
    out = np.empty((20, 1, 3), dtype)
    _native.kernel_sums(
        **sums_arguments(
            queries=X, points=Y, kernel=name, bandwidths=h, log_normalizers=np.zeros(3), out=out
        )
    )
    r = np.sqrt(((X[:, None].astype(float) - Y.astype(float)) ** 2).sum(axis=-1))
    wanted = np.stack([PROFILES[name](r / s).sum(axis=1) for s in h], axis=-1)
    np.testing.assert_allclose(out[:, 0], wanted, atol=1e-12 if dtype == np.float64 else 2e-5)
