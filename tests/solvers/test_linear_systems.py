"""Regularised linear systems: against dense solves, and leave-one-out against refits."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import gram
from parzen.solvers.linear_systems import RidgePath, conjugate_gradients, significant, solve_ridge


@pytest.fixture
def system():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    T = np.where(rng.random((30, 2)) < 0.5, -1.0, 1.0)
    return gram(X, X, "gaussian", 1.0), T, rng.integers(1, 4, size=30).astype(float)


def bordered(K, ridge, T):
    n = len(K)
    S = np.zeros((n + 1, n + 1))
    S[0, 1:] = S[1:, 0] = 1.0
    S[1:, 1:] = K + np.diag(ridge)
    solved = np.linalg.solve(S, np.vstack([np.zeros(T.shape[1]), T]))
    return solved[1:], solved[0]


def test_systems_with_and_without_an_offset_equal_dense_solves(system):
    K, T, w = system
    a, b = solve_ridge(K, 0.3 / w, T, offset=False)
    np.testing.assert_allclose(a, np.linalg.solve(K + np.diag(0.3 / w), T), rtol=1e-10)
    assert not b.any()
    a, b = solve_ridge(K, 0.3 / w, T, offset=True)
    expected = bordered(K, 0.3 / w, T)
    np.testing.assert_allclose(a, expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(b, expected[1], rtol=1e-9)
    np.testing.assert_allclose(a.sum(axis=0), 0.0, atol=1e-12)


def test_an_indefinite_matrix_is_solved_too():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    a, _ = solve_ridge(K, np.full(2, 0.1), np.ones((2, 1)), offset=False)
    np.testing.assert_allclose(a, np.linalg.solve(K + 0.1 * np.eye(2), np.ones((2, 1))))


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_one_out_in_closed_form_equals_refits(system, offset, weighted):
    K, T, w = system
    w = w if weighted else np.ones(len(K))
    mu = 0.2
    scores = RidgePath(K, w).leave_one_out(np.full(len(K), mu), T, offset=offset)
    for i in range(len(K)):
        rest = w.copy()
        rest[i] -= 1.0
        kept = rest > 0
        a, b = solve_ridge(K[np.ix_(kept, kept)], mu / rest[kept], T[kept], offset=offset)
        np.testing.assert_allclose(scores[i], K[i, kept] @ a + b, rtol=1e-9, atol=1e-11)


def test_a_weight_below_one_is_left_out_whole():
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(12, 2)), np.where(np.arange(12) % 2, 1.0, -1.0)[:, None]
    K, w = gram(X, X, "gaussian", 1.0), rng.uniform(0.2, 0.9, size=12)
    scores = RidgePath(K, w).leave_one_out(np.full(12, 0.5), t, offset=True)
    for i in range(12):
        kept = np.arange(12) != i
        a, b = solve_ridge(K[np.ix_(kept, kept)], 0.5 / w[kept], t[kept], offset=True)
        np.testing.assert_allclose(scores[i], K[i, kept] @ a + b, rtol=1e-9, atol=1e-11)


def test_conjugate_gradients_solve_every_column(system):
    K, T, _ = system
    S = K + 0.1 * np.eye(len(K))
    solution = conjugate_gradients(lambda p: S @ p, T, tol=1e-12, max_iter=500)
    assert solution.converged
    np.testing.assert_allclose(solution.weights, np.linalg.solve(S, T), rtol=1e-8, atol=1e-10)
    assert conjugate_gradients(lambda p: S @ p, T, tol=1e-12, max_iter=1).status == "max_iter"
    sides = T * np.geomspace(1.0, 1e6, T.shape[1])
    rough = conjugate_gradients(lambda p: S @ p, sides, tol=1e-3, max_iter=500)
    missed = np.linalg.norm(sides - S @ rough.weights, axis=0) / np.linalg.norm(sides, axis=0)
    assert rough.gap == pytest.approx(missed.max(), rel=1e-6)
    assert rough.gap <= 1e-3
    assert rough.objective == pytest.approx(-0.5 * np.sum(rough.weights * sides))
    nothing = conjugate_gradients(lambda p: S @ p, 0.0 * T, tol=1e-3, max_iter=500)
    assert (nothing.gap, nothing.iterations, nothing.status) == (0.0, 0, "optimal")


def test_thresholds_are_relative_or_absolute():
    values = np.array([-4.0, 1e-20, 0.02, 1.0])
    assert significant(values, 0.1, relative=True).tolist() == [True, False, False, True]
    assert significant(values, 0.01, relative=False).tolist() == [True, False, True, True]


@pytest.mark.filterwarnings("error")
def test_conjugate_gradients_take_no_step_that_overflows():
    targets = np.ones((3, 2))
    found = conjugate_gradients(lambda p: 1e-310 * p, targets, tol=0.0, max_iter=5)
    assert np.isfinite(found.weights).all()
    assert found.status == "max_iter"


@pytest.mark.parametrize("offset", [False, True])
def test_a_singular_system_has_its_shortest_solution(offset):
    K, T = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, -1.0]]), np.eye(3)[:, :2]
    a, b = solve_ridge(K, np.zeros(3), T, offset=offset)
    expected = np.linalg.pinv(K) @ T
    if offset:
        ones = np.linalg.pinv(K) @ np.ones(3)
        np.testing.assert_allclose(b, expected.sum(axis=0) / ones.sum())
        expected = expected - np.outer(ones, b)
    np.testing.assert_allclose(a, expected, atol=1e-12)


def test_rounding_is_never_a_significant_eigenvalue():
    eps = np.finfo(float).eps
    values = np.array([1.0, 4.1 * eps, 3.9 * eps, -4.1 * eps])
    for relative in (False, True):
        assert significant(values, 0.0, relative=relative).tolist() == [True, True, False, True]
    large = 1e6 * values
    assert significant(large, 1.0, relative=False).tolist() == [True, False, False, False]
    assert significant(large, 0.5, relative=True).tolist() == [True, False, False, False]


def test_conjugate_gradients_stop_where_the_system_is_singular():
    """Along the null space there is no curvature; the other columns go on."""
    S, sides = np.diag([2.0, 0.0]), np.array([[2.0, 0.0], [0.0, 1.0]])
    found = conjugate_gradients(lambda p: S @ p, sides, tol=1e-10, max_iter=9)
    np.testing.assert_array_equal(found.weights, [[1.0, 0.0], [0.0, 0.0]])
    assert (found.status, found.iterations, found.gap) == ("max_iter", 1, 1.0)


def test_conjugate_gradients_without_a_residual_are_optimal_at_any_tolerance():
    found = conjugate_gradients(lambda p: p, np.zeros((2, 1)), tol=0.0, max_iter=5)
    assert (found.status, found.iterations, found.gap) == ("optimal", 0, 0.0)
    exact = conjugate_gradients(lambda p: p, np.array([[1.0], [2.0]]), tol=0.0, max_iter=5)
    assert (exact.status, exact.iterations, exact.gap) == ("optimal", 1, 0.0)
