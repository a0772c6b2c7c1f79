"""What least squares on m landmarks needs of a sample: one triangular factor.

    W^1/2 [K, 1, T] = Q R,      |W^1/2 (K a + b 1' - T)| = |R_K a + b r_1 - R_T|

K is n x m, T the targets, W the frequencies. The factors of two samples make that of both. Nothing
is squared: K'K would lose half of the digits of a kernel matrix that is nearly singular. A large
sample has its factor by `Pilot`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from scipy.linalg.lapack import dtpqrt

from parzen._core import Floats, Ints

_PANEL_COLUMNS = 32  # Columns that LAPACK reflects at a time.


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
        return cls(upper_factor(weighted_rows(K, targets, weights)), K.shape[1])

    @classmethod
    def all_but_one(cls, parts: Sequence[LandmarkFactor]) -> list[LandmarkFactor]:
        """For every sample the factor of all others."""
        nothing = cls(np.zeros_like(parts[0].R), parts[0].m)
        before = list(accumulate(parts[:-1], _both, initial=nothing))
        after = list(accumulate(reversed(parts[1:]), _both, initial=nothing))[::-1]
        return [_both(a, b) for a, b in zip(before, after, strict=True)]

    def on(self, landmarks: Ints) -> LandmarkFactor:
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


def weighted_rows(K: Floats, targets: Floats, weights: Floats) -> Floats:
    """W^1/2 [K, 1, T]."""
    root = np.sqrt(weights)[:, None]
    return np.concatenate([root * K, root, root * targets], axis=1)


def upper_factor(rows: Floats) -> Floats:
    """The square triangular factor of some rows; its last rows are zero where these are few."""
    R = np.zeros((rows.shape[1], rows.shape[1]), order="F")
    # NumPy releases the interpreter's lock here, so that threads run in parallel.
    R[: len(rows)] = np.linalg.qr(rows, mode="r")
    return R


def joined(R: Floats, S: Floats) -> Floats:
    """The triangular factor of one such factor above another."""
    width = R.shape[1]
    new, _, _, info = dtpqrt(
        width, min(_PANEL_COLUMNS, width), R, np.array(S, order="F"), overwrite_b=1
    )
    assert info == 0
    return np.asarray(np.triu(new), order="F")


def _both(a: LandmarkFactor, b: LandmarkFactor) -> LandmarkFactor:
    return LandmarkFactor(joined(a.R, b.R), a.m)


class LandmarkFeatures:
    """Least squares in the features phi(x) = P'k(x, landmarks), P P' the inverse of their Gram.

    The function v'phi(x) has the norm |v| in the kernel's space. Every filter g of the eigenvalues
    of Phi'W Phi = V diag(values) V' gives landmark weights P V g(values) V' Phi'W T.

    Parameters
    ----------
    factor : LandmarkFactor
    gram : array of shape (m, m)
        The kernel between the landmarks; the part with negative eigenvalues is left out.
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
        self.values, self._vectors = np.linalg.eigh(features.T @ features)
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
    values, vectors = np.linalg.eigh(gram)
    kept = values > len(values) * np.finfo(float).eps * max(float(values[-1]), 0.0)
    if not kept.any():
        return np.zeros((len(gram), 1))
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))
