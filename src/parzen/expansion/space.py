"""The space of a class, in which its kernel has one bandwidth for all directions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parzen._core import Array, Floats
from parzen.kernels import ColumnProduct
from parzen.metric import Whitening


class Space(NamedTuple):
    """Columns scaled, whitened or as codes of a `ColumnProduct`, then one bandwidth."""

    scale: Floats | None  # One divisor for each column.
    whitening: Whitening | None
    c: int  # The class whose metric it is.
    bandwidth: float
    log_volume: float  # Log of the factor by which densities are multiplied on the way back.
    columns: ColumnProduct | None = None  # With it, ``scale`` has its bandwidths.

    def map(self, X: Array) -> Array:
        """The rows of X in this space."""
        if self.whitening is not None:
            return self.whitening.apply(X, self.c)
        if self.columns is not None:
            assert self.scale is not None
            return self.columns.embedded(X, self.scale)
        return X if self.scale is None else np.asarray(X / self.scale, dtype=X.dtype)
