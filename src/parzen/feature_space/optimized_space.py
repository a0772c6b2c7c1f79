"""The embedding and the paths of a fitted kernel optimiser, computed at first use.

The embedding needs the eigenvectors of the whole Gram matrix and the paths O(n^2) per step; neither
is needed to use the optimised kernel itself, so `fit` does not wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parzen._core import Floats, blas_threads
from parzen.feature_space.empirical_map import EmpiricalKernelMap
from parzen.feature_space.labels import Classes
from parzen.feature_space.moments import GramMoments
from parzen.feature_space.path import path_moments
from parzen.kernels import ConformalKernel


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
