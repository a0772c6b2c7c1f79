"""The strategy for one feature: sorted points and running sums, exact in O(n log n).

    uniform, triangular, epanechnikov   polynomials of |x - y|: moments of the points in reach
    laplacian                           exp(-|x - y| / h) decays from point to point, both ways

See native/include/parzen/sorted.hpp. Its errors are those of the dense strategy: a few roundings,
for compact kernels relative to the peak.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from parzen import _native
from parzen.kernels import Kernel
from parzen.sums.call import Call, ScaledSums
from parzen.sums.dense import native_sums

_KERNELS = ("uniform", "triangular", "epanechnikov", "laplacian", "radial_laplacian")
_SECONDS = 1.2e-7  # for each point of a column, and each query


class Sorted:
    """Exact sums over one feature; "auto" takes them wherever they are faster."""

    name = "sorted"

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        if n_features == 1 and kernel.name in _KERNELS:
            return None
        return f"sums one feature with one of {', '.join(_KERNELS)}"

    def refuses(self, call: Call, rtol: float) -> str | None:
        return None

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds, about."""
        points = len(call.Y) * (1 if call.labels is not None else call.columns)
        sweeps = points + len(call.X) * call.columns
        return _SECONDS * sweeps * len(call.bandwidths)

    def run(self, call: Call, rtol: float, threads: int) -> NDArray[Any] | ScaledSums:
        return native_sums(call, _native.sorted_sums, threads)
