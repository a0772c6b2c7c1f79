"""Default bandwidths of the feature-space tools, as multiples of a sample's spread.

    spread = sqrt(sum of the columns' variances)

It is the typical distance of a point from the mean, so a common scale of the data moves every
default with it, and a constant column changes nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Floats
from parzen.kernels import check_bandwidth
from parzen.samples import sample_scale


def bandwidth_or_spread(
    bandwidth: ArrayLike | None, X: Array, weights: Floats | None, *, times: float
) -> float | Floats:
    """The bandwidth as given, or for None a multiple of the spread."""
    if bandwidth is not None:
        s = check_bandwidth(bandwidth)
        return s if isinstance(s, float) else s.astype(np.float64)
    return times * sample_scale(X, weights) * float(np.sqrt(X.shape[1]))
