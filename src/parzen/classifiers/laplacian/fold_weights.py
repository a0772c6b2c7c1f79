"""Weights of the Laplacian classifier in every fold and at every bandwidth.

Each fold has the weights, the reduced kernels and the random draws of a fit to its training rows
alone. f of all folds and bandwidths takes one pass over the pairs (or over those of the points
drawn). To keep fewer kernels, those of the largest weights or at random, takes no further time;
those of least squared error need a pursuit for every fold, class and bandwidth, which then takes
most of the time.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import NamedTuple

import numpy as np

from parzen._core import Bools, Floats, Ints
from parzen.classifiers.laplacian.model import (
    LaplacianOptions,
    draw_from_every_class,
    weighted_expansion,
    with_fewer_kernels,
)
from parzen.feature_space import log_share_of_others
from parzen.samples import KernelSample, log, log_add, log_sum
from parzen.sums import kernel_sums, labelled_kernel_sums


class FoldWeights(NamedTuple):
    """Weights of the rows, and the factors with which their pairs enter V."""

    log_a: Floats  # (n, folds, bandwidths) relative to the largest of the class
    log_share: Floats  # (n, folds) log n_c / (rows visited), -inf for rows not visited


class _Draws(NamedTuple):
    """What a fold draws at random, and the generator after that."""

    density_rows: Bools  # rows over which f is summed
    visited: Bools  # rows whose pairs are summed for V
    rng: np.random.RandomState


def fold_weights(
    sample: KernelSample, train: Bools, grid: Floats, options: LaplacianOptions
) -> FoldWeights:
    """Weights for training sets given as masks, shape (folds, n)."""
    draws = [_draws(sample, mask, options) for mask in train]
    log_alpha = np.zeros((len(sample), len(train), len(grid)))
    if options.power != 0:
        density_rows = np.array([drawn.density_rows for drawn in draws])
        log_alpha = -options.power * _log_densities(sample, train, density_rows, grid)
    log_a = log_alpha + log(sample.frequencies * train).T[..., None]
    for rows in sample.class_rows():
        largest = log_a[rows].max(axis=0, initial=-np.inf)
        log_a[rows] -= np.where(np.isneginf(largest), 0.0, largest)
    if options.keep is not None:
        for k, drawn in enumerate(draws):
            _reduce(sample, train[k], log_a[:, k], log_alpha[:, k], grid,
                    options._replace(rng=drawn.rng))  # fmt: skip
    shares = [_log_shares(sample, train[k], drawn.visited) for k, drawn in enumerate(draws)]
    return FoldWeights(log_a, np.stack(shares, axis=1))


def _log_densities(sample: KernelSample, train: Bools, density_rows: Bools, grid: Floats) -> Floats:
    """Log N f of every fold at every row and bandwidth, the row's own kernel included."""
    d, w = sample.X.shape[1], sample.frequencies
    all_rows = np.array_equal(density_rows, train)
    if all_rows and ((~train).sum(axis=0) == 1).all():
        log_f = _sums_of_other_folds(sample, np.argmin(train, axis=0), len(train), grid)
    else:
        log_f = _sums_of_points(sample, density_rows, grid)
    for k, rows in enumerate(train):
        if not all_rows:
            log_f[rows, k] += log_share_of_others(w[rows], density_rows[k, rows])[:, None]
    peaks = np.array([sample.kernel.log_normalizer(float(h), d) for h in grid])
    return log_add(log_f, (log(w)[:, None] + peaks)[:, None, :])


def _sums_of_other_folds(sample: KernelSample, fold: Ints, n_folds: int, grid: Floats) -> Floats:
    """Sums at each row over all other rows outside a fold: one label per fold, then their sums."""
    parts = labelled_kernel_sums(
        sample.X, sample.X, fold, n_folds, sample.weights, kernel=sample.kernel, bandwidths=grid,
        exclude_self=True, n_jobs=sample.n_jobs,
    ).astype(np.float64)  # fmt: skip
    others = ~np.eye(n_folds, dtype=bool)
    return np.stack([log_sum(parts[:, other], axis=1) for other in others], axis=1)


def _sums_of_points(sample: KernelSample, density_rows: Bools, grid: Floats) -> Floats:
    """Sums at each row over the other rows that f of a fold has: one column per fold."""
    points = density_rows.any(axis=0)
    X, Y = sample.X, sample.X[points]
    columns = (density_rows[:, points] * sample.frequencies[points]).T
    sums = partial(
        kernel_sums, kernel=sample.kernel, bandwidths=grid, log=True, n_jobs=sample.n_jobs
    )
    out = np.empty((len(X), len(density_rows), len(grid)))
    out[points] = sums(Y, Y, columns, exclude_self=True)
    if not points.all():
        out[~points] = sums(X[~points], Y, columns)
    return out


def _draws(sample: KernelSample, train: Bools, options: LaplacianOptions) -> _Draws:
    """Draw as a fit does: points of the density first, then the rows whose pairs are visited."""
    rng, m, rows = copy.deepcopy(options.rng), options.n_density_samples, np.flatnonzero(train)
    if m is None or m >= len(rows):
        return _Draws(train, train, rng)
    density_rows, visited = train, train
    if options.power != 0:
        density_rows = np.zeros_like(train)
        density_rows[rows[rng.choice(len(rows), m, replace=False)]] = True
    if options.keep is None:
        visited = np.zeros_like(train)
        visited[rows[draw_from_every_class(sample.codes[rows], m, rng)]] = True
    return _Draws(density_rows, visited, rng)


def _log_shares(sample: KernelSample, train: Bools, visited: Bools) -> Floats:
    n, visits = (
        np.bincount(sample.codes[mask], minlength=sample.n_classes) for mask in (train, visited)
    )
    factor = n / np.maximum(visits, 1)
    return log(np.where(visited, factor[sample.codes], 0.0))


def _reduce(
    sample: KernelSample,
    train: Bools,
    log_a: Floats,
    log_alpha: Floats,
    grid: Floats,
    options: LaplacianOptions,
) -> None:
    """Replace the weights of a fold by those of the kernels that it keeps at each bandwidth."""
    rows = np.flatnonzero(train)
    part, first, _ = sample.rows(rows).merged(by="row")
    rows = rows[first]
    for b, h in enumerate(grid):
        all_kernels, _ = weighted_expansion(part, log_alpha[rows, b], np.array(h), options.kernel)
        state = options._replace(rng=copy.deepcopy(options.rng))
        kept, centres = with_fewer_kernels(all_kernels, log_alpha[rows, b], state)
        assert kept.weights is not None
        log_a[:, b] = -np.inf
        log_a[rows[centres], b] = np.log(kept.weights[centres])
