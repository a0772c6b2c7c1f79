"""LSCV and likelihood against quadrature, statsmodels and copies of the rows."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from scipy.integrate import quad

from parzen.bandwidth import LSCV, Likelihood, lscv as _lscv, resolve_bandwidth, structure
from parzen.bandwidth.density_criteria import loo_log_densities
from parzen.bandwidth.overlap import log_overlap
from parzen.kernels import density_names, get
from parzen.samples import KernelSample

pytestmark = pytest.mark.filterwarnings("ignore:the bandwidth chosen:UserWarning")


def slow_lscv(X, h, kernel):
    """The notes' closed form, all pairs at once."""
    k, n = get(kernel), len(X)
    overlap = k.self_convolution(X, X, bandwidth=h).sum() / n**2
    values = k(X, X, bandwidth=h)
    np.fill_diagonal(values, 0.0)
    return overlap - 2 * values.sum() / (n * (n - 1))


@pytest.mark.slow
@pytest.mark.parametrize("kernel", density_names())
@pytest.mark.parametrize("d", [1, 3])
def test_lscv_is_the_closed_form_of_the_notes(kernel, d):
    X = np.random.default_rng(0).normal(size=(40, d))
    found = LSCV(grid=[0.3, 0.6, 1.0, 2.5]).select(X, kernel=kernel)
    expected = [slow_lscv(X, h, kernel) for h in found.grid]
    np.testing.assert_allclose(found.scores, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("kernel", ["epanechnikov", "uniform", "laplacian"])
@pytest.mark.parametrize("unit", [0.01, 100.0])
def test_lscv_is_the_closed_form_in_any_unit(kernel, unit):
    X = unit * np.random.default_rng(0).normal(size=(30, 1))
    found = LSCV(grid=unit * np.array([0.3, 0.6, 2.5])).select(X, kernel=kernel)
    expected = [slow_lscv(X, h, kernel) for h in found.grid]
    np.testing.assert_allclose(found.scores, expected, rtol=1e-10)


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "laplacian"])
def test_lscv_is_the_integrated_squared_error_up_to_a_constant(kernel):
    X = np.random.default_rng(1).normal(size=(12, 1))
    k, h = get(kernel), 0.7
    square, _ = quad(
        lambda x: k([[x]], X, bandwidth=h).mean() ** 2, -12, 12, points=X.ravel(), limit=400
    )
    left_out = [k(X[[i]], np.delete(X, i, axis=0), bandwidth=h).mean() for i in range(12)]
    score = LSCV(grid=[h]).select(X, kernel=kernel).score
    assert score == pytest.approx(square - 2 * np.mean(left_out), abs=1e-7)


@pytest.mark.parametrize("weights", [None, 3])
def test_the_structure_factor_gives_the_same_score_as_the_pairs(weights):
    rng = np.random.default_rng(8)
    X = np.concatenate([rng.normal(size=(900, 1)), 7 + 0.3 * rng.normal(size=(300, 1))]) + 1e4
    w = None if weights is None else rng.integers(1, weights + 1, 1200).astype(float)
    grid = 0.05 * 2.0 ** (np.arange(50) / 8)
    sample = KernelSample.of(X, None, "gaussian", w, None, None)
    assert _lscv._structure_factor_is_faster(sample, grid)
    fast, slow = _lscv._by_structure_factor(sample, grid), _lscv._by_pairs(sample, grid)
    np.testing.assert_allclose(fast[0], slow[0], atol=1e-12)
    # The cross term is as exact as the score that it enters.
    np.testing.assert_allclose(np.exp(fast[1] - slow[0]), np.exp(slow[1] - slow[0]), atol=1e-12)


@pytest.mark.slow
def test_lscv_agrees_with_statsmodels_to_the_resolution_of_the_grid():
    nonparametric = pytest.importorskip("statsmodels.nonparametric.api")
    rng = np.random.default_rng(2)
    for d in (1, 2):
        # statsmodels chooses one bandwidth per column; with equal columns' scales in law the
        # score of its own choice bounds ours from below, and ours must not be far above it.
        X = np.concatenate([rng.normal(-2, 0.5, (90, d)), rng.normal(1, 1, (60, d))])
        peer = nonparametric.KDEMultivariate(X, var_type="c" * d, bw="cv_ls")
        found = LSCV().select(X)
        if d == 1:
            assert abs(np.log2(found.bandwidth / peer.bw[0])) < 1 / 8
        reached = peer.imse(np.full(d, found.bandwidth))
        assert reached == pytest.approx(found.score, rel=1e-9)
        assert peer.imse(peer.bw) <= reached
        assert reached - peer.imse(peer.bw) < 0.02 * abs(reached)


