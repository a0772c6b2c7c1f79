"""The metric of each class: a kernel scaled by the class's shrunk covariance.

    k_c(x, y) = |A_c| k(A_c x, A_c y),   A_c = S_c^(-1/2),

so that the bandwidth is measured in standard deviations of the class, in every direction. A sample
covariance is singular for n <= d and noisy before that, so S_c is shrunk twice: towards the pooled
covariance of the classes with weight (0.1 n_c + d) / (n_c + d), then by 5 % towards the identity,
both in columns standardised by their pooled within-class deviation (so units do not matter).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    d = X.shape[1]
    _refuse_large(n_classes, d)
    w = np.ones(len(X)) if weights is None else weights
    counts = np.bincount(codes, weights=w, minlength=n_classes)
    unit = _within_class_deviations(X, codes, n_classes, w)
    centres = np.stack(
        [np.average(X[codes == c], axis=0, weights=w[codes == c]) for c in range(n_classes)]
    )
    scatters = np.empty((n_classes, d, d))
    for c in range(n_classes):
        Z = (X[codes == c] - centres[c]) / unit
        scatters[c] = (Z * w[codes == c, None]).T @ Z
    pooled = scatters.sum(axis=0) / max(counts.sum() - n_classes, 1.0)
    roots = np.empty_like(scatters)
    log_volumes = np.empty(n_classes)
    for c in range(n_classes):
        own = scatters[c] / max(counts[c] - 1.0, 1.0)
        root, log_volume = _inverse_root(_shrunk(own, pooled, counts[c]))
        roots[c] = root / unit[:, None]
        log_volumes[c] = log_volume - np.log(unit).sum()
    return Whitening(centres, roots, log_volumes)


def _shrunk(own: NDArray[Any], pooled: NDArray[Any], n: float) -> NDArray[np.float64]:
    d = len(own)
    to_pooled = (0.1 * n + d) / (n + d)
    mixed = (1 - to_pooled) * own + to_pooled * pooled
    return np.asarray((1 - _TO_IDENTITY) * mixed + _TO_IDENTITY * np.eye(d))


def _inverse_root(S: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """S^(-1/2), symmetric and so independent of the columns' order, and its log-determinant."""
    values, vectors = np.linalg.eigh(S)
    values = np.maximum(values, _TO_IDENTITY / 2)
    return (vectors / np.sqrt(values)) @ vectors.T, float(-0.5 * np.log(values).sum())


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
