"""Kernel-target alignment: the cosine between a Gram matrix and the matrix of the labels.

    A = <K, T>_F / (|K|_F |T|_F)

Cristianini et al. (2001). Uncentred, T = xi xi' for labels xi = -1, +1. Centred (the default), both
are centred and T = Y_c Y_c' with Y the one-hot labels: for two classes this is eq. (16) of Xiong,
Swamy & Ahmad (2005), where the numerator is the scatter between the classes, eqs. (17) and (19).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen.feature_space.labels import as_classes
from parzen.feature_space.moments import GramMoments, as_gram_or_points, gram_moments
from parzen.kernels import Kernel


def kernel_alignment(
    K: ArrayLike,
    y: ArrayLike,
    *,
    centered: bool = True,
    kernel: str | Kernel = "precomputed",
    bandwidth: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the alignment of a kernel with the labels, at most 1.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples) or (n_samples, n_features)
        The Gram matrix, or data if ``kernel`` is given.
    y : array of shape (n_samples,)
        Labels; two classes unless ``centered``.
    centered : bool, default=True
        Centre kernel and labels first.
    kernel : "precomputed", str or Kernel, default="precomputed"
        A kernel makes the first argument data; it enters in units of its peak.
    bandwidth : float, default=1.0
        The kernel's bandwidth.
    sample_weight : array of shape (n_samples,), default=None
        Frequencies.

    Returns
    -------
    float
        0 where the (centred) kernel or target vanishes.

    Examples
    --------
    >>> from parzen.feature_space import kernel_alignment
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> round(kernel_alignment(X, y, kernel="gaussian", bandwidth=2.0), 3)
    0.986
    """
    data = as_gram_or_points(K, kernel)
    classes = as_classes(y, len(data), sample_weight)
    classes.check_uncentred(centered)
    moments = gram_moments(data, classes, kernel=kernel, bandwidth=bandwidth, shifted=centered)
    return centred_alignment(moments) if centered else _uncentred_alignment(moments)


def centred_alignment(moments: GramMoments) -> float:
    """A_c of eq. (16), by one-hot labels."""
    m, sizes, S = moments.size, moments.sizes, moments.between
    share = sizes / m
    total = float(S.sum())
    target = float(np.trace(S) - 2.0 * share @ S.sum(axis=1) + share @ share * total)
    target_norm = float(np.linalg.norm(np.diag(sizes) - np.outer(sizes, share)))
    mean = moments.rows / m
    # |K_c|^2 = sum_ij w_i w_j (k_ij - r_i - r_j + r)^2, expanded around the row means.
    kernel_square = moments.squares - 2.0 * m * float(moments.weights @ mean**2) + (total / m) ** 2
    return _cosine(target, kernel_square, moments.squares, target_norm)


def _uncentred_alignment(moments: GramMoments) -> float:
    sign = np.where(np.arange(len(moments.sizes)) == 0, -1.0, 1.0)
    target = float(sign @ moments.between @ sign)
    return _cosine(target, moments.squares, moments.squares, moments.size)


def _cosine(target: float, kernel_square: float, scale: float, target_norm: float) -> float:
    """Cosine, 0 where a side vanishes up to the rounding of ``scale``."""
    if kernel_square <= 64.0 * np.finfo(np.float64).eps * scale or target_norm == 0.0:
        return 0.0
    return target / (float(np.sqrt(kernel_square)) * target_norm)