def test_lscv_of_several_classes_is_the_sum_weighted_by_the_priors():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 2))
    y = np.repeat([0, 1], [20, 30])
    grid = [0.2, 0.5, 1.1]
    parts = [LSCV(grid=grid).select(X[y == c]).scores for c in (0, 1)]
    empirical = LSCV(grid=grid).select(X, y)
    np.testing.assert_allclose(empirical.scores, 0.4 * parts[0] + 0.6 * parts[1], rtol=1e-12)
    given = LSCV(grid=grid).select(X, y, priors=[0.9, 0.1])
    np.testing.assert_allclose(given.scores, 0.9 * parts[0] + 0.1 * parts[1], rtol=1e-12)


def test_lscv_does_not_overflow_in_five_hundred_dimensions():
    X = np.random.default_rng(4).normal(size=(60, 500))
    found = LSCV().select(X)
    assert np.isfinite(found.score)
    assert found.log_unit != 0.0
    assert not found.at_edge
    assert found.bandwidth == found.grid[found.scores.argmin()]
    small = LSCV().select(X[:, :5])
    assert small.log_unit == 0.0


@pytest.mark.parametrize("kernel", density_names())
def test_likelihood_is_the_mean_log_density_without_the_point(kernel):
    X = np.random.default_rng(5).normal(size=(30, 2))
    k = get(kernel)
    found = Likelihood(grid=[0.9, 2.0, 6.0]).select(X, kernel=kernel)
    for h, score in zip(found.grid, found.scores, strict=True):
        values = k(X, X, bandwidth=h)
        np.fill_diagonal(values, 0.0)
        with np.errstate(divide="ignore"):
            expected = -np.log(values.sum(axis=1) / 29).mean()
        assert score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("selector", [LSCV, Likelihood])
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "laplacian", "cauchy"])
def test_a_frequency_is_so_many_copies(selector, kernel):
    rng = np.random.default_rng(6)
    X, w = rng.normal(size=(40, 2)), rng.integers(0, 4, 40)
    y = rng.integers(0, 2, 40)
    grid = [0.4, 0.8, 3.0]
    weighted = selector(grid=grid).select(X, y, kernel=kernel, sample_weight=w)
    rows = np.repeat(np.arange(40), w)
    copied = selector(grid=grid).select(X[rows], y[rows], kernel=kernel)
    np.testing.assert_allclose(weighted.scores, copied.scores, rtol=1e-12)


def test_the_global_minimum_is_taken_where_there_are_several():
    found = LSCV().select(np.random.default_rng(0).normal(size=(100, 1)))
    s = found.scores
    minima = np.flatnonzero((s[1:-1] < s[:-2]) & (s[1:-1] < s[2:])) + 1
    assert len(minima) > 1
    assert found.score == s.min()


def test_a_row_without_itself_has_the_mean_over_what_stays():
    X, w = np.array([[0.0], [0.4], [1.0]]), np.array([0.3, 2.0, 0.5])
    part = KernelSample.of(X, None, "gaussian", w, None, None)
    values = get("gaussian")(X, X, bandwidth=0.7)
    left = w - np.diag(np.minimum(w, 1.0))
    expected = np.log((left * values).sum(axis=1) / left.sum(axis=1))
    found = loo_log_densities(part, np.array([0.7]))
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-12)
    light = KernelSample.of(X, None, "gaussian", [0.3, 0.2, 0.4], None, None)
    rest = np.array([0.3, 0.2, 0.4]) * (1 - np.eye(3))
    expected = np.log((rest * values).sum(axis=1) / rest.sum(axis=1))
    np.testing.assert_allclose(loo_log_densities(light, np.array([0.7]))[:, 0], expected)
    alone = KernelSample.of(X[:1], None, "gaussian", None, None, None)
    assert np.isneginf(loo_log_densities(alone, np.array([0.7]))).all()


def test_a_column_of_gaps_leaves_the_likelihood_of_the_other():
    rng = np.random.default_rng(9)
    X, w = rng.normal(size=(15, 2)), rng.integers(1, 3, 15).astype(float)
    grid = np.array([0.4, 1.1])
    known = KernelSample.of(X[:, :1], None, "gaussian", w, None, None)
    X[:, 1] = np.nan
    gapped = KernelSample.of(X, None, "gaussian", w, None, None)
    found = loo_log_densities(gapped, grid)
    np.testing.assert_allclose(found, loo_log_densities(known, grid), rtol=1e-10)
    none = known.rows(np.arange(0))
    assert loo_log_densities(none, grid).shape == (0, 2)


