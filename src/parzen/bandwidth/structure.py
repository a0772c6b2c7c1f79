"""Gaussian pair sums of a one-dimensional sample for all bandwidths, by its structure factor.

    sum_ij w_i w_j exp(-(x_i - x_j)^2 / 2h^2)
        = h (2 pi)^(-1/2) dω sum_k exp(-h^2 ω_k^2 / 2) |phi(ω_k)|^2,   phi(ω) = sum_j w_j e^{iωx_j}

phi does not depend on h: it is computed once, and every bandwidth is a short sum. The trapezoidal
rule is exact to rounding when its period is wider than the sample by 9 bandwidths and its last
frequency is 9/h. The bandwidths are taken in bands of three octaves, each with frequencies of its
own. Cost: n times some hundred frequencies, in place of n^2 kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from parzen._core import Array, Bools, Floats

_REACH_IN_BANDWIDTHS = 9.0  # Beyond it a Gaussian, exp(-9^2 / 2), is below the rounding of the sum.
_MAX_BANDWIDTH_RATIO = 8.0  # Bandwidths within this ratio share their frequencies.
_FREQUENCIES_PER_BLOCK = 64  # Frequencies that take one exponential of each point together.
_POINTS_PER_BATCH = 1 << 14  # Points that are transformed at a time.


def log_gaussian_sums(x: Array, weights: Floats, bandwidths: Floats) -> Floats:
    """Logs of the double sums, own terms included; their relative error is about 1e-13."""
    points = x.astype(np.float64) - 0.5 * (float(x.max()) + float(x.min()))
    out = np.empty(len(bandwidths))
    for band in bands(bandwidths, _MAX_BANDWIDTH_RATIO):
        out[band] = _band(points, weights, bandwidths[band])
    return out


def bands(bandwidths: Floats, ratio: float) -> Iterator[Bools]:
    """Groups of bandwidths within this ratio of each other, from the smallest on."""
    remaining = np.ones(len(bandwidths), bool)
    while remaining.any():
        band = remaining & (bandwidths <= ratio * bandwidths[remaining].min())
        yield band
        remaining &= ~band


def frequencies_needed(x: Array, bandwidths: Floats) -> float:
    """How many frequencies the bands take together, nearly."""
    spread = float(x.max()) - float(x.min())
    n_more_bands = np.log(bandwidths.max() / bandwidths.min()) / np.log(_MAX_BANDWIDTH_RATIO)
    starts = bandwidths.min() * _MAX_BANDWIDTH_RATIO ** np.arange(np.floor(n_more_bands) + 1)
    return float(
        np.sum(_count(spread, starts, np.minimum(_MAX_BANDWIDTH_RATIO * starts, bandwidths.max())))
    )


def _count(spread: float, low: Any, high: Any) -> Any:
    return (spread + _REACH_IN_BANDWIDTHS * high) * _REACH_IN_BANDWIDTHS / (2 * np.pi * low) + 2


def _band(points: Floats, weights: Floats, bandwidths: Floats) -> Floats:
    spread = float(points.max() - points.min())
    low, high = bandwidths.min(), bandwidths.max()
    step = 2 * np.pi / (spread + _REACH_IN_BANDWIDTHS * high)
    count = int(_count(spread, low, high))
    power = np.abs(_transform(step * points, weights, count)) ** 2
    power[1:] *= 2.0  # the negative frequencies
    decay = np.exp(-0.5 * np.outer(bandwidths, step * np.arange(count)) ** 2)
    return np.asarray(np.log(bandwidths * step / np.sqrt(2 * np.pi)) + np.log(decay @ power))


def _transform(angles: Floats, weights: Floats, count: int) -> NDArray[np.complex128]:
    """Phi at the multiples 0 .. count - 1 of the angles.

    exp(i (a B + b) angle) is the product of a coarse rotation, exp(i a B angle), and a fine one,
    exp(i b angle) with b < B; the fine ones are filled by doubling.
    """
    coarse = np.arange(0, count, _FREQUENCIES_PER_BLOCK)
    total = np.zeros((len(coarse), _FREQUENCIES_PER_BLOCK), np.complex128)
    for batch in gen_batches(len(angles), _POINTS_PER_BATCH):
        fine = np.ones((_FREQUENCIES_PER_BLOCK, len(angles[batch])), np.complex128)
        filled = 1
        while filled < _FREQUENCIES_PER_BLOCK:
            np.multiply(
                fine[:filled], np.exp(1j * filled * angles[batch]), out=fine[filled : 2 * filled]
            )
            filled *= 2
        rotated = weights[batch] * np.exp(1j * np.outer(coarse, angles[batch]))
        # Not a BLAS product: these are small, and its threads would cost more than they save.
        total += np.einsum("aj,bj->ab", rotated, fine)
    return total.ravel()[:count]
