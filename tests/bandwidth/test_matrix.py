"""Bandwidth matrices, against SciPy and R's package ks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm

import parzen
from parzen import KernelDensity, L2Classifier, ParzenClassifier
from parzen.bandwidth import matrix, plug_in_matrix
from parzen.kernels import ColumnProduct

H = np.array([[0.2, 0.1], [0.1, 0.3]])


def sample(d: int = 2) -> np.ndarray:
    """A sample by formula, so that R can be given the same one."""
    i = np.arange(1, 151)
    z, v, t = (norm.ppf((i * s) % 1) for s in (0.6180339887, 0.7548776662, 0.5698402910))
    X = np.column_stack([np.where(i % 5 < 2, -5 + z, 4 + 2 * z), z + 0.5 * v, t - 0.3 * z])
    return X[:, :d]


# R 4.2, ks 1.14: Hpi(X, nstage = 1, binned = FALSE, pilot = "samse"), as far as its search goes.
KS_TWO = [[1.663882708804, 0.325892743983], [0.325892743983, 0.249574053162]]
KS_THREE = [
    [2.2351348017613, 0.35251060377086, -0.06336139207959],
    [0.35251060377086, 0.25787670426167, -0.00713834662606],
    [-0.06336139207959, -0.00713834662606, 0.28166505772027],
]
# kfe(pre.sphere(X), G = g6^2 I, deriv.order = 6, binned = FALSE) at the SAMSE pilot g6.
KS_SIXTH = [-4.20791935, 0.80991091, -0.38099496, 0.15780263, -0.12832663, 0.04901438, -0.30321834]


@pytest.mark.parametrize(("d", "expected"), [(2, KS_TWO), (3, KS_THREE)])
def test_one_stage_gives_the_matrix_of_ks(d, expected):
    found = plug_in_matrix(sample(d), stages=1)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_the_functionals_of_the_second_stage_are_those_of_ks():
    """Only they are compared: ks 1.14 looks the ones of its second stage up at wrong places."""
    _, Z = matrix._sphered(sample(), np.ones(150))
    eighth = {r: matrix._normal_functional(r) for r in matrix._orders(8, 2)}
    found = matrix._functionals(Z, np.ones(150), 6, matrix._pilot(6, 2, 150.0, eighth))
    np.testing.assert_allclose([found[6 - k, k] for k in range(7)], KS_SIXTH, atol=1e-7)


def test_a_normal_sample_has_about_the_normal_scale_matrix():
    S = np.array([[2.0, 1.2], [1.2, 1.0]])
    X = np.random.default_rng(0).multivariate_normal([0, 0], S, size=800)
    best = 800 ** (-1 / 3) * S
    np.testing.assert_allclose(plug_in_matrix(X), best, rtol=0.35)


def test_weights_are_copies_and_columns_have_units():
    rng = np.random.default_rng(1)
    X, w = sample()[:60], rng.integers(1, 4, 60)
    copied = plug_in_matrix(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(plug_in_matrix(X, weights=w), copied, rtol=1e-6)
    units = np.diag([10.0, 0.01])
    np.testing.assert_allclose(
        plug_in_matrix(X @ units), units @ plug_in_matrix(X) @ units, rtol=0.2
    )


def test_a_density_takes_a_matrix():
    X = sample()
    density = KernelDensity(bandwidth=H).fit(X)
    expected = [np.log(multivariate_normal.pdf(X - x, [0, 0], H).mean()) for x in X[:5]]
    np.testing.assert_allclose(density.score_samples(X[:5]), expected, rtol=1e-12)
    chosen = KernelDensity(bandwidth="plug_in_matrix").fit(X)
    np.testing.assert_allclose(chosen.bandwidth_, plug_in_matrix(X))
    added = KernelDensity(bandwidth=H).fit(X[:100]).partial_fit(X[100:])
    np.testing.assert_allclose(added.score_samples(X), density.score_samples(X), rtol=1e-12)
    drawn = density.sample(20_000, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T) + H, rtol=0.1, atol=0.1)


def test_a_classifier_takes_one_matrix_per_class(tmp_path):
    X = sample()
    y = (X[:, 0] > 0).astype(int)
    clf = ParzenClassifier(bandwidth=np.stack([H, 2 * H])).fit(X, y)
    for c in (0, 1):
        own = KernelDensity(bandwidth=(1 + c) * H).fit(X[y == c]).score_samples(X)
        np.testing.assert_allclose(clf.expansion_.log_sums(X)[:, c], own, rtol=1e-10)
    chosen = ParzenClassifier(bandwidth="plug_in_matrix").fit(X, y)
    np.testing.assert_allclose(chosen.bandwidth_[1], plug_in_matrix(X[y == 1]), rtol=1e-6)
    parzen.save(chosen, tmp_path / "c.parzen")
    again = parzen.load(tmp_path / "c.parzen")
    np.testing.assert_array_equal(again.predict_proba(X), chosen.predict_proba(X))


@pytest.mark.parametrize(
    ("bandwidth", "message"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "positive definite"),
        ([[1.0, 2.0], [0.0, 1.0]], "symmetric"),
        (np.eye(3), "matrix for 3 columns"),
    ],
)
def test_a_wrong_matrix_is_refused(bandwidth, message):
    with pytest.raises(ValueError, match=message):
        KernelDensity(bandwidth=bandwidth).fit(sample())


def test_others_say_that_they_take_no_matrix():
    X = sample()
    y = (X[:, 0] > 0).astype(int)
    with pytest.raises(ValueError, match="KernelDensity and ParzenClassifier"):
        L2Classifier(bandwidth="plug_in_matrix").fit(X, y)
    with pytest.raises(ValueError, match="2 to 6 columns, and X has 1; use 'sheather_jones'"):
        plug_in_matrix(X[:, :1])
    with pytest.raises(ValueError, match="X has 7; use metric='class' and one bandwidth"):
        plug_in_matrix(np.tile(X[:, :1], 7))
    with pytest.raises(ValueError, match="collinear"):
        plug_in_matrix(X[:, [0, 0]])


def test_a_class_with_few_rows_is_named():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.append(np.zeros(38), [1, 1])
    with pytest.raises(ValueError, match=r"class 1 .* has 2 rows of 2 columns"):
        ParzenClassifier(bandwidth="plug_in_matrix").fit(X, y)
    with pytest.raises(ValueError, match=r"total weight 0\.4"):
        plug_in_matrix(X, weights=np.full(40, 0.01))


@pytest.mark.parametrize("bandwidth", ["plug_in_matrix", np.eye(2)[None]])
def test_a_metric_and_matrices_exclude_each_other(bandwidth):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.arange(40) % 2
    for metric in ("class", "learned"):
        with pytest.raises(ValueError, match="means matrices"):
            ParzenClassifier(bandwidth=bandwidth, metric=metric).fit(X, y)
    with pytest.raises(ValueError, match="means a matrix"):
        KernelDensity(bandwidth=bandwidth, metric="class").fit(X)


@pytest.mark.parametrize("bandwidth", ["plug_in_matrix", np.eye(2)[None]])
def test_a_product_over_columns_and_matrices_exclude_each_other(bandwidth):
    X = np.random.default_rng(0).normal(size=(40, 2))
    for make in (ParzenClassifier, KernelDensity):
        with pytest.raises(ValueError, match="a ColumnProduct has a bandwidth for every column"):
            make(bandwidth=bandwidth, kernel=ColumnProduct()).fit(X, np.arange(40) % 2)


def test_matrices_and_missing_entries_exclude_each_other():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.arange(40) % 2
    clf = ParzenClassifier(bandwidth=np.eye(2)[None]).fit(X, y)
    X[3, 1] = np.nan
    for refused in (clf.predict, lambda X: ParzenClassifier(bandwidth="plug_in_matrix").fit(X, y)):
        with pytest.raises(ValueError, match="a bandwidth matrix needs every column"):
            refused(X)


@pytest.mark.parametrize("bandwidth", [np.diag([np.inf, 1.0]), [[1.0, 2.0], [3.0]]])
def test_matrices_that_are_none_are_refused_in_words(bandwidth):
    with pytest.raises((TypeError, ValueError), match="bandwidth"):
        KernelDensity(bandwidth=bandwidth).fit(np.eye(2))


def test_two_stages_are_the_default():
    X = sample()[:40]
    np.testing.assert_array_equal(plug_in_matrix(X), plug_in_matrix(X, stages=2))
    assert not np.allclose(plug_in_matrix(X), plug_in_matrix(X, stages=1))


def test_a_matrix_follows_the_unit_and_needs_more_rows_than_columns():
    X = sample()[:40]
    np.testing.assert_allclose(plug_in_matrix(1e-9 * X), 1e-18 * plug_in_matrix(X), rtol=1e-6)
    with pytest.raises(ValueError, match="more rows than columns"):
        plug_in_matrix(X[:2])
    with pytest.raises(ValueError, match=r"of total weight 1\."):
        plug_in_matrix(X[:4], weights=np.full(4, 0.25))
    with pytest.raises(ValueError, match="stages=3 must be 1 or 2"):
        plug_in_matrix(X, stages=3)


def test_a_matrix_follows_each_unit_where_columns_are_far_apart_in_spread():
    """There the axes of the symmetric root are the columns, whatever the units."""
    X, units = sample(3)[:, [0, 2]], np.diag([1e3, 1e-3])
    far, farther = (plug_in_matrix(X @ units**k) for k in (2, 3))
    np.testing.assert_allclose(farther, units @ far @ units, rtol=1e-9)


def test_a_density_with_a_matrix_of_units_far_apart_is_that_of_scaled_columns():
    X, units = sample(), np.array([1e8, 1e-9])
    scaled = KernelDensity(bandwidth=H * np.outer(units, units)).fit(X * units)
    expected = KernelDensity(bandwidth=H).fit(X).score_samples(X) - np.log(units).sum()
    np.testing.assert_allclose(scaled.score_samples(X * units), expected, rtol=1e-12)


def test_the_smallest_amise_is_a_zero_of_its_gradient():
    """By differences of values in 1e-3 of H, whose error is its square."""
    factor, Z = matrix._sphered(sample(), np.ones(150))
    np.testing.assert_allclose(factor.T @ factor, np.cov(sample().T), rtol=1e-12)
    np.testing.assert_allclose(Z @ factor, sample() - sample().mean(axis=0), atol=1e-12)
    psi = matrix._functionals(Z, np.ones(150), 4, 0.5)
    found = matrix._smallest_amise(psi, 2, 150.0)

    def amise(M):
        bias = sum(
            psi[tuple(np.bincount(r, minlength=2).tolist())] * M[r[0], r[1]] * M[r[2], r[3]]
            for r in np.ndindex(2, 2, 2, 2)
        )
        return 1 / (4 * np.pi * 150 * np.sqrt(np.linalg.det(M))) + bias / 4

    for E in ([[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]]):
        E = 1e-5 * np.array(E)
        assert abs(amise(found + E) - amise(found - E)) < 1e-9 * amise(found)
        assert amise(found + 1e3 * E) > amise(found) < amise(found - 1e3 * E)


@pytest.mark.parametrize("share", [0.7, 0.9, 1.1])
def test_a_matrix_near_the_smallest_amise_is_polished_to_all_digits(share):
    """Newton's method doubles the digits with every step."""
    _, Z = matrix._sphered(sample(), np.ones(150))
    psi = matrix._functionals(Z, np.ones(150), 4, 0.5)
    found = matrix._smallest_amise(psi, 2, 150.0)
    tensor = np.array([
        [[[psi[tuple(np.bincount(r, minlength=2).tolist())] for r in np.ndindex(2, 2, 2, 2)]]]
    ]).reshape(2, 2, 2, 2)  # fmt: skip
    spread = 1 / (4 * np.pi * 150)
    again = matrix._polished(share * found, tensor, spread)
    np.testing.assert_allclose(again, found, rtol=1e-13)
    bias = np.einsum("ijkl,kl->ij", tensor, again)
    volume = spread / np.sqrt(np.linalg.det(again)) * np.linalg.inv(again)
    np.testing.assert_allclose(bias, volume, rtol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
def test_sphered_rows_have_the_mean_zero_whatever_the_offset(offset):
    """The first mean is rounded as the entries are; what it leaves is taken out."""
    w = 1.0 + (np.arange(150) % 3 == 0)
    factor, Z = matrix._sphered(sample() + offset, w)
    assert np.abs(w @ Z / w.sum()).max() < 1e-14
    np.testing.assert_allclose(Z.T @ (w[:, None] * Z) / (w.sum() - 1), np.eye(2), atol=1e-12)
    np.testing.assert_allclose(factor, matrix._sphered(sample(), w)[0], rtol=1e-6 if offset else 0)


@pytest.mark.parametrize(("order", "d"), [(4, 2), (6, 2), (4, 3)])
def test_a_pilot_makes_the_sum_of_squared_errors_smallest(order, d):
    """By a search over bandwidths; odd derivatives vanish at 0 and have no error to trade off."""
    rng = np.random.default_rng(2)
    Z, n = rng.normal(size=(60, d)) ** 3 / 3, 60.0
    higher = matrix._functionals(Z, np.ones(60), order + 2, 0.8)
    orders = [r for r in matrix._orders(order, d) if not any(k % 2 for k in r)]

    def squared_errors(log_g):
        g, total = np.exp(log_g), 0.0
        for r in orders:
            curvature = sum(higher[tuple(np.add(r, 2 * np.eye(d, dtype=int)[i]))] for i in range(d))
            variance_term = np.prod([norm_derivative(k) for k in r]) * g ** (-order - d) / n
            total += (variance_term + g**2 / 2 * curvature) ** 2
        return np.log(total)

    def norm_derivative(k):
        """At 0: (-1)^(k/2) (k - 1)!! / sqrt(2 pi)."""
        return (-1) ** (k // 2) * np.prod(np.arange(k - 1, 0, -2.0)) / np.sqrt(2 * np.pi)

    found = matrix._pilot(order, d, n, higher)
    best = minimize_scalar(squared_errors, bounds=np.log([0.1, 10.0]), method="bounded",
                           options={"xatol": 1e-10})  # fmt: skip
    assert found == pytest.approx(np.exp(best.x), rel=1e-5)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_what_makes_a_matrix_indefinite_is_said_in_units_of_its_widths(unit):
    with pytest.raises(ValueError, match="its smallest eigenvalue is -1"):
        matrix.given_matrices(unit * np.array([[1.0, 2.0], [2.0, 1.0]]), labelled=False)
    for entry in (0.0, -1.0):
        with pytest.raises(ValueError, match="its diagonal has an entry that is not positive"):
            matrix.given_matrices(unit * np.diag([1.0, entry]), labelled=False)
    scales = np.array([1.0, 1e-9])
    assert matrix.given_matrices(H * np.outer(scales, scales) * unit, labelled=False).shape[0] == 1
