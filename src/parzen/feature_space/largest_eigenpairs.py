"""Eigenpairs of a symmetric matrix, largest eigenvalues first.

Asked for some of the eigenpairs of a matrix that differs from the identity by less than rounding,
LAPACK may find none. A kernel that is narrow for its dimension gives such matrices. Asked for all
eigenpairs, LAPACK finds them.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from parzen._core import Array


def largest_eigenpairs(K: Array, m: int) -> tuple[Array, Array]:
    """The m largest eigenvalues, decreasing, and their eigenvectors as columns.

    Examples
    --------
    >>> values, vectors = largest_eigenpairs(np.diag([1.0, 3.0, 2.0]), 2)
    >>> values, np.abs(vectors[:, 0])
    (array([3., 2.]), array([0., 1., 0.]))
    """
    n = len(K)
    subset = (n - m, n - 1) if m < n else None
    values, vectors = eigh(K, subset_by_index=subset)
    if len(values) < m:
        values, vectors = eigh(K, driver="evd")
    return np.asarray(values[::-1][:m]), np.asarray(vectors[:, ::-1][:, :m])
