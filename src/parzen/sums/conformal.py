"""Sums of the conformal kernel are sums of its base kernel with other weights:

    sum_j w_j q(x) q(y_j) k_0(x, y_j) = q(x) sum_j (w_j q(y_j)) k_0(x, y_j)

so every strategy that knows the base kernel serves it, in units of that kernel's peak.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Floats
from parzen.kernels import ConformalKernel
from parzen.sums.call import ScaledSums


def weights_with_factor(kernel: ConformalKernel, Y: ArrayLike, weights: ArrayLike | None) -> Array:
    """The weights times q(y_j), shape (points, columns, 1 or bandwidths)."""
    q = kernel.factor(Y)
    w = np.ones((len(q), 1)) if weights is None else np.asarray(weights)
    if w.ndim == 0 or w.shape[0] != len(q):
        raise ValueError(
            f"weights must have one row for each of the {len(q)} points, got {w.shape}."
        )
    return np.asarray(w * q.reshape(-1, *(1,) * (w.ndim - 1)))


def sums_with_factor(
    kernel: ConformalKernel, X: ArrayLike, sums: ScaledSums, bandwidths: Floats
) -> ScaledSums:
    """The conformal sums from those of the base kernel."""
    d = np.shape(X)[1]
    peaks = np.array([kernel.base.log_normalizer(float(h), d) for h in bandwidths])
    mantissa = (sums.mantissa * kernel.factor(X)[:, None, None]).astype(sums.mantissa.dtype)
    return ScaledSums(mantissa, (sums.log_scale - peaks).astype(sums.log_scale.dtype))
