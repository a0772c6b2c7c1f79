"""How the L2 criterion weighs the classes: v_c, which is (gamma, 1) for two classes.

two classes     gamma = costs[0, 1] pi_0 / (costs[1, 0] pi_1), net of the costs of being right
more            v_c proportional to pi_c times the mean net cost of mistaking class c
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parzen._core import Array, Floats
from parzen.classifiers.base import Decision, PriorsAndCosts, resolve_costs, resolve_priors


class ClassValues(NamedTuple):
    """Priors and costs of a training set, and the values v_c of its classes in the criterion."""

    priors: Floats
    observed: bool  # whether the priors are the shares of the sample
    costs: Floats | None

    @classmethod
    def of(cls, parameters: PriorsAndCosts, classes: Array, counts: Floats) -> ClassValues:
        """Those of a training set whose classes have these counts."""
        priors, observed = resolve_priors(parameters, classes, counts)
        return cls(priors, observed, resolve_costs(parameters.costs, len(classes)))

    @property
    def values(self) -> Floats:
        """v_c relative to the last class of positive weight."""
        v, n_classes = self.priors.copy(), len(self.priors)
        if self.costs is not None and n_classes > 1:
            net = self.costs - np.diag(self.costs)[:, None]
            v = v * net.sum(axis=1) / (n_classes - 1)
        if not (v > 0).any():
            return np.ones_like(v)
        return np.asarray(v / v[np.flatnonzero(v > 0)[-1]])

    @property
    def gamma(self) -> float | None:
        """v_0 / v_1, infinite where v_1 is 0; None unless there are two classes."""
        v = self.values
        if len(v) != 2:
            return None
        return float(v[0] / v[1]) if v[1] > 0 else np.inf

    @property
    def decision(self) -> Decision:
        """The decision by densities."""
        with np.errstate(divide="ignore"):
            return Decision(np.log(self.priors), self.costs)
