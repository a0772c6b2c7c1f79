"""Scores of held-out rows by the Laplacian classifier, for all folds and bandwidths.

    f_k(x_i) = sum_{j not in k} w_j k_s(x_i, x_j),       a_ik = w_i f_k(x_i)^(-power)
    V_ck^2 = sum_{i,j in c, not in k} a_ik (k*k)(x_i, x_j) a_jk     Jenssen et al. (2007), eq. (19)

Two passes over the pairs serve all folds and bandwidths. The first has a column per fold and gives
f. The second has weights of every fold and bandwidth: pairs of a class give V and the scores of
held-out rows by their own class, pairs of two classes those by the other classes, where one row is
held out and the other is not. Classes with fewer than n / K rows are scored together, by all
classes: the pairs within these classes are visited twice, which is cheap as the classes are small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Bools, Floats, Ints, portion, steps
from parzen.classifiers.laplacian.fold_weights import FoldWeights, fold_weights
from parzen.classifiers.laplacian.model import LaplacianOptions, fit_model
from parzen.samples import HeldOutSums, KernelSample, Split, log_add, log_sum
from parzen.sums import has_missing, kernel_sums, labelled_kernel_sums

_ARRAYS_ALIVE = 4  # Arrays of a chunk's size that exist at the same time.
_MAX_FOLDS_PER_PASS = 20  # Folds that one pass over the pairs serves.
_MAX_LARGE_CLASSES = 8  # Classes whose held-out rows are scored class by class.


class ClassNorms(NamedTuple):
    """Sums over the pairs within the classes."""

    own: Floats  # (n, folds, bandwidths) log-sum of the row's own class, without the row
    log_v: Floats  # (n_classes, folds, bandwidths) log V


def held_out(
    sample: KernelSample, grid: Floats, splits: Sequence[Split], options: LaplacianOptions
) -> Iterator[HeldOutSums]:
    """Log gamma_c of every fold's test rows; the criterion is the mean over the folds."""
    if has_missing(sample.X):
        yield from _refits(sample, grid, splits, options)
        return
    rows_of = np.bincount(sample.codes, minlength=sample.n_classes)
    large = rows_of * min(len(splits), _MAX_LARGE_CLASSES) > len(sample)
    row_bytes = _ARRAYS_ALIVE * 8 * len(sample) * len(grid)
    max_folds = int(get_config()["working_memory"] * 2**20 // row_bytes)
    batches = list(gen_batches(len(splits), max(1, min(_MAX_FOLDS_PER_PASS, max_folds))))
    for batch in steps(batches):
        part = splits[batch]
        train = np.zeros((len(part), len(sample)), dtype=bool)
        for k, (rows, _) in enumerate(part):
            train[k, rows] = True
        with portion(0, 0.4):
            weights = fold_weights(sample, train, grid, options)
        with portion(0.4, 0.7):
            norms = _class_norms(sample, weights, grid)
        with portion(0.7):
            for k, (_, test) in enumerate(steps(part)):
                w = sample.frequencies[test]
                shares = w / w.sum() / len(splits)
                yield from _fold(sample, k, train[k], test, shares, weights, norms, grid, large)


def _refits(
    sample: KernelSample, grid: Floats, splits: Sequence[Split], options: LaplacianOptions
) -> Iterator[HeldOutSums]:
    """The same where entries are missing: a fit for each fold and bandwidth."""
    for train, test in steps(splits):
        part = sample.rows(train)
        sizes = np.bincount(part.codes, part.frequencies, sample.n_classes).astype(np.float64)
        models = [fit_model(part, np.array(float(h)), options) for h in grid]
        scores = np.stack([model.log_scores(sample.X[test]) for model in models], axis=2)
        w = sample.frequencies[test]
        size = np.broadcast_to(sizes, (len(test), sample.n_classes))
        shares = w / w.sum() / len(splits)
        yield HeldOutSums(sample.codes[test], shares, scores, size, None)


def _class_norms(sample: KernelSample, weights: FoldWeights, grid: Floats) -> ClassNorms:
    """V and the own classes' sums, from the pairs within each class."""
    d, log_a = sample.X.shape[1], weights.log_a
    overlap = sample.kernel.convolved(d)
    peaks = np.array([overlap.log_normalizer(float(h), d) for h in grid])
    own = np.full(log_a.shape, -np.inf)
    log_v = np.zeros((sample.n_classes, *log_a.shape[1:]))
    members = list(sample.class_rows())
    for c, rows in enumerate(steps(members, [float(len(rows)) ** 2 for rows in members])):
        if len(rows) == 0:
            continue
        X, a = sample.X[rows], log_a[rows]
        own[rows] = kernel_sums(
            X, X, np.exp(a), kernel=overlap, bandwidths=grid, exclude_self=True, log=True,
            n_jobs=sample.n_jobs,
        )  # fmt: skip
        pairs = log_sum(a + own[rows] + weights.log_share[rows][..., None], axis=0)
        total = 0.5 * log_add(log_sum(2.0 * a + peaks, axis=0), pairs)
        # A fold without training rows of the class has no norm; its sums are zero anyway.
        log_v[c] = np.where(np.isneginf(total), 0.0, total)
    return ClassNorms(own, log_v)


def _fold(
    sample: KernelSample,
    k: int,
    train: Bools,
    test: Ints,
    shares: Floats,
    weights: FoldWeights,
    norms: ClassNorms,
    grid: Floats,
    large: Bools,
) -> Iterator[HeldOutSums]:
    """Scores of the test rows of the k-th fold by its training rows."""
    C, d = sample.n_classes, sample.X.shape[1]
    sizes = np.bincount(sample.codes[train], sample.frequencies[train], C).astype(np.float64)
    carries = train & ~np.isneginf(weights.log_a[:, k]).all(axis=1)
    for c, places in _groups(sample.codes[test], large):
        points = np.flatnonzero(carries & (sample.codes != c))
        a = np.exp(weights.log_a[points, k])[:, None, :]
        chunk = get_chunk_n_rows(
            row_bytes=_ARRAYS_ALIVE * 8 * C * len(grid), max_n_rows=len(places)
        )
        for batch in gen_batches(len(places), chunk):
            place = places[batch]
            rows = test[place]
            sums = np.full((len(rows), C, len(grid)), -np.inf)
            if len(points):  # else the other classes have no training rows of any weight
                sums[:] = labelled_kernel_sums(
                    sample.X[rows], sample.X[points], sample.codes[points], C, a,
                    kernel=sample.kernel.convolved(d), bandwidths=grid, n_jobs=sample.n_jobs,
                )  # fmt: skip
            if c >= 0:
                sums[:, c] = norms.own[rows, k]
            scores = sums - norms.log_v[:, k]
            size = np.broadcast_to(sizes, (len(rows), C))
            yield HeldOutSums(sample.codes[rows], shares[place], scores, size, None)


def _groups(y: Ints, large: Bools) -> Iterator[tuple[int, Ints]]:
    """Places of the rows of each large class, and with -1 those of all other classes."""
    for c in np.unique(y[large[y]]):
        yield int(c), np.flatnonzero(y == c)
    if not large[y].all():
        yield -1, np.flatnonzero(~large[y])
