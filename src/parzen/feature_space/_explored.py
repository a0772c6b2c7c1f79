"""The few dimensions that an ascent has been in, with the forms M_0 and N_0 on them.

The gradients of 200 steps span about twenty dimensions to rounding. An orthonormal basis of them,
and its products with M_0 and N_0, are all that the ascent needs: it multiplies with the forms once
for every new dimension instead of once for every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from parzen.feature_space._labels import Floats
from parzen.feature_space._scatter import Scatter

_ROOM = 32  # dimensions that are made room for at once


class Explored:
    """An orthonormal basis that grows, one vector a row, and its products with two forms."""

    def __init__(self, forms: Scatter, start: Floats, most: int) -> None:
        self.forms, self.count, self.most = forms, 0, min(len(start), most)
        self.basis = np.empty((0, len(start)))
        self.images = np.empty((0, 2, len(start)))
        self.matrix = np.empty((2, 0, 0))  # the forms in coordinates
        self._add(np.asarray(start, dtype=np.float64))

    def form(self, a: Floats, b: Floats) -> tuple[float, float]:
        """Both forms of two vectors, by their coordinates."""
        values = self.matrix[:, : len(a), : len(b)] @ b @ a
        return float(values[0]), float(values[1])

    def along(self, a: Floats, g: Floats) -> NDArray[np.float64]:
        """Both forms of (a, g) and of (g, g), one a row, by their coordinates."""
        across = self.matrix[:, : len(g), : len(g)] @ g
        return np.asarray([across @ a, across @ g])

    def vector(self, a: Floats) -> NDArray[np.float64]:
        """A vector from its coordinates."""
        return np.asarray(a @ self.basis[: len(a)])

    def vectors(self, path: Sequence[Floats]) -> NDArray[np.float64]:
        """Vectors, one a row, from coordinates of which later ones may be more."""
        rows = np.zeros((len(path), self.count))
        for row, a in zip(rows, path, strict=True):
            row[: len(a)] = a
        return np.asarray(rows @ self.basis[: self.count])

    def products(self, a: Floats) -> NDArray[np.float64]:
        """M_0 and N_0 times a vector, by its coordinates."""
        images = self.images[: len(a)]
        return np.asarray(a @ images.reshape(len(a), -1)).reshape(2, -1)

    def coordinates(self, vector: Floats) -> NDArray[np.float64]:
        """The coordinates of a vector; a new dimension is added where it lies outside."""
        basis = self.basis[: self.count]
        inside = basis @ vector
        outside = vector - inside @ basis
        length = sqrt(outside @ outside)
        if self.count == self.most or length <= self.forms.outside * sqrt(vector @ vector):
            return np.asarray(inside)
        outside -= (basis @ outside) @ basis  # once more: the first time leaves rounding behind
        self._add(outside / sqrt(outside @ outside))
        return np.append(inside, length)

    def _add(self, unit: Floats) -> None:
        k = self.count
        if k == len(self.basis):
            self._make_room(min(_ROOM, self.most - k))
        self.basis[k], self.images[k], self.count = unit, self.forms.products(unit), k + 1
        self.matrix[:, k, : k + 1] = (self.basis[: k + 1] @ self.images[k].T).T
        self.matrix[:, : k + 1, k] = self.matrix[:, k, : k + 1]

    def _make_room(self, more: int) -> None:
        self.basis, self.images = (
            np.concatenate([old, np.empty((more, *old.shape[1:]))])
            for old in (self.basis, self.images)
        )
        self.matrix = np.pad(self.matrix, ((0, 0), (0, more), (0, more)))
