"""The metric of each class: a kernel scaled by the class's shrunk covariance.

    k_c(x, y) = |A_c| k(A_c x, A_c y),   A_c = S_c^(-1/2),

so that the bandwidth is measured in standard deviations of the class, in every direction. A sample
covariance is singular for n <= d and noisy before that, so S_c is shrunk twice: towards the pooled
covariance of the classes with weight (0.1 n_c + d) / (n_c + d), then by 5 % towards the identity,
both in columns standardised by their pooled within-class deviation (so units do not matter). Kernel
sums at held-out rows have metrics that were fitted without these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.samples import (
    HeldOutSums,
    KernelSample,
    column_deviations,
    sample_scale,
    varying_columns,
)
from parzen.sums import kernel_sums


def with_split(train: KernelSample, test: KernelSample, grid: Floats, n_splits: int) -> HeldOutSums:
    """Sums at the test rows of one of ``n_splits`` splits, in metrics of the training rows."""
    sums = class_sums(test.X, train, grid)
    return HeldOutSums.of_split(train, test, sums, n_splits, test.priors)


def class_sums(X: Array, train: KernelSample, grid: Floats) -> Floats:
    """Log-sums of every class at the rows of X, each in the metric of the class: (n, C, b)."""
    present, codes_present = np.unique(train.codes, return_inverse=True)
    whitening = fit_whitening(train.X, codes_present, len(present), train.weights)
    sums = np.full((len(X), train.n_classes, len(grid)), -np.inf)
    for k, c in enumerate(present):
        sums[:, c] = whitened_sums(X, train.rows(train.codes == c), grid, whitening, k)
    return sums


def whitened_sums(
    X: Array | None, part: KernelSample, grid: Floats, whitening: Whitening, k: int
) -> Floats:
    """Log-sums over one class in its own space; None for its own rows, each without itself."""
    Y = whitening.apply(part.X, k)
    sums = kernel_sums(
        Y if X is None else whitening.apply(X, k), Y, part.weights, kernel=part.kernel,
        bandwidths=grid, log=True, exclude_self=X is None, n_jobs=part.n_jobs,
    )  # fmt: skip
    return np.asarray(sums[:, 0] + whitening.log_volumes[k], dtype=np.float64)


_IDENTITY_SHARE = 0.05  # Share of the identity in a shrunk covariance.
# The eigenvalues of a shrunk covariance are at least the share but for rounding.
_LEAST_EIGENVALUE = _IDENTITY_SHARE / 2
_MAX_BYTES = 2**30  # Bytes that the covariance matrices of all classes may take.


@dataclass(frozen=True, eq=False)
class Whitening:
    """One affine map per class, x -> (x - centre_c) A_c.

    Attributes
    ----------
    centres : array of shape (n_classes, n_features)
        Where each map has its origin; it keeps the digits of data with a large offset.
    roots : array of shape (n_classes, n_features, n_features)
        The A_c: the symmetric S_c^(-1/2) of columns of one unit, behind a division by the units.
    log_volumes : array of shape (n_classes,)
        log |det A_c|, which turns densities in the whitened space into densities of the data.
    """

    centres: Floats
    roots: Floats
    log_volumes: Floats

    @classmethod
    def by(cls, matrices: Floats, centres: Floats) -> Whitening:
        """The maps under which the given matrices S_c, (n_classes, d, d), become the identity."""
        unit = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
        correlations = matrices / unit[:, :, None] / unit[:, None, :]
        return cls(centres, *_inverse_roots(correlations, unit))

    def apply(self, X: Array, c: int) -> Array:
        """Map points into the space of class ``c``, keeping their precision."""
        mapped = (X - self.centres[c]) @ self.roots[c]
        return np.asarray(mapped, dtype=X.dtype, order="C")

    def invert(self, Z: Array, c: int) -> Floats:
        """Map displacements of the whitened space back to the units of the data."""
        return np.asarray(np.linalg.solve(self.roots[c].T, np.asarray(Z, np.float64).T).T)


def fit_whitening(
    X: Array, codes: Ints, n_classes: int, weights: Floats | None = None
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
    found = _scatters(X, codes, n_classes, weights)
    own = found.scatters / np.maximum(found.counts - 1.0, 1.0)[:, None, None]
    shrunk = _shrunk(own, found.pooled, found.counts, max(int(varying_columns(X).sum()), 1))
    roots, log_volumes = _inverse_roots(shrunk, found.unit, _LEAST_EIGENVALUE)
    return Whitening(found.centres, roots, log_volumes)


def pooled_whitening(
    X: Array, codes: Ints, n_classes: int, weights: Floats | None = None
) -> Whitening:
    """One map for all classes, by their pooled covariance (5 % of it towards the identity)."""
    found = _scatters(X, codes, n_classes, weights)
    ridged = _ridged(found.pooled[None])
    roots, log_volumes = _inverse_roots(ridged, found.unit, _LEAST_EIGENVALUE)
    centre = (found.counts / found.counts.sum()) @ found.centres
    return Whitening(centre[None], roots, log_volumes)


class _Scatters(NamedTuple):
    """Means and scatters of the classes, in columns of unit within-class deviation."""

    counts: Floats  # (C,)
    centres: Floats  # (C, d) in the units of the data
    scatters: Floats  # (C, d, d) sums of squares about the centres
    pooled: Floats  # (d, d) pooled covariance
    unit: Floats  # (d,) within-class deviation of each column


def _scatters(X: Array, codes: Ints, n_classes: int, weights: Floats | None) -> _Scatters:
    d = X.shape[1]
    _refuse_large(n_classes, d)
    order = np.argsort(codes, kind="stable")  # classes become slices, however many there are
    w = np.ones(len(X)) if weights is None else weights[order]
    starts = np.searchsorted(codes[order], np.arange(n_classes))
    magnitude = np.abs(X).max(axis=0).astype(np.float64)
    magnitude[magnitude == 0] = 1.0
    Z, counts = X[order] / magnitude, np.add.reduceat(w, starts)
    centres = np.zeros((n_classes, d))
    for _ in range(2):  # a second pass takes out the rounding of a large offset
        shift = np.add.reduceat(w[:, None] * Z, starts) / counts[:, None]
        Z -= shift[codes[order]]
        centres += shift
    freedom = max(counts.sum() - n_classes, 1.0)
    unit = _units(magnitude * np.sqrt(w @ Z**2 / freedom), magnitude, X, weights)
    Z *= magnitude / unit
    scatters = np.empty((n_classes, d, d))
    for c, rows in enumerate(np.split(np.arange(len(Z)), starts[1:])):
        scatters[c] = (Z[rows] * w[rows, None]).T @ Z[rows]
    return _Scatters(counts, centres * magnitude, scatters, scatters.sum(axis=0) / freedom, unit)


def _units(within: Floats, magnitude: Floats, X: Array, weights: Floats | None) -> Floats:
    """Within-class deviations; a column constant in every class gets its deviation over all."""
    unit, floor = within.copy(), 4 * np.finfo(X.dtype).eps * magnitude
    flat = unit <= floor
    if flat.any():
        unit[flat] = column_deviations(X, weights)[flat]
    flat = unit <= floor
    if flat.any():
        unit[flat] = sample_scale(X, weights)
    return unit


def _shrunk(own: Floats, pooled: Floats, n: Floats, d: int) -> Floats:
    """Covariances shrunk as for ``d`` columns, those that are not constant."""
    to_pooled = ((0.1 * n + d) / (n + d))[:, None, None]
    return _ridged((1 - to_pooled) * own + to_pooled * pooled)


def _ridged(S: Floats) -> Floats:
    return np.asarray((1 - _IDENTITY_SHARE) * S + _IDENTITY_SHARE * np.eye(S.shape[-1]))


def _inverse_roots(S: Floats, unit: Floats, least: float = 0.0) -> tuple[Floats, Floats]:
    """S^(-1/2) of each matrix behind a division by ``unit``, and the log-determinants.

    The symmetric root does not depend on the order of the columns. Eigenvalues are raised to
    ``least``.
    """
    values, vectors = np.linalg.eigh(S)
    values = np.maximum(values, least)
    roots = (vectors / np.sqrt(values)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
    return roots / unit[..., None], -0.5 * np.log(values).sum(axis=1) - np.log(unit).sum(axis=-1)


def _refuse_large(n_classes: int, d: int) -> None:
    size = 8 * n_classes * d * d
    if size > _MAX_BYTES:
        raise ValueError(
            f"metric='class' needs {n_classes} covariance matrices of {d} x {d}, "
            f"{size / 2**30:.1f} GiB; reduce the features first (by PCA, say) or use metric=None."
        )
