"""The few dimensions that an ascent has been in, and how the forms M_0 and N_0 act on them.

    M_0 b_j = sum_i m_ij b_i + beyond_j,   b_1, b_2, ... orthonormal

The gradients of 200 steps span about twenty dimensions to rounding. A vector in them is its few
coordinates; what a form makes of it is a few coordinates more and a part that lies beyond. The
ascent multiplies with the forms once for every new dimension instead of once for every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.feature_space.labels import Floats
from parzen.feature_space.scatter import Scatter

_ROOM = 32  # dimensions that are made room for at once


class Images(NamedTuple):
    """M_0 and N_0 times a vector, one a row: coordinates, and what lies beyond the basis."""

    inside: NDArray[np.float64]
    beyond: NDArray[np.float64]


class Explored:
    """An orthonormal basis that grows, one vector a row, and the images of its vectors."""

    def __init__(self, forms: Scatter, start: Floats, most: int) -> None:
        self.forms, self.count, self.most = forms, 0, min(len(start), most)
        self._basis = np.empty((0, len(start)))
        self._beyond = np.empty((0, 2, len(start)))
        self._matrix = np.empty((2, 0, 0))  # the forms in coordinates
        self._add(np.asarray(start, dtype=np.float64))

    def images(self, a: Floats) -> Images:
        """Both forms times a vector, by its coordinates."""
        beyond = a @ self._beyond[: self.count].reshape(self.count, -1)
        return Images(self.matrix @ a, beyond.reshape(2, -1))

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The two forms in coordinates."""
        return self._matrix[:, : self.count, : self.count]

    @property
    def basis(self) -> NDArray[np.float64]:
        """The vectors that have been added, one a row."""
        return self._basis[: self.count]

    def vectors(self, path: Sequence[Floats]) -> NDArray[np.float64]:
        """Vectors, one a row, from coordinates of which later ones may be more."""
        rows = np.zeros((len(path), self.count))
        for row, a in zip(rows, path, strict=True):
            row[: len(a)] = a
        return np.asarray(rows @ self.basis)

    def add(self, beyond: Floats) -> None:
        """Add the direction of a vector that is orthogonal to the basis up to rounding."""
        unit = beyond / sqrt(beyond @ beyond)
        unit -= (self.basis @ unit) @ self.basis
        self._add(unit / sqrt(unit @ unit))

    def _add(self, unit: Floats) -> None:
        k = self.count
        if k == len(self._basis):
            self._make_room(min(_ROOM, self.most - k))
        known, images = self._beyond[:k], self.forms.products(unit)
        known -= (known @ unit)[:, :, None] * unit
        self._basis[k], self.count = unit, k + 1
        inside = images @ self.basis.T
        self._beyond[k] = images - inside @ self.basis
        self._matrix[:, k, : k + 1] = self._matrix[:, : k + 1, k] = inside

    def _make_room(self, more: int) -> None:
        self._basis, self._beyond = (
            np.concatenate([old, np.empty((more, *old.shape[1:]))])
            for old in (self._basis, self._beyond)
        )
        self._matrix = np.pad(self._matrix, ((0, 0), (0, more), (0, more)))
