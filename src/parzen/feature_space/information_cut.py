"""The Laplacian information cut: cosines between class means in the kernel feature space.

    <m_i, m_j> = 1/(N_i N_j) sum f(x)^(-1/2) (k_i * k_j)(x, x') f(x')^(-1/2),   x in i, x' in j
    LIC = mean over pairs i < j of cos(m_i, m_j),      D_CS = -log LIC

Jenssen et al. (2007), eqs. (10)-(15); for two classes D_CS estimates the Cauchy-Schwarz divergence
(1). Everything is a log-sum, so classes that are far apart have a large divergence and not an
infinite one. With a bandwidth per class k_i * k_j has, for a Gaussian, sqrt(s_i^2 + s_j^2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from parzen._core import Floats, Ints, as_matrix, validate_weights
from parzen.feature_space.bandwidth import class_bandwidths, parzen_bandwidth
from parzen.feature_space.sample_density import log_sample_density, sample_density
from parzen.kernels import Kernel, StableKernel, get
from parzen.sums import kernel_sums, labelled_kernel_sums


def laplacian_information_cut(
    X: ArrayLike,
    y: ArrayLike,
    bandwidth: ArrayLike | str = "silverman",
    *,
    kernel: str | Kernel = "gaussian",
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float:
    """Mean cosine of the angles between the class means in the Laplacian feature space.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The sample.
    y : array of shape (n_samples,)
        Class labels, at least two different ones.
    bandwidth : float, array of shape (n_classes,) or {"silverman", "scott"}, default="silverman"
        The Parzen bandwidth s of f; the inner products use the self-convolution of the kernel.
        One per class for gaussian and cauchy, whose widths can be joined.
    kernel : str or Kernel, default="gaussian"
        Any density kernel.
    sample_weight : array of shape (n_samples,), default=None
        Frequencies.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    float
        Between 0 (classes that share no region) and 1 (classes with the same density).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen.feature_space import laplacian_information_cut
    >>> X, y = load_iris(return_X_y=True)
    >>> round(laplacian_information_cut(X, y), 2)
    0.11
    """
    return float(np.exp(_log_cut(X, y, bandwidth, kernel, sample_weight, n_jobs)))


def cauchy_schwarz_divergence(
    X: ArrayLike,
    y: ArrayLike,
    bandwidth: ArrayLike | str = "silverman",
    *,
    kernel: str | Kernel = "gaussian",
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> float:
    """Minus the logarithm of `laplacian_information_cut`, which takes the same parameters.

    It is at least 0, and finite for kernels without a compact support however far apart the
    classes are.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.feature_space import cauchy_schwarz_divergence
    >>> X = np.array([[0.0], [0.1], [1000.0], [1000.1]])
    >>> round(cauchy_schwarz_divergence(X, [0, 0, 1, 1], bandwidth=1.0))
    249951
    """
    return -_log_cut(X, y, bandwidth, kernel, sample_weight, n_jobs) + 0.0


def _log_cut(
    X: ArrayLike,
    y: ArrayLike,
    bandwidth: ArrayLike | str,
    kernel: str | Kernel,
    sample_weight: ArrayLike | None,
    n_jobs: int | None,
) -> float:
    k = get(kernel)
    points = as_matrix(X, "X")
    check_consistent_length(X, y)
    assert_all_finite(y, input_name="y")
    w = np.ones(len(points))
    if sample_weight is not None:
        w = np.asarray(validate_weights(sample_weight, points))
    points, labels, w = points[w > 0], column_or_1d(y)[w > 0], w[w > 0]
    classes, labels = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y has one class only ({classes[0]}); a cut needs at least two.")
    if isinstance(bandwidth, str) or np.ndim(bandwidth) == 0:
        s = np.array(parzen_bandwidth(bandwidth, points, kernel=k, weights=w))  # type: ignore[arg-type]
    else:
        s = class_bandwidths(bandwidth, len(classes), kernel=k)
    density = sample_density(points, w, kernel=k, bandwidth=s, labels=labels)
    log_a = np.log(w) - 0.5 * log_sample_density(density, n_jobs=n_jobs)
    sample = _WeightedPoints(points, labels, log_a, k, n_jobs)
    gram = sample.log_products(s) if s.ndim == 0 else sample.log_products_of_widths(s)
    i, j = np.triu_indices(len(classes), k=1)
    cosines = gram[i, j] - 0.5 * (gram[i, i] + gram[j, j])
    return float(min(logsumexp(cosines) - np.log(len(i)), 0.0))


class _WeightedPoints(NamedTuple):
    """Points with their classes, the logarithms of their weights, and a kernel between them."""

    X: NDArray[np.floating]
    labels: Ints
    log_weights: Floats
    kernel: Kernel
    n_jobs: int | None

    def log_products(self, bandwidth: Floats) -> Floats:
        """Log <m_i, m_j> of all classes, up to factors that cancel in the cosines."""
        n_classes = int(self.labels.max()) + 1
        log_a = self.log_weights - self.log_weights.max()
        sums = labelled_kernel_sums(
            self.X, self.X, self.labels, n_classes, np.exp(log_a),
            kernel=self.kernel.convolved(self.X.shape[1]), bandwidths=bandwidth, n_jobs=self.n_jobs,
        )[:, :, 0]  # fmt: skip
        gram = np.empty((n_classes, n_classes))
        for c in range(n_classes):
            own = self.labels == c
            gram[c] = logsumexp(sums[own] + log_a[own, None], axis=0)
        return np.asarray(0.5 * (gram + gram.T))

    def log_products_of_widths(self, bandwidths: Floats) -> Floats:
        """The same with a bandwidth per class: every pair of classes has a width of its own."""
        assert isinstance(self.kernel, StableKernel)
        gram = np.empty((len(bandwidths), len(bandwidths)))
        rows = [np.flatnonzero(self.labels == c) for c in range(len(bandwidths))]
        units = [self.log_weights[own].max() for own in rows]
        for i in range(len(rows)):
            for j in range(i, len(rows)):
                width = self.kernel.join_bandwidths(float(bandwidths[i]), float(bandwidths[j]))
                weights = np.exp(self.log_weights[rows[j]] - units[j])
                sums = kernel_sums(
                    self.X[rows[i]], self.X[rows[j]], weights, kernel=self.kernel,
                    bandwidths=width, log=True, n_jobs=self.n_jobs,
                )  # fmt: skip
                total = logsumexp(sums[:, 0, 0] + self.log_weights[rows[i]]) + units[j]
                gram[i, j] = gram[j, i] = total
        return gram
