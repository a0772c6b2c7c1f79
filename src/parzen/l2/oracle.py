"""The oracle inequality's epsilon: Kim & Scott (2010), Theorem 1 and Corollary 1.

    delta = 2n sum_c exp(-(n_c - 1) z),   z = 2 eps^2 / ((1 + gamma)^4 k(0)^2)

solved for eps. For the Gaussian k(0) = (sqrt(2 pi) s)^-d, as printed; for any other bounded kernel
the proof is the same. With one class gamma is 0.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from parzen._core import Floats


def refuse_other_criteria(eta: float, linear_term: str) -> None:
    """The theorem bounds the leave-one-out estimate of the error itself."""
    if eta != 1.0:
        raise ValueError(
            f"oracle_bound: the theorem is about eta = 1, the integrated squared error itself, "
            f"not eta = {eta:.4g}; fit with eta=1."
        )
    if linear_term != "loo":
        raise ValueError(
            "oracle_bound: the theorem is about the leave-one-out linear term; fit with "
            "linear_term='loo'."
        )


def oracle_epsilon(delta: float, counts: Floats, gamma: float, log_peak: float) -> float:
    """The epsilon for a probability of failure of at most ``delta``; infinite for single points."""
    if isinstance(delta, bool) or not isinstance(delta, Real):
        raise TypeError(f"delta must be a probability between 0 and 1, got {delta!r}.")
    if not 0 < float(delta) < 1:
        raise ValueError(f"delta={delta!r} must be a probability between 0 and 1.")
    others = counts - 1.0
    if (others <= 0).any():
        return float("inf")
    log_size = float(np.log(2.0 * counts.sum()))

    def excess(log_z: float) -> float:
        return float(log_size + logsumexp(-others * np.exp(log_z)) - np.log(delta))

    log_z = brentq(excess, -60.0, 60.0, xtol=1e-12)
    with np.errstate(over="ignore"):
        return float(np.exp(0.5 * (log_z - np.log(2.0)) + 2.0 * np.log1p(gamma) + log_peak))
