"""Kernels: one small class each, found by name.

A kernel k_s(x, y) says how similar two points are at bandwidth s. There are two families.

- A *density* (`DensityKernel`) integrates to one over x. It is what a kernel density estimate is a
  sum of, in any number of dimensions. It knows its logarithm, its normaliser, the overlap of two
  copies of it (its convolution with itself), and how to draw from it.
- *Any other kernel* (`Kernel`) is a formula: the inverse quadratic kernel, polynomials of the inner
  product. The methods of least squares take both families.

To add a density, write its profile: the logarithm of k(r) / k(0) as a function of u = r^2 / s^2.
Everything else has a numerical default, accurate to 1e-8, that a closed form may replace.

>>> from dataclasses import dataclass
>>> import numpy as np
>>> from parzen import kernels
>>> @kernels.register
... @dataclass(frozen=True)
... class Quintic(kernels.DensityKernel):
...     name = "quintic"
...
...     def log_shape(self, scaled, n_features):
...         return -np.sqrt(scaled) ** 5
...
...     def is_mercer(self, n_features):
...         return False
>>> quintic = kernels.get("quintic")
>>> quintic([[0.0, 0.0]], [[0.3, 0.4]], bandwidth=1.0).round(4)
array([[0.3477]])
>>> quintic.sample(2, 3, np.random.default_rng(0)).shape
(2, 3)
>>> kernels.unregister(Quintic)

The decorator is all that the class needs: estimators accept ``kernel="quintic"``, and models with
it are saved and loaded. A file in this folder is found without being listed anywhere. For native
speed the class names its profile in the native core (``native_name``); until then sums over it are
computed in blocks of NumPy.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from parzen.kernels.anova import AnovaKernel
from parzen.kernels.base import Kernel, check_bandwidth as check_bandwidth
from parzen.kernels.categories import AitchisonAitken, CategoryKernel, WangVanRyzin
from parzen.kernels.cauchy import Cauchy
from parzen.kernels.columns import ColumnProduct
from parzen.kernels.conformal import ConformalKernel
from parzen.kernels.density import DensityKernel, SelfConvolution
from parzen.kernels.gaussian import Gaussian
from parzen.kernels.gram_matrix import (
    PRECOMPUTED as PRECOMPUTED,
    check_gram_size as check_gram_size,
    check_kernel as check_kernel,
    gram as gram,
    grams as grams,
    has_bandwidth as has_bandwidth,
    require_symmetric as require_symmetric,
)
from parzen.kernels.inner import Linear, Polynomial
from parzen.kernels.laplacian import Laplacian, ProductSelfConvolution
from parzen.kernels.registry import (
    density_names,
    get,
    get_density,
    names,
    register,
    registered,
    unregister,
)
from parzen.kernels.stable import Rescaled, StableKernel

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = [
    "AitchisonAitken",
    "AnovaKernel",
    "CategoryKernel",
    "Cauchy",
    "ColumnProduct",
    "ConformalKernel",
    "DensityKernel",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Polynomial",
    "ProductSelfConvolution",
    "Rescaled",
    "SelfConvolution",
    "StableKernel",
    "WangVanRyzin",
    "density_names",
    "get",
    "get_density",
    "names",
    "register",
    "registered",
    "unregister",
]
# Kernels that no other module refers to by class are public too, without an import of their own.
__all__ += [kernel.__name__ for kernel in registered() if kernel.__name__ not in __all__]


def __getattr__(name: str) -> type[Kernel]:
    """Return the registered kernel class of this name."""
    for kernel in registered():
        if kernel.__name__ == name:
            return kernel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
