"""Sums of kernels without a native formula: blocks of rows, beside sums written out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import sklearn

from parzen import kernel_sums, kernels
from parzen.sums import labelled_kernel_sums, method_for


@dataclass(frozen=True)
class Bump(kernels.DensityKernel):
    """exp(-r) on [0, 1], of no use but here."""

    name: ClassVar[str] = "bump"

    def log_shape(self, scaled, n_features):
        return np.where(scaled < 1.0, -np.sqrt(scaled), -np.inf)

    def is_mercer(self, n_features):
        return False


class Cube(kernels.Polynomial):
    """An inner product that the core does not know."""

    native_name: ClassVar[str | None] = None


H = np.array([0.8, 1.7])
RNG = np.random.default_rng(0)
X = RNG.normal(size=(7, 2))
W = RNG.uniform(size=(7, 2, 2))
W[0] = 0.0


def values(kernel, exclude_self):
    each = np.stack([kernel(X, X, bandwidth=h) for h in H])
    if exclude_self:
        each[:, np.arange(7), np.arange(7)] = 0.0
    return each


@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize("kernel", [Bump(), Cube()], ids=lambda k: k.name)
def test_plain_and_scaled_sums_are_those_written_out(kernel, exclude_self):
    assert kernel.native(2) is None
    expected = np.einsum("bij,jcb->icb", values(kernel, exclude_self), W)
    options = {"kernel": kernel, "bandwidths": H, "exclude_self": exclude_self}
    with sklearn.config_context(working_memory=0.0005):  # more than one block
        np.testing.assert_allclose(kernel_sums(X, X, W, **options), expected, rtol=1e-10)
        mantissa, log_scale = kernel_sums(X, X, W, scaled=True, **options)
    np.testing.assert_allclose(mantissa * np.exp(log_scale), expected, rtol=1e-10)


def test_logarithms_are_those_of_the_sums_and_minus_infinity_where_nothing_is_near():
    far = np.vstack([X, [[50.0, 50.0]]])
    plain = kernel_sums(far, X, W, kernel=Bump(), bandwidths=H)
    logs = kernel_sums(far, X, W, kernel=Bump(), bandwidths=H, log=True)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(logs, np.log(plain), rtol=1e-10)
    assert np.isneginf(logs[-1]).all()


def test_log_and_scaled_exclude_each_other():
    with pytest.raises(ValueError, match="exclude each other"):
        kernel_sums(X, X, bandwidths=1.0, log=True, scaled=True)


def test_the_strategy_is_named_before_the_sums_are_asked_for():
    assert method_for(X, X, kernel="polynomial", bandwidths=H) == "dense"
    assert method_for(X, X, bandwidths=H) == "dense"
    assert method_for(X, X, labels=np.arange(7) % 2, n_labels=2, bandwidths=H) == "dense"
    assert method_for(X, X, bandwidths=1.0, method="tree") == "tree"
    with pytest.raises(ValueError, match="tree"):
        method_for(X, X, kernel="polynomial", bandwidths=H, method="tree")


def test_labels_have_weights_too():
    labels, w = np.arange(7) % 2, np.arange(1.0, 8.0)
    found = labelled_kernel_sums(X, X, labels, 2, w, kernel=Bump(), bandwidths=H)
    columns = (labels[:, None] == np.arange(2)) * w[:, None]
    expected = np.einsum("bij,jc->icb", values(Bump(), False), columns)
    np.testing.assert_allclose(np.exp(found), expected, rtol=1e-10)
