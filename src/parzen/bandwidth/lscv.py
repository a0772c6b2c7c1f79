"""Least-squares cross-validation, the closed form of the notes.

    LSCV(h) = int f^2 - (2/N) sum_i f^{-i}(x_i)
            = (1/N^2) sum_ij (k*k)_h(x_i - x_j) - (2/(N(N-1))) sum_{i != j} k_h(x_i - x_j)

With labels, the classes' scores weighted by the priors. Frequencies count as copies. A Gaussian
is summed by the structure factor of the sample where that is faster: in one dimension, and with
finufft in up to three, where a million points cost one transform for the whole grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen._core import Bools, Floats, Ints, effective_threads, portion
from parzen.bandwidth import spectrum as _spectrum
from parzen.bandwidth.density_criteria import (
    ThinnedDensitySelector,
    each_class,
    loo_log_densities,
    scored_weight,
)
from parzen.bandwidth.overlap import log_overlap
from parzen.bandwidth.structure import frequencies_needed, log_gaussian_sums
from parzen.kernels import Gaussian
from parzen.samples import KernelSample, Thinning, log, log_sum, signed_sum
from parzen.sums import has_missing

_SECONDS_PER_PAIR = 8e-10  # Seconds for a pair of points and a bandwidth.
_SECONDS_PER_FREQUENCY = 1e-9  # Seconds for a point and a frequency of the structure factor.


@dataclass(frozen=True)
class LSCV(ThinnedDensitySelector):
    """Least-squares cross-validation: an unbiased estimate of the integrated squared error.

    For every density kernel with a self-convolution, in closed form: one pass over the pairs for
    the kernel and one for its self-convolution, for the whole grid. The path may have several
    local minima; the global one on the grid is taken. Its value is kept in logarithms until the
    end, so that 500 dimensions do not overflow.

    Gaussians in up to three dimensions take one transform of the sample (extra ``fourier``) for
    all bandwidths whose frequencies fit scikit-learn's ``working_memory``; smaller ones, in two and
    three dimensions, visit the pairs.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    most_scored : int or None, default=4000
        Rows that are scored where there are more than five times as many; None for all. A
        transform of the sample sees all rows anyway.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import LSCV
    >>> X = np.random.default_rng(0).normal(size=(500, 1))
    >>> round(LSCV().select(X).bandwidth, 2)
    0.35
    """

    name: ClassVar[str] = "lscv"
    criterion: ClassVar[str] = "least-squares cross-validation score"

    def _thinning(self, sample: KernelSample) -> Thinning | None:
        thinning = super()._thinning(sample)
        if thinning is None or not isinstance(sample.kernel, Gaussian) or has_missing(sample.X):
            return thinning
        grid = self._default_grid(sample) if self.grid is None else np.array(self.grid)
        largest = max(sample.by_class(), key=len)
        by_transform = bool(_fits(largest, grid).all())
        return None if by_transform and _structure_factor_is_faster(largest, grid) else thinning

    def _terms(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> tuple[Floats, Floats]:
        if has_missing(sample.X):
            raise ValueError(
                "bandwidth='lscv' needs every column of every row; use 'likelihood', 'loo' or "
                "'silverman', or impute missing values."
            )
        rows = [_lscv_terms(*part, grid) for part in each_class(sample, thinning)]
        signs, logs = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
        scored_share = scored_weight(sample, thinning) / sample.frequencies.sum()
        return signs, logs + log(sample.prior_shares)[:, None] - np.log(scored_share)


def _lscv_terms(part: KernelSample, among: Ints | None, grid: Floats) -> tuple[Floats, Floats]:
    """Sign and logarithm of int f^2 - 2 mean f^{-i}; 0 for a class without pairs of rows.

    Of the means over all rows those terms are taken whose rows are ``among`` some, by default all.
    """
    is_empty = among is not None and len(among) == 0
    if is_empty or not (part.same_class_weight_without_self() > 0).any():
        return np.zeros(len(grid)), np.full(len(grid), -np.inf)
    if among is not None:
        return _difference(*_by_pairs(part, grid, among))
    square, cross = np.empty(len(grid)), np.empty(len(grid))
    # Bandwidths whose frequencies do not fit the memory visit the pairs; the others do not.
    fits = _fits(part, grid)
    for some in (fits, ~fits):
        if some.any():
            faster = _structure_factor_is_faster(part, grid[some])
            terms = _by_structure_factor if faster else _by_pairs
            square[some], cross[some] = terms(part, grid[some])
    return _difference(square, cross)


def _difference(square: Floats, cross: Floats) -> tuple[Floats, Floats]:
    """Sign and logarithm of the first term less twice the second."""
    return signed_sum(np.array([[1.0], [-1.0]]), np.stack([square, np.log(2.0) + cross]))


def _fits(part: KernelSample, grid: Floats) -> Bools:
    """Bandwidths that are summed by the structure factor, if any are."""
    return _spectrum.fits(part.X, grid) if isinstance(part.kernel, Gaussian) else grid > 0


def _by_pairs(part: KernelSample, grid: Floats, among: Ints | None = None) -> tuple[Floats, Floats]:
    """Logs of int f^2 and of the mean of f^{-i}(x_i), or of what some rows add to them."""
    w = part.frequencies
    shares = w / w.sum()
    with portion(0, 0.5):
        cross = log_sum(
            loo_log_densities(part, grid, among),
            axis=0,
            weights=shares if among is None else shares[among],
        )
    with portion(0.5):
        return log_overlap(part, grid, among) - 2.0 * np.log(w.sum()), cross


def _structure_factor_is_faster(part: KernelSample, grid: Floats) -> bool:
    """Whether the structure factor serves this sample, and takes less time than the pairs."""
    if not isinstance(part.kernel, Gaussian):
        return False
    if part.weights is not None and part.weights.min() < 1:
        return False  # leaving one out removes min(w, 1), and not 1, from such a row
    pairs = _SECONDS_PER_PAIR * float(len(part)) ** 2 * len(grid)
    return (
        min(
            _seconds_without_finufft(part, grid),
            _spectrum.seconds(part.X, _with_convolutions(grid)),
        )
        < pairs
    )


def _seconds_without_finufft(part: KernelSample, grid: Floats) -> float:
    """Seconds of the structure factor without finufft, about; infinity beyond one feature."""
    if part.X.shape[1] > 1:
        return float("inf")
    return _SECONDS_PER_FREQUENCY * frequencies_needed(part.X, _with_convolutions(grid)) * len(part)


def _with_convolutions(grid: Floats) -> Floats:
    """Bandwidths of the kernel, and of its convolution with itself."""
    return np.concatenate([grid, np.sqrt(2.0) * grid])


def _by_structure_factor(part: KernelSample, grid: Floats) -> tuple[Floats, Floats]:
    """The same logs from sums over all pairs.

    The terms i = j are subtracted. No digits are lost that the score has: int f^2 contains them.
    """
    w = part.frequencies
    N, d = w.sum(), part.X.shape[1]
    h = _with_convolutions(grid)
    if _spectrum.seconds(part.X, h) < _seconds_without_finufft(part, grid):
        sums = _spectrum.log_gaussian_sums(part.X, w, h, effective_threads(part.n_jobs))
    else:
        sums = log_gaussian_sums(part.X[:, 0], w, h)
    wide = h[len(grid) :]
    square = sums[len(grid) :] + part.kernel.log_normalizer(wide, d) - 2.0 * np.log(N)
    pairs = np.maximum(np.expm1(sums[: len(grid)] - np.log(N)), 0.0)
    cross = log(pairs) + part.kernel.log_normalizer(grid, d) - np.log(N - 1.0)
    return square, cross
