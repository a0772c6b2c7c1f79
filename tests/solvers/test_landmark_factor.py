"""Factors of samples on landmarks: from parts, and from a pilot."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.solvers import LandmarkFactor, LandmarkFeatures, Pilot
from parzen.solvers.landmark_factor import inverse_root


def sample(d, h, n=2000, m=40, seed=0):
    """Kernels to the first rows, targets and frequencies."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    K = np.exp(-((X[:, None] - X[None, :m]) ** 2).sum(axis=2) / (2 * h * h))
    return K, np.sign(X[:, :1] + rng.normal(size=(n, 1))), rng.integers(1, 4, n).astype(float)


def seen_in_blocks(pilot, K, T, w, size):
    total = pilot.empty()
    for start in range(0, len(K), size):
        block = slice(start, start + size)
        total = total.merge(pilot.partial(K[block], T[block], w[block]))
    return total


def from_pilot(K, T, w, part=300, size=400):
    pilot = Pilot(LandmarkFactor.of(K[:part], T[:part], w[:part] * len(K) / part))
    return pilot.factor(seen_in_blocks(pilot, K, T, w, size))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("d", "h"), [(1, 1.0), (1, 0.05), (2, 3.0), (3, 0.3), (5, 20.0), (20, 1.0)]
)
def test_a_pilot_leads_to_the_factor_of_all_rows(d, h):
    """Whether kernels are narrow or their matrix is singular: as good as one factorisation."""
    K, T, w = sample(d, h)
    A = np.sqrt(w)[:, None] * np.hstack([K, np.ones_like(T), T])
    found = from_pilot(K, T, w).R
    np.testing.assert_allclose(found.T @ found, A.T @ A, rtol=1e-11, atol=1e-11 * len(K))
    # Squares hide what is small: the fit with a tiny ridge does not.
    for ridge in (1e-4, 1e-9):
        wanted, mine = (_loss(R, K.shape[1], ridge) for R in (np.linalg.qr(A, mode="r"), found))
        assert mine == pytest.approx(wanted, rel=1e-9)


def _loss(R, m, ridge):
    A = np.vstack([R[:, :m], np.sqrt(ridge) * np.eye(m)])
    b = np.concatenate([R[:, -1], np.zeros(m)])
    return np.sum((A @ np.linalg.lstsq(A, b, rcond=None)[0] - b) ** 2)


def test_rows_unlike_all_of_the_part_are_kept_as_they_are():
    K, T, w = sample(2, 0.5)
    K[1400:1500] *= 1e6
    A = np.sqrt(w)[:, None] * np.hstack([K, np.ones_like(T), T])
    found = from_pilot(K, T, w).R
    wanted = np.linalg.qr(A, mode="r")
    np.testing.assert_allclose(np.abs(found.diagonal()), np.abs(wanted.diagonal()), rtol=1e-8)


def test_leaving_out_one_of_several_samples():
    K, T, w = sample(2, 0.5, n=300, m=10)
    folds = [slice(k, k + 60) for k in range(0, 300, 60)]
    factors = [LandmarkFactor.of(K[f], T[f], w[f]) for f in folds]
    for fold, found in zip(folds, LandmarkFactor.all_but_one(factors), strict=True):
        rest = np.delete(np.arange(300), fold)
        wanted = LandmarkFactor.of(K[rest], T[rest], w[rest]).R
        np.testing.assert_allclose(found.R.T @ found.R, wanted.T @ wanted, atol=1e-11 * 300)


