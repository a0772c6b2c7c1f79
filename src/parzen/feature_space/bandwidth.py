"""The bandwidths of the feature-space tools.

A density takes a number, one per class, or the name of a rule. Other kernels take a number, or by
default a multiple of the sample's spread,

    spread = sqrt(sum of the columns' variances),

the typical distance of a point from the mean: a common scale of the data moves every default with
it, and a constant column changes nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Floats, Number
from parzen.bandwidth import RULES
from parzen.kernels import Kernel, StableKernel, check_bandwidth
from parzen.samples import sample_scale

BANDWIDTH = Number("(0, inf)", also=tuple(RULES))


def bandwidth_or_spread(
    bandwidth: ArrayLike | None, X: Array, weights: Floats | None, *, times: float
) -> float | Floats:
    """The bandwidth as given, or for None a multiple of the spread."""
    if bandwidth is not None:
        s = check_bandwidth(bandwidth)
        return s if isinstance(s, float) else s.astype(np.float64)
    return times * sample_scale(X, weights) * float(np.sqrt(X.shape[1]))


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
