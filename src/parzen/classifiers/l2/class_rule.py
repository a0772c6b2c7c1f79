"""How the L2 criterion weighs the classes: v_c, which is (gamma, 1) for two classes.

two classes     gamma = costs[0, 1] pi_0 / (costs[1, 0] pi_1), net of the costs of being right
more            v_c proportional to pi_c times the mean net cost of mistaking class c
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Array, Floats
from parzen.classifiers.base import Decision, resolve_costs, resolve_priors


@dataclass(frozen=True, eq=False)
class ClassRule:
    """The parameters of an estimator that say how much each class and each error weighs."""

    priors: Any
    class_weight: Any
    gamma: float | None
    costs: Any

    def at(self, classes: Array, counts: Floats) -> ClassValues:
        """The priors and costs of a training set whose classes have these counts."""
        priors, observed = resolve_priors(self, classes, counts)
        return ClassValues(priors, observed, resolve_costs(self.costs, len(classes)))


class ClassValues(NamedTuple):
    """Priors and costs of a training set, and the values v_c of its classes in the criterion."""

    priors: Floats
    observed: bool  # whether the priors are the shares of the sample
    costs: Floats | None

    @property
    def values(self) -> Floats:
        """v_c relative to the last class of positive weight."""
        return class_values(self.priors, self.costs)

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


def class_values(priors: Floats, costs: Floats | None) -> Floats:
    """Return v_c relative to the last class of positive weight."""
    v = priors.copy()
    if costs is not None and len(priors) > 1:
        net = costs - np.diag(costs)[:, None]
        v = v * net.sum(axis=1) / (len(priors) - 1)
    if not (v > 0).any():
        return np.ones_like(v)
    return np.asarray(v / v[np.flatnonzero(v > 0)[-1]])
