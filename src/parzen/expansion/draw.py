"""Random points from the kernels of an expansion: a centre, and noise of its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from parzen._core import Array, Ints
from parzen.expansion.kernel_expansion import KernelExpansion
from parzen.expansion.local import LocalExpansion
from parzen.kernels import ColumnProduct


def draw_points(expansion: KernelExpansion, rows: Ints, rng: Any) -> Array:
    """One point from the kernel of each of these rows of an expansion with labels."""
    assert expansion.labels is not None
    codes = expansion.labels[rows]
    out = np.empty((len(rows), expansion.points.shape[1]))
    for c in np.unique(codes):
        here = np.flatnonzero(codes == c)
        out[here] = _of_class(expansion, rows[here], int(c), rng)
    return out


def _of_class(expansion: KernelExpansion, rows: Ints, c: int, rng: Any) -> Array:
    centres, h = expansion.points[rows], expansion.bandwidth
    if h.ndim and len(h) > 1:
        h = h[c]
    if isinstance(expansion.kernel, ColumnProduct):
        return expansion.kernel.draw(centres, np.ravel(h), rng)
    noise = np.ravel(h) * expansion.kernel.sample(len(rows), centres.shape[1], rng)
    if isinstance(expansion, LocalExpansion):
        noise = noise * expansion.factors[rows, None]
    if expansion.whitening is not None:
        noise = expansion.whitening.invert(noise, c)
    return np.asarray(centres + noise)
