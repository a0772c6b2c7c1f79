"""The cosine density, proportional to cos(pi r / 2 s) on the ball of radius s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen.kernels.compact import CompactKernel
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register


@register
@dataclass(frozen=True)
class Cosine(CompactKernel):
    """The density proportional to cos(pi r / 2 s).

    Examples
    --------
    >>> from parzen.kernels import get
    >>> get("cosine")([[0.0]], [[0.0], [0.5], [1.5]]).round(4)
    array([[0.7854, 0.5554, 0.    ]])
    """

    name: ClassVar[str] = "cosine"
    native_name: ClassVar[str | None] = "cosine"

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        # The sine of the distance from the edge is exactly 0 there; the cosine of pi/2 is not.
        edge_distance = 1.0 - np.minimum(np.sqrt(scaled), 1.0)
        with np.errstate(divide="ignore"):
            return np.log(np.sin(0.5 * np.pi * edge_distance))
