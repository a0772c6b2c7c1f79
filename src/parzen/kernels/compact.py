"""What the densities on a ball of radius s share.

A triangular density is positive definite in one dimension, no other of them is in any.
"""

from __future__ import annotations

import numpy as np

from parzen.kernels.density import DensityKernel
from parzen.kernels.pairs import FloatArray


def log1m(t: FloatArray) -> FloatArray:
    """Return log(1 - t), and -inf from t = 1 on."""
    with np.errstate(divide="ignore"):
        return np.log1p(-np.minimum(t, 1.0))


class CompactKernel(DensityKernel):
    """A density on a ball."""

    def is_mercer(self, n_features: int) -> bool:
        """Never: the Fourier transform changes its sign."""
        return False
