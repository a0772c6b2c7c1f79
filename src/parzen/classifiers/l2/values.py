"""How the L2 criterion weighs the classes: v_c, which is (gamma, 1) for two classes.

two classes     gamma = costs[0, 1] pi_0 / (costs[1, 0] pi_1), net of the costs of being right
more            v_c proportional to pi_c times the mean net cost of mistaking class c
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def class_values(priors: Floats, costs: Floats | None) -> Floats:
    """Return v_c relative to the last class of positive weight."""
    v = priors.copy()
    if costs is not None and len(priors) > 1:
        net = costs - np.diag(costs)[:, None]
        v = v * net.sum(axis=1) / (len(priors) - 1)
    if not (v > 0).any():
        return np.ones_like(v)
    return np.asarray(v / v[np.flatnonzero(v > 0)[-1]])
