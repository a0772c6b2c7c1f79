"""Rules of thumb: a bandwidth from the sample's scale, size and dimension alone.

    silverman  sigma_X (4 / ((2d + 1) N))^(1/(d+4))      Jenssen et al. (2006), eq. (21)
    scott      sigma_X N^(-1/(d+4))

Both are meant for the Gaussian; other kernels multiply by their ``bandwidth_factor``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth._scale import sample_scale, sample_size
from parzen.kernels import Kernel, get


def silverman(
    X: NDArray[Any],
    *,
    kernel: str | Kernel = "gaussian",
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Silverman's rule as printed in the Laplacian classifier's paper.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> round(silverman(X), 3), round(silverman(10 * X), 2)
    (0.43, 4.3)
    """
    d = X.shape[1]
    factor = (4.0 / ((2 * d + 1) * sample_size(X, weights))) ** (1.0 / (d + 4))
    return float(sample_scale(X, weights) * factor * get(kernel).bandwidth_factor(d))


def scott(
    X: NDArray[Any],
    *,
    kernel: str | Kernel = "gaussian",
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Scott's rule."""
    d = X.shape[1]
    factor = sample_size(X, weights) ** (-1.0 / (d + 4))
    return float(sample_scale(X, weights) * factor * get(kernel).bandwidth_factor(d))


RULES = {"silverman": silverman, "scott": scott}
