"""Points, bandwidths and calls that a kernel has no value for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

from parzen import kernels
from parzen.kernels import AitchisonAitken, ColumnProduct, Gaussian, Laplacian, Polynomial, Uniform


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (sp.csr_array(np.eye(2)), "is a sparse matrix; kernels need a dense array"),
        (np.ones((2, 2)) * 1j, "must be real, got dtype complex128"),
        ([["a", "b"]], "must be numeric"),
        ([1.0, 2.0], r"must be 2-D \(samples, features\), got shape \(2,\)"),
        (np.ones((3, 0)), r"must have at least one column, got shape \(3, 0\)"),
        ([[0.0, np.nan]], "must be finite, but its column 1 has NaN or infinity"),
        ([[0.0, 1.0, 2.0]], "must have the same number of columns, got 3 and 2"),
    ],
)
def test_points_that_are_none_are_named(points, message):
    with pytest.raises(ValueError, match=message):
        Gaussian()(points, np.zeros((1, 2)), bandwidth=1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AitchisonAitken(levels=1), "levels must be at least 2, got 1"),
        (lambda: Polynomial(degree=1.5), "degree must be a positive whole number, got 1.5"),
        (lambda: Polynomial(constant=np.inf), "constant must be finite"),
        (lambda: Polynomial().log_shape(np.ones(1), 1), "may be negative, so it has no logarithm"),
        (lambda: AitchisonAitken().bandwidth_factor(1), "is a share, to which no rule of lengths"),
        (lambda: ColumnProduct().draw(np.ones((1, 1)), np.ones(1), None), "learns its categories"),
        (lambda: ColumnProduct().sample(1, 1, None), "has no samples around 0"),
        (lambda: ColumnProduct().log_shape(np.ones(1), 1), "has a bandwidth for every column"),
        (lambda: Uniform().convolved(1).convolved(1), "has no self-convolution"),
        (lambda: Uniform().log_self_convolution(
            [[0.0]], [[1.0]], bandwidth=[1.0, 2.0], other_bandwidth=1.0),
         "takes one number as bandwidth and one as other_bandwidth"),
        (lambda: Laplacian().log_self_convolution(
            [[0.0]], [[1.0]], bandwidth=[[1.0, 2.0]], other_bandwidth=[[1.0, 3.0]]),
         "are equal in some places only"),
        (lambda: kernels.get("gausian"), "gaussian"),
    ],
)  # fmt: skip
def test_what_a_kernel_has_not_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_names_of_kernels_are_unique_and_can_be_freed():
    @dataclass(frozen=True)
    class Nameless(kernels.Linear):
        name = ""

    with pytest.raises(TypeError, match="Nameless has no name"):
        kernels.register(Nameless)

    @dataclass(frozen=True)
    class Second(kernels.Linear):
        name = "gaussian"

    with pytest.raises(ValueError, match="choose another name"):
        kernels.register(Second)
    Second.name = "second"
    kernels.register(Second)
    assert kernels.get("second") == Second()
    kernels.unregister(Second)
    with pytest.raises(ValueError, match="second"):
        kernels.get("second")


def test_products_of_laplacians_of_two_widths_are_integrated():
    x = np.linspace(-60, 60, 240_001)
    first, second = 0.7, 2.5
    one = np.exp(-np.abs(x - 0.3) / first) / (2 * first)
    two = np.exp(-np.abs(x + 1.1) / second) / (2 * second)
    found = Laplacian().log_self_convolution(
        [[0.3]], [[-1.1]], bandwidth=first, other_bandwidth=second
    )
    assert found[0, 0] == pytest.approx(np.log(np.trapezoid(one * two, x)), abs=1e-6)
