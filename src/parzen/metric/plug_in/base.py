"""What a metric of the plug-in rule is asked for, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from parzen._core import Floats
from parzen.bandwidth import Selection
from parzen.kernels import Kernel
from parzen.metric import Whitening
from parzen.samples import KernelSample, Sample


class Tempering(NamedTuple):
    """Posteriors proportional to pi_c exp(offset_c) (f_c / k_c(0))^exponent."""

    exponent: float
    offsets: Floats  # (C,)


@dataclass(frozen=True, eq=False)
class FittedMetric:
    """The bandwidths of a sample, and what belongs to them."""

    bandwidth: Floats  # (), (C,), (1, d) or (C, d)
    selection: Selection | None  # how it was chosen
    scale: Floats | None = None  # (d,): the deviations that brought the columns to one scale
    whitening: Whitening | None = None
    matrices: Floats | None = None  # (C, d, d), the bandwidth matrices behind the whitening
    relevance: Floats | None = None  # (d,): the columns' shares of the mean distance
    tempering: Tempering | None = None


class PlugInMetric(ABC):
    """Finds the bandwidths of class densities, in units that it chooses."""

    name: ClassVar[str] = ""
    kernels: ClassVar[tuple[str, ...] | None] = None  # those that it can scale; None for all

    def check_kernel(self, kernel: Kernel) -> None:
        """Refuse a kernel that this metric cannot scale."""
        if self.kernels is not None and kernel.name not in self.kernels:
            names = " or ".join(map(repr, self.kernels))
            raise ValueError(f"metric={self.name!r} needs kernel={names}, got {kernel.name!r}.")

    @abstractmethod
    def fit(self, bandwidth: Any, sample: Sample, weighted: KernelSample) -> FittedMetric:
        """Resolve any form of ``bandwidth=``.

        ``weighted`` is the sample as selectors see it: rows of positive weight, which counts the
        cost of their class too, with the kernel and the priors.
        """
