"""A budget of time for the fit of a stack: which families can still be tried.

The time of a family is foreseen before it starts: in units of the leave-one-out pass of the
reference, which was timed, and for least squares by the operations of its factorisations, at the
speed of one matrix product. It is corrected by the time that the families so far took, in
proportion to what was foreseen for them. Families are tried in the order of what they add for their
time. Least squares in a learned metric is tried with fewer landmarks where all would take too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

import numpy as np

from parzen.classifiers.stack.families import cost, cost_of_missing_metric, operations
from parzen.classifiers.stack.reference import fit_reference
from parzen.classifiers.stack.training_set import StackTrainingSet

_ORDER = (
    "lap", "lapq", "cov", "covq", "white", "whiteq", "iso", "mix", "nb", "ardl", "ard", "lsard",
    "an", "dnb", "ls", "ardw", "prod",
)  # fmt: skip
_FINAL_SHARE = 0.05  # Mixing and the fit to all rows add this share of the time of the families.
_FINAL_PASSES = 3.0  # They take at least as long as this many passes of plain kernels.
_TIMED_MATRIX_SIZE = 400  # Rows and columns of the matrices whose product is timed.
_SLOWDOWN = 1.4  # An operation of a factorisation takes this many times that of a product.
_LANDMARK_SHARES = (1.0, 0.7, 0.5, 0.3)  # Of the usual landmarks, in the order they are tried.
# A first pass of fewer seconds is timed again: it also paid for what is prepared only once.
_SHORT_PASS_SECONDS = 0.02
# This share of the budget is added to the time taken and to the time foreseen before their ratio is
# formed, since short times are noisy.
_NOISE_SHARE = 0.05


@dataclass
class TimeBudget:
    """Seconds that a fit may take, from now on; None for as long as it takes."""

    seconds: float | None
    start: float = field(default_factory=perf_counter)
    foreseen: float = 0.0  # predicted seconds of the families that have ended
    taken: float = 0.0  # seconds that these took
    owed: float = 0.0  # foreseen seconds of solving for members of these, once all are scored
    running: tuple[float, float] | None = None  # start and foreseen seconds of the last of them

    def ordered(self, families: Sequence[str]) -> list[str]:
        """The families by what they add for their time; unchanged without a budget."""
        return list(families) if self.seconds is None else sorted(families, key=_ORDER.index)

    def seconds_of_a_pass(self, first: float, training: StackTrainingSet) -> float:
        """Seconds of plain kernels, when ``first`` were those of the first pass."""
        if self.seconds is None or first > _SHORT_PASS_SECONDS:
            return first
        before = perf_counter()
        fit_reference(replace(training, shared={}))
        return min(first, perf_counter() - before)

    def form(self, family: str, training: StackTrainingSet, unit: float) -> StackTrainingSet | None:
        """The training set, with as many landmarks as there is time for; None without time."""
        forms = (replace(training, landmark_share=share) for share in _LANDMARK_SHARES)
        return next((form for form in forms if self.allows(family, form, unit)), None)

    def allows(self, family: str, training: StackTrainingSet, unit: float) -> bool:
        """Whether the family will end in time, ``unit`` being the seconds of plain kernels."""
        if self.seconds is None:
            return True
        now = perf_counter()
        if self.running is not None:
            self.taken += now - self.running[0]
            self.foreseen += self.running[1]
        foreseen = (cost(family, training) + cost_of_missing_metric(family, training)) * unit
        scoring, later = operations(family, training)
        foreseen += scoring * self._seconds_per_operation
        owed = self.owed + later * self._seconds_per_operation
        doubt = _NOISE_SHARE * self.seconds
        slowness = (self.taken + doubt) / (self.foreseen + doubt)
        spent, left = now - self.start, slowness * (foreseen + owed)
        fits = (1.0 + _FINAL_SHARE) * (spent + left) + _FINAL_PASSES * unit <= self.seconds
        self.running = (now, foreseen) if fits else None
        if fits:
            self.owed = owed
        return fits

    @cached_property
    def _seconds_per_operation(self) -> float:
        A = np.ones((_TIMED_MATRIX_SIZE, _TIMED_MATRIX_SIZE))
        A @ A  # not timed: the first product takes longer than the next
        start = perf_counter()
        A @ A
        return _SLOWDOWN * (perf_counter() - start) / (2.0 * _TIMED_MATRIX_SIZE**3)
