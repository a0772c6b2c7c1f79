"""The factor of a large sample, from that of a part of it: two products for each block of rows.

    Z = W^1/2 [K, 1, T] P^-1,     Z'Z = L L',     R = L'P

P is the factor of a part that stands for the sample, so the columns of Z are nearly orthonormal,
and squaring them loses nothing; squares of K itself would lose half of the digits. The few rows
that the part knows nothing like, |z| > 1, are kept as they are and join R in the end. Directions
that K does not have beyond rounding are in P at the size of rounding, so that it can be inverted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrsm

from parzen.solvers.landmark_factor import LandmarkFactor, joined, upper_factor, weighted_rows

Floats = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)
_PANEL = 64  # columns


class Seen(NamedTuple):
    """What is known of some rows; what is known of two samples adds up."""

    products: Floats  # Z'Z
    odd: Floats  # rows that the part knows nothing like, or their factor

    def and_also(self, other: Seen) -> Seen:
        """Of these rows and others."""
        odd = np.concatenate([self.odd, other.odd])
        if len(odd) > 2 * odd.shape[1]:
            odd = upper_factor(odd)
        return Seen(self.products + other.products, odd)


class Pilot:
    """The part's factor P, in whose terms all rows are looked at.

    Examples
    --------
    >>> import numpy as np
    >>> K, T, w = np.array([[1.0], [0.5], [0.2]]), np.array([[1.0], [-1.0], [1.0]]), np.ones(3)
    >>> pilot = Pilot(LandmarkFactor.of(K[:2], T[:2], w[:2]))
    >>> factor = pilot.factor(pilot.seen(K, T, w))
    >>> round(float(factor.size), 12), round(float(np.sum(factor.K**2)), 12)
    (3.0, 1.29)
    """

    def __init__(self, part: LandmarkFactor) -> None:
        sizes = np.maximum(np.linalg.norm(part.R, axis=0), np.finfo(np.float64).tiny)
        self._rounding = np.diag(_EPS * sizes)
        self._P, self._m = joined(part.R, self._rounding), part.m

    def nothing(self) -> Seen:
        """What is known of no rows."""
        return Seen(np.zeros_like(self._P), np.empty((0, len(self._P))))

    def seen(self, K: Floats, targets: Floats, weights: Floats) -> Seen:
        """What is to be known of some rows."""
        rows = weighted_rows(K, targets, weights)
        Z = self._in_terms(rows)
        odd = np.einsum("ij,ij->i", Z, Z) > 1.0
        if odd.any():
            Z = Z[~odd]
        return Seen(Z.T @ Z, rows[odd])

    def factor(self, seen: Seen) -> LandmarkFactor:
        """The factor of all that was seen."""
        Z = self._in_terms(self._rounding)
        square = seen.products + Z.T @ Z
        square[np.diag_indices_from(square)] += len(square) * _EPS * square.diagonal().max()
        R = np.asfortranarray(np.linalg.cholesky(square).T @ self._P)
        return LandmarkFactor(joined(R, upper_factor(seen.odd)), self._m)

    def _in_terms(self, rows: Floats) -> Floats:
        """Z, by panels: SciPy keeps the interpreter lock, and NumPy's products do not."""
        P, Z = self._P, rows.copy()
        for start in range(0, len(P), _PANEL):
            panel = slice(start, start + _PANEL)
            rest = Z[:, panel] - Z[:, :start] @ P[:start, panel]
            Z[:, panel] = dtrsm(1.0, P[panel, panel], rest.T, trans_a=1, overwrite_b=1).T
        return Z
