"""Default bandwidths of the feature-space tools, as multiples of a sample's spread.

    spread = sqrt(sum of the columns' variances)

It is the typical distance of a point from the mean, so a common scale of the data moves every
default with it, and a constant column changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.kernels import check_bandwidth
from parzen.samples import sample_scale


def bandwidth_or_spread(
    bandwidth: ArrayLike | None,
    X: NDArray[Any],
    weights: NDArray[np.float64] | None,
    *,
    times: float,
) -> float | NDArray[np.float64]:
    """The bandwidth as given, or for None a multiple of the spread."""
    if bandwidth is not None:
        s = check_bandwidth(bandwidth)
        return s if isinstance(s, float) else s.astype(np.float64)
    return times * sample_scale(X, weights) * float(np.sqrt(X.shape[1]))


def check_optional_bandwidth(bandwidth: ArrayLike | None, name: str, *, several: bool) -> None:
    """Refuse what is neither None nor a positive number (or, where allowed, a list of them)."""
    if bandwidth is None:
        return
    if isinstance(bandwidth, (bool, str)):
        raise TypeError(f"{name} must be a positive number or None, got {bandwidth!r}.")
    shape = np.shape(check_bandwidth(bandwidth, name))
    if len(shape) > int(several) or 0 in shape:
        wanted = "a number or a list of numbers" if several else "a number"
        raise ValueError(f"{name} must be {wanted}, got shape {shape}.")
