"""Kernels: one small class each, found by name in the table at the foot of this file.

A density kernel k_s integrates to one in every dimension and knows its logarithm, its normaliser,
its convolution with itself and how to draw from it. The others (inverse_quadratic,
gaussian_exponential, polynomial, linear) are the formulas as printed.

>>> from parzen import kernels
>>> gaussian = kernels.get("gaussian")
>>> gaussian.log([[0.0, 0.0]], [[3.0, 4.0]], bandwidth=2.0).round(4)
array([[-6.3492]])
"""

from __future__ import annotations

from parzen.kernels._base import Kernel, check_bandwidth
from parzen.kernels._cauchy import Cauchy
from parzen.kernels._compact import Epanechnikov, Triangular, Uniform
from parzen.kernels._conformal import ConformalKernel
from parzen.kernels._density import DensityKernel, SelfConvolution
from parzen.kernels._gaussian import Gaussian
from parzen.kernels._gaussian_exponential import GaussianExponential
from parzen.kernels._inner import Linear, Polynomial
from parzen.kernels._inverse_quadratic import InverseQuadratic
from parzen.kernels._laplacian import Laplacian, ProductSelfConvolution
from parzen.kernels._radial_laplacian import RadialLaplacian
from parzen.kernels._stable import Rescaled, StableKernel

__all__ = [
    "Cauchy",
    "ConformalKernel",
    "DensityKernel",
    "Epanechnikov",
    "Gaussian",
    "GaussianExponential",
    "InverseQuadratic",
    "Kernel",
    "Laplacian",
    "Linear",
    "Polynomial",
    "ProductSelfConvolution",
    "RadialLaplacian",
    "Rescaled",
    "SelfConvolution",
    "StableKernel",
    "Triangular",
    "Uniform",
    "density_names",
    "get",
    "names",
]


def get(kernel: str | Kernel) -> Kernel:
    """Return a kernel by name, or the kernel itself.

    Parameters
    ----------
    kernel : str or Kernel
        One of `names`, or a kernel, which is returned as it is.

    Examples
    --------
    >>> from parzen import kernels
    >>> kernels.get("polynomial")
    Polynomial(degree=3, constant=1.0)
    >>> kernels.get(kernels.Polynomial(degree=2))
    Polynomial(degree=2, constant=1.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str):
        raise TypeError(
            f"kernel must be a name or a Kernel, got {kernel!r}; pass e.g. 'gaussian' or Gaussian()"
        )
    if kernel not in _KERNELS:
        raise ValueError(f"unknown kernel {kernel!r}; the kernels are {', '.join(names())}")
    return _KERNELS[kernel]()


def names() -> tuple[str, ...]:
    """Return the names of all kernels.

    Examples
    --------
    >>> from parzen import kernels
    >>> "linear" in kernels.names()
    True
    """
    return tuple(_KERNELS)


def density_names() -> tuple[str, ...]:
    """Return the names of the kernels that are densities.

    Examples
    --------
    >>> from parzen import kernels
    >>> kernels.density_names()[:3]
    ('gaussian', 'cauchy', 'laplacian')
    """
    return tuple(name for name, kernel in _KERNELS.items() if kernel.is_density)


_KERNELS: dict[str, type[Kernel]] = {
    "gaussian": Gaussian,
    "cauchy": Cauchy,
    "laplacian": Laplacian,
    "radial_laplacian": RadialLaplacian,
    "uniform": Uniform,
    "triangular": Triangular,
    "epanechnikov": Epanechnikov,
    "inverse_quadratic": InverseQuadratic,
    "gaussian_exponential": GaussianExponential,
    "polynomial": Polynomial,
    "linear": Linear,
}
