"""Gaussian pair sums of a one-dimensional sample for all bandwidths, by its structure factor.

    sum_ij w_i w_j exp(-(x_i - x_j)^2 / 2h^2)
        = h (2 pi)^(-1/2) dω sum_k exp(-h^2 ω_k^2 / 2) |phi(ω_k)|^2,   phi(ω) = sum_j w_j e^{iωx_j}

phi does not depend on h: it is had once, and every bandwidth is a short sum. The trapezoidal rule
is exact to rounding when its period is wider than the sample by 9 bandwidths and its last frequency
is 9/h. The bandwidths are taken in bands of three octaves, each with frequencies of its own.
Cost: n times some hundred frequencies, in place of n^2 kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from parzen.samples import Floats

_REACH = 9.0  # exp(-9^2/2) is below the rounding of the sum
_BAND = 8.0
_BLOCK = 64  # frequencies that share one exponential per point
_POINTS = 1 << 14  # points at a time


def log_gaussian_sums(x: NDArray[Any], weights: Floats, bandwidths: Floats) -> Floats:
    """Logs of the double sums, own terms included; their relative error is about 1e-13."""
    points = x.astype(np.float64) - 0.5 * (float(x.max()) + float(x.min()))
    out = np.empty(len(bandwidths))
    left = np.ones(len(bandwidths), bool)
    while left.any():
        lowest = bandwidths[left].min()
        band = left & (bandwidths <= _BAND * lowest)
        out[band] = _band(points, weights, bandwidths[band])
        left &= ~band
    return out


def frequencies_needed(x: NDArray[Any], bandwidths: Floats) -> float:
    """How many frequencies the bands take together, nearly."""
    spread = float(x.max()) - float(x.min())
    octaves = np.log(bandwidths.max() / bandwidths.min()) / np.log(_BAND)
    starts = bandwidths.min() * _BAND ** np.arange(np.floor(octaves) + 1)
    return float(np.sum(_count(spread, starts, np.minimum(_BAND * starts, bandwidths.max()))))


def _count(spread: float, low: Any, high: Any) -> Any:
    return (spread + _REACH * high) * _REACH / (2 * np.pi * low) + 2


def _band(points: Floats, weights: Floats, bandwidths: Floats) -> Floats:
    spread = float(points.max() - points.min())
    low, high = bandwidths.min(), bandwidths.max()
    step = 2 * np.pi / (spread + _REACH * high)
    count = int(_count(spread, low, high))
    power = np.abs(_transform(step * points, weights, count)) ** 2
    power[1:] *= 2.0  # the negative frequencies
    decay = np.exp(-0.5 * np.outer(bandwidths, step * np.arange(count)) ** 2)
    return np.asarray(np.log(bandwidths * step / np.sqrt(2 * np.pi)) + np.log(decay @ power))


def _transform(angles: Floats, weights: Floats, count: int) -> NDArray[np.complex128]:
    """Phi at multiples 0..count-1 of the angles, as products of coarse and fine rotations."""
    coarse = np.arange(0, count, _BLOCK)
    total = np.zeros((len(coarse), _BLOCK), np.complex128)
    for batch in gen_batches(len(angles), _POINTS):
        fine = np.ones((_BLOCK, len(angles[batch])), np.complex128)
        done = 1
        while done < _BLOCK:
            np.multiply(fine[:done], np.exp(1j * done * angles[batch]), out=fine[done : 2 * done])
            done *= 2
        rotated = weights[batch] * np.exp(1j * np.outer(coarse, angles[batch]))
        # Not a BLAS product: these are small, and its threads would cost more than they save.
        total += np.einsum("aj,bj->ab", rotated, fine)
    return total.ravel()[:count]
