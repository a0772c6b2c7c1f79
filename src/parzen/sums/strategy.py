"""What a strategy has to answer: which calls it serves, how long they take, and their sums."""

from __future__ import annotations

from typing import Protocol

from parzen._core import Array
from parzen.kernels import Kernel
from parzen.sums.call import Call, ScaledSums


class Strategy(Protocol):
    """One way to compute the sums."""

    name: str

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        """Why it cannot serve a kernel in so many dimensions, as the end of a sentence."""

    def refuses(self, call: Call, rtol: float) -> str | None:
        """Why it cannot serve a call, as the end of a sentence; None when it can."""

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds on one thread, about; infinity if that is surely more than ``below`` seconds."""

    def run(self, call: Call, rtol: float, threads: int) -> Array | ScaledSums:
        """The sums."""
