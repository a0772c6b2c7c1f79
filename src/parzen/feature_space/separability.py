"""Class separability in feature space, J = tr S_b / tr S_w, from a Gram matrix alone.

    m tr S_b = 1' B 1,  B = blockdiag(K_cc / m_c) - K / m
    m tr S_w = 1' W 1,  W = diag(k_ii) - blockdiag(K_cc / m_c)

Xiong, Swamy & Ahmad (2005), eq. (6) and Theorem 1, here for any number of classes. The empirical
feature space keeps every distance, so this is also Fisher's scalar of the embedded sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen.feature_space.labels import as_classes
from parzen.feature_space.moments import GramMoments, as_gram_or_points, gram_moments
from parzen.kernels import Kernel


def class_separability(
    K: ArrayLike,
    y: ArrayLike,
    *,
    kernel: str | Kernel = "precomputed",
    bandwidth: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return J, the scatter between the classes over the scatter within them.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples) or (n_samples, n_features)
        The Gram matrix, or data if ``kernel`` is given.
    y : array of shape (n_samples,)
        Labels.
    kernel : "precomputed", str or Kernel, default="precomputed"
        A kernel makes the first argument data; it enters in units of its peak.
    bandwidth : float, default=1.0
        The kernel's bandwidth.
    sample_weight : array of shape (n_samples,), default=None
        Frequencies.

    Returns
    -------
    float
        0 where the classes have the same mean, infinity where every class is one point.

    Notes
    -----
    One pass over the pairs in blocks of rows; the full matrix is not stored for data.

    Examples
    --------
    >>> from parzen.feature_space import class_separability
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> class_separability(X, y, kernel="linear")
    16.0
    >>> round(class_separability(X, y, kernel="gaussian", bandwidth=2.0), 3)
    6.65
    """
    data = as_gram_or_points(K, kernel)
    classes = as_classes(y, len(data), sample_weight)
    return separability(gram_moments(data, classes, kernel=kernel, bandwidth=bandwidth))


def separability(moments: GramMoments) -> float:
    """J from the moments; scatters below rounding are zero."""
    filled = moments.sizes > 0
    inner = float(np.sum(np.diagonal(moments.between)[filled] / moments.sizes[filled]))
    between = inner - float(moments.between.sum()) / moments.size
    within = moments.trace - inner
    terms = abs(moments.trace) + abs(inner) + moments.size * abs(moments.shift)
    floor = 8.0 * np.finfo(np.float64).eps * terms
    if between <= floor:
        return 0.0
    return float("inf") if within <= floor else between / within
