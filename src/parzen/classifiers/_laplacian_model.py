"""Weights, normalisers and left-out scores of the Laplacian classifier, all of them log-sums.

    alpha_i = f(x_i)^(-power),       a_i = w_i alpha_i
    V_c^2   = sum_{i,j in c} a_i (k*k)(x_i, x_j) a_j             Jenssen et al. (2007), eq. (19)
    gamma_c(x) = sum_{i in c} a_i (k*k)(x, x_i) / V_c                                  eq. (18)

One pass over the pairs gives f, a second the sums S_i at every point over all others: with the own
terms added they are V_c, without them gamma_c at points that are left out, where V_c loses the
point's 2 a_i S_i + a_i^2 (k*k)(0) too. Only the weights of the others stay as they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils import gen_batches

from parzen.classifiers._labels import Sample
from parzen.classifiers._laplacian_reduction import reduced
from parzen.expansion import KernelExpansion
from parzen.feature_space._sample_density import log_sample_density, log_sums_without_self
from parzen.kernels import Kernel

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_COPIES = 6  # arrays of a block's size that are alive at once
_MOST_SCORES = 2**22  # left-out scores that are kept; of more, every so many rows


class Options(NamedTuple):
    """What the estimator was told, apart from the bandwidth."""

    kernel: Kernel
    power: float
    keep: float | None
    reduction: str
    n_density_samples: int | None
    rng: np.random.RandomState
    n_jobs: int | None


class LaplacianModel(NamedTuple):
    """A fitted classifier, and how it sees some of the training rows when they are left out."""

    expansion: KernelExpansion  # its log-sums are log gamma_c
    log_weights: Floats  # (n,) log alpha
    log_normalizers: Floats  # (C,) log V_c
    left_out: Floats  # (rows, C) log gamma_c
    rows: NDArray[np.intp]


def fit_model(sample: Sample, bandwidth: Floats, options: Options) -> LaplacianModel:
    """Fit at a given bandwidth: a number, one per class, per feature, or both."""
    log_weights = log_density_weights(sample, bandwidth, options)
    log_a = log_weights if sample.weights is None else log_weights + np.log(sample.weights)
    unit = np.full(len(sample.classes), -np.inf)
    np.maximum.at(unit, sample.codes, log_a)
    everyone = KernelExpansion(
        points=sample.X,
        kernel=options.kernel.convolved(sample.X.shape[1]),
        bandwidth=bandwidth,
        n_classes=len(sample.classes),
        labels=sample.codes,
        weights=np.exp(log_a - unit[sample.codes]),
    )
    everyone, centres = _with_fewer_kernels(everyone, log_weights, options)
    log_v, left_out, rows = _normalizers(everyone, centres, sample.weights, options)
    kept = everyone if centres.all() else everyone.subset(centres)
    expansion = replace(kept, log_factors=-log_v)
    return LaplacianModel(expansion, log_weights, log_v + unit, left_out, rows)


def log_density_weights(sample: Sample, bandwidth: Floats, options: Options) -> Floats:
    """Log alpha at every row."""
    if options.power == 0:
        return np.zeros(len(sample.X))
    log_f = log_sample_density(
        density_expansion(sample, bandwidth, options.kernel),
        n_samples=options.n_density_samples,
        rng=options.rng,
        n_jobs=options.n_jobs,
    )
    return np.asarray(-options.power * log_f)


def density_expansion(sample: Sample, bandwidth: Floats, kernel: Kernel) -> KernelExpansion:
    """N f as an expansion: one column, or one per class where their bandwidths differ."""
    shared = bandwidth.ndim == 0 or (bandwidth.ndim == 2 and len(bandwidth) == 1)
    return KernelExpansion(
        points=sample.X,
        kernel=kernel,
        bandwidth=bandwidth,
        n_classes=1 if shared else len(sample.classes),
        labels=np.zeros_like(sample.codes) if shared else sample.codes,
        weights=sample.weights,
    )


def _with_fewer_kernels(
    expansion: KernelExpansion, log_weights: Floats, options: Options
) -> tuple[KernelExpansion, Mask]:
    """The expansion with the weights of the kernels that stay, and which they are."""
    X, codes, weights = expansion.points, expansion.labels, expansion.weights
    assert codes is not None and weights is not None
    if options.keep is None:
        return expansion, np.ones(len(X), dtype=bool)
    weights, centres = weights.copy(), np.zeros(len(X), dtype=bool)
    for c in range(expansion.n_classes):
        rows = np.flatnonzero(codes == c)
        kept = reduced(
            X[rows] / _class_bandwidth(expansion.bandwidth, c),
            weights[rows],
            log_weights[rows],
            keep=options.keep,
            reduction=options.reduction,
            kernel=options.kernel,
            rng=options.rng,
            n_jobs=options.n_jobs,
        )
        weights[rows[kept.rows]] = kept.weights
        centres[rows[kept.rows]] = True
    return replace(expansion, weights=weights), centres


def _class_bandwidth(bandwidth: Floats, c: int) -> Floats:
    return bandwidth if bandwidth.ndim == 0 else bandwidth[c if len(bandwidth) > 1 else 0]


def _normalizers(
    expansion: KernelExpansion, centres: Mask, frequencies: Floats | None, options: Options
) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Log V_c, and the log-sums of some rows over the centres without themselves."""
    codes, weights, C = expansion.labels, expansion.weights, expansion.n_classes
    assert codes is not None and weights is not None
    rows = _sampled_rows(codes, C, options)
    if options.keep is not None:
        rows |= centres
    log_a, peaks = np.log(weights), expansion.log_peaks()
    # Where only some rows are visited, the sum over pairs is extrapolated from them.
    visited = np.bincount(codes[rows & centres], minlength=C)
    log_share = np.log(np.bincount(codes[centres], minlength=C) / visited)
    terms = [(2 * log_a + peaks[codes])[centres]]
    owners = [codes[centres]]
    left_out, told = [], []
    for block, stride in _blocks(rows, C):
        sums = log_sums_without_self(expansion, block, centres, n_jobs=options.n_jobs)
        index = np.flatnonzero(block)
        own = sums[np.arange(len(index)), codes[index]]
        pairs = centres[index]
        terms.append((log_a[index] + own + log_share[codes[index]])[pairs])
        owners.append(codes[index][pairs])
        left_out.append(sums[::stride])
        told.append(index[::stride])
    log_v = 0.5 * _log_sums_by_class(np.concatenate(terms), np.concatenate(owners), C)
    index = np.concatenate(told)
    removed = np.where(centres, 1.0, 0.0)
    if frequencies is not None:
        removed *= np.minimum(1.0, 1.0 / frequencies)
    scores = np.concatenate(left_out) - log_v
    own = scores[np.arange(len(index)), codes[index]]
    scores[np.arange(len(index)), codes[index]] = _left_out(
        own, (log_a + peaks[codes] - log_v[codes])[index], (log_a - log_v[codes])[index], removed[index]
    )
    return log_v, scores, index


