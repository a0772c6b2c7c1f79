"""The Parzen bandwidth of a feature-space tool: a number, one per class, or the name of a rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Floats, Number
from parzen.bandwidth import RULES
from parzen.kernels import Kernel, StableKernel

BANDWIDTH = Number("(0, inf)", also=tuple(RULES))


def parzen_bandwidth(
    bandwidth: float | str, X: Array, *, kernel: Kernel, weights: Floats | None = None
) -> float:
    """The number, or the rule's value for this sample; anything else is refused."""
    if not kernel.is_density:
        raise ValueError(f"kernel={kernel.name!r} is not a density; use e.g. 'gaussian'.")
    BANDWIDTH.check("bandwidth", bandwidth)
    if isinstance(bandwidth, str):
        return float(RULES[bandwidth](X, kernel=kernel, weights=weights))
    return float(bandwidth)


def class_bandwidths(bandwidth: ArrayLike, n_classes: int, *, kernel: Kernel) -> Floats:
    """One positive number per class, for kernels of which two widths can be joined."""
    if not isinstance(kernel, StableKernel):
        raise ValueError(
            f"a bandwidth per class needs kernel='gaussian' or 'cauchy', got {kernel.name!r}: no "
            "other has a convolution of two widths; use one bandwidth."
        )
    widths = np.asarray(bandwidth, dtype=np.float64)
    if widths.shape != (n_classes,):
        raise ValueError(
            f"bandwidth has shape {widths.shape}; give a number, or one for each of the "
            f"{n_classes} classes."
        )
    if not (np.isfinite(widths) & (widths > 0)).all():
        raise ValueError(f"bandwidth={bandwidth!r} must be positive and finite.")
    return widths
