"""The leading coordinates of the Laplacian feature space.

    K_f = D^(-1/2) K D^(-1/2),   K_ij = (k_s * k_s)(x_i, x_j),   D = diag f(x_i)
    Phi(x_l) = (sqrt(lambda_1) e_1l, ..., sqrt(lambda_C) e_Cl)       Jenssen et al. (2007), eq. (22)

K and f are densities, not similarities. Without the weighting (f = 1) this is the map of kernel
PCA, not centred. A new point x gets e_m' K_f(., x) / sqrt(lambda_m), which for a point of the
sample is (22) again. Far from the data f(x)^(-1/2) grows as fast as K vanishes: the product is
formed in logs.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    THREADS,
    Array,
    Checked,
    Constraints,
    Flag,
    Floats,
    Integer,
    blas_threads,
    check_parameters,
    declared,
    validate_points,
)
from parzen.feature_space.bandwidth import BANDWIDTH, parzen_bandwidth
from parzen.feature_space.feature_map import FeatureMap
from parzen.feature_space.largest_eigenpairs import largest_eigenpairs
from parzen.feature_space.sample_density import log_sample_density, sample_density
from parzen.kernels import Kernel, check_gram_size, get, get_density
from parzen.sums import kernel_sums

_RANK_TOLERANCE = 1e-12  # Share of the largest eigenvalue below which one counts as zero.


@declared
class LaplacianEmbedding(FeatureMap):
    """Coordinates of the sample in the feature space of its Laplacian matrix.

    Read more in the :doc:`guide </guide/laplacian>`.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates, largest eigenvalues first.
    bandwidth : float or {"silverman", "scott"}, default="silverman"
        The Parzen bandwidth s of the density f.
    weighted : bool, default=True
        Divide by the density as the Laplacian matrix does; False gives the kernel-PCA form.
    kernel : str or Kernel, default="gaussian"
        Any density kernel.
    {n_jobs}

    Attributes
    ----------
    embedding_ : array of shape (n_samples, n_components)
        The sample's coordinates.
    eigenvalues_ : array of shape (n_components,)
        Eigenvalues of K_f, decreasing.
    bandwidth_ : float
        The Parzen bandwidth in use.
    points_ : array of shape (n_samples, n_features)
        The sample.
    log_densities_ : array of shape (n_samples,)
        Log f at the sample; zeros without the weighting.
    {n_features_in_, feature_names_in_}

    Notes
    -----
    Fitting stores one matrix of n_samples^2 numbers. The signs are fixed by making the entry of
    largest magnitude of each eigenvector positive. Coordinates of eigenvalues that are zero within
    rounding (1e-12 of the largest) are zero, for new points too.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen.feature_space import LaplacianEmbedding
    >>> X, y = load_iris(return_X_y=True)
    >>> LaplacianEmbedding(n_components=3).fit_transform(X).shape
    (150, 3)
    """

    _constraints: ClassVar[Constraints] = {
        "n_components": Integer(1),
        "bandwidth": BANDWIDTH,
        "weighted": Flag(),
        "kernel": Checked(get_density),
        "n_jobs": THREADS,
    }
    _set_last = "embedding_"

    n_components: int = 2
    bandwidth: float | str = "silverman"
    _: KW_ONLY
    weighted: bool = True
    kernel: str | Kernel = "gaussian"
    n_jobs: int | None = None

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Decompose the Laplacian matrix of the sample X."""
        check_parameters(self)
        kernel = get(self.kernel)
        self._forget()
        points = validate_points(self, X, reset=True)
        if self.n_components > len(points):
            raise ValueError(
                f"n_components={self.n_components} exceeds the number of samples, {len(points)}."
            )
        check_gram_size(len(points), len(points))
        s = parzen_bandwidth(self.bandwidth, points, kernel=kernel)
        log_f = np.zeros(len(points))
        if self.weighted:
            density = sample_density(points, None, kernel=kernel, bandwidth=s)
            log_f = log_sample_density(density, n_jobs=self.n_jobs)
        overlap = kernel.log_self_convolution(points, points, bandwidth=s).astype(np.float64)
        with blas_threads(self.n_jobs, len(points)):
            values, vectors, log_scale = _leading_eigenpairs(
                overlap - 0.5 * (log_f[:, None] + log_f[None, :]), self.n_components
            )
        self.points_, self.bandwidth_, self.log_densities_ = points, s, log_f
        self._eigenvectors, self._scaled_values, self._log_scale = vectors, values, log_scale
        self.eigenvalues_ = self._in_range(values, log_scale)
        self.embedding_ = self._in_range(vectors * np.sqrt(values), 0.5 * log_scale)
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> Floats:
        """Fit and return the sample's coordinates."""
        return self.fit(X, y).embedding_

    def transform(self, X: ArrayLike) -> Floats:
        """Coordinates of the rows of X."""
        check_is_fitted(self)
        queries = validate_points(self, X, reset=False)
        kernel, s = get(self.kernel), self.bandwidth_
        shift = self.log_densities_.min()
        roots = np.sqrt(self._scaled_values)
        directions = self._eigenvectors / np.where(roots > 0, roots, np.inf)  # 0 without variance
        weights = np.exp(-0.5 * (self.log_densities_ - shift))[:, None] * directions
        sums = kernel_sums(
            queries,
            self.points_,
            weights,
            kernel=kernel.convolved(queries.shape[1]),
            bandwidths=s,
            scaled=True,
            n_jobs=self.n_jobs,
        )
        log_f = self._log_density(queries, kernel)
        # Off a compact support f(x) = 0 and so is every kernel: such a point is at the origin.
        has_density = np.isfinite(log_f)
        exponent = sums.log_scale[:, 0, 0] - 0.5 * (np.where(has_density, log_f, 0.0) + shift)
        factor = np.exp(exponent - 0.5 * self._log_scale)
        return np.asarray(np.where(has_density, factor, 0.0)[:, None] * sums.mantissa[:, :, 0])

    def _log_density(self, queries: Array, kernel: Kernel) -> Floats:
        if not self.weighted:
            return np.zeros(len(queries))
        sums = kernel_sums(
            queries,
            self.points_,
            kernel=kernel,
            bandwidths=self.bandwidth_,
            log=True,
            n_jobs=self.n_jobs,
        )
        return np.asarray(sums[:, 0, 0] - np.log(len(self.points_)), dtype=np.float64)

    def _in_range(self, values: Floats, log_scale: float) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            scale = np.exp(log_scale)
        if scale == 0 or not np.isfinite(scale):
            cure = "rescale X, or use weighted=True, which divides the densities out"
            raise ValueError(
                f"the matrix (log {log_scale:.0f}) leaves the range of floating point in "
                f"{self.n_features_in_} features; "
                f"{'reduce them, for instance by PCA' if self.weighted else cure}."
            )
        return np.asarray(values * scale)

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def _leading_eigenpairs(log_matrix: Floats, m: int) -> tuple[Floats, Floats, float]:
    """Eigenvalues in units of exp(log_scale), decreasing and none negative, with fixed signs."""
    log_scale = float(log_matrix.max())
    matrix = np.exp(log_matrix - log_scale)
    values, vectors = largest_eigenpairs(matrix, m)
    values = np.where(values > _RANK_TOLERANCE * values[0], values, 0.0)
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(m)] < 0, -1.0, 1.0)
    return values, vectors * signs, log_scale
