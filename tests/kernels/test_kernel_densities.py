"""Density kernels are densities: mass, support, normaliser, samples, bandwidth factors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from parzen import kernels

RADIAL = [name for name in kernels.density_names() if name != "laplacian"]
COMPACT = ["uniform", "triangular", "epanechnikov", "biweight", "triweight", "tricube", "cosine"]
DENSITIES = kernels.density_names()


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("name", RADIAL)
def test_a_radial_density_integrates_to_one(name, d, radial_log_mass):
    assert radial_log_mass(kernels.get(name), d) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("d", [20, 100])
@pytest.mark.parametrize("name", RADIAL)
def test_a_radial_density_integrates_to_one_in_many_dimensions(name, d, radial_log_mass):
    assert radial_log_mass(kernels.get(name), d, step=1 / 64) == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_product_laplacian_integrates_to_one(d):
    # Gauss-Laguerre on each half axis is exact for exp(-|x|) times a constant.
    nodes, weights = np.polynomial.laguerre.laggauss(8)
    points = np.stack(np.meshgrid(*[nodes] * d), -1).reshape(-1, d)
    weight = np.prod(np.stack(np.meshgrid(*[weights * np.exp(nodes)] * d), -1), axis=-1).ravel()
    mass = 2**d * np.sum(weight * kernels.get("laplacian")(np.zeros((1, d)), points))
    assert mass == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("name", DENSITIES)
def test_the_bandwidth_stretches_the_density(name):
    kernel, s = kernels.get(name), 2.5
    X, Y = np.zeros((1, 3)), np.array([[0.1, -0.2, 0.3], [0.5, 0.6, 0.0]])
    expected = kernel(X, Y) / s**3
    np.testing.assert_allclose(kernel(s * X, s * Y, bandwidth=s), expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("gaussian", lambda X: stats.norm.pdf(X).prod(axis=1)),
        ("cauchy", lambda X: stats.multivariate_t(np.zeros(3), df=1).pdf(X)),
        ("laplacian", lambda X: stats.laplace.pdf(X).prod(axis=1)),
        ("radial_laplacian", lambda X: np.exp(-np.linalg.norm(X, axis=1)) / (8 * np.pi)),
        ("uniform", lambda X: (np.linalg.norm(X, axis=1) <= 1) * 3 / (4 * np.pi)),
        ("triangular", lambda X: np.clip(1 - np.linalg.norm(X, axis=1), 0, 1) * 3 / np.pi),
        ("epanechnikov", lambda X: np.clip(1 - (X**2).sum(axis=1), 0, 1) * 15 / (8 * np.pi)),
        ("biweight", lambda X: np.clip(1 - (X**2).sum(axis=1), 0, 1) ** 2 * 105 / (32 * np.pi)),
        ("triweight", lambda X: np.clip(1 - (X**2).sum(axis=1), 0, 1) ** 3 * 315 / (64 * np.pi)),
    ],
)
def test_values_in_three_dimensions_are_the_textbook_ones(name, other):
    X = np.random.default_rng(0).uniform(-0.8, 0.8, size=(50, 3))
    np.testing.assert_allclose(kernels.get(name)(np.zeros((1, 3)), X)[0], other(X), rtol=1e-13)


@pytest.mark.parametrize("name", DENSITIES)
def test_the_log_normalizer_is_finite_in_ten_thousand_dimensions(name):
    kernel = kernels.get(name)
    for scale in (1e-3, 1.0, 1e3):
        assert np.isfinite(kernel.log_normalizer(scale, 10_000))
        assert np.isfinite(kernel.convolved(10_000).log_normalizer(scale, 10_000))
    several = kernel.log_normalizer(np.array([1e-3, 1e3]), 10_000)
    assert several[0] - several[1] == pytest.approx(10_000 * np.log(1e6), rel=1e-13)


@pytest.mark.parametrize("name", COMPACT)
def test_a_compact_density_vanishes_exactly_beyond_its_support_radius(name):
    kernel, s = kernels.get(name), 0.7
    radius = kernel.support_radius(s)
    assert radius == s
    X, Y = np.zeros((1, 2)), np.array([[radius * 1.0001, 0.0], [0.0, radius * 0.9999]])
    log = kernel.log(X, Y, bandwidth=s)[0]
    assert log[0] == -np.inf
    assert np.isfinite(log[1])
    assert kernel(X, Y, bandwidth=s)[0, 0] == 0.0


@pytest.mark.parametrize("s", [0.1, 0.3, 0.7, 1.1, 3.3, 1e-7, 1e9 / 7])
def test_the_uniform_density_includes_its_sphere_whatever_the_rounding(s):
    uniform = kernels.get("uniform")
    assert uniform.similarity([[0.0]], [[s]], bandwidth=s)[0, 0] == 1.0
    assert uniform.similarity([[0.0]], [[s * (1 + 1e-15)]], bandwidth=s)[0, 0] == 0.0


@pytest.mark.parametrize("name", [n for n in kernels.names() if n not in COMPACT])
def test_other_kernels_have_no_support_radius(name):
    assert kernels.get(name).support_radius(0.7) == np.inf


@pytest.mark.parametrize("name", COMPACT)
def test_the_convolution_of_a_compact_density_reaches_twice_as_far(name):
    overlap = kernels.get(name).convolved(2)
    assert overlap.support_radius(0.7) == 1.4
    log = overlap.log(np.zeros((1, 2)), np.array([[1.401, 0.0], [1.399, 0.0]]), bandwidth=0.7)
    assert log[0, 0] == -np.inf
    assert np.isfinite(log[0, 1])


LINE_CDF = {
    "gaussian": stats.norm.cdf,
    "cauchy": stats.cauchy.cdf,
    "laplacian": stats.laplace.cdf,
    "radial_laplacian": stats.laplace.cdf,
    "uniform": stats.uniform(-1, 2).cdf,
    "triangular": stats.triang(0.5, -1, 2).cdf,
    "epanechnikov": stats.beta(2, 2, loc=-1, scale=2).cdf,
    "biweight": stats.beta(3, 3, loc=-1, scale=2).cdf,
    "triweight": stats.beta(4, 4, loc=-1, scale=2).cdf,
    "tricube": lambda x: 0.5 + 0.5 * np.sign(x) * stats.beta(1 / 3, 4).cdf(np.abs(x) ** 3),
    "cosine": lambda x: 0.5 + 0.5 * np.sin(0.5 * np.pi * x),
    "logistic": stats.logistic.cdf,
}


@pytest.mark.parametrize("name", DENSITIES)
def test_samples_on_the_line_follow_the_density(name):
    draws = kernels.get(name).sample(20_000, 1, np.random.default_rng(1))
    assert draws.shape == (20_000, 1)
    assert stats.kstest(draws[:, 0], LINE_CDF[name]).pvalue > 1e-3


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("name", RADIAL)
def test_samples_in_space_have_the_densitys_distances_and_no_preferred_direction(name, d):
    kernel = kernels.get(name)
    draws = kernel.sample(20_000, d, np.random.default_rng(2))
    distance = np.linalg.norm(draws, axis=1)
    r = np.linspace(0.0, min(kernel.support_radius(1.0), 400.0), 400_001)[1:]
    log_value = kernel.log_normalizer(1.0, d) + kernel.log_profile(r**2, 1.0, d)
    cdf = np.cumsum(np.exp(log_value + (d - 1) * np.log(r)))
    # Cauchy's tail beyond the grid is under 1 %; conditioning on the grid is enough for the shape.
    inside = distance[distance <= r[-1]]
    assert stats.kstest(inside, lambda x: np.interp(x, r, cdf / cdf[-1])).pvalue > 1e-3
    signs = np.sign(draws)
    assert np.abs(signs.T @ signs / len(draws) - np.eye(d)).max() < 0.04


def test_samples_of_the_product_laplacian_have_independent_coordinates():
    draws = kernels.get("laplacian").sample(20_000, 2, np.random.default_rng(3))
    assert stats.kstest(draws[:, 1], stats.laplace.cdf).pvalue > 1e-3
    assert abs(np.corrcoef(np.abs(draws).T)[0, 1]) < 0.03


@pytest.mark.parametrize("name", DENSITIES)
def test_samples_of_the_convolution_follow_its_density(name):
    overlap = kernels.get(name).convolved(1)
    draws = overlap.sample(20_000, 1, np.random.default_rng(4))[:, 0]
    x = np.linspace(-200, 200, 400_001)
    cdf = np.cumsum(overlap([[0.0]], x[:, None])[0]) * (x[1] - x[0])
    inside = draws[np.abs(draws) < 200]
    assert cdf[-1] == pytest.approx(1.0, abs=1e-2)
    assert stats.kstest(inside, lambda v: np.interp(v, x, cdf / cdf[-1])).pvalue > 1e-3


def test_samples_take_a_legacy_random_state_too():
    for name in DENSITIES:
        assert kernels.get(name).sample(3, 2, np.random.RandomState(0)).shape == (3, 2)


# Canonical bandwidths on the line: Marron & Nolan (1988), Gaussian (1/(4 pi))^(1/10).
LINE_FACTORS = {
    "gaussian": 1.0,
    "uniform": (9 / 2) ** 0.2 * (4 * np.pi) ** 0.1,
    "triangular": 24**0.2 * (4 * np.pi) ** 0.1,
    "epanechnikov": 15**0.2 * (4 * np.pi) ** 0.1,
    "biweight": 35**0.2 * (4 * np.pi) ** 0.1,
    "triweight": (9450 / 143) ** 0.2 * (4 * np.pi) ** 0.1,
    "tricube": (175 / 247 / (35 / 243) ** 2) ** 0.2 * (4 * np.pi) ** 0.1,
    "cosine": (np.pi**2 / 16 / (1 - 8 / np.pi**2) ** 2) ** 0.2 * (4 * np.pi) ** 0.1,
    "logistic": np.sqrt(2 * np.log(2)) / (2 * np.arccosh(np.sqrt(2))),
    "cauchy": np.sqrt(2 * np.log(2)),
    "laplacian": np.sqrt(2 / np.log(2)),
    "radial_laplacian": np.sqrt(2 / np.log(2)),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_bandwidth_factors_on_the_line_are_the_published_ones(name):
    assert kernels.get(name).bandwidth_factor(1) == pytest.approx(LINE_FACTORS[name], rel=1e-12)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("name", COMPACT)
def test_the_canonical_bandwidth_is_roughness_over_squared_variance(name, d, piecewise_rule):
    kernel = kernels.get(name)
    r, log_weight = piecewise_rule([0.0, 1.0], 1 / 24)
    density = np.exp(kernel.log_normalizer(1.0, d) + kernel.log_profile(r**2, 1.0, d))
    shell = {2: 2 * np.pi, 3: 4 * np.pi}[d] * r ** (d - 1) * np.exp(log_weight)
    roughness, variance = np.sum(shell * density**2), np.sum(shell * density * r**2) / d
    gaussian = (4 * np.pi) ** (-d / 2)
    expected = (roughness / variance**2 / gaussian) ** (1 / (d + 4))
    assert kernel.bandwidth_factor(d) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("d", [1, 4, 50])
@pytest.mark.parametrize(
    "name",
    [
        "cauchy",
        "laplacian",
        "radial_laplacian",
        "logistic",
        "inverse_quadratic",
        "gaussian_exponential",
    ],
)
def test_heavy_tailed_kernels_match_the_gaussian_at_half_its_height(name, d):
    kernel = kernels.get(name)
    point = np.zeros((1, d))
    point[0, 0] = np.sqrt(2 * np.log(2))
    value = kernel.similarity(np.zeros((1, d)), point, bandwidth=kernel.bandwidth_factor(d))
    assert value[0, 0] == pytest.approx(0.5, rel=1e-13)


@pytest.mark.parametrize("name", DENSITIES)
def test_bandwidth_factors_are_finite_in_ten_thousand_dimensions(name):
    assert 0 < kernels.get(name).bandwidth_factor(10_000) < 1e4
