"""A kernel is one class: registered in a module of its own, it works everywhere."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

import parzen
from parzen import kernels
from parzen.sums import reference

SOURCE = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from parzen import kernels


@kernels.register
@dataclass(frozen=True)
class SechKernel(kernels.DensityKernel):
    """The hyperbolic secant, proportional to 1 / cosh(r / s)."""

    name: ClassVar[str] = "sech"

    def log_shape(self, scaled, n_features):
        u = np.sqrt(scaled)
        return -u - np.log1p(0.5 * np.expm1(-2.0 * u))

    def is_mercer(self, n_features):
        return True
'''


@pytest.fixture
def sech(tmp_path) -> Iterator[kernels.Kernel]:
    path = tmp_path / "own_kernel.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("own_kernel", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["own_kernel"] = module
    spec.loader.exec_module(module)
    yield kernels.get("sech")
    kernels.unregister(module.SechKernel)
    del sys.modules["own_kernel"]


def sample(n=60, d=2):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, d)) + 2.0 * y[:, None], y


def test_what_the_class_does_not_say_is_computed_from_its_profile(sech):
    line = stats.hypsecant
    assert kernels.names().count("sech") == 1
    assert sech([[0.0]], [[0.7]])[0, 0] == pytest.approx(line.pdf(0.7), rel=1e-8)
    assert sech.half_width(1) == pytest.approx(np.arccosh(2.0), rel=1e-8)
    assert sech.second_moment(1) == pytest.approx(np.pi**2 / 4, rel=1e-8)
    # The sum of two secants has the density 2 x / (pi^2 sinh x), which is 2 / pi^2 at 0.
    overlap = sech.self_convolution([[0.0]], [[0.0], [1.3]])[0]
    np.testing.assert_allclose(overlap, [2 / np.pi**2, 2.6 / (np.pi**2 * np.sinh(1.3))], rtol=1e-8)
    draws = sech.sample(20_000, 1, np.random.default_rng(1))[:, 0]
    assert stats.kstest(draws, line.cdf).pvalue > 1e-3


def test_its_sums_are_those_of_the_reference(sech):
    X, _ = sample()
    weights = np.random.default_rng(1).uniform(size=(len(X), 2))
    got = parzen.kernel_sums(X, X, weights, kernel=sech, bandwidths=[0.5, 2.0], log=True)
    wanted = reference.kernel_sums(X, X, weights, kernel=sech, bandwidths=[0.5, 2.0], log=True)
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


@pytest.mark.parametrize(
    "estimator",
    [
        parzen.KernelDensity(kernel="sech"),
        parzen.L2KernelDensity(kernel="sech"),
        parzen.ParzenClassifier(kernel="sech"),
        parzen.L2Classifier(kernel="sech"),
        parzen.LaplacianClassifier(kernel="sech"),
        parzen.LSSVMClassifier(kernel="sech"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_estimators_take_it_by_name_and_files_keep_it(estimator, sech, tmp_path):
    X, y = sample()
    fitted = estimator.fit(X, y)
    parzen.save(fitted, tmp_path / "model.parzen")
    loaded = parzen.load(tmp_path / "model.parzen")
    if hasattr(fitted, "predict"):
        assert fitted.score(X, y) > 0.8
        np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    else:
        np.testing.assert_array_equal(loaded.score_samples(X), fitted.score_samples(X))