def test_the_structure_factor_is_for_gaussians_and_rows_of_weight_one():
    X, grid = np.random.default_rng(0).normal(size=(3000, 1)), np.geomspace(0.1, 1.0, 10)

    def is_faster(kernel="gaussian", weights=None, X=X):
        part = KernelSample.of(X, None, kernel, weights, None, None)
        return _lscv._structure_factor_is_faster(part, grid)

    assert is_faster()
    assert is_faster(weights=np.full(3000, 1.0))
    assert is_faster(weights=np.full(3000, 2.5))
    assert not is_faster(weights=np.append(np.full(2999, 2.0), 0.9))
    assert not is_faster("laplacian")
    assert not is_faster(X=X[:10])


@pytest.mark.parametrize("reach", [0.0, 0.7, 40.0, 1e4])
def test_as_many_frequencies_are_foreseen_as_are_used(reach, monkeypatch):
    """The last band may be shorter than foreseen."""
    used, transform = [], structure._transform

    def counting(angles, weights, count):
        used.append(count)
        return transform(angles, weights, count)

    monkeypatch.setattr(structure, "_transform", counting)
    x = 5e3 + reach * np.linspace(0.0, 1.0, 30)
    for grid in (np.array([0.5]), np.geomspace(0.5, 3.9, 9), np.geomspace(0.5, 100.0, 200)):
        used.clear()
        structure.log_gaussian_sums(x, np.ones(30), grid)
        foreseen = structure.frequencies_needed(x, grid)
        assert sum(used) == pytest.approx(foreseen, rel=0.05, abs=len(used))


@pytest.mark.parametrize("kernel", ["epanechnikov", "laplacian", "uniform"])
def test_the_overlap_is_the_double_sum_of_the_convolution_whatever_the_memory(kernel):
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(25, 2)), rng.integers(1, 4, 25).astype(float)
    part, grid = KernelSample.of(X, None, kernel, w, None, None), np.array([0.3, 1.5])
    expected = [np.log(w @ get(kernel).self_convolution(X, X, bandwidth=h) @ w) for h in grid]
    np.testing.assert_allclose(log_overlap(part, grid), expected, rtol=1e-10)
    with sklearn.config_context(working_memory=0.003):
        np.testing.assert_allclose(log_overlap(part, grid), expected, rtol=1e-10)


@pytest.mark.parametrize(("d", "unit"), [(3, False), (400, True)])
def test_the_score_of_a_bandwidth_per_class_is_the_sum_over_the_classes(d, unit):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, d)), np.arange(60) % 2
    X[y == 1] *= 1.1
    found = LSCV(per="class").select(X, y)
    units = np.broadcast_to(found.log_unit, (2, 1))
    assert bool(np.any(units)) == unit
    chosen = [found.scores[c, place] for c, place in enumerate(found.places)]
    expected = sum(s * np.exp(u[0]) for s, u in zip(chosen, units, strict=True))
    assert found.score == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(found.bandwidth, found.grid[list(found.places)])


@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 50.0])
@pytest.mark.parametrize("h", [[1.0], [0.5, 4.0], [0.3, 1.1, 9.0]])
def test_sums_by_the_structure_factor_are_those_over_the_pairs(spread, h):
    """Also of points that lie within a small part of a bandwidth."""
    x, w = 7.0 + spread * np.linspace(-1.0, 1.0, 23) ** 3, np.linspace(1.0, 2.0, 23)
    found = structure.log_gaussian_sums(x, w, np.array(h))
    squares = (x[:, None] - x) ** 2
    expected = [np.log(w @ np.exp(-squares / (2 * width**2)) @ w) for width in h]
    np.testing.assert_allclose(found, expected, atol=3e-13)


def test_the_likelihood_of_rows_with_gaps_is_the_same_in_little_memory():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(700, 2))
    X[rng.random(700) < 0.1, 1] = np.nan
    _, whole = resolve_bandwidth("likelihood", X, None, n_classes=1)
    with sklearn.config_context(working_memory=1):
        _, chunked = resolve_bandwidth("likelihood", X, None, n_classes=1)
    np.testing.assert_allclose(chunked.scores, whole.scores, rtol=1e-12)
