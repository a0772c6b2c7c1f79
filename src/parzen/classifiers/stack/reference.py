"""The density of all classes together, by which novelty is judged.

A product Laplacian on standardised columns at the bandwidth of largest leave-one-out likelihood.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parzen._core import Floats
from parzen.classifiers.stack.kernels import leave_one_out_family
from parzen.classifiers.stack.pool import Expert
from parzen.classifiers.stack.table import Blocks
from parzen.classifiers.stack.training_set import MemberRule, StackTrainingSet
from parzen.samples import log_sum


class Reference(NamedTuple):
    """A density of all classes together."""

    rule: MemberRule
    left_out: Floats  # log-density of the scored rows, each left out

    def log_density(self, blocks: Blocks, **options: Any) -> Floats:
        """Log-density at new rows, in standardised units."""
        return log_sum(self.rule.scores(blocks, **options), axis=1)

    def expert(self, training: StackTrainingSet) -> Expert:
        """The plug-in rule with this kernel, for samples too small to score any other member."""
        offsets = np.zeros(training.n_classes)
        return Expert("lap", "lap", np.nan, np.nan, np.inf, 1.0, offsets, self.rule)


def fit_reference(training: StackTrainingSet) -> Reference:
    """The bandwidth of largest likelihood of rows that were left out."""
    candidates = leave_one_out_family("lap", "gapped", "laplacian", training)
    logs = [log_sum(candidate.scores, axis=1) for candidate in candidates]
    w = training.frequencies[training.scored_rows]
    best = int(np.argmax([w @ values for values in logs]))
    return Reference(candidates[best].fit(), logs[best])
