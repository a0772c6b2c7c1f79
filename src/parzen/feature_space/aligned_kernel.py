"""Alignment by the spectrum: the eigenvectors of K stay, their eigenvalues follow the labels.

    K_alg = sum_i mu_i v_i v_i',   mu_i proportional to <v_i, xi>^2

The maximum of the alignment over all such matrices of unit norm; Cristianini et al. (2001), and
K_alg in Table IX of Xiong, Swamy & Ahmad (2005). A new point enters through the empirical kernel
map, v_i(x) = sum_j v_ij k(x, x_j) / lambda_i. More than two classes use centred one-hot labels,
mu_i proportional to |v_i' Y_c|^2.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    Array,
    Constraints,
    check_parameters,
    constraints_of,
    declared,
    validate_points,
)
from parzen.feature_space.empirical_map import EmpiricalKernelMap, inverse_roots
from parzen.feature_space.feature_map import FeatureMap
from parzen.feature_space.labels import as_classes
from parzen.kernels import Kernel


@declared
class AlignedKernel(FeatureMap):
    """Re-weight the axes of the empirical feature space by their agreement with the labels.

    Read more in the :doc:`guide </guide/kernel_optimisation>`.

    Parameters
    ----------
    kernel : str or Kernel, default="gaussian"
        Any Mercer kernel, in units of its peak.
    bandwidth : float, default=None
        Width of the kernel; None for the spread of the sample, the root of its total variance.
    n_components : int, default=None
        How many of the largest eigenvalues may be re-weighted; None for all above rounding. The
        small ones carry noise, which their new weight enlarges on new points.
    centered : bool, default=True
        Centre kernel and labels. False is the original, for two classes only.
    {n_jobs}

    Attributes
    ----------
    weights_ : array of shape (n_components,)
        The new eigenvalues mu_i, of unit norm.
    map_ : EmpiricalKernelMap
        The empirical feature space whose axes are re-weighted.
    classes_ : array of shape (n_classes,)
        The labels.
    {n_features_in_, feature_names_in_}

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.feature_space import AlignedKernel, kernel_alignment
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), [0, 0, 1, 1]
    >>> aligned = AlignedKernel(bandwidth=1.0).fit(X, y)
    >>> round(kernel_alignment(X, y, kernel="gaussian"), 3)
    0.945
    >>> round(kernel_alignment(aligned.gram(X, X), y), 3)
    1.0
    """

    _constraints: ClassVar[Constraints] = constraints_of(EmpiricalKernelMap)
    _needs_labels, _set_last = True, "weights_"

    kernel: str | Kernel = "gaussian"
    bandwidth: float | None = None
    _: KW_ONLY
    n_components: int | None = None
    centered: bool = True
    n_jobs: int | None = None

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Decompose the Gram matrix and weigh its eigenvectors by the labels.

        Parameters
        ----------
        {X, y, sample_weight}
        """
        check_parameters(self)
        self._forget()
        points = validate_points(self, X, reset=True)
        classes = as_classes(y, len(points), sample_weight)
        classes.check_uncentred(self.centered)
        self.classes_ = classes.names
        self.map_ = EmpiricalKernelMap(
            self.kernel,
            self.bandwidth,
            n_components=self.n_components,
            centered=self.centered,
            n_jobs=self.n_jobs,
        ).fit(points, sample_weight=classes.weights)
        # Row i of the image is sqrt(lambda) v_i, so its products with the labels are too.
        image = self.map_.transform(points).astype(np.float64)
        targets = classes.centred_one_hot() if self.centered else classes.signs()[:, None]
        products = image.T @ (classes.weights[:, None] * targets)
        self._stretch = inverse_roots(self.map_.eigenvalues_)
        mu = (products**2).sum(axis=1) * self._stretch**2
        norm = float(np.linalg.norm(mu))
        if norm == 0.0:
            raise ValueError(
                "there is only one class, or the kernel maps the classes to the same point, so no "
                "axis agrees with the labels; alignment needs two classes that differ."
            )
        self._n_features_out = len(mu)
        self.weights_ = mu / norm
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Embed rows so that their inner products are the aligned kernel."""
        check_is_fitted(self)
        queries = validate_points(self, X, reset=False)
        image = self.map_.transform(queries)
        return np.asarray(image * (np.sqrt(self.weights_) * self._stretch), dtype=queries.dtype)

    def gram(self, X: ArrayLike, Y: ArrayLike) -> Array:
        """The aligned kernel between rows of X and rows of Y."""
        return np.asarray(self.transform(X) @ self.transform(Y).T)
