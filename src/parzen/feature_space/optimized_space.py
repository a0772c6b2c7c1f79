"""The embedding and the paths of a fitted kernel optimiser, computed at first use.

The embedding needs the eigenvectors of the whole Gram matrix and the paths O(n^2) per step; neither
is needed to use the optimised kernel itself, so `fit` does not wait for them. A path's kernels,

    K_t = Q_t K_0 Q_t,   Q = K_1 [alpha_0, alpha_1, ...]

share K_0, so its moments for all of them are a few matrix products over the blocks of its rows, and
the Gram matrix is not stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from parzen._core import Floats, blas_threads
from parzen.feature_space.empirical_map import EmpiricalKernelMap
from parzen.feature_space.labels import Classes
from parzen.feature_space.moments import GramMoments, gram_blocks
from parzen.kernels import ConformalKernel, Kernel


def path_moments(
    X: Floats, Q: Floats, classes: Classes, *, kernel: Kernel, bandwidth: float
) -> list[GramMoments]:
    """The moments of the kernel with factor Q[:, t] at the rows, for every t."""
    n, steps = Q.shape
    one_hot, w = classes.one_hot, classes.weights
    n_classes = one_hot.shape[1]
    weighted = (one_hot[:, :, None] * Q[:, None, :]).reshape(n, -1)
    row_sums = np.empty((n, n_classes, steps))
    squares = np.zeros(steps)
    diagonal, blocks = gram_blocks(X, kernel, bandwidth)
    for rows, values in blocks:
        block = np.asarray(values, dtype=np.float64)
        row_sums[rows] = (block @ weighted).reshape(-1, n_classes, steps) * Q[rows, None, :]
        power = (block * block) @ (w[:, None] * Q**2)
        squares += np.sum(power * w[rows, None] * Q[rows] ** 2, axis=0)
    between = np.einsum("ic,iet->cet", one_hot, row_sums, optimize=True)
    traces = (w * diagonal) @ Q**2
    return [
        GramMoments(between[:, :, t], float(traces[t]), float(squares[t]),
                    row_sums[:, :, t].sum(axis=1), w, classes.sizes, 0.0)
        for t in range(steps)
    ]  # fmt: skip


@dataclass(frozen=True, eq=False)
class OptimizedSpace:
    """An optimised kernel with the path that led to it and the samples it was fitted on."""

    kernel: ConformalKernel
    bandwidth: float
    coefficient_path: Floats
    sample: Floats  # the rows of the criterion
    sample_classes: Classes
    points: Floats  # all rows
    classes: Classes
    n_components: int | None
    n_jobs: int | None

    @cached_property
    def map(self) -> Any:
        """The empirical kernel map of all rows."""
        return EmpiricalKernelMap(
            self.kernel, self.bandwidth, n_components=self.n_components, n_jobs=self.n_jobs
        ).fit(self.points, sample_weight=self.classes.weights)

    @cached_property
    def moments(self) -> list[GramMoments]:
        """Moments along the path on the rows of the criterion."""
        return self.moments_on(self.sample, self.sample_classes)

    def moments_on(self, X: Floats, classes: Classes) -> list[GramMoments]:
        """Moments along the path on other labelled rows."""
        with blas_threads(self.n_jobs, len(X)):
            Q = self.kernel.core_matrix(X) @ self.coefficient_path.T
            return path_moments(X, Q, classes, kernel=self.kernel.base, bandwidth=self.bandwidth)
