"""Kernel ridge regression with an offset, and the score of every row without itself, by Cholesky.

    [0 1'; 1 K + mu W^-1] [b; a] = [0; t]
    G = (K + mu W^-1)^-1,  e = G 1,  b = 1'G t / 1'e,  a = G t - e b,  g_i = G_ii - e_i^2 / 1'e
    f = t - mu a / w,      h = (1 - mu g / w) min(w, 1) / w,      left out: (f - h t) / (1 - h)

a are the coefficients, b the offset, f the fitted values, and h the leverages of one unit of
weight. With K + mu W^-1 = L L' the diagonal of G is the squared columns of L^-1: n^3 / 3
multiplications for every mu, which for few mu is less than the eigendecomposition of `RidgePath`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from parzen._core import Floats
from parzen.solvers.linear_systems import left_out_scores, with_offset


class LeftOutRidge(NamedTuple):
    """A fit for one regulariser, and the scores of every row without one unit of its weight."""

    coefficients: Floats  # (n, m)
    offset: Floats  # (m,)
    left_out: Floats  # (n, m)


def left_out_ridges(
    K: Floats, weights: Floats, targets: Floats, regularizers: Sequence[float]
) -> Iterator[LeftOutRidge]:
    """Fit every regulariser mu to targets of shape (n, m); K must be positive semi-definite.

    Examples
    --------
    >>> import numpy as np
    >>> K, t = np.eye(3), np.array([[1.0], [2.0], [6.0]])
    >>> found = next(left_out_ridges(K, np.ones(3), t, [1.0]))
    >>> found.offset, found.left_out.ravel()  # the mean of the others
    (array([3.]), array([4. , 3.5, 1.5]))
    """
    sides = np.column_stack([targets, np.ones(len(K))])
    for mu in regularizers:
        ridge = mu / weights
        inverse = _inverse_factor(K, ridge)
        solved = inverse.T @ (inverse @ sides)
        a, b = with_offset(solved, True)
        e = solved[:, -1]
        g = np.einsum("ij,ij->j", inverse, inverse) - e**2 / e.sum()
        yield LeftOutRidge(a, b, left_out_scores(a, g, ridge, weights, targets))


def _inverse_factor(K: Floats, ridge: Floats) -> Floats:
    """L^-1, lower triangular, for L L' = K + diag(ridge)."""
    system = np.array(K, order="F")
    system[np.diag_indices(len(K))] += ridge
    L, failed = dpotrf(system, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("the Gram matrix with its regulariser is not positive definite")
    return np.asarray(dtrtri(L, lower=1, overwrite_c=1)[0])
