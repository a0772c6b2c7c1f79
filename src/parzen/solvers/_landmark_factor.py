"""All that least squares on m landmarks asks of a sample: one triangular factor.

    W^1/2 [K, 1, T] = Q R,      |W^1/2 (K a + b 1' - T)| = |R_K a + b r_1 - R_T|

K is n x m, T the targets, W the frequencies. R is formed block of rows by block of rows, and the
factors of two samples make that of both in the same way, so the rows may lie anywhere. Nothing is
squared: K'K would lose half of the digits of a kernel matrix that is nearly singular.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.linalg.lapack import dtpqrt

Floats = NDArray[np.float64]

_PANEL = 32  # columns that LAPACK treats at a time


@dataclass(frozen=True, eq=False)
class LandmarkFactor:
    """The factor R of a sample on ``m`` landmarks, with its targets as last columns.

    Examples
    --------
    >>> import numpy as np
    >>> K, T, w = np.array([[1.0], [0.5]]), np.array([[1.0], [-1.0]]), np.array([1.0, 3.0])
    >>> factor = LandmarkFactor.of(K, T, w)
    >>> round(float(factor.size), 12), round(float(np.sum(factor.K**2)), 12)
    (4.0, 1.75)
    """

    R: Floats
    m: int

    @classmethod
    def of(cls, K: Floats, targets: Floats, weights: Floats) -> LandmarkFactor:
        """The factor of some rows."""
        width = K.shape[1] + 1 + targets.shape[1]
        nothing = cls(np.zeros((width, width), order="F"), K.shape[1])
        return nothing.with_rows(K, targets, weights)

    def with_rows(self, K: Floats, targets: Floats, weights: Floats) -> LandmarkFactor:
        """The factor of these rows too."""
        root = np.sqrt(weights)[:, None]
        block = np.concatenate([root * K, root, root * targets], axis=1)
        return LandmarkFactor(_appended(self.R, block), self.m)

    @classmethod
    def merged(cls, parts: Iterable[LandmarkFactor]) -> LandmarkFactor:
        """The factor of several samples together."""
        first, *others = parts
        R = first.R
        for part in others:
            R = _appended(R, part.R)
        return cls(R, first.m)

    def on(self, landmarks: NDArray[np.intp]) -> LandmarkFactor:
        """The same rows on some of the landmarks; no longer triangular."""
        rest = np.arange(self.m, self.R.shape[1])
        return LandmarkFactor(self.R[:, np.concatenate([landmarks, rest])], len(landmarks))

    @property
    def K(self) -> Floats:
        """R_K."""
        return self.R[:, : self.m]

    @property
    def ones(self) -> Floats:
        """r_1."""
        return self.R[:, self.m]

    @property
    def targets(self) -> Floats:
        """R_T."""
        return self.R[:, self.m + 1 :]

    @property
    def size(self) -> float:
        """The sum of the frequencies."""
        return float(self.ones @ self.ones)


def _appended(R: Floats, block: Floats) -> Floats:
    """The factor with further rows."""
    panel = min(_PANEL, R.shape[1])
    new, _, _, info = dtpqrt(0, panel, R, np.array(block, order="F"), overwrite_b=1)
    assert info == 0
    return np.asarray(np.triu(new), order="F")


class LandmarkFeatures:
    """Least squares in the features phi(x) = P'k(x, landmarks), P P' the inverse of their Gram.

    |phi|^2 is the squared norm of a function on the landmarks in the kernel's space. Every filter
    g of the eigenvalues of Phi'W Phi gives weights P V g(values) V' Phi'W T.

    Parameters
    ----------
    factor : LandmarkFactor
    gram : array of shape (m, m)
        The kernel between the landmarks; what it has of negative eigenvalues is left out.
    offset : {"none", "free", "feature"}
        No offset; one that costs nothing, which centres the features; or a constant feature.
    """

    def __init__(self, factor: LandmarkFactor, gram: Floats, offset: str) -> None:
        self._projection, self._offset = inverse_root(gram), offset
        features, targets = factor.K @ self._projection, factor.targets
        ones = factor.ones[:, None]
        self.means = np.zeros((1, features.shape[1]))
        self.target_means = ones.T @ targets / factor.size
        if offset == "free":
            self.means = ones.T @ features / factor.size
            features, targets = features - ones @ self.means, targets - ones @ self.target_means
        elif offset == "feature":
            features = np.concatenate([features, ones], axis=1)
        self.values, self._vectors = eigh(features.T @ features, check_finite=False)
        self._rotated = self._vectors.T @ (features.T @ targets)

    def weights(self, inverse: Floats) -> tuple[Floats, Floats]:
        """Weights of the landmarks and offsets, for g(values)."""
        v = self._vectors @ (inverse[:, None] * self._rotated)
        if self._offset == "feature":
            return self._projection @ v[:-1], v[-1]
        a = self._projection @ v
        if self._offset == "none":
            return a, np.zeros(a.shape[1])
        return a, (self.target_means - self.means @ v)[0]


def inverse_root(gram: Floats) -> Floats:
    """P with P P' the pseudo-inverse of the positive part of a symmetric matrix."""
    values, vectors = eigh(gram, check_finite=False)
    kept = values > len(values) * np.finfo(float).eps * max(float(values[-1]), 0.0)
    if not kept.any():
        return np.zeros((len(gram), 1))
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))
