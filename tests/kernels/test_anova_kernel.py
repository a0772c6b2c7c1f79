"""The ANOVA kernel against its formula, column by column, and in the estimators that take it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import parzen
from parzen import LSSVMClassifier, RLSClassifier, kernel_sums
from parzen.kernels import AnovaKernel, gram


def column_kernel(x, y, equality):
    distance = np.abs(x[:, None] - y[None])
    return (1 - equality) * np.exp(-distance) + equality * (distance == 0)


def by_formula(X, Y, points, rho, equality, w):
    """Every column's matrix, centred and scaled over the reference, then S1 and S2."""
    share = w / w.sum()
    S1 = S2 = 0.0
    for x, y, p, e in zip(X.T, Y.T, points.T, equality, strict=True):
        inner = column_kernel(p, p, e) @ share
        M = share @ inner
        v = share @ (1.0 - 2.0 * inner + M)
        left, right = (column_kernel(z, p, e) @ share for z in (x, y))
        k = (column_kernel(x, y, e) - left[:, None] - right[None] + M) / v
        S1, S2 = S1 + k, S2 + k**2
    d = X.shape[1]
    return (S1 + rho * (S1**2 - S2) / (d - 1)) / (d * (1 + rho))


@pytest.fixture(scope="module")
def table():
    """Numbers, one of them over hundreds of units, levels and categories; and other rows."""
    rng = np.random.default_rng(0)
    points = np.column_stack([
        rng.normal(size=50), 400 * rng.normal(size=50), rng.integers(0, 4, 50),
        rng.integers(0, 3, 50),
    ])  # fmt: skip
    queries = np.column_stack([
        rng.normal(size=31), 700 * rng.normal(size=31), points[:31, 2], rng.integers(0, 5, 31),
    ])  # fmt: skip
    queries[0] = points[0]
    return points, queries, rng.integers(1, 4, size=50).astype(float)


EQUALITY = np.array([0.0, 0.0, 0.5, 1.0])


@pytest.mark.parametrize("rho", [0.0, 1.0, 2.5])
def test_it_is_its_formula(table, rho):
    points, queries, w = table
    kernel = AnovaKernel(points, rho, EQUALITY, w)
    wanted = by_formula(queries, points, points, rho, EQUALITY, w)
    np.testing.assert_allclose(kernel(queries, points), wanted, atol=1e-14)
    np.testing.assert_allclose(gram(queries, points, kernel, 1.0), wanted, atol=1e-14)
    np.testing.assert_allclose(
        kernel.diagonal(queries), np.diag(kernel(queries, queries)), atol=1e-14
    )
    sums = kernel_sums(queries, points, w, kernel=kernel, bandwidths=1.0)[:, 0, 0]
    np.testing.assert_allclose(sums, wanted @ w, atol=1e-12)


def test_main_effects_have_mean_zero_and_matrices_are_positive_semi_definite(table):
    points, _, w = table
    main = AnovaKernel(points, 0.0, EQUALITY, w)(points, points)
    np.testing.assert_allclose(w @ main, 0.0, atol=1e-12)
    assert w @ np.diag(main) / w.sum() == pytest.approx(1.0)
    pairs = AnovaKernel(points, 1.0, EQUALITY)(points, points)
    assert np.linalg.eigvalsh(pairs)[0] > -1e-12


def test_a_weight_is_a_number_of_copies_and_constant_columns_say_nothing(table):
    points, queries, w = table
    copies = AnovaKernel(np.repeat(points, w.astype(int), axis=0), 1.0, EQUALITY)
    weighted = AnovaKernel(points, 1.0, EQUALITY, w)
    np.testing.assert_allclose(copies(queries, points), weighted(queries, points), atol=1e-13)
    widened = AnovaKernel(np.column_stack([points, np.ones(50)]), 1.0, [*EQUALITY, 0.0], w)
    more = [np.column_stack([Z, np.full(len(Z), 7.0)]) for Z in (queries, points)]
    np.testing.assert_allclose(widened(*more), weighted(queries, points), atol=1e-14)


def test_one_column_has_no_pairs_and_no_rows_have_no_values():
    x = np.array([[0.0], [1.0], [2.0]])
    np.testing.assert_allclose(AnovaKernel(x, 1.0)(x, x), 0.5 * AnovaKernel(x, 0.0)(x, x))
    assert AnovaKernel(x)(np.empty((0, 1)), x).shape == (0, 3)


@pytest.mark.parametrize("classifier", [RLSClassifier, LSSVMClassifier])
def test_least_squares_learns_an_interaction_with_it(classifier, tmp_path):
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(300, 4)), rng.normal(size=(1000, 4))
    y, truth = X[:, 0] * X[:, 1] > 0, Q[:, 0] * Q[:, 1] > 0
    pairs, main = (classifier(AnovaKernel(X, rho)).fit(X, y) for rho in (1.0, 0.0))
    assert pairs.score(Q, truth) > 0.9
    assert main.score(Q, truth) < 0.65
    parzen.save(pairs, tmp_path / "model.parzen")
    np.testing.assert_array_equal(
        parzen.load(tmp_path / "model.parzen").predict(Q), pairs.predict(Q)
    )


def test_kernels_are_values(table):
    points, queries, w = table
    kernel = AnovaKernel(points, 1.0, EQUALITY, w)
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin == kernel
    assert hash(twin) == hash(kernel)
    assert kernel != AnovaKernel(points, 0.5, EQUALITY, w)
    np.testing.assert_array_equal(twin(queries, points), kernel(queries, points))
    with pytest.raises(ValueError, match="read-only"):
        kernel.points[0, 0] = 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"interactions": -1.0}, "interactions must be a number >= 0"),
        ({"equality": 1.5}, "equality must be a share from 0 to 1"),
        ({"equality": [0.0, 1.0]}, "one for each of the 4 columns"),
        ({"weights": [1.0]}, "weights must be 50 frequencies"),
    ],
)
def test_wrong_arguments_are_named(table, arguments, message):
    with pytest.raises(ValueError, match=message):
        AnovaKernel(table[0], **arguments)
    with pytest.raises(ValueError, match=r"X has 3 columns.* have 4"):
        AnovaKernel(table[0])(table[1][:, :3], table[0])
