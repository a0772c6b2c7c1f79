"""What holds for every kernel: symmetry, scale, offsets, Mercer's condition, precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from parzen import kernels

NAMES = kernels.names()
DISTANCE = [name for name in NAMES if name not in ("polynomial", "linear")]
RADIAL = [name for name in DISTANCE if name != "laplacian"]
MERCER = {
    "gaussian": (1, 2, 5),
    "cauchy": (1, 2, 5),
    "laplacian": (1, 2, 5),
    "radial_laplacian": (1, 2, 5),
    "inverse_quadratic": (1, 2, 5),
    "polynomial": (1, 2, 5),
    "linear": (1, 2, 5),
    "triangular": (1,),
    "uniform": (),
    "epanechnikov": (),
    "biweight": (),
    "triweight": (),
    "tricube": (),
    "cosine": (),
    "logistic": (1, 2, 5),
    "gaussian_exponential": (),
}


def smallest_eigenvalue(kernel, X, bandwidth):
    return np.linalg.eigvalsh(kernel.similarity(X, X, bandwidth=bandwidth))[0]


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_knows_where_it_is_mercer(name, d):
    assert kernels.get(name).is_mercer(d) == (d in MERCER[name])


@pytest.mark.parametrize("bandwidth", [0.1, 1.0, 5.0])
@pytest.mark.parametrize(("name", "d"), [(n, d) for n, ds in MERCER.items() for d in ds])
def test_a_mercer_kernel_has_positive_semidefinite_gram_matrices(name, d, bandwidth):
    X = np.random.default_rng(0).normal(size=(120, d))
    gram = kernels.get(name).similarity(X, X, bandwidth=bandwidth)
    values = np.linalg.eigvalsh(gram)
    assert values[0] > -1e-13 * len(X) * values[-1]


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("name", kernels.density_names())
def test_a_self_convolution_is_mercer_even_if_the_kernel_is_not(name, d):
    kernel = kernels.get(name).convolved(d)
    assert kernel.is_mercer(d)
    X = np.random.default_rng(0).uniform(size=(120, d))
    for bandwidth in (0.1, 0.7, 2.0):
        assert smallest_eigenvalue(kernel, X, bandwidth) > -1e-10


@pytest.mark.parametrize(
    ("name", "d", "bandwidth", "below"),
    [
        ("uniform", 1, 3.1, -0.9),
        ("epanechnikov", 1, 2.0, -0.4),
        ("gaussian_exponential", 1, 1.4, -0.06),
        ("triangular", 2, 1.4, -0.02),
        ("triangular", 3, 1.4, -0.4),
        ("uniform", 2, 4.2, -3.0),
        ("epanechnikov", 2, 1.4, -0.7),
        ("gaussian_exponential", 2, 1.0, -0.1),
    ],
)
def test_a_grid_of_points_shows_that_a_kernel_is_not_mercer(name, d, bandwidth, below):
    side = {1: 8, 2: 6, 3: 5}[d]
    grid = np.stack(np.meshgrid(*[np.arange(float(side))] * d), -1).reshape(-1, d)
    assert smallest_eigenvalue(kernels.get(name), grid, bandwidth) < below


def test_a_negative_constant_makes_the_polynomial_kernel_indefinite():
    kernel = kernels.Polynomial(degree=2, constant=-1.0)
    assert not kernel.is_mercer(1)
    assert smallest_eigenvalue(kernel, np.array([[0.1], [1.0], [2.0]]), 1.0) < -0.1


@pytest.mark.parametrize("name", DISTANCE)
def test_the_similarity_of_a_point_with_itself_is_one(name):
    X = np.random.default_rng(0).normal(size=(6, 4))
    assert (np.diag(kernels.get(name).similarity(X, X, bandwidth=0.3)) == 1.0).all()


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
@pytest.mark.parametrize("bandwidth", [1e-200, 0.5, 2.0, 5.0, 50.0, 1e6])
@pytest.mark.parametrize("d", [7, 8, 30])
def test_gaussian_gram_matrices_keep_their_digits_in_any_form(d, bandwidth, offset):
    rng = np.random.default_rng(d)
    X, Y = (rng.normal(size=(n, d)) + offset for n in (40, 30))
    gaussian = kernels.get("gaussian")
    for left, right in ((X, Y), (X, X)):
        differences = (left[:, None, :].astype(np.longdouble) - right[None]) / bandwidth
        exponents = 0.5 * (differences**2).sum(axis=2)
        values = gaussian.similarity(left, right, bandwidth=bandwidth)
        error = np.abs(values - np.exp(-exponents)) / np.maximum(np.exp(-exponents), 1e-300)
        assert np.all(error <= 1e-13 * (1 + exponents))
    gram = gaussian.similarity(X, X, bandwidth=bandwidth)
    np.testing.assert_array_equal(gram, gram.T)
    assert (np.diag(gram) == 1.0).all()


@pytest.mark.parametrize("name", ["polynomial", "linear"])
def test_the_similarity_of_inner_kernels_is_the_formula_and_ignores_the_bandwidth(name):
    X = np.random.default_rng(0).normal(size=(6, 4))
    expected = (X @ X.T + 1) ** 3 if name == "polynomial" else X @ X.T
    kernel = kernels.get(name)
    np.testing.assert_allclose(kernel.similarity(X, X, bandwidth=9.0), expected, rtol=1e-13)
    np.testing.assert_allclose(kernel(X, X), expected, rtol=1e-13)


def test_the_printed_formulas_of_the_kernels_that_are_no_densities():
    r = np.array([0.0, 0.5, 2.0, 3.0])[:, None]
    quadratic = kernels.InverseQuadratic()([[0.0]], r, bandwidth=2.0)[0]
    np.testing.assert_allclose(quadratic, 1 / (1 + r[:, 0] ** 2 / 4), rtol=1e-15)
    mixed = kernels.GaussianExponential()([[0.0]], r, bandwidth=2.0)[0]
    near, far = np.exp(-(r[:3, 0] ** 2) / 8), np.exp(-3.0 / np.sqrt(8))
    np.testing.assert_allclose(mixed, [*near, far], rtol=1e-15)


def test_the_threshold_of_the_mixed_kernel_is_in_bandwidths_and_belongs_to_the_gaussian():
    kernel = kernels.GaussianExponential(epsilon=0.5)
    value = kernel([[0.0]], [[1.0], [1.001]], bandwidth=2.0)[0]
    assert value[0] == pytest.approx(np.exp(-0.125), rel=1e-15)
    assert value[1] == pytest.approx(np.exp(-1.001 / np.sqrt(8)), rel=1e-15)


@pytest.mark.parametrize("name", DISTANCE)
def test_an_offset_of_1e8_costs_no_digits(name):
    rng = np.random.default_rng(0)
    # Multiples of 2^-20 stay exact when shifted by 1e8, so the shifted distances are the same.
    X = np.round(rng.normal(size=(20, 3)) * 2**20) / 2**20
    kernel = kernels.get(name)
    shifted = kernel.pairs(X + 1e8, X + 1e8)
    np.testing.assert_allclose(shifted, kernel.pairs(X, X), rtol=1e-14)


@pytest.mark.parametrize("name", DISTANCE)
def test_two_distant_clusters_keep_their_small_distances(name):
    X = np.round(np.random.default_rng(0).normal(size=(10, 3)) * 2**20) / 2**20
    kernel = kernels.get(name)
    both = np.concatenate([X, X + 1e6])
    np.testing.assert_allclose(kernel.pairs(both, both)[10:, 10:], kernel.pairs(X, X), rtol=1e-14)


@pytest.mark.parametrize("scale", [1e-140, 1e-30, 1e30, 1e140])
@pytest.mark.parametrize("name", DISTANCE)
def test_the_similarity_does_not_depend_on_the_unit_of_length(name, scale):
    X = np.random.default_rng(0).normal(size=(5, 3))
    kernel = kernels.get(name)
    scaled = kernel.similarity(scale * X, scale * X, bandwidth=2 * scale)
    np.testing.assert_allclose(scaled, kernel.similarity(X, X, bandwidth=2.0), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_float32_stays_float32_and_is_close(name):
    X = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
    kernel = kernels.get(name)
    for bandwidth in (2.0, np.float64(2.0), np.full(8, 2.0)):
        small = kernel(X, X, bandwidth=bandwidth)
        assert small.dtype == np.float32
        large = kernel(X.astype(np.float64), X.astype(np.float64), bandwidth=2.0)
        np.testing.assert_allclose(small, large, rtol=3e-6, atol=1e-6)
    if kernel.is_density:
        assert kernel.self_convolution(X, X).dtype == np.float32
        assert kernel.convolved(3).similarity(X, X).dtype == np.float32


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [int, bool, np.float16])
def test_other_numbers_are_taken_as_float64(name, dtype):
    X = np.array([[0, 1], [1, 1], [1, 0]]).astype(dtype)
    kernel = kernels.get(name)
    assert kernel(X, X).dtype == np.float64
    np.testing.assert_array_equal(kernel(X, X), kernel(X.astype(float), X.astype(float)))


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_give_an_empty_matrix(name):
    kernel = kernels.get(name)
    assert kernel(np.empty((0, 3)), np.ones((4, 3))).shape == (0, 4)
    if kernel.is_density:
        assert kernel.self_convolution(np.ones((4, 3)), np.empty((0, 3))).shape == (4, 0)


@pytest.mark.parametrize("name", DISTANCE)
def test_profiles_broadcast_over_pairs_and_bandwidths(name):
    kernel = kernels.get(name)
    pairs, widths = np.array([0.1, 0.5, 2.0]), np.array([0.5, 1.0, 2.0, 4.0])
    table = kernel.log_profile(pairs[:, None], widths, 2)
    assert table.shape == (3, 4)
    for j, width in enumerate(widths):
        np.testing.assert_array_equal(table[:, j], kernel.log_profile(pairs, width, 2))
    np.testing.assert_allclose(kernel.profile(pairs[:, None], widths, 2), np.exp(table), 1e-15)


points = hnp.arrays(np.float64, (4, 3), elements=st.floats(-10, 10, width=32))


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(DISTANCE), X=points, Y=points, bandwidth=st.floats(0.05, 20.0))
def test_a_similarity_is_symmetric_and_between_zero_and_one(name, X, Y, bandwidth):
    kernel = kernels.get(name)
    values = kernel.similarity(X, Y, bandwidth=bandwidth)
    assert ((values >= 0) & (values <= 1)).all()
    np.testing.assert_array_equal(values, kernel.similarity(Y, X, bandwidth=bandwidth).T)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(RADIAL), X=points, seed=st.integers(0, 2**32 - 1))
def test_a_radial_kernel_does_not_change_under_rotation(name, X, seed):
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    kernel = kernels.get(name)
    turned = kernel.pairs(X @ rotation, X @ rotation)
    np.testing.assert_allclose(turned, kernel.pairs(X, X), rtol=1e-9, atol=1e-11)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(kernels.density_names()), X=points, bandwidth=st.floats(0.05, 20.0))
def test_the_density_is_the_normaliser_times_the_profile(name, X, bandwidth):
    kernel = kernels.get(name)
    log = kernel.log(X, X[:1], bandwidth=bandwidth)
    profile = kernel.profile(kernel.pairs(X, X[:1]), bandwidth, 3)
    expected = profile * np.exp(kernel.log_normalizer(bandwidth, 3))
    np.testing.assert_allclose(np.exp(log), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("d", [1, 2, 100])
@pytest.mark.parametrize("name", DISTANCE)
@pytest.mark.filterwarnings("error")
def test_the_log_falls_without_end_and_without_warnings(name, d):
    kernel = kernels.get(name)
    X = np.zeros((1, d))
    far = np.zeros((5, d))
    far[:, 0] = [1e3, 1e6, 1e12, 1e100, 1e150]
    for one in [kernel, kernel.convolved(d)] if kernel.is_density else [kernel]:
        log = one.log(X, far)[0]
        if np.isinf(one.support_radius(1.0)):
            assert np.isfinite(log).all()
            assert (np.diff(log) < 0).all()
        else:
            assert (log == -np.inf).all()
        assert one.log(X, far, bandwidth=1e-200).max() < one.log(X, X, bandwidth=1e-200)[0, 0]


@pytest.mark.parametrize("d", [2, 100])
def test_the_radial_laplacians_overlap_falls_as_its_tail(d):
    # r^nu K_nu(r) -> sqrt(pi/2) r^(nu - 1/2) exp(-r), nu = d/2 + 1.
    log = kernels.get("radial_laplacian").convolved(d).log_profile(np.array([1e20, 1e24]), 1.0, d)
    slope = (log[1] + 1e12) - (log[0] + 1e10)
    assert slope == pytest.approx((d + 1) / 2 * np.log(100), abs=1e-3)
