"""The fitted model of every classifier, `KernelExpansion`, and its preparation for many queries."""

from parzen.expansion.draw import draw_points
from parzen.expansion.kernel_expansion import KernelExpansion
from parzen.expansion.local import LocalExpansion
from parzen.expansion.prepared import PreparedExpansion
from parzen.expansion.space import Space

__all__ = ["KernelExpansion", "LocalExpansion", "PreparedExpansion"]
