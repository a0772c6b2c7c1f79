"""Gaussian pair sums of a sample in up to three dimensions, by its structure factor from finufft.

    sum_ij w_i w_j exp(-|x_i - x_j|^2 / 2h^2) = sum_k g_k |c_k|^2,   c_k = sum_j w_j exp(-i k.x_j)

One transform of the sample serves every bandwidth of a band of two octaves: each is a sum over the
frequencies, in which g is a product over the directions. `structure` has the same sum for one
dimension without finufft.
"""

from __future__ import annotations

import numpy as np
from sklearn import get_config

from parzen._core import Array, Bools, Floats
from parzen.bandwidth.structure import bands
from parzen.sums import (
    FOURIER_REACH,
    MAX_FOURIER_FEATURES,
    Frame,
    analyse,
    cropped,
    has_finufft,
)

_MAX_BANDWIDTH_RATIO = 4.0  # Bandwidths within this ratio share one transform.


def log_gaussian_sums(X: Array, weights: Floats, bandwidths: Floats, threads: int) -> Floats:
    """Logs of the double sums, own terms included; their relative error is about 1e-13."""
    out = np.empty(len(bandwidths))
    for band in bands(bandwidths, _MAX_BANDWIDTH_RATIO):
        frame = _frame(X, bandwidths[band])
        modes = analyse(frame, X, weights.astype(np.complex128), threads)
        power = modes.real**2 + modes.imag**2
        out[band] = [np.log(_total(frame, power, float(h))) for h in bandwidths[band]]
    return out


def seconds(X: Array, bandwidths: Floats) -> float:
    """Seconds, about; infinity where the frequencies do not fit ``working_memory``."""
    if X.shape[1] > MAX_FOURIER_FEATURES or not has_finufft():
        return float("inf")
    frames = [_frame(X, bandwidths[band]) for band in bands(bandwidths, _MAX_BANDWIDTH_RATIO)]
    if max(f.n_bytes for f in frames) > get_config()["working_memory"] * 2**20:
        return float("inf")
    per_row = {1: 1e-7, 2: 4e-7, 3: 4e-6}[X.shape[1]]  # seconds, by dimension
    per_mode = 3e-7 + 2e-9 * len(bandwidths) / len(frames)
    return sum(per_row * len(X) + per_mode * f.n_modes for f in frames)


def fits(X: Array, bandwidths: Floats) -> Bools:
    """Which bandwidths, with those of their convolutions, fit ``working_memory``."""
    if X.shape[1] == 1 or X.shape[1] > MAX_FOURIER_FEATURES or not has_finufft():
        return np.ones(len(bandwidths), bool)  # all bandwidths are summed in the same way
    widest = float(bandwidths.max()) * np.sqrt(2.0)
    budget = get_config()["working_memory"] * 2**20
    corners = np.array([[c.min() for c in X.T], [c.max() for c in X.T]])
    frames = [
        _frame(corners, np.array([h, min(_MAX_BANDWIDTH_RATIO * h, widest)])) for h in bandwidths
    ]
    return np.array([frame.n_bytes <= budget for frame in frames])


def _frame(X: Array, h: Floats) -> Frame:
    return Frame.around(X, margin=FOURIER_REACH, narrow=float(h.min()), wide=float(h.max()))


def _total(frame: Frame, power: Floats, h: float) -> float:
    """Sum of the power times the Gaussian's transform, one direction after the other."""
    here = frame.narrowed(h)
    total = cropped(power, here.cutoffs)
    for decay in here.decays(h):
        total = np.einsum("k,k...->...", decay, total)
    return float(total)