@pytest.mark.parametrize("offset", ["none", "free", "feature"])
def test_weights_of_features_are_those_of_a_ridge(offset):
    """The penalty of the weights a is a'Ka; a constant feature costs its square, too."""
    rng = np.random.default_rng(0)
    X, w, T = rng.normal(size=(40, 2)), rng.uniform(0.5, 2, 40), rng.normal(size=(40, 2))
    Z = X[:6]
    K, G = (np.exp(-((A[:, None] - Z) ** 2).sum(axis=2)) for A in (X, Z))
    features = LandmarkFeatures(LandmarkFactor.of(K, T, w), G, offset)
    a, b = features.weights(1.0 / (features.values + 0.3))
    F = np.column_stack([K, np.ones(40)])
    penalty = np.zeros((7, 7))
    penalty[:6, :6], penalty[6, 6] = 0.3 * G, {"none": 1e12, "free": 0.0, "feature": 0.3}[offset]
    expected = np.linalg.solve(F.T @ (w[:, None] * F) + penalty, F.T @ (w[:, None] * T))
    np.testing.assert_allclose(K @ a + b, F @ expected, atol=1e-8)


@pytest.mark.parametrize("unit", [1e-30, 1.0, 1e30])
def test_the_inverse_root_has_the_rank_of_the_matrix_in_any_unit(unit):
    A = np.random.default_rng(0).normal(size=(5, 3))
    P = inverse_root(unit * A @ A.T)
    assert P.shape == (5, 3)
    np.testing.assert_allclose(unit * P @ P.T, np.linalg.pinv(A @ A.T, rcond=1e-10), atol=1e-9)


def test_some_landmarks_are_some_columns():
    K, T, w = sample(2, 0.5, n=50, m=6)
    factor, some = LandmarkFactor.of(K, T, w), np.array([4, 0])
    found = factor.on(some)
    assert found.m == 2
    A = np.sqrt(w)[:, None] * np.hstack([K[:, some], np.ones_like(T), T])
    np.testing.assert_allclose(found.R.T @ found.R, A.T @ A, atol=1e-11)
    np.testing.assert_allclose(found.K.T @ found.K, A[:, :2].T @ A[:, :2], atol=1e-11)
    np.testing.assert_allclose(found.targets.T @ found.ones, A[:, 3:].T @ A[:, 2], atol=1e-11)
    assert found.size == pytest.approx(w.sum())


def test_few_rows_have_a_factor_too_and_several_samples_one():
    K, T, w = sample(2, 0.5, n=50, m=6)
    few = LandmarkFactor.of(K[:3], T[:3], w[:3])
    assert few.R.shape == (8, 8)
    assert not few.R[3:].any()
    parts = [LandmarkFactor.of(K[r], T[r], w[r]) for r in (slice(3), slice(3, 20), slice(20, 50))]
    whole = LandmarkFactor.of(K, T, w)
    nothing = LandmarkFactor(np.zeros_like(whole.R), whole.m)
    merged = LandmarkFactor.all_but_one([*parts, nothing])[-1]
    assert merged.m == 6
    np.testing.assert_allclose(merged.R.T @ merged.R, whole.R.T @ whole.R, atol=1e-11)
    np.testing.assert_array_equal(np.tril(merged.R, -1), 0.0)


def test_a_matrix_without_a_positive_part_has_no_root():
    np.testing.assert_array_equal(inverse_root(-np.eye(3)), np.zeros((3, 1)))
    np.testing.assert_array_equal(inverse_root(np.zeros((2, 2))), np.zeros((2, 1)))
    found = inverse_root(np.diag([4.0, -1.0]))
    np.testing.assert_allclose(np.abs(found), [[0.5], [0.0]])


def test_outliers_are_put_into_a_factor_where_they_are_many():
    K, T, w = sample(2, 0.5, n=400, m=6)
    pilot = Pilot(LandmarkFactor.of(K[:200], T[:200], w[:200]))
    few, many = (pilot.partial(1e6 * K[:n], T[:n], w[:n]) for n in (9, 40))
    assert len(few.outliers) == 9
    assert len(few.merge(pilot.empty()).outliers) == 9
    merged = few.merge(many)
    assert len(merged.outliers) == 8  # one for each column
    everything = np.concatenate([few.outliers, many.outliers])
    np.testing.assert_allclose(
        merged.outliers.T @ merged.outliers, everything.T @ everything, rtol=1e-9
    )
    assert not pilot.empty().products.any()
    sixteen = pilot.partial(1e6 * K[:16], T[:16], w[:16])
    assert len(sixteen.merge(pilot.empty()).outliers) == 16
