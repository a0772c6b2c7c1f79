"""The strategy for millions of points in up to three dimensions: Gaussians by Fourier transforms.

    sum_j w_j exp(-|x - y_j|^2 / 2h^2) = sum_k g_k c_k exp(i k.x),   c_k = sum_j w_j exp(-i k.y_j)

Time is that of two transforms, whatever the number of pairs. The error is absolute: at most 1e-12
times the kernel's peak times the sum of the weights. A sum for which that is more than ``rtol`` of
its size, out in the tails, is computed by another strategy, so that logarithms and posteriors are
right there too. No transform reaches an rtol below 1e-9. Where the strategy is named with a smaller
rtol, the absolute error holds, and only sums with fewer than three correct digits are computed by
another strategy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config

from parzen._core import Array, Bools, Floats, Ints
from parzen.kernels import Gaussian, Kernel
from parzen.sums.call import Call, ScaledSums
from parzen.sums.nufft import (
    FOURIER_REACH,
    MAX_FOURIER_FEATURES,
    Frame,
    analyse,
    cropped,
    filtered,
    has_finufft,
    synthesise,
)
from parzen.sums.partial_sums import put, sums_at
from parzen.sums.strategy import Strategy

Rows = Ints | slice

# Absolute error of a sum, in units of the kernel's peak times the sum of the weights.
ABSOLUTE_ERROR = 1e-12
_MIN_RTOL = 1e-9  # Relative error below which "auto" does not consider transforms.
# Relative error above which a sum is computed otherwise, if "fourier" is named with a smaller rtol.
_MAX_RTOL_BY_NAME = 1e-3
_MAX_BANDWIDTH_RATIO = 4.0  # Bandwidths within this ratio share a structure factor.
# The time of the transforms as a share of what "auto" assumes: other strategies add small sums.
_TIME_SHARE = 0.3


class Fourier:
    """Gaussian sums by Fourier transforms; ``others`` take over where sums are small."""

    name = "fourier"

    def __init__(self, others: Sequence[Strategy]) -> None:
        self._others = tuple(others)

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        if not isinstance(kernel, Gaussian):
            return f"sums the gaussian kernel only, not {kernel.name!r}"
        if n_features > MAX_FOURIER_FEATURES:
            return f"serves up to {MAX_FOURIER_FEATURES} features, not {n_features}"
        if not has_finufft():
            return "needs the package finufft, which is not installed (pip install parzen[fourier])"
        return None

    def refuses(self, call: Call, rtol: float) -> str | None:
        needed = max(_frame(call, band).n_bytes for band in _bands(call.bandwidths))
        budget = get_config()["working_memory"] * 2**20
        if needed <= budget:
            return None
        return (
            f"would need {needed / 2**20:.0f} MiB for the frequencies of so small a bandwidth, but "
            f"scikit-learn's working_memory is {budget / 2**20:.0f} MiB"
        )

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds, about; `_TIME_SHARE` accounts for sums that another strategy computes."""
        if rtol < _MIN_RTOL:
            return float("inf")
        per_row = {1: 1.5e-7, 2: 4e-7, 3: 4e-6}[call.n_features]  # seconds, by dimension
        columns = call.columns * len(call.bandwidths)
        modes = max(_frame(call, band).n_modes for band in _bands(call.bandwidths))
        points = len(call.Y) * (1 if call.labels is not None else call.columns)
        return (per_row * (points + len(call.X) * columns) + 8e-7 * modes * columns) / _TIME_SHARE

    def run(self, call: Call, rtol: float, threads: int) -> Array | ScaledSums:
        sums, sizes, masses = _transformed(call, threads)
        digits = rtol if rtol >= _MIN_RTOL else _MAX_RTOL_BY_NAME
        # Poor are sums whose absolute error is more than the wanted share of their terms' sizes;
        # written so that NaN counts as poor.
        poor = ~(sizes * digits >= ABSOLUTE_ERROR * masses)
        normalizers = np.array(
            [call.kernel.log_normalizer(h, call.n_features) for h in call.bandwidths]
        )
        result = _in_mode(call, sums, normalizers)
        for rows, columns in _patches(call, poor):
            put(result, rows, columns, sums_at(call, rows, columns, self._others, rtol, threads))
        return result


def _in_mode(call: Call, sums: Array, normalizers: Array) -> Array | ScaledSums:
    """Sums in units of the peak as the caller wants them."""
    if call.mode == "scaled":
        scale = np.broadcast_to(normalizers, (len(sums), 1, len(normalizers)))
        return ScaledSums(sums.astype(call.dtype), scale.astype(call.dtype))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if call.mode == "log":
            return np.asarray(np.log(np.maximum(sums, 0.0)) + normalizers, call.dtype)
        return np.asarray(sums * np.exp(normalizers), call.dtype)


