"""Weights, normalisers and left-out scores of the Laplacian classifier, all of them log-sums.

    alpha_i = f(x_i)^(-power),       a_i = w_i alpha_i
    V_c^2   = sum_{i,j in c} a_i (k*k)(x_i, x_j) a_j             Jenssen et al. (2007), eq. (19)
    gamma_c(x) = sum_{i in c} a_i (k*k)(x, x_i) / V_c                                  eq. (18)

Two passes over the pairs: the first gives f, the second V_c together with the scores of left-out
points. Weights are kept relative to the largest of their class, which cancels in gamma_c.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Array, Bools, Floats, Ints, check_countable
from parzen.classifiers.laplacian.normalizers import normalise
from parzen.classifiers.laplacian.reduction import reduced
from parzen.expansion import KernelExpansion
from parzen.feature_space import log_sample_density
from parzen.kernels import Kernel
from parzen.samples import Sample
from parzen.sums import DEFAULT_RTOL


class LaplacianOptions(NamedTuple):
    """The parameters of the estimator, apart from the bandwidth."""

    kernel: Kernel
    power: float
    keep: float | None
    reduction: str
    n_density_samples: int | None
    rng: np.random.RandomState
    n_jobs: int | None
    method: str = "auto"
    rtol: float = DEFAULT_RTOL
    mismatch: float = 0.0  # log of the factor for a gap that only one of two rows has

    def sums(self) -> dict[str, Any]:
        """How kernel sums are computed."""
        return {"method": self.method, "rtol": self.rtol, "n_jobs": self.n_jobs}


class LaplacianModel(NamedTuple):
    """A fitted classifier, and its scores of training rows that are left out."""

    expansion: KernelExpansion  # its log-sums are log gamma_c
    log_weights: Floats  # (n,) log alpha
    log_normalizers: Floats  # (C,) log V_c
    left_out: Floats  # (rows, C) log gamma_c
    codes: Ints  # (rows,)
    frequencies: Floats | None  # (rows,)
    points: Ints  # (kernels,) the rows of the sample that carry them

    def log_scores(self, X: Array) -> Floats:
        """Log gamma_c at rows that may lack columns."""
        return log_scores(self.expansion, self.expansion.column_log_means()[0], X)


def fit_model(sample: Sample, bandwidth: Floats, options: LaplacianOptions) -> LaplacianModel:
    """Fit at a given bandwidth: a number, one per class, per feature, or both."""
    log_weights = np.zeros(len(sample.X))
    if options.power > 0:
        density = density_expansion(sample, bandwidth, options.kernel)
        log_f = log_sample_density(
            density, n_samples=options.n_density_samples, rng=options.rng, **options.sums()
        )
        log_weights = np.asarray(-options.power * log_f)
    log_alpha, first = log_weights, np.arange(len(sample.X))
    if options.keep is not None:
        check_countable(sample.weights)
        sample, first, _ = sample.merged(by="row")
        log_alpha = log_weights[first]
    all_kernels, unit = weighted_expansion(sample, log_alpha, bandwidth, options.kernel)
    all_kernels, centres = with_fewer_kernels(all_kernels, log_alpha, options)
    all_kernels = replace(all_kernels, mismatch=options.mismatch)
    rows = _visited_rows(all_kernels, centres, options)
    norms = normalise(all_kernels, rows, centres, sample.weights, **options.sums())
    kept = all_kernels if centres.all() else all_kernels.subset(centres)
    return LaplacianModel(
        expansion=replace(kept, log_factors=-norms.log_v),
        log_weights=log_weights,
        log_normalizers=norms.log_v + unit,
        left_out=norms.left_out,
        codes=sample.codes[norms.rows],
        frequencies=None if sample.weights is None else sample.weights[norms.rows],
        points=first[centres],
    )


def log_scores(
    expansion: KernelExpansion, log_norms: Floats, X: Array, **sums_options: Any
) -> Floats:
    """Log gamma_c, where a column l that a row lacks has the factor Q_cl^(1/2).

    ``log_norms`` are log Q_cl, shape (C, d): see `normalizers`.
    """
    logs = expansion.log_sums(X, **sums_options)
    return np.asarray(logs + 0.5 * (np.isnan(X) @ log_norms.T))


def weighted_expansion(
    sample: Sample, log_alpha: Floats, bandwidth: Floats, kernel: Kernel
) -> tuple[KernelExpansion, Floats]:
    """All kernels with weights in units of their class's largest, and the logs of these units."""
    log_a = log_alpha if sample.weights is None else log_alpha + np.log(sample.weights)
    unit = np.full(len(sample.classes), -np.inf)
    np.maximum.at(unit, sample.codes, log_a)
    all_kernels = KernelExpansion(
        points=sample.X,
        kernel=kernel.convolved(sample.X.shape[1]),
        bandwidth=bandwidth,
        n_classes=len(sample.classes),
        labels=sample.codes,
        weights=np.exp(log_a - unit[sample.codes]),
    )
    return all_kernels, unit


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


def with_fewer_kernels(
    expansion: KernelExpansion, log_weights: Floats, options: LaplacianOptions
) -> tuple[KernelExpansion, Bools]:
    """The expansion with new weights for the kernels that are kept, and which are kept."""
    X, codes, weights = expansion.points, expansion.labels, expansion.weights
    assert codes is not None
    assert weights is not None
    if options.keep is None:
        return expansion, np.ones(len(X), dtype=bool)
    weights, centres = weights.copy(), np.zeros(len(X), dtype=bool)
    for c in range(expansion.n_classes):
        rows = np.flatnonzero(codes == c)
        if len(rows) == 0:
            continue
        own = X[rows]
        kept = reduced(
            (own - own.min(axis=0)) / _class_bandwidth(expansion.bandwidth, c),
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


def _visited_rows(expansion: KernelExpansion, centres: Bools, options: LaplacianOptions) -> Bools:
    """Rows whose pairs are summed for V: all, or from each class the share that f has drawn.

    Where fewer kernels are kept, these are among them.
    """
    m, codes = options.n_density_samples, expansion.labels
    assert codes is not None
    if m is None or m >= len(codes):
        return np.ones(len(codes), dtype=bool)
    rows = centres.copy() if options.keep is not None else np.zeros(len(codes), dtype=bool)
    rows[draw_from_every_class(codes, m, options.rng)] = True
    return rows


def draw_from_every_class(codes: Ints, m: int, rng: np.random.RandomState) -> Ints:
    """Places of about m rows, drawn at random: the same share of every class, rounded up."""
    parts = []
    for c in range(int(codes.max()) + 1):
        members = np.flatnonzero(codes == c)
        size = int(np.ceil(m * len(members) / len(codes)))
        parts.append(rng.choice(members, size, replace=False))
    return np.concatenate(parts)