def _sampled_rows(codes: NDArray[np.intp], n_classes: int, options: Options) -> Mask:
    """All rows, or of each class the same share as of the density."""
    m, n = options.n_density_samples, len(codes)
    if m is None or m >= n:
        return np.ones(n, dtype=bool)
    rows = np.zeros(n, dtype=bool)
    for c in range(n_classes):
        members = np.flatnonzero(codes == c)
        size = int(np.ceil(m * len(members) / n))
        rows[options.rng.choice(members, size, replace=False)] = True
    return rows


def _blocks(rows: Mask, n_classes: int) -> Iterator[tuple[Mask, int]]:
    """Blocks of rows whose sums fit the working memory, and every how many of them are kept."""
    index = np.flatnonzero(rows)
    budget = get_config()["working_memory"] * 2**20
    size = max(1, int(budget / (_COPIES * 8 * n_classes)))
    for batch in gen_batches(len(index), size):
        block = np.zeros_like(rows)
        block[index[batch]] = True
        yield block, max(1, int(np.ceil(len(index) * n_classes / _MOST_SCORES)))


def _left_out(log_others: Floats, log_peak: Floats, log_a: Floats, removed: Floats) -> Floats:
    """Log gamma of the own class without the share ``removed`` of each row's kernel.

    In units of V_c: ``log_others`` is S_i, ``log_peak`` is a_i (k*k)(0).
    """
    with np.errstate(divide="ignore", under="ignore"):
        log_t = log_a + np.log(removed)
        stays = np.log(1.0 - removed) + log_peak
        lost = np.exp(log_t + np.logaddexp(np.log(2.0) + log_others, np.log(2.0 - removed) + log_peak))
        rest = 0.5 * np.log1p(-np.minimum(lost, 1.0))
    # A row that is all of its class leaves nothing, neither a sum nor a norm.
    nothing = np.isneginf(rest)
    return np.where(nothing, -np.inf, np.logaddexp(log_others, stays) - np.where(nothing, 0.0, rest))


def _log_sums_by_class(logs: Floats, codes: NDArray[np.intp], n_classes: int) -> Floats:
    largest = np.full(n_classes, -np.inf)
    np.maximum.at(largest, codes, logs)
    total = np.bincount(codes, np.exp(logs - largest[codes]), minlength=n_classes)
    return np.asarray(np.log(total) + largest)