def _patches(call: Call, poor: Bools) -> Iterator[tuple[Array, slice]]:
    """Rows and columns to compute otherwise; whole rows where columns share a scale or a sample."""
    if call.mode == "scaled" or call.exclude_self:
        rows = np.flatnonzero(poor.any(axis=(1, 2)))
        if len(rows):
            yield rows, slice(None)
        return
    for c in range(call.columns):
        rows = np.flatnonzero(poor[:, c].any(axis=1))
        if len(rows):
            yield rows, slice(c, c + 1)


def _bands(bandwidths: Floats) -> Iterator[Ints]:
    """Indices of bandwidths that share a frame."""
    remaining = np.ones(len(bandwidths), bool)
    while remaining.any():
        widest = _MAX_BANDWIDTH_RATIO * bandwidths[remaining].min()
        band = remaining & (bandwidths <= widest)
        yield np.flatnonzero(band)
        remaining &= ~band


def _frame(call: Call, band: Ints) -> Frame:
    h = call.bandwidths[band]
    # Queries lie at most FOURIER_REACH bandwidths outside the points, and the periodic images of
    # the points as far from the queries.
    return Frame.around(call.Y, margin=2 * FOURIER_REACH, narrow=h.min(), wide=h.max())


def _transformed(call: Call, threads: int) -> tuple[Array, Array, Array]:
    """Sums in units of the peak, the sums of the terms' sizes, and the masses of the columns."""
    shape = (len(call.X), call.columns, len(call.bandwidths))
    sums, sizes = np.zeros(shape), np.zeros(shape)
    masses = np.zeros((1, *shape[1:]))
    depth = 1 if call.weights is None else call.weights.shape[2]
    for band in _bands(call.bandwidths):
        frame = _frame(call, band)
        near = _within(call, frame)
        for c in range(call.columns):
            levels = [band] if depth == 1 else [band[[i]] for i in range(len(band))]
            for level in levels:
                points, w = _column(call, c, int(level[0]) if depth > 1 else 0)
                masses[0, c, level] = np.abs(w).sum()
                if len(points) == 0:
                    continue
                # The imaginary part carries |w|: one transform gives the sums and their sizes.
                strengths = w + 1j * np.abs(w) if (w < 0).any() else w.astype(np.complex128)
                modes = analyse(frame, points, strengths, threads)
                for b in level:
                    values = _at_bandwidth(call, frame, modes, near, int(b), threads)
                    sums[near, c, b] = values.real
                    sizes[near, c, b] = values.imag if (w < 0).any() else values.real
    if call.exclude_self:
        _take_own_terms(call, sums, sizes)
    return sums, sizes, masses


def _at_bandwidth(
    call: Call, frame: Frame, modes: Any, near: Rows, b: int, threads: int
) -> NDArray[np.complex128]:
    h = float(call.bandwidths[b])
    here = frame.narrowed(h)
    smooth = filtered(cropped(modes, here.cutoffs), here.decays(h))
    return synthesise(here, smooth, call.X[near], threads)


def _within(call: Call, frame: Frame) -> Rows:
    """Queries in the box; all others are out of reach, and their sums below the tolerance."""
    if call.same:
        return slice(None)
    inside = np.ones(len(call.X), dtype=bool)
    for column, centre, step in zip(call.X.T, frame.centre, frame.step, strict=True):
        inside &= np.abs(column - centre) * step <= np.pi * (1 - 1e-9)
    return slice(None) if inside.all() else np.flatnonzero(inside)


def _column(call: Call, c: int, level: int) -> tuple[Array, Array]:
    """The points of a column, and their weights."""
    rows: Any = slice(None) if call.labels is None or call.columns == 1 else call.labels == c
    points = call.Y[rows]
    if call.weights is None:
        return points, np.ones(len(points))
    column = c if call.labels is None else 0
    return points, call.weights[rows, column, level].astype(np.float64)


def _take_own_terms(call: Call, sums: Array, sizes: Array) -> None:
    """Subtract each row's own kernel: its value, 1, is exact, so the error stays absolute."""
    rows = np.arange(len(call.X))
    own = np.ones((len(rows), 1, 1)) if call.weights is None else call.weights.astype(np.float64)
    if call.labels is not None:
        sums[rows, call.labels] -= own[:, 0]
        sizes[rows, call.labels] -= np.abs(own[:, 0])
    else:
        sums -= own
        sizes -= np.abs(own)
