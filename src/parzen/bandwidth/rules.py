"""Rules of thumb: a bandwidth from the sample's scale, size and dimension alone.

    silverman  sigma_X (4 / ((2d + 1) N))^(1/(d+4))      Jenssen et al. (2006), eq. (21)
    scott      sigma_X N^(-1/(d+4))

Both are meant for the Gaussian; other kernels multiply by their ``bandwidth_factor``.
"""

from __future__ import annotations

from typing import TypeVar

from numpy.typing import ArrayLike

from parzen._core import Floats, as_matrix, check_countable, validate_weights
from parzen.kernels import Kernel, get
from parzen.samples import sample_scale, sample_size

Size = TypeVar("Size", float, Floats)


def silverman(
    X: ArrayLike,
    *,
    kernel: str | Kernel = "gaussian",
    weights: ArrayLike | None = None,
) -> float:
    """Silverman's rule as printed in the Laplacian classifier's paper.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> round(silverman(X), 3), round(silverman(10 * X), 2)
    (0.43, 4.3)
    """
    return _rule(X, weights, kernel, "silverman")


def scott(
    X: ArrayLike,
    *,
    kernel: str | Kernel = "gaussian",
    weights: ArrayLike | None = None,
) -> float:
    """Scott's rule."""
    return _rule(X, weights, kernel, "scott")


def rule_factor(name: str, n: Size, d: int) -> Size:
    """What a rule multiplies the scale of n points in d columns by, for the Gaussian."""
    share: Size = 4.0 / ((2 * d + 1) * n) if name == "silverman" else 1.0 / n
    factor: Size = share ** (1.0 / (d + 4))
    return factor


def _rule(
    X: ArrayLike,
    weights: ArrayLike | None,
    kernel: str | Kernel,
    name: str,
) -> float:
    points = as_matrix(X, "X", allow_nan=True)
    w = validate_weights(weights, points)
    check_countable(w)
    d = points.shape[1]
    size = rule_factor(name, sample_size(points, w), d)
    return float(sample_scale(points, w) * size * get(kernel).bandwidth_factor(d))


RULES = {"silverman": silverman, "scott": scott}
