"""Finding kernels by name, kernels as values, and what is said about wrong input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse

from parzen import kernels

NAMES = kernels.names()
DENSITIES = kernels.density_names()
OTHERS = NAMES[len(DENSITIES) :]


def test_the_table_lists_every_kernel_and_the_densities_first():
    in_the_package = {
        kind.name
        for kind in subclasses(kernels.Kernel)
        if kind.__module__.startswith("parzen.kernels.") and hasattr(kind, "name")
    }
    made_of_others = {
        "self_convolution", "rescaled", "conformal", "anova",
        "aitchison_aitken", "wang_van_ryzin", "column_product",
    }  # fmt: skip
    assert set(NAMES) == in_the_package - made_of_others
    assert list(DENSITIES) == sorted(DENSITIES)
    assert list(OTHERS) == sorted(OTHERS)
    assert all(kernels.get(name).is_density == (name in DENSITIES) for name in NAMES)


def subclasses(kind):
    return {kind}.union(*(subclasses(below) for below in kind.__subclasses__()))


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_is_found_by_its_own_name(name):
    kernel = kernels.get(name)
    assert kernel.name == name
    assert kernels.get(kernel) is kernel


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="unknown kernel 'gausian'") as caught:
        kernels.get("gausian")
    assert all(name in str(caught.value) for name in NAMES)


@pytest.mark.parametrize("wrong", [None, 3, kernels.Gaussian, ["gaussian"]])
def test_what_is_neither_name_nor_kernel_is_a_type_error(wrong):
    with pytest.raises(TypeError, match="kernel must be a name or a Kernel"):
        kernels.get(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_kernels_are_values(name):
    kernel = kernels.get(name)
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin == kernel == copy.deepcopy(kernel)
    assert hash(twin) == hash(kernel)
    assert sum(kernels.get(other) == kernel for other in NAMES) == 1
    assert type(kernel).__name__ + "(" in repr(kernel)
    with pytest.raises(AttributeError):
        kernel.name = "other"


@pytest.mark.parametrize("name", DENSITIES)
def test_convolved_kernels_are_values_too(name):
    overlap = kernels.get(name).convolved(2)
    assert pickle.loads(pickle.dumps(overlap)) == overlap
    assert overlap != kernels.get(name)


def test_the_repr_is_the_call_that_makes_the_kernel():
    assert repr(kernels.get("gaussian")) == "Gaussian()"
    assert repr(kernels.Polynomial(degree=2)) == "Polynomial(degree=2, constant=1.0)"


def test_a_measure_tells_what_a_kernel_sees_of_a_pair():
    measures = {name: kernels.get(name).measure for name in NAMES}
    assert measures.pop("laplacian") == "l1"
    assert measures.pop("polynomial") == measures.pop("linear") == "inner"
    assert set(measures.values()) == {"squared"}
    X, Y = np.array([[1.0, -2.0]]), np.array([[4.0, 2.0]])
    assert kernels.get("gaussian").pairs(X, Y)[0, 0] == 25.0
    assert kernels.get("laplacian").pairs(X, Y)[0, 0] == 7.0
    assert kernels.get("linear").pairs(X, Y)[0, 0] == 0.0


def test_native_profiles_are_named_with_their_parameters():
    native = {name: kernels.get(name).native(4) for name in NAMES}
    assert native == {
        "gaussian": ("gaussian", ()),
        "cauchy": ("rational", (2.5,)),
        "laplacian": ("laplacian", ()),
        "radial_laplacian": ("radial_laplacian", ()),
        "uniform": ("uniform", ()),
        "triangular": ("triangular", ()),
        "epanechnikov": ("epanechnikov", ()),
        "biweight": ("biweight", ()),
        "triweight": ("triweight", ()),
        "tricube": ("tricube", ()),
        "cosine": ("cosine", ()),
        "logistic": ("logistic", ()),
        "inverse_quadratic": ("rational", (1.0,)),
        "gaussian_exponential": ("gaussian_exponential", (pytest.approx(np.sqrt(2)),)),
        "polynomial": ("polynomial", (1.0, 3.0)),
        "linear": ("polynomial", (0.0, 1.0)),
    }


def test_the_rational_profile_with_the_native_power_is_the_cauchy_profile():
    r2 = np.array([0.0, 0.3, 4.0])
    (power,) = kernels.get("cauchy").native(6)[1]
    profile = kernels.get("cauchy").profile(r2, 1.0, 6)
    np.testing.assert_allclose(profile, (1 + r2) ** -power, rtol=1e-14)


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.inf, np.nan, "wide", None, [1.0, 0.0]])
@pytest.mark.parametrize("name", NAMES)
def test_a_bandwidth_must_be_positive_and_finite(name, bandwidth):
    kernel = kernels.get(name)
    with pytest.raises(ValueError, match="bandwidth must be"):
        kernel([[0.0]], [[1.0]], bandwidth=bandwidth)
    with pytest.raises(ValueError, match="bandwidth must be"):
        kernel.log_normalizer(bandwidth, 1)


def test_the_message_about_a_bandwidth_has_the_value_and_the_cure():
    with pytest.raises(ValueError, match=r"bandwidth must be positive and finite, got -2.0; pass"):
        kernels.get("gaussian")([[0.0]], [[1.0]], bandwidth=[1.0, -2.0])
    with pytest.raises(ValueError, match="other_bandwidth must be positive"):
        kernels.get("gaussian").self_convolution([[0.0]], [[1.0]], other_bandwidth=0.0)


@pytest.mark.parametrize("name", NAMES)
def test_points_must_be_two_dimensional_and_of_equal_width(name):
    kernel = kernels.get(name)
    with pytest.raises(ValueError, match=r"Y must be 2-D.*shape \(2,\).*reshape"):
        kernel([[0.0, 1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match=r"X must be 2-D"):
        kernel(0.0, [[0.0, 1.0]])
    with pytest.raises(ValueError, match="same number of columns, got 2 and 3"):
        kernel(np.ones((4, 2)), np.ones((4, 3)))
    with pytest.raises(ValueError, match="at least one column"):
        kernel(np.ones((4, 0)), np.ones((4, 0)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_named_by_its_column(bad):
    X = np.ones((4, 3))
    X[2, 1] = bad
    with pytest.raises(ValueError, match="X must be finite, but its column 1"):
        kernels.get("gaussian")(X, np.ones((2, 3)))


def test_points_must_be_dense_real_numbers():
    kernel = kernels.get("gaussian")
    with pytest.raises(ValueError, match="X is a sparse matrix"):
        kernel(sparse.eye_array(3).tocsr(), np.eye(3))
    with pytest.raises(ValueError, match="X must be real"):
        kernel(1j * np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="X must be numeric"):
        kernel([["a", "b"]], np.eye(2))


@pytest.mark.parametrize("name", OTHERS)
def test_a_kernel_that_is_no_density_says_so(name):
    kernel = kernels.get(name)
    assert not kernel.is_density
    assert kernel.log_normalizer(0.3, 7) == 0.0
    for ask in (
        lambda: kernel.self_convolution([[0.0]], [[1.0]]),
        lambda: kernel.convolved(1),
        lambda: kernel.sample(3, 1, np.random.default_rng(0)),
    ):
        with pytest.raises(ValueError, match=f"{name} is not a density"):
            ask()


@pytest.mark.parametrize("name", ["polynomial", "linear"])
def test_inner_kernels_have_no_logarithm(name):
    kernel = kernels.get(name)
    with pytest.raises(ValueError, match="no logarithm"):
        kernel.log([[1.0]], [[-1.0]])
    with pytest.raises(ValueError, match="no logarithm"):
        kernel.log_profile([-1.0], 1.0, 1)


def test_wrong_parameters_of_kernels_are_refused():
    for degree in (0, -1, 2.5):
        with pytest.raises(ValueError, match="degree must be a positive whole number"):
            kernels.Polynomial(degree=degree)
    with pytest.raises(ValueError, match="constant must be finite"):
        kernels.Polynomial(constant=np.nan)
    for epsilon in (-1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="epsilon must be non-negative and finite"):
            kernels.GaussianExponential(epsilon=epsilon)


def test_a_number_of_features_must_be_at_least_one():
    with pytest.raises(ValueError, match="n_features must be at least 1, got 0"):
        kernels.get("gaussian").log_normalizer(1.0, 0)
