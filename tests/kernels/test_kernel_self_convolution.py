"""Self-convolutions agree with quadrature, with known ratios, and in high dimension with logs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad
from scipy.special import beta, betainc, betaln, gammaln, kv, logsumexp

from parzen import kernels
from parzen.kernels.matern import _by_bessel, _by_debye

RADIAL = [name for name in kernels.density_names() if name != "laplacian"]
COMPACT = ["uniform", "triangular", "epanechnikov", "biweight", "triweight", "tricube", "cosine"]
DENSITIES = kernels.density_names()


def at_distance(r, d):
    point = np.zeros((1, d))
    point[0, -1] = r
    return point


@pytest.mark.parametrize("r", [0.01, 0.6, 1.0, 1.3, 1.9])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("name", RADIAL)
def test_it_is_the_integral_of_two_densities(name, d, r, radial_log_overlap):
    kernel = kernels.get(name)
    got = kernel.log_self_convolution(np.zeros((1, d)), at_distance(r, d))[0, 0]
    # What is computed from the profile alone is promised to 1e-8, closed forms are exact.
    is_default = type(kernel).log_overlap_shape is kernels.DensityKernel.log_overlap_shape
    promised = 1e-8 if is_default else 2e-11
    assert got == pytest.approx(radial_log_overlap(kernel, r, d), abs=promised)


@pytest.mark.slow
@pytest.mark.parametrize("r", [0.1, 0.97, 1.05, 1.6])
@pytest.mark.parametrize("d", [10, 50, 300])
@pytest.mark.parametrize("name", ["triangular", "epanechnikov", "uniform", "radial_laplacian"])
def test_it_is_the_integral_in_many_dimensions(name, d, r, radial_log_overlap):
    kernel = kernels.get(name)
    got = kernel.log_self_convolution(np.zeros((1, d)), at_distance(r, d))[0, 0]
    assert got == pytest.approx(radial_log_overlap(kernel, r, d, step=1 / 80), abs=1e-10)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_product_laplacians_is_the_integral_over_space(d):
    # On each axis the integrand is an exponential between the breaks -inf, 0, r, inf.
    offset = np.array([0.7, -1.6, 0.05])[:d]
    tail, tail_weight = np.polynomial.laguerre.laggauss(12)
    middle, middle_weight = np.polynomial.legendre.leggauss(12)
    axes, weights = [], []
    for r in np.abs(offset):
        # exp(-2 t) in the tails: t = x / 2.
        axes.append(np.r_[-tail / 2, r * (middle + 1) / 2, r + tail / 2])
        outer = tail_weight * np.exp(tail) / 2
        weights.append(np.r_[outer, r * middle_weight / 2, outer])
    points = np.stack(np.meshgrid(*axes), -1).reshape(-1, d)
    weight = np.prod(np.stack(np.meshgrid(*weights), -1).reshape(-1, d), axis=1)
    kernel = kernels.get("laplacian")
    left, right = kernel(points, np.zeros((1, d))), kernel(points, np.abs(offset)[None])
    expected = np.sum(weight * left[:, 0] * right[:, 0])
    got = kernel.self_convolution(np.zeros((1, d)), offset[None])[0, 0]
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["gaussian", "cauchy"])
def test_two_bandwidths_are_joined(name, piecewise_rule):
    kernel, s, t, r = kernels.get(name), 0.5, 1.7, 0.9
    nodes, log_weight = piecewise_rule([0.0, 1.0, np.inf], 1 / 24)
    x = np.concatenate([-nodes, nodes])[:, None]
    weight = np.exp(np.concatenate([log_weight, log_weight]))[:, None]
    left, right = kernel(x, [[0.0]], bandwidth=s), kernel(x, [[r]], bandwidth=t)
    expected = np.sum(weight * left * right)
    got = kernel.self_convolution([[0.0]], [[r]], bandwidth=s, other_bandwidth=t)[0, 0]
    assert got == pytest.approx(expected, rel=1e-11)
    doubled = kernel.convolved(1).self_convolution([[0.0]], [[r]], bandwidth=s, other_bandwidth=t)
    joined = kernel.join_bandwidths(kernel.join_bandwidths(s, s), kernel.join_bandwidths(t, t))
    assert doubled == pytest.approx(kernel([[0.0]], [[r]], bandwidth=joined), rel=1e-13)
    fourfold = kernel.convolved(1).convolved(1)([[0.0]], [[r]], bandwidth=s)
    same = kernel.convolved(1).self_convolution([[0.0]], [[r]], bandwidth=s)
    np.testing.assert_allclose(fourfold, same, rtol=1e-13)


@pytest.mark.parametrize(("s", "t"), [(0.5, 1.7), (1.2, 0.4), (0.9, 0.9)])
@pytest.mark.parametrize("r", [0.0, 0.35, 1.1])
@pytest.mark.parametrize("name", [n for n in DENSITIES if n not in ("gaussian", "cauchy")])
def test_two_bandwidths_overlap_as_their_integral_says(name, r, s, t, piecewise_rule):
    kernel = kernels.get(name)
    reach = min(kernel.support_radius(1.0), 60.0)
    cuts = {0.0, r, -s * reach, s * reach, r - t * reach, r + t * reach}
    x, log_weight = piecewise_rule(sorted(cuts), 1 / 24)
    left, right = kernel(x[:, None], [[0.0]], bandwidth=s), kernel(x[:, None], [[r]], bandwidth=t)
    expected = np.sum(np.exp(log_weight) * left[:, 0] * right[:, 0])
    got = kernel.self_convolution([[0.0]], [[r]], bandwidth=s, other_bandwidth=t)[0, 0]
    assert got == pytest.approx(expected, rel=1e-8)


PEAK_RATIOS = {
    "gaussian": lambda d: 2 ** (d / 2),
    "cauchy": lambda d: 2.0**d,
    "laplacian": lambda d: 2.0**d,
    "radial_laplacian": lambda d: 2.0**d,
    "uniform": lambda d: 1.0,
    "epanechnikov": lambda d: (d + 4) / 4,
    "triangular": lambda d: (d + 2) / 2,
    "biweight": lambda d: beta(d / 2, 3) / beta(d / 2, 5),
    "triweight": lambda d: beta(d / 2, 4) / beta(d / 2, 7),
    "tricube": lambda d: beta(d / 3, 4) / beta(d / 3, 7),
    "cosine": lambda d: ratio_of_masses(lambda r: np.cos(np.pi * r / 2), d, 1.0),
    "logistic": lambda d: ratio_of_masses(lambda r: np.cosh(r / 2) ** -2.0, d, 100.0),
}


def ratio_of_masses(profile, d, end):
    """The integral of a profile over space, relative to that of its square."""
    plain, squared = (
        quad(lambda r, p=p: r ** (d - 1) * profile(r) ** p, 0, end, epsabs=0, limit=400)[0]
        for p in (1, 2)
    )
    return plain / squared


@pytest.mark.parametrize("d", [1, 2, 3, 10])
@pytest.mark.parametrize("name", DENSITIES)
def test_the_peak_falls_by_the_known_ratio(name, d):
    kernel, origin = kernels.get(name), np.zeros((1, d))
    ratio = kernel(origin, origin) / kernel.self_convolution(origin, origin)
    assert ratio[0, 0] == pytest.approx(PEAK_RATIOS[name](d), rel=1e-12)


@pytest.mark.parametrize("name", RADIAL)
def test_the_peak_is_the_integral_of_the_squared_density(name, piecewise_rule):
    kernel = kernels.get(name)
    r, log_weight = piecewise_rule([0.0, 1.0, kernel.support_radius(1.0)], 1 / 24)
    log_value = kernel.log_normalizer(1.0, 3) + kernel.log_profile(r**2, 1.0, 3)
    expected = np.sum(np.exp(log_weight + 2 * log_value) * 4 * np.pi * r**2)
    got = kernel.self_convolution(np.zeros((1, 3)), np.zeros((1, 3)))[0, 0]
    assert got == pytest.approx(expected, rel=1e-12)


def epanechnikov_in_closed_form(q, d):
    """The overlap of two paraboloids by incomplete beta functions; cancels as q nears 1."""

    def cap(power):
        return 0.5 * np.exp(betaln(power + 1, 0.5)) * betainc(power + 1, 0.5, 1 - q**2)

    first = 8 / ((d - 1) * (d + 1) * (d + 3)) * cap((d + 3) / 2)
    slope = 2 * (1 - q**2) ** ((d + 3) / 2) / (d + 3) - 2 * q * cap((d + 1) / 2)
    both = first + 2 / ((d - 1) * (d + 1)) * 2 * q * slope
    log_area = np.log(2) + (d - 1) / 2 * np.log(np.pi) - gammaln((d - 1) / 2)
    log_volume = d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
    return np.log(2 * both) + log_area + 2 * (np.log((d + 2) / 2) - log_volume)


@pytest.mark.parametrize("d", [2, 3, 7, 50, 300])
def test_the_epanechnikov_table_agrees_with_its_closed_form(d):
    q = np.linspace(0.001, 0.8 if d < 100 else 0.5, 400)
    got = kernels.get("epanechnikov").log_self_convolution(np.zeros((1, d)), spread(2 * q, d))[0]
    np.testing.assert_allclose(got, epanechnikov_in_closed_form(q, d), rtol=0, atol=2e-10)


def spread(r, d):
    points = np.zeros((len(r), d))
    points[:, 0] = r
    return points


def test_on_the_line_the_triangles_convolution_is_the_cubic_spline():
    r = np.linspace(0.0, 2.0, 201)
    got = kernels.get("triangular").self_convolution([[0.0]], r[:, None])[0]
    spline = np.where(r < 1, 2 / 3 - r**2 + r**3 / 2, (2 - r) ** 3 / 6)
    np.testing.assert_allclose(got, spline, rtol=1e-10, atol=1e-30)


@pytest.mark.parametrize("d", [1, 2, 3, 20])
def test_the_radial_laplacians_convolution_is_a_matern_profile(d):
    nu, r = d / 2 + 1, np.array([0.01, 0.5, 2.0, 20.0])
    matern = 2 ** (1 - nu) * np.exp(-gammaln(nu)) * r**nu * kv(nu, r)
    overlap = kernels.get("radial_laplacian").convolved(d)
    np.testing.assert_allclose(overlap.similarity(np.zeros((1, d)), spread(r, d))[0], matern, 1e-12)


@pytest.mark.parametrize("d", [77, 78, 79, 500, 10_000])
def test_the_matern_profile_is_right_near_zero_for_large_orders(d):
    # The power series of r^nu K_nu(r), whose first two terms are enough for r <= 0.1.
    nu, r = d / 2 + 1, np.array([0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1])
    got = kernels.get("radial_laplacian").convolved(d).log_profile(r**2, 1.0, d)
    series = -(r**2) / (4 * (nu - 1)) + r**4 / 32 / (nu - 1) ** 2 / (nu - 2)
    np.testing.assert_allclose(got, series, rtol=0, atol=2e-13)


@pytest.mark.parametrize("nu", [40.0, 40.5, 60.0])
def test_both_rules_of_the_matern_profile_agree_where_they_meet(nu):
    r = np.array([0.05, 0.5, 5.0, 30.0, 200.0, 2000.0])
    np.testing.assert_allclose(_by_debye(r, nu), _by_bessel(r, nu), rtol=1e-13, atol=2e-13)


@pytest.mark.slow
@pytest.mark.parametrize("d", [100, 500])
@pytest.mark.parametrize("name", DENSITIES)
def test_logs_neither_overflow_nor_underflow_in_many_dimensions(name, d):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4, d)) / np.sqrt(d)
    for bandwidth in (1e-3, 1.0, 1e3):
        got = kernels.get(name).log_self_convolution(
            bandwidth * X, bandwidth * X, bandwidth=bandwidth
        )
        assert np.isfinite(got).all()
        shifted = got + d * np.log(bandwidth)
        np.testing.assert_allclose(
            shifted, kernels.get(name).log_self_convolution(X, X), rtol=1e-10, atol=1e-8
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPACT)
def test_a_compact_overlap_has_a_finite_log_up_to_the_edge_in_500_dimensions(name):
    overlap = kernels.get(name).convolved(500)
    log = overlap.log_profile(np.array([1.9, 1.999, 1.999999, 2.0, 2.1]) ** 2, 1.0, 500)
    assert np.isfinite(log[:3]).all()
    assert (np.diff(log[:3]) < 0).all()
    assert (log[3:] == -np.inf).all()


@pytest.mark.parametrize("name", DENSITIES)
def test_the_convolved_kernel_is_a_kernel_like_any_other(name):
    d, s = 3, 1.4
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(5, d)), rng.normal(size=(4, d))
    kernel = kernels.get(name)
    overlap = kernel.convolved(d)
    values = kernel.self_convolution(X, Y, bandwidth=s)
    np.testing.assert_allclose(overlap(X, Y, bandwidth=s), values, rtol=1e-13)
    pairs = overlap.pairs(X, Y)
    rebuilt = overlap.profile(pairs, s, d) * np.exp(overlap.log_normalizer(s, d))
    np.testing.assert_allclose(rebuilt, values, rtol=1e-13)
    similarity = overlap.similarity(X, Y, bandwidth=s)
    np.testing.assert_allclose(similarity, overlap.profile(pairs, s, d), rtol=1e-13)
    assert (np.diag(overlap.similarity(X, X, bandwidth=s)) == 1.0).all()
    per_column = overlap.profile(pairs, np.full(4, s), d)
    np.testing.assert_allclose(per_column, similarity, rtol=1e-13)
    assert overlap.is_density
    assert overlap.native(d) is None


@pytest.mark.parametrize("name", DENSITIES)
def test_the_convolved_density_integrates_to_one(name):
    # The trapezium rule over twenty thousand bandwidths; Cauchy's tail beyond is 2 * 2 / (pi x).
    x = np.sinh(np.linspace(-10, 10, 200_001))
    mass = np.trapezoid(kernels.get(name).convolved(1)([[0.0]], x[:, None])[0], x)
    tail = 4 / (np.pi * x[-1]) if name == "cauchy" else 0.0
    assert mass + tail == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("name", [n for n in DENSITIES if n not in ("gaussian", "cauchy")])
def test_convolving_twice_is_refused(name):
    with pytest.raises(ValueError, match="no self-convolution"):
        kernels.get(name).convolved(2).convolved(2)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(DENSITIES),
    d=st.integers(1, 12),
    r=st.floats(0.0, 1.9),
    step=st.floats(1e-4, 0.05),
)
def test_the_overlap_falls_with_the_distance(name, d, r, step):
    near, far = kernels.get(name).log_self_convolution(
        np.zeros((1, d)), spread(np.array([r, r + step]), d)
    )[0]
    assert far < near


@pytest.mark.parametrize("r", [0.5, 1.5, 1.95])
@pytest.mark.parametrize("d", [400, 5000])
def test_the_uniform_overlap_is_two_caps_of_a_ball_even_where_it_underflows(d, r, piecewise_rule):
    # A cap is a stack of (d-1)-dimensional balls, each of squared radius x (2 - x) at depth x.
    depth = 1 - r / 2
    x, log_weight = piecewise_rule([0.0, 0.95 * depth, depth], 1 / 64)
    log_caps = np.log(2) + logsumexp(log_weight + (d - 1) / 2 * np.log(x * (2 - x)))
    log_share = log_caps + gammaln(d / 2 + 1) - gammaln(d / 2 + 0.5) - np.log(np.pi) / 2
    got = kernels.get("uniform").convolved(d).log_profile(r**2, 1.0, d)
    assert got == pytest.approx(log_share, rel=1e-13, abs=1e-10)


@pytest.mark.parametrize("name", DENSITIES)
def test_a_convolved_kernel_wants_a_smaller_bandwidth(name):
    kernel = kernels.get(name)
    shrink = kernel.bandwidth_factor(3) / kernel.convolved(3).bandwidth_factor(3)
    assert shrink == pytest.approx(2.0 if name == "cauchy" else np.sqrt(2), rel=1e-14)
