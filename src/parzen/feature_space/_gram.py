"""Gram matrices that are decomposed whole, and the threads of the linear algebra on them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from parzen._threads import effective_threads
from parzen.kernels import Kernel

Floats = NDArray[Any]
_LARGEST = 30_000  # rows; 7 GB, and hours for the eigenvectors


def gram_matrix(X: Floats, kernel: Kernel, bandwidth: float) -> NDArray[np.float64]:
    """k(x_i, x_j) in units of the kernel's peak, in double precision."""
    refuse_large(len(X))
    return np.asarray(kernel.similarity(X, X, bandwidth=bandwidth), dtype=np.float64)


def refuse_large(n: int) -> None:
    """Say what the Gram matrix of n samples would cost, where that is too much."""
    if n > _LARGEST:
        raise ValueError(
            f"the Gram matrix of {n} samples takes {8e-9 * n * n:.0f} GB and its decomposition "
            f"O(n^3) time; fit on a subsample of at most {_LARGEST} rows and transform the rest."
        )


def blas_threads(n_jobs: int | None) -> Any:
    """Hold linear algebra to the threads that ``n_jobs`` asks for."""
    if n_jobs is None:
        return nullcontext()
    return threadpool_limits(limits=effective_threads(n_jobs), user_api="blas")
