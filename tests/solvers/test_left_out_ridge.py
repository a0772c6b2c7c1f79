"""Least squares with an offset: left-out scores against refits and the eigendecomposition."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.solvers import RidgePath, left_out_ridges, solve_ridge


def problem(seed=0, n=25, weighted=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    w = rng.integers(1, 4, size=n).astype(float) if weighted else np.ones(n)
    return K, w, rng.choice([-1.0, 1.0], size=(n, 3))


@pytest.mark.parametrize("mu", [0.003, 0.3, 3.0])
def test_each_row_gets_what_a_refit_without_one_copy_gives(mu):
    K, w, T = problem()
    (found,) = left_out_ridges(K, w, T, [mu])
    for i in range(len(K)):
        rest = w - (np.arange(len(K)) == i)
        kept = np.flatnonzero(rest)
        a, b = solve_ridge(K[np.ix_(kept, kept)], mu / rest[kept], T[kept], offset=True)
        np.testing.assert_allclose(found.left_out[i], K[i, kept] @ a + b, rtol=1e-8, atol=1e-10)


def test_the_fit_itself_and_the_eigendecomposition_agree():
    K, w, T = problem(1)
    regularizers = (0.01, 0.1, 1.0)
    path = RidgePath(K, w)
    for mu, found in zip(regularizers, left_out_ridges(K, w, T, regularizers), strict=True):
        a, b = solve_ridge(K, mu / w, T, offset=True)
        np.testing.assert_allclose(found.coefficients, a, atol=1e-11)
        np.testing.assert_allclose(found.offset, b, atol=1e-11)
        left = path.leave_one_out(np.full(len(K), mu), T, offset=True)
        np.testing.assert_allclose(found.left_out, left, atol=1e-10)
        np.testing.assert_allclose(found.coefficients.sum(axis=0), 0.0, atol=1e-10)


def test_a_weight_below_one_leaves_nothing_of_its_row():
    K, _, T = problem(2)
    w = np.full(len(K), 0.5)
    (found,) = left_out_ridges(K, w, T, [0.3])
    kept = np.arange(1, len(K))
    a, b = solve_ridge(K[1:, 1:], 0.3 / w[1:], T[1:], offset=True)
    np.testing.assert_allclose(found.left_out[0], K[0, kept] @ a + b, rtol=1e-8)


def test_a_matrix_that_is_not_positive_definite_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        list(left_out_ridges(-np.eye(3), np.ones(3), np.ones((3, 1)), [0.1]))
