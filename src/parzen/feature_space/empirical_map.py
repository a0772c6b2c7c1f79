"""The empirical kernel map: a Euclidean space in which the sample lies as in feature space.

    x -> Lambda^(-1/2) P' (k(x, x_1), ..., k(x, x_m))',   K = P Lambda P'

Xiong, Swamy & Ahmad (2005), section II. The image Y of the sample has Y Y' = K, so every distance
and angle is kept; with K centred the map is kernel PCA. A row of weight w counts as w rows: then
D^(1/2) K D^(1/2) is decomposed, D the weights.
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
    Number,
    blas_threads,
    check_parameters,
    declared,
    validate_points,
    validate_weights,
)
from parzen.feature_space.bandwidth import bandwidth_or_spread
from parzen.feature_space.feature_map import FeatureMap
from parzen.feature_space.largest_eigenpairs import largest_eigenpairs
from parzen.kernels import Kernel, get, gram


@declared
class EmpiricalKernelMap(FeatureMap):
    """Embed data in the Euclidean space that a kernel spans on the sample.

    Read more in the :doc:`guide </guide/kernel_optimisation>`.

    Parameters
    ----------
    kernel : str or Kernel, default="gaussian"
        Any Mercer kernel, in units of its peak. Of another kernel the part of the Gram matrix with
        positive eigenvalues is embedded.
    bandwidth : float, default=None
        Width of the kernel; None for the spread of the sample, the root of its total variance.
    n_components : int, default=None
        Keep the axes of the largest eigenvalues; None for all above rounding.
    centered : bool, default=False
        Put the mean of the sample at the origin: kernel PCA.
    {n_jobs}

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        The eigenvalues that were kept, largest first.
    projection_ : array of shape (n_points, n_components)
        What the (centred) kernel values are multiplied by.
    points_ : array of shape (n_points, n_features)
        The sample.
    bandwidth_ : float
        The bandwidth in use.
    {n_features_in_, feature_names_in_}

    Notes
    -----
    Time O(n^3), memory O(n^2). Distances between images of the sample are those of feature space;
    a new point loses the part of its image that is orthogonal to the sample's, which is the same
    for its distance to every point of the sample, so nearest neighbours do not change.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.feature_space import EmpiricalKernelMap
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> image = EmpiricalKernelMap(bandwidth=1.0).fit_transform(X)
    >>> (image @ image.T).round(3)
    array([[1.   , 0.607, 0.011],
           [0.607, 1.   , 0.135],
           [0.011, 0.135, 1.   ]])
    """

    _constraints: ClassVar[Constraints] = {
        "kernel": Checked(get),
        "bandwidth": Number("(0, inf)", also=(None,)),
        "n_components": Integer(1, also=(None,)),
        "centered": Flag(),
        "n_jobs": THREADS,
    }
    _set_last = "projection_"

    kernel: str | Kernel = "gaussian"
    bandwidth: float | None = None
    _: KW_ONLY
    n_components: int | None = None
    centered: bool = False
    n_jobs: int | None = None

    def fit(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Decompose the Gram matrix of the sample.

        Parameters
        ----------
        {X}
        y : ignored
        {sample_weight}
        """
        check_parameters(self)
        kernel = get(self.kernel)
        self._forget()
        points = validate_points(self, X, reset=True)
        weights = validate_weights(sample_weight, points)
        if weights is not None:
            points, weights = points[weights > 0], weights[weights > 0]
        self.points_ = points
        self.bandwidth_ = float(bandwidth_or_spread(self.bandwidth, points, weights, times=1.0))
        with blas_threads(self.n_jobs, len(points)):
            self._decompose(gram(points, points, kernel, self.bandwidth_), weights)
        return self

    @property
    def _n_features_out(self) -> int:
        return int(self.projection_.shape[1])

    def transform(self, X: ArrayLike) -> Array:
        """Embed rows, of the sample or not."""
        check_is_fitted(self)
        queries = validate_points(self, X, reset=False)
        with blas_threads(self.n_jobs, len(self.points_)):
            K = get(self.kernel).similarity(queries, self.points_, bandwidth=self.bandwidth_)
            K = np.asarray(K, dtype=np.float64)
            if self.centered:
                K = K - (K @ self._shares)[:, None] - self._row_means + self._mean
            return np.asarray(K @ self.projection_, dtype=queries.dtype)

    def _decompose(self, K: Array, weights: Floats | None) -> None:
        w = np.ones(len(K)) if weights is None else weights
        if self.centered:
            self._shares = w / w.sum()
            self._row_means = K @ self._shares
            self._mean = float(self._shares @ self._row_means)
            K = K - self._row_means[:, None] - self._row_means + self._mean
        root, n = np.sqrt(w), len(K)
        largest = n if self.n_components is None else min(self.n_components, n)
        eigenvalues, vectors = largest_eigenpairs(root[:, None] * K * root, largest)
        kept = eigenvalues > n * np.finfo(np.float64).eps * max(eigenvalues[0], 0.0)
        if kept.any():
            eigenvalues, vectors = eigenvalues[kept], vectors[:, kept]
        else:  # one axis, on which everything lies at 0
            eigenvalues, vectors = np.zeros(1), vectors[:, :1]
        # The sign is that of the largest coordinate in the image of the sample, where copies of a
        # row and a row with their weight agree.
        image = vectors / root[:, None]
        sign = np.sign(image[np.argmax(np.abs(image), axis=0), np.arange(image.shape[1])])
        self.eigenvalues_ = eigenvalues
        self.projection_ = root[:, None] * vectors * (sign * inverse_roots(eigenvalues))


def inverse_roots(eigenvalues: Array) -> Array:
    """lambda^(-1/2), and 0 for an axis that has no length."""
    return np.divide(1.0, np.sqrt(eigenvalues), out=np.zeros(len(eigenvalues)),
                     where=eigenvalues > 0.0)  # fmt: skip
