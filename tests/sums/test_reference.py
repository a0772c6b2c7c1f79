"""The plain version, which all others are compared with, is itself a loop over the pairs."""

from __future__ import annotations

import numpy as np
import pytest

from parzen.kernels import Linear, Polynomial, get
from parzen.sums import reference

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(6, 2)), RNG.normal(size=(6, 2))
H = [0.5, 2.0]
WEIGHTS = [
    None,
    RNG.uniform(size=6),
    RNG.uniform(-1, 1, size=(6, 3)),
    RNG.integers(0, 2, size=(6, 1, 2)).astype(float),
]
KERNELS = [Linear(), Polynomial(), *map(get, ("gaussian", "laplacian", "epanechnikov"))]


@pytest.mark.parametrize("weights", WEIGHTS, ids=["none", "one column", "signed", "by bandwidth"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("exclude_self", [False, True])
def test_the_sums_are_those_of_a_loop(kernel, weights, exclude_self):
    found = reference.kernel_sums(
        X, Y, weights, kernel=kernel, bandwidths=H, exclude_self=exclude_self
    )
    w = np.ones(6) if weights is None else weights
    w = w if w.ndim == 3 else np.repeat(w.reshape(6, -1, 1), 2, axis=2)
    for i in range(6):
        for b, h in enumerate(H):
            expected = sum(
                w[j, :, b] * kernel(X[[i]], Y[[j]], bandwidth=h).item()
                for j in range(6)
                if not (exclude_self and i == j)
            )
            np.testing.assert_allclose(found[i, :, b].astype(float), expected, rtol=1e-12)
    if kernel.measure != "inner" and (w >= 0).all():
        logs = reference.kernel_sums(
            X, Y, weights, kernel=kernel, bandwidths=H, exclude_self=exclude_self, log=True
        )
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(logs.astype(float), np.log(found.astype(float)), rtol=1e-12)


def test_logarithms_do_not_underflow():
    far = reference.kernel_sums([[0.0]], [[100.0], [101.0]], bandwidths=1.0, log=True)
    expected = np.logaddexp(-5000.0, -5100.5) - 0.5 * np.log(2 * np.pi)
    assert float(far[0, 0, 0]) == pytest.approx(expected, rel=1e-15)
    nothing = reference.kernel_sums([[0.0]], [[1.0]], [[0.0]], bandwidths=1.0, log=True)
    assert np.isneginf(nothing[0, 0, 0])
