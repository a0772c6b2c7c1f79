"""The Laplacian classifier's own K-fold error, for a whole grid of bandwidths.

A fold's weights f^(-1/2) and normalisers V_c come from its training rows alone, so they depend on
the fold and on the bandwidth. Per fold there is one pass over the pairs of its training rows for
f, one within each class for V_c, and one from the held-out rows for gamma_c, each for all
bandwidths at once: with three folds and two classes 8/3 n^2 pairs in all. Passes shared by the
folds would cost 2 n^2 and keep sums for every fold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen.bandwidth import KFoldError
from parzen.bandwidth._errors import stratified_splits
from parzen.bandwidth._logs import log_sum
from parzen.bandwidth._outside import Outside
from parzen.bandwidth._sample import Floats, Sample
from parzen.sums import kernel_sums, labelled_kernel_sums

_COPIES = 4  # arrays of a chunk's size that are alive at once


@dataclass(frozen=True)
class LaplacianKFoldError(KFoldError):
    """K-fold error of the Laplacian classifier; three folds as in the paper.

    Parameters
    ----------
    grid : sequence of float, default=None
        Parzen bandwidths to try; None derives them from the data.
    per : {"all", "feature"}, default="all"
        One bandwidth, or one per feature.
    folds : int or splitter, default=3
        Stratified folds, not shuffled; or any scikit-learn splitter.
    power : float, default=0.5
        Exponent of the weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import LaplacianClassifier
    >>> from parzen.classifiers import LaplacianKFoldError
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = LaplacianKFoldError(grid=[0.1, 0.2, 0.4, 0.8])
    >>> LaplacianClassifier(bandwidth=selector).fit(X, y).bandwidth_
    0.4
    """

    folds: Any = field(default=3, kw_only=True)
    power: float = field(default=0.5, kw_only=True)
    name: ClassVar[str] = "cv"
    criterion: ClassVar[str] = "K-fold error of the Laplacian classifier"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.per == "class":
            raise ValueError(
                "per='class' is not available here: the weights of a class depend on the "
                "bandwidths of all classes; use 'all' or 'feature', or another selector."
            )

    def _outside(self, sample: Sample, grid: Floats) -> Iterator[Outside]:
        splits = stratified_splits(sample, self.folds)
        for train, test in splits:
            points, part = sample.rows(train), sample.rows(test)
            share = part.frequencies / part.frequencies.sum() / len(splits)
            yield from self._held_out(part, share, points, grid)

    def _held_out(
        self, part: Sample, share: Floats, points: Sample, grid: Floats
    ) -> Iterator[Outside]:
        a, log_v = _weights_and_normalizers(points, grid, self.power)
        values = part.n_classes * len(grid)
        rows = get_chunk_n_rows(row_bytes=_COPIES * 8 * values, max_n_rows=max(1, len(part)))
        for batch in gen_batches(len(part), rows):
            queries = part.rows(batch)
            sums = labelled_kernel_sums(
                queries.X,
                points.X,
                points.y,
                points.n_classes,
                a[:, None, :],
                kernel=points.kernel.convolved(points.X.shape[1]),
                bandwidths=grid,
                n_jobs=points.n_jobs,
            )
            sizes = np.broadcast_to(points.sizes, (len(queries), part.n_classes))
            yield Outside(queries.y, share[batch], sums.astype(np.float64) - log_v, sizes, None)


def _weights_and_normalizers(points: Sample, grid: Floats, power: float) -> tuple[Floats, Floats]:
    """Weights (n, B) relative to the largest of their class, and log V_c (C, B) in these units."""
    log_a = np.zeros((len(points), len(grid)))
    if power != 0:
        sums = kernel_sums(
            points.X,
            points.X,
            points.weights,
            kernel=points.kernel,
            bandwidths=grid,
            log=True,
            n_jobs=points.n_jobs,
        )
        log_a -= power * sums[:, 0, :]
    log_a += np.log(points.frequencies)[:, None]
    overlap = points.kernel.convolved(points.X.shape[1])
    log_v = np.zeros((points.n_classes, len(grid)))
    for c, rows in enumerate(points.class_rows()):
        if len(rows) == 0:
            continue
        log_a[rows] -= log_a[rows].max(axis=0)
        X = points.X[rows]
        sums = kernel_sums(
            X,
            X,
            np.exp(log_a[rows])[:, None, :],
            kernel=overlap,
            bandwidths=grid,
            log=True,
            n_jobs=points.n_jobs,
        )
        log_v[c] = 0.5 * log_sum(sums[:, 0, :] + log_a[rows], axis=0)
    return np.exp(log_a), log_v
