"""The metric of each class: a kernel scaled by the class's shrunk covariance.

    k_c(x, y) = |A_c| k(A_c x, A_c y),   A_c = S_c^(-1/2),

so that the bandwidth is measured in standard deviations of the class, in every direction. A sample
covariance is singular for n <= d and noisy before that, so S_c is shrunk twice: towards the pooled
covariance of the classes with weight (0.1 n_c + d) / (n_c + d), then by 5 % towards the identity,
both in columns standardised by their pooled within-class deviation (so units do not matter).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth._scale import column_deviations, sample_scale

_TO_IDENTITY = 0.05
_LARGEST = 2**30


@dataclass(frozen=True, eq=False)
class Whitening:
    """One affine map per class, x -> (x - centre_c) A_c.

    Attributes
    ----------
    centres : array of shape (n_classes, n_features)
        Where each map has its origin; it keeps the digits of data with a large offset.
    roots : array of shape (n_classes, n_features, n_features)
        The symmetric A_c = S_c^(-1/2), in the units of the data.
    log_volumes : array of shape (n_classes,)
        log |det A_c|, which turns densities in the whitened space into densities of the data.
    """

    centres: NDArray[np.float64]
    roots: NDArray[np.float64]
    log_volumes: NDArray[np.float64]

    def apply(self, X: NDArray[Any], c: int) -> NDArray[Any]:
        """Map points into the space of class ``c``, keeping their precision."""
        mapped = (X - self.centres[c]) @ self.roots[c]
        return np.asarray(mapped, dtype=X.dtype, order="C")

    def invert(self, Z: NDArray[Any], c: int) -> NDArray[np.float64]:
        """Map displacements of the whitened space back to the units of the data."""
        return np.asarray(np.linalg.solve(self.roots[c].T, np.asarray(Z, np.float64).T).T)


def fit_whitening(
    X: NDArray[Any],
    codes: NDArray[np.intp],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
) -> Whitening:
    """Estimate the whitening of each class; ``codes`` are 0 .. n_classes - 1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2)) @ [[3.0, 0.0], [2.9, 0.5]]
    >>> whitening = fit_whitening(X, np.zeros(2000, dtype=int), 1)
    >>> np.abs(np.cov(whitening.apply(X, 0).T) - np.eye(2)).max() < 0.7
    np.True_
    """
    moments = _moments(X, codes, n_classes, weights)
    maps = [
        _inverse_root(_shrunk(scatter / max(n - 1.0, 1.0), moments.pooled, n), moments.unit)
        for scatter, n in zip(moments.scatters, moments.counts)
    ]
    return Whitening(
        moments.centres, np.stack([A for A, _ in maps]), np.array([v for _, v in maps])
    )


def pooled_whitening(
    X: NDArray[Any],
    codes: NDArray[np.intp],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
) -> Whitening:
    """One map for all classes, by their pooled covariance (5 % of it towards the identity)."""
    moments = _moments(X, codes, n_classes, weights)
    root, log_volume = _inverse_root(_ridged(moments.pooled), moments.unit)
    centre = np.average(moments.centres, axis=0, weights=moments.counts)
    return Whitening(centre[None], root[None], np.array([log_volume]))


class _Moments(NamedTuple):
    """Means and scatters of the classes, in columns of unit within-class deviation."""

    counts: NDArray[np.float64]
    centres: NDArray[np.float64]
    scatters: NDArray[np.float64]
    pooled: NDArray[np.float64]
    unit: NDArray[np.float64]


def _moments(
    X: NDArray[Any],
    codes: NDArray[np.intp],
    n_classes: int,
    weights: NDArray[np.float64] | None,
) -> _Moments:
    d = X.shape[1]
    _refuse_large(n_classes, d)
    w = np.ones(len(X)) if weights is None else weights
    counts = np.bincount(codes, weights=w, minlength=n_classes).astype(np.float64)
    unit = _within_class_deviations(X, codes, n_classes, w)
    centres, scatters = np.empty((n_classes, d)), np.empty((n_classes, d, d))
    for c in range(n_classes):
        rows = codes == c
        centres[c] = np.average(X[rows].astype(np.float64), axis=0, weights=w[rows])
        Z = (X[rows] - centres[c]) / unit
        scatters[c] = (Z * w[rows, None]).T @ Z
    pooled = scatters.sum(axis=0) / max(counts.sum() - n_classes, 1.0)
    return _Moments(counts, centres, scatters, pooled, unit)


def _shrunk(own: NDArray[Any], pooled: NDArray[Any], n: float) -> NDArray[np.float64]:
    d = len(own)
    to_pooled = (0.1 * n + d) / (n + d)
    return _ridged((1 - to_pooled) * own + to_pooled * pooled)


def _ridged(S: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray((1 - _TO_IDENTITY) * S + _TO_IDENTITY * np.eye(len(S)))


def _inverse_root(
    S: NDArray[np.float64], unit: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """S^(-1/2) behind a division by ``unit``, and its log-determinant.

    The symmetric root does not depend on the order of the columns.
    """
    values, vectors = np.linalg.eigh(S)
    values = np.maximum(values, _TO_IDENTITY / 2)
    root = (vectors / np.sqrt(values)) @ vectors.T
    return root / unit[:, None], float(-0.5 * np.log(values).sum() - np.log(unit).sum())


def _within_class_deviations(
    X: NDArray[Any], codes: NDArray[np.intp], n_classes: int, w: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Pooled deviation of every column; a column constant in all classes gets the overall scale."""
    largest = np.abs(X).max(axis=0).astype(np.float64)
    largest[largest == 0] = 1.0
    total = np.zeros(X.shape[1])
    count = 0.0
    for c in range(n_classes):
        rows = codes == c
        n = w[rows].sum()
        total += max(n - 1.0, 0.0) * (column_deviations(X[rows], w[rows]) / largest) ** 2
        count += max(n - 1.0, 0.0)
    unit = largest * np.sqrt(total / max(count, 1.0))
    flat = unit <= 4 * np.finfo(X.dtype).eps * largest
    if flat.any():
        unit[flat] = column_deviations(X, w)[flat]
        flat = unit <= 4 * np.finfo(X.dtype).eps * largest
        unit[flat] = sample_scale(X, w)
    return np.asarray(unit)


def _refuse_large(n_classes: int, d: int) -> None:
    size = 8 * n_classes * d * d
    if size > _LARGEST:
        raise ValueError(
            f"metric='class' needs {n_classes} covariance matrices of {d} x {d}, "
            f"{size / 2**30:.1f} GiB; reduce the features first (by PCA, say) or use metric=None."
        )
