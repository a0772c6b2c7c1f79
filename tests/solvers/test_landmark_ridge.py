"""Least squares on landmarks against the normal equations of each part, solved afresh."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.solvers import landmark_ridge, landmark_ridges, solve_ridge
from parzen.solvers.landmark_ridge import _solve


def problem(n=60, M=12):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    Z = X[:: n // M]
    kernel = lambda A, B: np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2))  # noqa: E731
    T, w = rng.choice([-1.0, 1.0], size=(n, 2)), rng.integers(1, 4, size=n).astype(float)
    return kernel(X, Z), kernel(Z, Z), T, w, rng.integers(0, 4, size=n)


def least_squares(F, K, T, w, mu):
    """Rows of the data, and of a root of the penalty, in one system."""
    values, vectors = np.linalg.eigh(K)
    root = vectors.T * np.sqrt(np.maximum(mu * values, 0.0))[:, None]
    design = np.vstack([
        np.sqrt(w)[:, None] * np.column_stack([F, np.ones(len(F))]),
        np.column_stack([root, np.zeros(len(K))]),
    ])  # fmt: skip
    sides = np.vstack([np.sqrt(w)[:, None] * T, np.zeros((len(K), T.shape[1]))])
    return np.linalg.lstsq(design, sides, rcond=None)[0]


@pytest.mark.parametrize("batch", [7, 4096])
def test_fits_and_left_out_scores_are_those_of_refits(batch, monkeypatch):
    monkeypatch.setattr(landmark_ridge, "_BATCH", batch)
    F, K, T, w, fold = problem()
    scored = np.arange(0, 60, 2)
    regularizers = [0.01, 1.0]
    found = landmark_ridges(lambda rows: F[rows], K, T, w, fold, scored, regularizers)
    for mu, (scores, solve) in zip(regularizers, found, strict=True):
        a, b = solve()
        whole = least_squares(F, K, T, w, mu)
        np.testing.assert_allclose(F @ a + b, F @ whole[:-1] + whole[-1], atol=1e-6)
        for i, row in enumerate(scored):
            rest = fold != fold[row]
            part = least_squares(F[rest], K, T[rest], w[rest], mu)
            np.testing.assert_allclose(scores[i], F[row] @ part[:-1] + part[-1], atol=1e-6)


def test_landmarks_everywhere_give_the_full_solution():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    T = rng.choice([-1.0, 1.0], size=(30, 1))
    rows = np.arange(30)
    a, b = landmark_ridges(lambda r: K[r], K, T, np.ones(30), rows % 5, rows, [0.3])[0].solve()
    exact, offset = solve_ridge(K, np.full(30, 0.3), T, offset=True)
    np.testing.assert_allclose(K @ a + b, K @ exact + offset, atol=1e-6)


def test_single_precision_comes_near_the_smallest_value():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 2))
    F = np.exp(-((x[:, None] - x[None, ::10]) ** 2).sum(axis=2))
    T, w, mu = np.sign(x[:, :1] * x[:, 1:]), rng.uniform(1.0, 2.0, size=400), 0.3
    rows, single = np.arange(400), F.astype(np.float32)

    def value(a, b):
        return w @ (T - F @ a - b)[:, 0] ** 2 + mu * (a.T @ F[::10] @ a).item()

    a, b = landmark_ridges(lambda r: single[r], single[::10], T, w, rows % 4, rows, [mu])[0].solve()
    whole = least_squares(F, F[::10], T, w, mu)
    best = value(whole[:-1], whole[-1])
    assert best < value(a, b) < 1.0005 * best < value(0.99 * a, b)


def test_wide_kernels_in_single_precision_are_not_flattened_by_the_care_for_rounding():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(1500, 3))
    F = np.exp(-0.3 * ((x[:, None] - x[None, ::5]) ** 2).sum(axis=2))  # many eigenvalues vanish
    T, w, mu = np.sign(np.sin(2 * x[:, :1]) + x[:, 1:2] * x[:, 2:]), np.ones(1500), 0.3
    rows, single = np.arange(1500), F.astype(np.float32)
    a, b = landmark_ridges(lambda r: single[r], single[::5], T, w, rows % 4, rows, [mu])[0].solve()
    whole = least_squares(F, F[::5], T, w, mu)

    def loss(a, b):
        return ((T - F @ a - b) ** 2).mean()

    assert loss(a, b) < 1.05 * loss(whole[:-1], whole[-1])


def test_a_matrix_that_rounding_has_made_indefinite_is_solved():
    right = np.array([[1.0], [0.0]])
    for smallest in (1e-3, -1e-13, -1e-9):  # as it stands, with more jitter, by least squares
        found = _solve(np.diag([1.0, smallest]), right, 1e-14)
        np.testing.assert_allclose(found, right, atol=1e-8)


def test_more_jitter_makes_a_negative_eigenvalue_a_positive_one():
    """By least squares the solution would go uphill along it."""
    found = _solve(np.diag([1.0, -1e-13]), np.array([[1.0], [1e-9]]), 1e-14)
    assert found[0, 0] == pytest.approx(1.0)
    assert found[1, 0] > 0
