"""The strategy for one feature: sorted points and running sums, exact in O(n log n).

    uniform, triangular, epanechnikov   polynomials of |x - y|: moments of the points in reach
    laplacian                           exp(-|x - y| / h) decays from point to point, both ways

See native/include/parzen/sorted.hpp. Its errors are those of the dense strategy: a few roundings,
for compact kernels relative to the peak.
"""

from __future__ import annotations

from parzen import _native
from parzen.kernels import Kernel
from parzen.sums.call import Call
from parzen.sums.dense import NativeSums

_KERNELS = tuple(_native.kernel_names("sorted"))
_SECONDS_PER_ROW = 1.2e-7  # Seconds for each point of a column, and for each query.


class Sorted(NativeSums):
    """Exact sums over one feature; "auto" takes them wherever they are faster."""

    name = "sorted"
    function = "sorted_sums"

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        if n_features == 1 and kernel.name in _KERNELS:
            return None
        return f"sums one feature with one of {', '.join(_KERNELS)}"

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds, about."""
        points = len(call.Y) * (1 if call.labels is not None else call.columns)
        sweeps = points + len(call.X) * call.columns
        return _SECONDS_PER_ROW * sweeps * len(call.bandwidths)
