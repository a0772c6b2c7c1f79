"""The table of kernels: `register` adds a class; estimators and model files look it up."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TypeVar

from parzen.kernels.base import Kernel

KernelClass = TypeVar("KernelClass", bound=type[Kernel])

_KERNELS: dict[str, type[Kernel]] = {}

# Names that other libraries and textbooks use, and the name of the same kernel here.
_NAMES_ELSEWHERE = {
    "rbf": "gaussian",
    "gauss": "gaussian",
    "normal": "gaussian",
    "squared_exponential": "gaussian",
    "tophat": "uniform",
    "box": "uniform",
    "boxcar": "uniform",
    "rectangular": "uniform",
    "triangle": "triangular",
    "parabolic": "epanechnikov",
    "quartic": "biweight",
    "exponential": "radial_laplacian",
    "laplace": "laplacian",
    "rational_quadratic": "inverse_quadratic",
    "poly": "polynomial",
    "dot": "linear",
}


def register(kernel: KernelClass) -> KernelClass:
    """Add a kernel class to the table: its name then works for every kernel parameter.

    Use it as a decorator. The class may be outside the library; model files then carry it, and are
    read wherever the class has been registered.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from parzen import kernels
    >>> @kernels.register
    ... @dataclass(frozen=True)
    ... class Quadrant(kernels.Linear):
    ...     name = "quadrant"
    >>> kernels.get("quadrant")
    Quadrant()
    >>> kernels.unregister(Quadrant)
    """
    name = getattr(kernel, "name", None)
    if not isinstance(name, str) or not name:
        raise TypeError(f"{kernel.__name__} has no name; give it name = '...' in its class body")
    for other in _KERNELS.values():
        is_same = (other.__module__, other.__qualname__) == (kernel.__module__, kernel.__qualname__)
        if not is_same and (other.name == name or other.__name__ == kernel.__name__):
            raise ValueError(
                f"the kernel {kernel.__qualname__} of {kernel.__module__} has the name of "
                f"{other.__qualname__} of {other.__module__} ({other.name!r}); choose another name"
            )
    _KERNELS[name] = kernel
    return kernel


def unregister(kernel: type[Kernel]) -> None:
    """Remove a class from the table."""
    if _KERNELS.get(kernel.name) is kernel:
        del _KERNELS[kernel.name]


def registered() -> tuple[type[Kernel], ...]:
    """Return all kernel classes of the table: densities first, each group by name."""
    return tuple(sorted(_KERNELS.values(), key=lambda kernel: (not kernel.is_density, kernel.name)))


def names() -> tuple[str, ...]:
    """Return the names of all kernels: densities first, each group in alphabetical order.

    Examples
    --------
    >>> from parzen import kernels
    >>> "linear" in kernels.names()
    True
    """
    return tuple(kernel.name for kernel in registered())


def density_names() -> tuple[str, ...]:
    """Return the names of the kernels that are densities.

    Examples
    --------
    >>> from parzen import kernels
    >>> kernels.density_names()[:3]
    ('biweight', 'cauchy', 'cosine')
    """
    return tuple(kernel.name for kernel in registered() if kernel.is_density)


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
        raise ValueError(f"{unknown_name(kernel, names())}.")
    return _KERNELS[kernel]()


def get_density(kernel: str | Kernel) -> Kernel:
    """Return a kernel by name, or the kernel itself; refuse it unless it is a density.

    Examples
    --------
    >>> from parzen import kernels
    >>> kernels.get_density("cauchy")
    Cauchy()
    """
    if isinstance(kernel, str) and kernel not in _KERNELS:
        raise ValueError(f"{unknown_name(kernel, density_names())}.")
    found = get(kernel)
    if not found.is_density:
        # scikit-learn's KernelDensity calls the triangular density linear.
        hint = "; the density 1 - r/h is called 'triangular' here" * (kernel == "linear")
        raise ValueError(
            f"kernel={found.name!r} is not a density{hint}; "
            f"choose one of {', '.join(density_names())}."
        )
    return found


def unknown_name(kernel: str, known: tuple[str, ...]) -> str:
    """Return the message about a name that is not in the table, with the name that is meant."""
    here = _NAMES_ELSEWHERE.get(kernel.lower())
    if here is not None:
        return f"kernel={kernel!r} is called {here!r} here"
    similar = get_close_matches(kernel.lower(), known, n=1)
    question = f" (did you mean {similar[0]!r}?)" if similar else ""
    return f"unknown kernel {kernel!r}{question}; the kernels are {', '.join(known)}"
