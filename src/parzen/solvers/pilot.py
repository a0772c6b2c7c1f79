"""The factor of a large sample, from that of a part of it: two products for each block of rows.

    Z = W^1/2 [K, 1, T] P^-1,     Z'Z = L L',     R = L'P

K holds the kernels of the rows with the landmarks, T their targets and W their weights; R is the
triangular factor that is wanted, R'R = [K, 1, T]' W [K, 1, T].

P is the factor of a representative part of the sample, so the columns of Z are nearly orthonormal,
and their products Z'Z are well conditioned; products of K itself would lose half of the digits.
A row unlike all rows of the part has a row z of Z with |z| > 1 and would spoil that. There are few:
they are kept as they are and join R in the end. In a direction where K is zero up to rounding, P is
given an entry of the size of the rounding, so that it can be inverted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dtrsm

from parzen._core import Floats
from parzen.solvers.landmark_factor import LandmarkFactor, joined, upper_factor, weighted_rows

_EPS = float(np.finfo(np.float64).eps)  # Relative rounding of double precision.
_PANEL_COLUMNS = 64  # Columns of Z that a triangular solve takes at a time.


class PartialFactor(NamedTuple):
    """Z'Z of a block of rows, and the rows of the block that are kept as they are."""

    products: Floats  # Z'Z, without the outliers
    outliers: Floats  # rows of W^1/2 [K, 1, T] with |z| > 1, or their triangular factor

    def merge(self, other: PartialFactor) -> PartialFactor:
        """The partial factor of two blocks together: the products add up."""
        outliers = np.concatenate([self.outliers, other.outliers])
        if len(outliers) > 2 * outliers.shape[1]:
            outliers = upper_factor(outliers)
        return PartialFactor(self.products + other.products, outliers)


class Pilot:
    """The factor P of a part of the sample, in whose terms all rows are expressed.

    Examples
    --------
    >>> import numpy as np
    >>> K, T, w = np.array([[1.0], [0.5], [0.2]]), np.array([[1.0], [-1.0], [1.0]]), np.ones(3)
    >>> pilot = Pilot(LandmarkFactor.of(K[:2], T[:2], w[:2]))
    >>> factor = pilot.factor(pilot.partial(K, T, w))
    >>> round(float(factor.size), 12), round(float(np.sum(factor.K**2)), 12)
    (3.0, 1.29)
    """

    def __init__(self, part: LandmarkFactor) -> None:
        sizes = np.maximum(np.linalg.norm(part.R, axis=0), np.finfo(np.float64).tiny)
        self._rounding = np.diag(_EPS * sizes)
        self._P, self._m = joined(part.R, self._rounding), part.m

    def empty(self) -> PartialFactor:
        """The partial factor of no rows."""
        return PartialFactor(np.zeros_like(self._P), np.empty((0, len(self._P))))

    def partial(self, K: Floats, targets: Floats, weights: Floats) -> PartialFactor:
        """The partial factor of some rows."""
        rows = weighted_rows(K, targets, weights)
        Z = self._coordinates(rows)
        outlying = np.einsum("ij,ij->i", Z, Z) > 1.0
        if outlying.any():
            Z = Z[~outlying]
        return PartialFactor(Z.T @ Z, rows[outlying])

    def factor(self, found: PartialFactor) -> LandmarkFactor:
        """The factor of the rows of a partial factor."""
        # The rows diag(rounding), which made P invertible, are joined to R too: with their products
        # Z'Z is positive definite in the directions where K is zero. The term on the diagonal is
        # the rounding of the products, without which Cholesky may fail.
        Z = self._coordinates(self._rounding)
        square = found.products + Z.T @ Z
        square[np.diag_indices_from(square)] += len(square) * _EPS * square.diagonal().max()
        R = np.asfortranarray(np.linalg.cholesky(square).T @ self._P)
        return LandmarkFactor(joined(R, upper_factor(found.outliers)), self._m)

    def _coordinates(self, rows: Floats) -> Floats:
        """Z = rows P^-1, by substitution in panels of columns.

        SciPy's triangular solves hold the interpreter's lock, so they are kept small; most of the
        work is in NumPy's products, which release it.
        """
        P, Z = self._P, rows.copy()
        for start in range(0, len(P), _PANEL_COLUMNS):
            panel = slice(start, start + _PANEL_COLUMNS)
            rest = Z[:, panel] - Z[:, :start] @ P[:start, panel]
            Z[:, panel] = dtrsm(1.0, P[panel, panel], rest.T, trans_a=1, overwrite_b=1).T
        return Z
