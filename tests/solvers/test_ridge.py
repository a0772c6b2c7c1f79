"""The ridge system of the L2 programme against systems that are written out and solved afresh."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.solvers import RidgeSystem, early_stopped


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 2))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    return K, rng.normal(size=(9, 2)), np.array([1.0, 2, 1, 3, 1, 1, 2, 1, 1])


def test_the_solution_is_that_of_the_system_and_says_its_objective_and_residual(problem):
    K, h, w = problem
    A = K + 0.3 * np.diag(1 / w)
    found = RidgeSystem(K, h, w).solve(0.3)
    np.testing.assert_allclose(found.weights, np.linalg.solve(A, h), rtol=1e-10)
    b = found.weights
    assert found.objective == pytest.approx(0.5 * np.sum(b * (A @ b)) - np.sum(b * h))
    assert found.gap == pytest.approx(np.linalg.norm(A @ b - h) / np.linalg.norm(h), abs=1e-14)
    assert found.gap < 1e-12


def test_without_a_ridge_the_solution_of_a_singular_system_is_the_shortest():
    K = np.outer([1.0, 2.0, 0.5], [1.0, 2.0, 0.5]) + np.outer([0.0, 1.0, 1.0], [0.0, 1.0, 1.0])
    h = K @ np.array([[1.0], [0.3], [-0.2]])
    found = RidgeSystem(K, h, np.ones(3)).solve(0.0)
    np.testing.assert_allclose(found.weights, np.linalg.pinv(K) @ h, rtol=1e-9)


def test_a_right_hand_side_of_zeros_has_no_residual(problem):
    K, h, w = problem
    found = RidgeSystem(K, 0 * h, w).solve(0.3)
    assert not found.weights.any()
    assert found.gap == 0


def test_leaving_a_copy_out_gives_the_decision_of_the_system_without_it(problem):
    K, h, w = problem
    rng = np.random.default_rng(1)
    kernel, shifts, signs = K + 0.1, rng.normal(size=K.shape), rng.choice([-1.0, 1.0], (2, 9))
    ridges = np.array([0.1, 2.0])
    found = RidgeSystem(K, h, w).leave_one_out(ridges, kernel, shifts, signs)
    for r, ridge in enumerate(ridges):
        for i in range(9):
            left = w - (np.arange(9) == i)
            kept = np.flatnonzero(left)
            A = K[np.ix_(kept, kept)] + ridge * np.diag(1 / left[kept])
            side = h + signs[:, i] * shifts[:, [i]]
            b = np.linalg.solve(A, side[kept])
            np.testing.assert_allclose(found[r, i], kernel[i, kept] @ b, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("steps", [1, 3])
def test_early_stopping_gives_the_best_point_of_the_krylov_space(problem, steps):
    K, h, w = problem
    root = np.sqrt(w)[:, None]
    A, side = root * K * root.T, root * h[:, :1]
    space = np.hstack([np.linalg.matrix_power(A, k) @ side for k in range(steps)])
    best = space @ np.linalg.solve(space.T @ A @ space, space.T @ side)
    found = early_stopped(K, h[:, :1], w, steps)
    np.testing.assert_allclose(found.weights, root * best, rtol=1e-8)
    assert found.iterations == steps
    b = found.weights
    assert found.gap == pytest.approx(np.linalg.norm(K @ b - h[:, :1]) / np.linalg.norm(h[:, 0]))


def test_a_decision_that_rests_on_the_row_itself_is_zero_without_it(problem):
    """Terms of one sign cancel with what the row takes along, and what is left is rounding."""
    K, _, w = problem
    ridges, none = np.array([0.01, 0.5, 7.0]), np.zeros_like(K)
    for i in np.flatnonzero(w == 1):
        h = np.zeros((9, 1))
        h[i] = 3.0
        found = RidgeSystem(K, h, w).leave_one_out(ridges, K, none, np.ones((1, 9)))
        np.testing.assert_array_equal(found[:, i], 0.0)
        assert np.abs(np.delete(found, i, axis=1)).max() > 1e-3
