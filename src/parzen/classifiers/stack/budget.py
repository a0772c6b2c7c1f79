"""A budget of time for the fit of a stack: which families there is still time for.

The time of a family is foreseen before it starts: in units of the leave-one-out pass of the
reference, which was timed, and for least squares by the operations of its factorisations, at the
speed of one matrix product. Families are tried in the order of what they add for their time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter

import numpy as np

from parzen.classifiers.stack.families import COSTS, operations
from parzen.classifiers.stack.training_set import StackTrainingSet

_ORDER = (
    "lap", "lapq", "cov", "covq", "white", "whiteq", "iso", "mix", "nb", "ardl", "ard", "lsard",
    "an", "dnb", "ls", "ardw", "prod",
)  # fmt: skip
_LATER = 0.15  # share of a family's time that calibration, weights and the fit to all rows add
_LATER_UNITS = 6.0  # and the least that they take, in passes of plain kernels
_SIZE = 400  # rows of the product that is timed
_SLOWDOWN = 1.5  # time of an operation of a factorisation, in those of a product


@dataclass(frozen=True)
class TimeBudget:
    """Seconds that a fit may take, from now on; None for as long as it takes."""

    seconds: float | None
    start: float = field(default_factory=perf_counter)

    def ordered(self, families: Sequence[str]) -> list[str]:
        """The families in the order of their worth; as they are where time does not matter."""
        return list(families) if self.seconds is None else sorted(families, key=_ORDER.index)

    def allows(self, family: str, training: StackTrainingSet, unit: float) -> bool:
        """Whether the family will end in time, ``unit`` being the seconds of plain kernels."""
        if self.seconds is None:
            return True
        spent = perf_counter() - self.start
        foreseen = COSTS.get(family, 1.0) * unit
        foreseen += operations(family, training) * self._seconds_per_operation
        return (1.0 + _LATER) * (spent + foreseen) + _LATER_UNITS * unit <= self.seconds

    @cached_property
    def _seconds_per_operation(self) -> float:
        A = np.ones((_SIZE, _SIZE))
        A @ A
        start = perf_counter()
        A @ A
        return _SLOWDOWN * (perf_counter() - start) / (2.0 * _SIZE**3)
