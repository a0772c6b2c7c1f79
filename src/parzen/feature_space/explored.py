"""The few dimensions that an ascent has been in, and how the forms M_0 and N_0 act on them.

    M_0 b_j = sum_i m_ij b_i + orthogonal_j,   b_1, b_2, ... orthonormal

The gradients of 200 steps span about twenty dimensions to rounding. A vector in their span is given
by its coordinates in the basis b. A form times such a vector has coordinates in the basis, and a
part that is orthogonal to it. The ascent multiplies with the forms once for every new dimension
instead of once for every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from parzen._core import Floats
from parzen.feature_space.scatter_products import Scatter

_DIMENSIONS_PER_ALLOCATION = 32  # Dimensions for which arrays are enlarged at a time.


class Explored:
    """An orthonormal basis that grows, one vector a row, and the images of its vectors."""

    def __init__(self, forms: Scatter, start: Floats, max_dimensions: int) -> None:
        self.forms, self.count, self.max_dimensions = forms, 0, min(len(start), max_dimensions)
        self._basis = np.empty((0, len(start)))
        self._orthogonal = np.empty((0, 2, len(start)))
        self._matrix = np.empty((2, 0, 0))  # the forms in coordinates
        self._add(np.asarray(start, dtype=np.float64))

    def images(self, a: Floats) -> tuple[Floats, Floats]:
        """M_0 and N_0 times a vector, one a row, by its coordinates.

        The first array has coordinates in the basis, the second the parts orthogonal to it.
        """
        orthogonal = a @ self._orthogonal[: self.count].reshape(self.count, -1)
        return self.matrix @ a, orthogonal.reshape(2, -1)

    @property
    def matrix(self) -> Floats:
        """The two forms in coordinates."""
        return self._matrix[:, : self.count, : self.count]

    @property
    def basis(self) -> Floats:
        """The vectors that have been added, one a row."""
        return self._basis[: self.count]

    def vectors(self, path: Sequence[Floats]) -> Floats:
        """Vectors, one a row, from coordinates; earlier ones, in a smaller basis, are shorter."""
        rows = np.zeros((len(path), self.count))
        for row, a in zip(rows, path, strict=True):
            row[: len(a)] = a
        return np.asarray(rows @ self.basis)

    def add(self, orthogonal: Floats) -> None:
        """Add the direction of a vector that is orthogonal to the basis up to rounding."""
        unit = orthogonal / sqrt(orthogonal @ orthogonal)
        unit -= (self.basis @ unit) @ self.basis
        self._add(unit / sqrt(unit @ unit))

    def _add(self, unit: Floats) -> None:
        k = self.count
        if k == len(self._basis):
            self._allocate(min(_DIMENSIONS_PER_ALLOCATION, self.max_dimensions - k))
        known, images = self._orthogonal[:k], self.forms.products(unit)
        known -= (known @ unit)[:, :, None] * unit
        self._basis[k], self.count = unit, k + 1
        inside = images @ self.basis.T
        self._orthogonal[k] = images - inside @ self.basis
        self._matrix[:, k, : k + 1] = self._matrix[:, : k + 1, k] = inside

    def _allocate(self, more: int) -> None:
        self._basis, self._orthogonal = (
            np.concatenate([old, np.empty((more, *old.shape[1:]))])
            for old in (self._basis, self._orthogonal)
        )
        self._matrix = np.pad(self._matrix, ((0, 0), (0, more), (0, more)))
