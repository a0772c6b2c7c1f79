"""Probabilities from scores that are no densities: p_c proportional to gamma_c^a, with one a > 0.

The exponent minimises the log-loss of left-out scores, with a target of 0.997 for the true class in
place of 1, so that it stays finite where the classes are separable. As a is positive, the most
probable class is the one of the largest score. Other priors than the observed shares multiply p_c
by their ratio to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import brentq

from parzen._core import Array, Bools, Floats, Ints
from parzen.classifiers.base.decision import Decision

_TARGET_OF_OTHERS = 0.003  # Probability that the targets give to all classes but the true one.
_ROUNDING = 1e-12  # Spread of scores, relative to the largest, up to which they count as equal.
_EXPONENT_RANGE = (1e-4, 1e4)  # Range of the search, in units of one over the scores' spread.


@dataclass(frozen=True, eq=False, kw_only=True)
class TemperedDecision(Decision):
    """Decide by gamma_c^exponent, times the ratio of the priors to the observed shares.

    Attributes
    ----------
    log_shares : array of shape (n_classes,)
        Logarithms of the classes' shares of the training sample.
    exponent : float
        The a of gamma_c^a.
    """

    log_shares: Floats
    exponent: float

    def joint_with(self, log_densities: Array, log_priors: Floats) -> Floats:
        """Log of gamma_c^a times the ratio of the priors; ``log_densities`` are log gamma_c."""
        tempered = self.exponent * np.asarray(log_densities, dtype=np.float64)
        # The difference first: it is exactly zero for the observed shares, so that ties stay ties.
        return np.asarray(tempered + self._log_ratios(log_priors))

    def exponent_and_shift(self) -> tuple[float, Floats]:
        """Return a and b_c of the joint a log gamma_c + b_c."""
        return self.exponent, self._log_ratios(self.log_priors)

    def _log_ratios(self, log_priors: Floats) -> Floats:
        """Logs of the priors over the shares; 0 where both are equal, even if they underflow."""
        with np.errstate(invalid="ignore"):
            ratios = log_priors - self.log_shares
        return np.where(log_priors == self.log_shares, 0.0, ratios)

    def scores(self, log_densities: Array) -> Floats:
        """In units of log gamma: the two classes' difference, or one column per class."""
        scores = super().scores(log_densities)
        # Where no kernel reaches, the scores are log-priors, which have no exponent.
        nowhere = np.isneginf(log_densities).all(axis=1)
        divisor = np.where(nowhere, 1.0, self.exponent)
        return np.asarray(scores / (divisor if scores.ndim == 1 else divisor[:, None]))


@dataclass(frozen=True, eq=False, kw_only=True)
class OffsetDecision(Decision):
    """Decide by pi_c exp(offset_c) f_c^exponent; the mixture stays that of the densities."""

    exponent: float
    offsets: Floats

    @classmethod
    def of(cls, plain: Decision, exponent: float, offsets: Floats) -> Self:
        """The priors, costs and thresholds of another decision."""
        return cls(**vars(plain), exponent=exponent, offsets=offsets)

    def joint_with(self, log_densities: Array, log_priors: Floats) -> Floats:
        """Log of pi_c exp(offset_c) f_c^a."""
        tempered = self.exponent * np.asarray(log_densities, dtype=np.float64)
        return np.asarray(tempered + self.offsets + log_priors)

    def exponent_and_shift(self) -> tuple[float, Floats]:
        """Return a and b_c of the joint a log f_c + b_c."""
        return self.exponent, np.asarray(self.offsets + self.log_priors)

    def log_mixture(self, log_densities: Array) -> Floats:
        """Log-density of the mixture, which has no exponent."""
        plain = np.asarray(log_densities, dtype=np.float64) + self.log_priors
        return np.asarray(np.logaddexp.reduce(plain, axis=1))


def tempering_exponent(log_scores: Array, codes: Ints, weights: Floats | None = None) -> float:
    """The exponent of least log-loss of left-out log-scores, shape (n, C); 1 without such rows.

    Rows whose own class has no score (a class of one sample) are left out. Scores that differ by
    less than 1e-12 of the largest are equal, and the exponent is 1.

    Examples
    --------
    >>> scores = np.array([[4.0, 0.0], [0.0, 4.0], [4.0, 0.0], [0.0, 4.0]])
    >>> tempering_exponent(scores, np.array([0, 1, 0, 0])) < 1 < tempering_exponent(
    ...     scores / 40, np.array([0, 1, 0, 1]))
    True
    """
    scores = np.asarray(log_scores, dtype=np.float64)
    has_own_score = np.isfinite(scores[np.arange(len(codes)), codes])
    if not has_own_score.any() or scores.shape[1] < 2:
        return 1.0
    scores, codes = scores[has_own_score], codes[has_own_score]
    w = np.ones(len(codes)) if weights is None else weights[has_own_score]
    present = np.isfinite(scores)
    own = scores[np.arange(len(codes)), codes]
    targets = _targets(codes, present)
    relative = np.where(present, scores - own[:, None], 0.0)
    below_largest = np.where(present, relative - relative.max(axis=1, keepdims=True), -np.inf)
    gain = np.sum(targets * relative, axis=1)

    def slope(log_a: float) -> float:
        """Derivative of the log-loss, which is convex in a."""
        odds = np.exp(np.exp(log_a) * below_largest)
        mean = np.einsum("ic,ic->i", odds, relative) / odds.sum(axis=1)
        return float(w @ (mean - gain))

    # Wide bandwidths make all scores nearly equal: the range follows their spread.
    spread = float(np.sqrt(w @ relative**2 / w.sum()).max())
    size = 1.0 + float(np.abs(scores[present]).max())
    if spread <= _ROUNDING * size or not np.isfinite(spread):
        return 1.0
    low, high = np.log(_EXPONENT_RANGE) - np.log(spread)
    if slope(low) >= 0:
        return float(np.exp(low))
    if slope(high) <= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(slope, low, high, xtol=1e-14, rtol=1e-14)))


def _targets(codes: Ints, present: Bools) -> Floats:
    """Targets of the other classes that have a score, equal among them; 0 for the true class."""
    others = present.copy()
    others[np.arange(len(codes)), codes] = False
    return np.asarray(others * (_TARGET_OF_OTHERS / np.maximum(others.sum(axis=1), 1))[:, None])
