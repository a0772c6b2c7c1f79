"""From class densities to decisions: priors, costs, and the two ways to reject.

    p_c = pi_c f_c(x) / sum_j pi_j f_j(x),      decide  argmin_k sum_j costs[j, k] p_j.

Everything is computed from log f_c, with the largest term of a row factored out. Where every
density is zero (compact kernels off their support) the priors decide. Chow (1970): reject when the
smallest expected cost exceeds a threshold. A point is novel when the mixture density is smaller
than at all but a given share of the training points, each left out of the estimate in its turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from parzen._core import Array, Bools, Floats, Ints
from parzen.samples import with_ties
from parzen.sums import AMBIGUOUS, NOVEL

# Log of the smallest normal number; smaller log-probabilities are raised to it.
_LOG_TINY = float(np.log(np.finfo(np.float64).tiny))


@dataclass(frozen=True, eq=False)
class Decision:
    """How to decide, given log-densities.

    Attributes
    ----------
    log_priors : array of shape (n_classes,)
        Logarithms of the prior probabilities.
    costs : array of shape (n_classes, n_classes) or None
        costs[true, predicted]; None counts errors.
    reject : float or None
        Largest acceptable expected cost.
    novelty_threshold : float or None
        Smallest acceptable log-density of the mixture.
    """

    log_priors: Floats
    costs: Floats | None = None
    reject: float | None = None
    novelty_threshold: float | None = None

    def joint(self, log_densities: Array) -> Floats:
        """Return log pi_c f_c(x); entries that equal the largest up to rounding are set to it."""
        return self.joint_with(log_densities, self.log_priors)

    def joint_with(self, log_densities: Array, log_priors: Floats) -> Floats:
        """The same with other priors, one row of them or one per point."""
        return with_ties(np.asarray(log_densities, dtype=np.float64) + log_priors)

    def exponent_and_shift(self) -> tuple[float, Floats]:
        """Return a and b_c of the joint a log f_c + b_c."""
        return 1.0, self.log_priors

    def log_posterior(self, log_densities: Array) -> Floats:
        """Log-probabilities of the classes."""
        return log_normalised(self.joint(log_densities), self.log_priors)

    def posterior(self, log_densities: Array) -> Floats:
        """Probabilities of the classes."""
        return probabilities(self.log_posterior(log_densities))

    def log_mixture(self, log_densities: Array) -> Floats:
        """Log-density of the mixture of the classes."""
        joint = self.joint(log_densities)
        return np.asarray(np.logaddexp.reduce(joint, axis=1))

    def expected_costs(self, posterior: Floats) -> Floats:
        """Expected cost of each decision."""
        return 1.0 - posterior if self.costs is None else posterior @ self.costs

    def choose(self, posterior: Floats) -> Ints:
        """The cheapest decision, the first of several."""
        if self.costs is None:
            return np.asarray(posterior.argmax(axis=1))
        return np.asarray(self.expected_costs(posterior).argmin(axis=1))

    def ambiguous(self, posterior: Floats) -> Bools:
        """Rows whose cheapest decision is too expensive."""
        if self.reject is None:
            return np.zeros(len(posterior), dtype=bool)
        return np.asarray(self.expected_costs(posterior).min(axis=1) > self.reject)

    def novel(self, log_densities: Array) -> Bools:
        """Rows whose mixture density is below the threshold."""
        if self.novelty_threshold is None:
            return np.zeros(len(log_densities), dtype=bool)
        return np.asarray(self.log_mixture(log_densities) < self.novelty_threshold)

    def codes(self, log_densities: Array) -> NDArray[np.int32]:
        """The class of each row, or `AMBIGUOUS` or `NOVEL`."""
        posterior = self.posterior(log_densities)
        codes = self.choose(posterior).astype(np.int32)
        codes[self.ambiguous(posterior)] = AMBIGUOUS
        codes[self.novel(log_densities)] = NOVEL
        return codes

    def scores(self, log_densities: Array) -> Floats:
        """Two classes: the log-ratio, positive for the second; otherwise log pi_c f_c."""
        joint = self.joint(log_densities)
        if joint.shape[1] != 2:
            return joint
        nowhere = np.isneginf(joint).all(axis=1)
        joint[nowhere] = self.log_priors
        with np.errstate(invalid="ignore"):
            ratio = joint[:, 1] - joint[:, 0]
        if self.costs is not None:
            return _ratio_with_costs(ratio, self.costs)
        ratio[expit(ratio) == 0.5] = 0.0  # a tie of the probabilities is a tie here
        return np.asarray(ratio)


def log_normalised(joint: Floats, log_priors: Floats) -> Floats:
    """Log-posteriors from log pi_c f_c; rows without any density get the priors."""
    largest = joint.max(axis=1, keepdims=True, initial=-np.inf)
    nowhere = np.isneginf(largest)[:, 0]
    if nowhere.any():
        joint = with_ties(np.where(nowhere[:, None], log_priors, joint))
        largest = joint.max(axis=1, keepdims=True, initial=-np.inf)
    shifted = joint - largest
    total: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return total


def probabilities(log_posterior: Floats) -> Floats:
    """Exponentials; a class of positive density keeps a positive probability."""
    raised = np.maximum(log_posterior, _LOG_TINY)
    return np.exp(np.where(np.isneginf(log_posterior), -np.inf, raised))


def _ratio_with_costs(ratio: Floats, costs: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        net = np.log([costs[0, 1] - costs[0, 0], costs[1, 0] - costs[1, 1]])
        shifted = ratio + net[1] - net[0]
    return np.where(np.isnan(shifted), 0.0, shifted)


def novelty_threshold(log_mixture: Floats, weights: Floats | None, false_alarms: float) -> float:
    """The log-density below which at most a share of ``false_alarms`` of the weight lies."""
    order = np.argsort(log_mixture, kind="stable")
    w = np.ones(len(order)) if weights is None else weights[order]
    below = np.cumsum(w) - w
    index = int(np.searchsorted(below / w.sum(), false_alarms, side="right")) - 1
    return float(log_mixture[order[max(index, 0)]])
