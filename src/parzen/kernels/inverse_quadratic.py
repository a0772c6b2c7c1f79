"""The inverse quadratic kernel, k_s(r) = 1 / (1 + r^2/s^2), in any dimension.

The "Cauchy kernel" of the B-machine (its eq. 49). It is positive definite, though its paper says
otherwise: it is a mixture of Gaussians, 1/(1+u) = integral of exp(-t) exp(-t u) dt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen.kernels.base import Kernel
from parzen.kernels.pairs import FloatArray
from parzen.kernels.registry import register


@register
@dataclass(frozen=True)
class InverseQuadratic(Kernel):
    """The kernel 1 / (1 + r^2/s^2); not a density.

    Examples
    --------
    >>> from parzen.kernels import InverseQuadratic
    >>> InverseQuadratic()([[0.0]], [[0.0], [2.0]], bandwidth=2.0)
    array([[1. , 0.5]])
    """

    name: ClassVar[str] = "inverse_quadratic"
    native_name: ClassVar[str | None] = "rational"
    is_density: ClassVar[bool] = False

    def log_shape(self, scaled: FloatArray, n_features: int) -> FloatArray:
        return -np.log1p(scaled)

    def half_width(self, n_features: int) -> float:
        return 1.0

    def is_mercer(self, n_features: int) -> bool:
        return True

    def native_parameters(self, n_features: int) -> tuple[float, ...]:
        return (1.0,)
