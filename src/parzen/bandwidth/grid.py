"""The default grid: geometric, in the scale of the data, dense where a bandwidth is plausible.

    h_k = h_0 2^(k/8),   from a tenth of the smallest class's rule to three deviations of all points

The squares have the ratio 2^(1/4), so that kernel sums need four exponentials per pair for the
whole grid; the rest are squarings. The grid scales with the data: h(cX) = c h(X).
"""

from __future__ import annotations

import numpy as np

from parzen._core import Floats
from parzen.samples import (
    KernelSample,
    has_spread,
    sample_scale,
    sample_size,
    scale_of_spread,
)

_STEPS_PER_DOUBLING = 8  # Steps of the grid for each factor of 2.
WIDENING = 3.0  # Factors of 2 that a grid is widened by at the end where the choice was.
_MAX_STEPS = 128  # Steps of a grid; a wider range is covered with fewer steps per doubling.


def default_grid(sample: KernelSample) -> Floats:
    """Bandwidths for a sample, ascending."""
    d = sample.X.shape[1]
    factor = sample.kernel.bandwidth_factor(d)
    scale = sample_scale(sample.X, sample.weights)
    high = 3.0 * scale
    low = min([scale, *_class_scales(sample)]) / 10.0
    low *= sample_size(sample.X, sample.weights) ** (-1.0 / (d + 4))
    doublings = float(np.log2(high / low))
    steps = _STEPS_PER_DOUBLING
    while steps > 1 and doublings * steps > _MAX_STEPS:
        steps //= 2
    count = min(int(np.ceil(doublings * steps)), 4 * _MAX_STEPS)
    return np.asarray(factor * high * 2.0 ** (np.arange(-count, 1) / steps))


def widened(grid: Floats, doublings: float, *, down: bool, up: bool) -> Floats:
    """The grid, longer by so many doublings at the named ends and with the same ratio."""
    step = float(np.log2(grid[-1] / grid[0])) / (len(grid) - 1)
    count = max(1, round(doublings / step))
    more = 2.0 ** (step * np.arange(1, count + 1))
    below = grid[0] / more[::-1] if down else grid[:0]
    above = grid[-1] * more if up else grid[:0]
    return np.concatenate([below, grid, above])


def _class_scales(sample: KernelSample) -> list[float]:
    """Root mean square deviation of each class that has any spread."""
    parts = [part for part in sample.by_class() if has_spread(part.X)]
    scales = [scale_of_spread(part.X, part.weights) for part in parts]
    return [scale for scale in scales if scale is not None]  # else the weights leave one row only
