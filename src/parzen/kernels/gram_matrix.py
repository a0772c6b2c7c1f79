"""Gram matrices for the methods that need one: K[i, j] = k(x_i, y_j), scaled to k(x, x) = 1.

A kernel is given as a name, a Kernel, a function of two samples, or "precomputed". Kernels enter as
similarities (1 at distance 0), because the box and the margin of the least-squares methods fix the
scale of the scores. A matrix larger than scikit-learn's ``working_memory`` is refused before it is
allocated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn import get_config

from parzen._core import Floats
from parzen.kernels.base import Kernel
from parzen.kernels.conformal import ConformalKernel
from parzen.kernels.registry import get, names, unknown_name

KernelFunction = Callable[[Floats, Floats], Any]
KernelLike = str | Kernel | KernelFunction

PRECOMPUTED = "precomputed"


def check_kernel(kernel: Any) -> Kernel | KernelFunction | str:
    """Return the kernel as a Kernel, a function or "precomputed"; refuse anything else."""
    if isinstance(kernel, str) and kernel == PRECOMPUTED:
        return PRECOMPUTED
    if isinstance(kernel, str) and kernel not in names():
        raise ValueError(
            f"{unknown_name(kernel, names())}; 'precomputed', or any function k(X, Y) that returns "
            "a matrix, is accepted too."
        )
    if isinstance(kernel, str | Kernel):
        return get(kernel)
    if callable(kernel):
        return kernel  # type: ignore[no-any-return]
    raise TypeError(
        f"kernel must be a name, a Kernel, a function or 'precomputed', got {kernel!r}."
    )


def has_bandwidth(kernel: Any) -> bool:
    """Whether the values of a kernel depend on a bandwidth."""
    return isinstance(kernel, Kernel) and kernel.measure != "inner"


def check_gram_size(rows: int, columns: int) -> None:
    """Refuse a matrix that is larger than the working memory."""
    size, allowed = 8 * rows * columns / 2**20, float(get_config()["working_memory"])
    if size > allowed:
        raise ValueError(
            f"the Gram matrix of {rows} x {columns} points takes {size:.0f} MB, more than "
            f"working_memory={allowed:g} MB; raise it with sklearn.set_config(working_memory=...), "
            "or fit on a part of the sample."
        )


def gram(X: Floats, Y: Floats, kernel: Any, bandwidth: float) -> Floats:
    """Return the matrix of similarities between two samples.

    Examples
    --------
    >>> import numpy as np
    >>> gram(np.array([[0.0]]), np.array([[0.0], [1.0]]), "gaussian", 1.0).round(4)
    array([[1.    , 0.6065]])
    """
    return next(iter(grams(X, Y, kernel, [bandwidth])))


def grams(X: Floats, Y: Floats, kernel: Any, bandwidths: Any) -> Iterator[Floats]:
    """Yield one matrix for each bandwidth; the distances are computed once."""
    k = check_kernel(kernel)
    check_gram_size(len(X), len(Y))
    if isinstance(k, ConformalKernel):
        factors = np.outer(k.factor(X), k.factor(Y))
        yield from (factors * K for K in grams(X, Y, k.base, bandwidths))
        return
    if isinstance(k, Kernel):
        if len(bandwidths) == 1:
            yield np.asarray(k.similarity(X, Y, bandwidth=float(bandwidths[0])), dtype=np.float64)
            return
        pairs = k.pairs(X, Y)
        for h in bandwidths:
            yield np.asarray(k.profile(pairs, float(h), X.shape[1]), dtype=np.float64)
        return
    if k == PRECOMPUTED:
        raise ValueError("a precomputed Gram matrix is the data; it is not computed from points.")
    assert callable(k)
    values = np.asarray(k(X, Y), dtype=np.float64)
    if values.shape != (len(X), len(Y)):
        raise ValueError(
            f"the kernel function must return shape ({len(X)}, {len(Y)}), got {values.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError("the kernel function returned NaN or infinity.")
    for _ in bandwidths:
        yield values


def require_symmetric(K: Floats, owner: str) -> None:
    """Refuse a Gram matrix that is not symmetric, for methods that have no other."""
    asymmetry, size = float(np.abs(K - K.T).max()), float(np.abs(K).max())
    if asymmetry > 1e-8 * size:
        raise ValueError(
            f"{owner} needs a symmetric kernel, but k(x, y) and k(y, x) differ by {asymmetry:.1e}; "
            "use (K + K.T) / 2, or BMachineClassifier, which takes any kernel."
        )
