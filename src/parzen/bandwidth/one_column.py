"""Plug-in bandwidths of one column, by Sheather and Jones and by Botev, Grotowski and Kroese.

Both solve an equation for the bandwidth whose right-hand side is the asymptotically best one,

    h = (R(k) / (N psi_4(g(h))))^(1/5),   psi_r(g) = sum_ij phi_g^(r)(x_i - x_j) / (N (N - 1)).

Sheather & Jones (1991) estimate psi_4 at a pilot bandwidth g that depends on h, with two further
functionals at normal-scale pilots. Botev, Grotowski & Kroese (2010) estimate norms of derivatives
of the density, from the seventh down to the second, by the cosine transform of the binned sample;
no normal density is referred to, so modes far apart do not oversmooth it.

Both are meant for the Gaussian; other kernels multiply by their ``bandwidth_factor``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct, irfft, next_fast_len, rfft
from scipy.optimize import brentq

from parzen._core import Floats, as_matrix, validate_weights, warn
from parzen.kernels import Kernel, get
from parzen.samples import sample_scale

_MAX_POINTS_OF_PAIRS = 700  # Distinct values up to which every difference is formed.
_CELLS_PER_BANDWIDTH = 400.0  # Cells of the grid in the largest bandwidth that is searched.
_REACH = 32.0  # Bandwidths beyond which the derivatives of the Gaussian are zero.
_SEARCH_FACTOR = 1.2  # By this factor the interval of the search grows until it holds the root.
_MAX_GROWTHS = 99  # Times that the interval may grow.
_COSINE_POINTS = 2**14  # Points of the grid of the cosine transform.
_NORMAL_IQR = 1.349  # Interquartile range of the standard normal density.


def sheather_jones(
    X: ArrayLike,
    *,
    kernel: str | Kernel = "gaussian",
    weights: ArrayLike | None = None,
) -> float:
    """Sheather and Jones's solve-the-equation bandwidth of one column.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    X : array of shape (n, 1)
        One column.
    kernel : str or Kernel, default="gaussian"
        Any density kernel.
    weights : array of shape (n,), default=None
        Frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import sheather_jones, silverman
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-5, 1, 200), rng.normal(5, 1, 200)])[:, None]
    >>> round(sheather_jones(X), 2), round(silverman(X), 2)
    (0.43, 1.61)
    """
    column = _DistinctValues.of(X, weights, "sheather_jones")
    if column is None:
        return _without_spread(X, weights, kernel)
    n, scale = column.size, column.robust_scale()
    if scale <= column.resolution:  # all weight but for rounding is on one value
        return _without_spread(X, weights, kernel)
    column = column.in_units(scale)  # whose powers neither overflow nor vanish
    scale *= get(kernel).bandwidth_factor(1)
    # For a sample of scale 1: the oversmoothed bandwidth (Terrell, 1990), which solutions rarely
    # exceed, and the normal-scale pilots of psi_4 and psi_6. The numbers are those of R's bw.SJ.
    largest = 1.144 * n**-0.2
    a, b = 1.24 * n ** (-1 / 7), 1.23 * n ** (-1 / 9)
    psi = _Functionals.of(column, largest, _REACH * max(a, b))
    ratio = psi.fourth(a) / -psi.sixth(b)
    if not ratio > 0:
        warn(
            "'sheather_jones' finds no curvature in a column of too few distinct values; its "
            f"normal-scale bandwidth {largest * scale:.4g} stands in."
        )
        return float(largest * scale)
    pilot = 1.357 * ratio ** (1 / 7)

    def excess(h: float) -> float:
        psi_4 = psi.fourth(pilot * h ** (5 / 7))
        return float((2 * np.sqrt(np.pi) * n * psi_4) ** -0.2 - h) if psi_4 > 0 else np.inf

    low, high = 0.1 * largest, largest
    for growth in range(_MAX_GROWTHS):
        if excess(low) > 0 > excess(high):
            break
        if growth % 2:
            high *= _SEARCH_FACTOR
        else:
            low /= _SEARCH_FACTOR
    else:
        warn(
            "'sheather_jones' has no solution for this column; its normal-scale bandwidth "
            f"{largest * scale:.4g} stands in."
        )
        return float(largest * scale)
    return float(brentq(excess, low, high, xtol=1e-12 * high) * scale)


def improved_sheather_jones(
    X: ArrayLike,
    *,
    kernel: str | Kernel = "gaussian",
    weights: ArrayLike | None = None,
) -> float:
    """Botev, Grotowski and Kroese's bandwidth of one column, for densities with several modes.

    Read more in the :doc:`guide </guide/bandwidths>`.

    The parameters are those of `sheather_jones`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import improved_sheather_jones
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-5, 1, 200), rng.normal(5, 1, 200)])[:, None]
    >>> round(improved_sheather_jones(X), 2)
    0.41
    """
    column = _DistinctValues.of(X, weights, "improved_sheather_jones")
    if column is None:
        return _without_spread(X, weights, kernel)
    h = _cosine_bandwidth(column, _COSINE_POINTS)
    return float(h * get(kernel).bandwidth_factor(1))


class _DistinctValues(NamedTuple):
    """The distinct values of a column, ascending, with their frequencies, two in all at least."""

    values: Floats
    counts: Floats
    resolution: float  # Differences up to this size are the rounding of the values.

    @classmethod
    def of(cls, X: ArrayLike, weights: ArrayLike | None, rule: str) -> _DistinctValues | None:
        """None where all values are equal."""
        points = as_matrix(X, "X")
        if points.shape[1] != 1:
            raise ValueError(
                f"{rule!r} is a rule for one column, and X has {points.shape[1]}; use "
                f"Rule({rule!r}, per='feature') for one bandwidth per column, or 'lscv'."
            )
        w = validate_weights(weights, points)
        values, places = np.unique(points[:, 0].astype(np.float64), return_inverse=True)
        counts = np.bincount(places, w, len(values)).astype(np.float64)
        values, counts = values[counts > 0], counts[counts > 0]
        if (size := counts.sum()) < 2:
            counts = 2 * (counts / size)
        resolution = 4 * np.finfo(points.dtype).eps * np.abs(values).max()
        column = cls(values, counts, float(resolution))
        return None if values[-1] - values[0] <= resolution else column

    @property
    def size(self) -> float:
        return float(self.counts.sum())

    def in_units(self, unit: float) -> _DistinctValues:
        """The column counted from its smallest value in this unit."""
        values = (self.values - self.values[0]) / unit
        return _DistinctValues(values, self.counts, self.resolution / unit)

    def robust_scale(self) -> float:
        """The smaller of the standard deviation and the normal-scale interquartile range."""
        span = self.values[-1] - self.values[0]
        centred = (self.values - np.average(self.values, weights=self.counts)) / span
        deviation = float(span * np.sqrt(self.counts @ centred**2 / (self.size - 1)))
        spread = (self._quantile(0.75) - self._quantile(0.25)) / _NORMAL_IQR
        return min(deviation, spread) if spread > self.resolution else deviation

    def _quantile(self, share: float) -> float:
        """The quantile of the copies, interpolated between neighbours as NumPy does."""
        place = share * (self.size - 1)
        ends = np.cumsum(self.counts)
        below, above = np.searchsorted(ends, [np.floor(place), np.floor(place) + 1], side="right")
        low, high = self.values[np.minimum([below, above], len(ends) - 1)]
        return float(low + (place - np.floor(place)) * (high - low))


class _Functionals(NamedTuple):
    """The functionals psi_4 and psi_6 of a sample at any bandwidth, from its differences."""

    squared: Floats  # squared differences of pairs, 0 first
    counts: Floats  # pairs of copies with each difference, both orders counted
    n_pairs: float  # N (N - 1)
    binning: float  # variance that the binning adds to a difference

    @classmethod
    def of(cls, column: _DistinctValues, largest_bandwidth: float, reach: float) -> _Functionals:
        """From all differences of few values, else from those of a fine grid."""
        x, w, _ = column
        n_pairs = column.size * (column.size - 1)
        if len(x) <= _MAX_POINTS_OF_PAIRS:
            first, second = np.triu_indices(len(x), 1)
            squared = np.append(0.0, (x[first] - x[second]) ** 2)
            counts = np.append(w @ w, 2 * w[first] * w[second])
            return cls(squared, counts, n_pairs, 0.0)
        width = largest_bandwidth / _CELLS_PER_BANDWIDTH
        counts = _lag_counts((x - x[0]) / width, w, int(np.ceil(reach / width)))
        counts[1:] *= 2
        # Sharing a value between two cells adds width^2 / 6 to its variance on the average.
        lags = np.arange(len(counts), dtype=np.float64)
        return cls((lags * width) ** 2, counts, n_pairs, width**2 / 3)

    def fourth(self, g: float) -> float:
        """psi_4(g)."""
        g, u, counts = self._in_bandwidths(g)
        return self._mean((u - 6) * u + 3, u, counts, g**5)

    def sixth(self, g: float) -> float:
        """psi_6(g)."""
        g, u, counts = self._in_bandwidths(g)
        return self._mean(((u - 15) * u + 45) * u - 15, u, counts, g**7)

    def _in_bandwidths(self, g: float) -> tuple[float, Floats, Floats]:
        g = float(np.sqrt(max(g**2 - self.binning, 0.5 * g**2)))
        u = self.squared / g**2
        near = u < _REACH**2
        return g, u[near], self.counts[near]

    def _mean(self, polynomial: Floats, u: Floats, counts: Floats, unit: float) -> float:
        total = float(counts @ (polynomial * np.exp(-0.5 * u)))
        return total / (self.n_pairs * unit * float(np.sqrt(2 * np.pi)))


def _lag_counts(positions: Floats, weights: Floats, n_lags: int) -> Floats:
    """Products of weights summed over pairs at each lag 0 .. n_lags, values shared between cells.

    Runs of cells that are further apart than n_lags do not meet. Each run is correlated with
    itself by a Fourier transform, runs of similar length together.
    """
    low = np.floor(positions)
    share = positions - low
    cells = np.concatenate([low, low + 1]).astype(np.int64)
    cells, places = np.unique(cells, return_inverse=True)
    masses = np.bincount(places, np.concatenate([weights * (1 - share), weights * share]))
    starts = np.append(0, np.flatnonzero(np.diff(cells) > n_lags) + 1)
    ends = np.append(starts[1:], len(cells))
    lengths = cells[ends - 1] - cells[starts] + 1
    sizes = 2 ** np.ceil(np.log2(lengths)).astype(np.int64)
    counts = np.zeros(n_lags + 1)
    run_of_cell = np.repeat(np.arange(len(starts)), ends - starts)
    for size in np.unique(sizes):
        row = np.cumsum(sizes == size) - 1
        own = (sizes == size)[run_of_cell]
        runs = np.zeros((row[-1] + 1, size))
        runs[row[run_of_cell[own]], cells[own] - cells[starts][run_of_cell[own]]] = masses[own]
        length = next_fast_len(2 * int(size), real=True)
        power = (np.abs(rfft(runs, length, axis=1)) ** 2).sum(axis=0)
        part = irfft(power, length)[: min(size, n_lags + 1)]
        counts[: len(part)] += part
    return np.maximum(counts, 0.0)


def _cosine_bandwidth(column: _DistinctValues, n_points: int) -> float:
    """The bandwidth from the cosine transform of the sample on a grid of twice its range."""
    x, w, _ = column
    span = x[-1] - x[0]
    width = 2 * span / (n_points - 1)
    positions = (x - x[0] + span / 2) / width
    low = np.minimum(positions.astype(np.int64), n_points - 2)
    share = positions - low
    masses = np.bincount(low, w * (1 - share), n_points) + np.bincount(low + 1, w * share, n_points)
    power = dct(masses / w.sum())[1:] ** 2
    squares = np.arange(1.0, n_points) ** 2
    n = len(x)

    def norm(s: int, t: float) -> float:
        """Squared norm of the s-th derivative after smoothing for the time t."""
        terms = squares**s * power * np.exp(-squares * np.pi**2 * t)
        return float(0.5 * np.pi ** (2 * s) * terms.sum())

    def excess(t: float) -> float:
        f = norm(7, t)
        for s in range(6, 1, -1):
            if f == 0:  # smoothed until nothing is left: far beyond any root
                return t
            # The time at which the norm of the s-th derivative is estimated best, from that of the
            # derivative after it.
            odd = np.prod(np.arange(1.0, 2 * s, 2)) / np.sqrt(2 * np.pi)
            time = (2 * (1 + 0.5 ** (s + 0.5)) / 3 * odd / (n * f)) ** (2 / (3 + 2 * s))
            f = norm(s, time)
        return float(t - (2 * n * np.sqrt(np.pi) * f) ** -0.4) if f > 0 else t

    # The first interval, and the time where there is no root, follow the authors' kde.m. The
    # interval is doubled until it holds the root.
    high = 1e-11 + 0.01 * (min(max(n, 50), 1050) - 50) / 1000
    while high < 1 and not excess(high) > 0:
        high *= 2
    if high < 1:
        time = float(brentq(excess, 0.0, high, xtol=1e-16, rtol=1e-12))
    else:
        time = 0.28 * n**-0.4
        warn(
            "'improved_sheather_jones' has no solution for this column; "
            f"{np.sqrt(time) * width * n_points:.4g} stands in. Add rows or use 'silverman'."
        )
    return float(np.sqrt(time) * width * n_points)


def _without_spread(X: ArrayLike, weights: ArrayLike | None, kernel: str | Kernel) -> float:
    points = as_matrix(X, "X")
    w = validate_weights(weights, points)
    return float(sample_scale(points, w) * get(kernel).bandwidth_factor(1))


ONE_COLUMN_RULES = {
    "sheather_jones": sheather_jones,
    "improved_sheather_jones": improved_sheather_jones,
}
