"""A stack: calibrated members, mixed log-linearly with weights that are not negative.

    P(c|x) = softmax_c( a_c + sum_m v_m g_c^(m)(x) ),     v_m >= 0,  ridge/2 sum v_m^2

g^(m) are the log-posteriors of member m after calibration: softmax(beta squash_s(lp) + a) with
squash_s(lp) = -s log(1 - lp/s), which keeps very large log-odds small; s in {1, 8, infinity} by the
loss on rows the member has not seen. The best members of each family enter the stack. Last, the
posteriors become (1 - epsilon) P + epsilon / C: the doubt epsilon has the largest likelihood on the
rows that were left out. Rows that are alone in their class cannot be predicted; they count in
epsilon alone.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize

from parzen._core import Bools, Floats, Ints
from parzen.classifiers.stack.training_set import Candidate, MemberRule
from parzen.metric import MOST_OFFSETS, calibrate

_SQUASHES = (1.0, 8.0, np.inf)  # Values of s that are tried; infinity bends nothing.
MIN_LOG_POSTERIOR = -300.0  # Smaller log-posteriors are cut off here.
_MIN_WEIGHT = 1e-3  # Members of a smaller weight are left out of the stack.
_WEIGHT_PER_COST = 0.1  # Weight that a member needs for each unit of its prediction cost.
_OFFSET_RIDGE = 0.01  # Penalty on the squared offsets of the classes.
_DOUBTFUL_ROWS = 0.1  # Unpredictable rows that are added when the doubt is estimated.


@dataclass(frozen=True, eq=False)
class Expert:
    """A calibrated member of a stack.

    Attributes
    ----------
    name : str
        Family and tuning parameter.
    family : str
        The family it comes from.
    bandwidth : float
        Its bandwidth in standardised units; the penalty where the metric or the weights are
        learned, the factor on Silverman's rule for naive Bayes, the regulariser of least squares.
    log_loss : float
        Mean log-loss of rows it has not seen, calibrated.
    squash, slope, offsets : float, float, array of shape (n_classes,)
        The calibration.
    rule : object
        The member itself, fitted to all rows.
    """

    name: str
    family: str
    bandwidth: float
    log_loss: float
    squash: float
    slope: float
    offsets: Floats
    rule: MemberRule = field(repr=False)  # its representation would print the whole sample


class Pool(NamedTuple):
    """Weights of the experts, offsets of the classes, and the doubt epsilon."""

    weights: Floats
    offsets: Floats
    doubt: float
    log_posterior: Floats  # of the scored rows, out of sample
    log_loss: float


def log_posteriors(experts: Sequence[Expert], scores: Floats) -> Floats:
    """Calibrated log-probabilities of the classes from the scores of all members.

    Shapes are (experts, rows, C). One pass serves all members: the prediction of a single row
    would otherwise spend its time on calls.
    """
    slopes = np.array([expert.slope for expert in experts])[:, None, None]
    offsets = np.array([expert.offsets for expert in experts])[:, None]
    bent = squashed(scores, np.array([expert.squash for expert in experts])[:, None, None])
    return log_softmax(slopes * bent + offsets)


def score_slopes(experts: Sequence[Expert], scores: Floats, label: Ints, rival: Ints) -> Floats:
    """Slopes of the calibrated log-odds of two classes in all scores, (experts, rows, C)."""
    slopes, squashes = (
        np.array([getattr(expert, name) for expert in experts])[:, None, None]
        for name in ("slope", "squash")
    )
    log_p = np.maximum(log_softmax(scores), MIN_LOG_POSTERIOR)
    rows, sign = np.arange(scores.shape[1]), np.zeros(scores.shape[1:])
    sign[rows, label] += 1.0
    sign[rows, rival] -= 1.0
    # squash_s has the slope 1 / (1 - lp / s), and log p_c the slope [c = k] - p_k in score k.
    bent = sign / (1.0 - log_p / squashes)
    return np.asarray(slopes * (bent - np.exp(log_p) * bent.sum(axis=-1, keepdims=True)))


def squashed(scores: Floats, s: float | Floats) -> Floats:
    """squash_s of the log-posteriors of the scores."""
    lp = np.maximum(log_softmax(scores), MIN_LOG_POSTERIOR)
    straight = np.isinf(s)
    if np.all(straight):
        return np.asarray(lp)
    finite = np.where(straight, 1.0, s)
    return np.where(straight, lp, -finite * np.log1p(-lp / finite))


def log_softmax(scores: Floats) -> Floats:
    """Scores minus the logarithm of the sum of their exponentials over the last axis."""
    below = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(below - np.log(np.exp(below).sum(axis=-1, keepdims=True)))


class Calibrated(NamedTuple):
    """A candidate with its calibration."""

    candidate: Candidate
    log_loss: float
    squash: float
    slope: float
    offsets: Floats

    def expert(self) -> Expert:
        """Fit the candidate to all rows."""
        family, label, parameter, _, fit = self.candidate
        name = f"{label} {parameter:.3g}"
        return Expert(
            name, family, parameter, self.log_loss, self.squash, self.slope, self.offsets, fit()
        )

    def log_posterior(self) -> Floats:
        """Of the scored rows."""
        F = squashed(self.candidate.scores, self.squash)
        return log_softmax(self.slope * F + self.offsets)


def calibrate_all(candidates: Sequence[Candidate], y: Ints, w: Floats) -> list[Calibrated]:
    """The best calibration of every candidate; rows of weight 0 are not looked at."""
    rows = w > 0
    out = []
    for candidate in candidates:
        F = np.stack([squashed(candidate.scores[rows], s) for s in _SQUASHES])
        fits = calibrate(F, y[rows], w[rows])
        k = int(np.argmin(fits.loss))
        out.append(
            Calibrated(
                candidate, float(fits.loss[k]), _SQUASHES[k], float(fits.slope[k]), fits.offsets[k]
            )
        )
    return out


def best_of_families(
    calibrated: Sequence[Calibrated], count: int, among: Container[str] | None = None
) -> list[Calibrated]:
    """The ``count`` smallest losses of each family, or of those named; the others stay whole."""
    kept = []
    for family in dict.fromkeys(c.candidate.family for c in calibrated):
        own = sorted(
            (c for c in calibrated if c.candidate.family == family), key=lambda c: c.log_loss
        )
        kept += own[:count] if among is None or family in among else own
    return kept


def worth_their_time(
    members: Sequence[Calibrated], pool: Pool, costs: Mapping[str, float]
) -> list[Calibrated]:
    """Members whose weight is at least 0.1 for each unit of cost; the heaviest in any case."""
    least = [_WEIGHT_PER_COST * costs.get(c.candidate.family, 0.0) for c in members]
    kept = (pool.weights > 0) & (pool.weights >= least)
    kept[np.argmax(pool.weights)] = True
    return [c for c, keep in zip(members, kept, strict=True) if keep]


def fit_pool(G: Floats, y: Ints, w: Floats, known: Bools, ridge: float) -> Pool:
    """Mix log-posteriors G of shape (members, rows, C).

    A row that is not ``known`` is alone in its class.
    """
    M, n, C = G.shape
    frequencies, w = w, np.where(known, w, 0.0)
    features = np.ascontiguousarray(np.moveaxis(G, 0, 2))  # (n, C, M)
    rows, Y = np.arange(n), np.zeros((n, C))
    Y[rows, y] = 1.0
    total = max(float(w.sum()), 1e-300)
    # With very many classes the offsets stay 0.
    free = (None, None) if C <= MOST_OFFSETS else (0.0, 0.0)

    def objective(theta: Floats) -> tuple[float, Floats]:
        v, a = theta[:M], theta[M:]
        log_p = log_softmax(features @ v + a)
        residuals = (np.exp(log_p) - Y) * w[:, None]
        value = -w @ log_p[rows, y] + 0.5 * ridge * v @ v + 0.5 * _OFFSET_RIDGE * a @ a
        slope = np.tensordot(residuals, features, ([0, 1], [0, 1])) + ridge * v
        return float(value / total), np.r_[slope, residuals.sum(axis=0) + _OFFSET_RIDGE * a] / total

    found = minimize(
        objective,
        np.r_[np.full(M, 1.0 / M), np.zeros(C)],
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * M + [free] * C,
        options={"maxiter": 300, "ftol": 1e-10, "gtol": 1e-7},
    )
    v = np.where(found.x[:M] < _MIN_WEIGHT, 0.0, found.x[:M])
    a = found.x[M:]
    log_p = log_softmax(features @ v + a)
    doubt = _fit_doubt(np.where(known, np.exp(log_p[rows, y]), 0.0), frequencies, C)
    log_p = doubted(log_p, doubt)
    return Pool(v, a, doubt, log_p, float(-(w @ log_p[rows, y]) / total))


def gains(G: Floats, pool: Pool, y: Ints, w: Floats, known: Bools) -> Floats:
    """What the mean log-loss grows by without each member, the weights of the others unchanged."""
    rows, w = np.arange(len(y)), np.where(known, w, 0.0)
    logits = np.tensordot(pool.weights, G, 1) + pool.offsets

    def loss(values: Floats) -> float:
        return float(-(w @ doubted(log_softmax(values), pool.doubt)[rows, y]) / w.sum())

    without = [loss(logits - v * g) for v, g in zip(pool.weights, G, strict=True)]
    return np.array(without) - loss(logits)


def doubted(log_posterior: Floats, doubt: float) -> Floats:
    """Log of (1 - doubt) P + doubt / C."""
    if doubt == 0:
        return log_posterior
    floor = np.log(doubt) - np.log(log_posterior.shape[-1])
    return np.asarray(np.logaddexp(log_posterior + np.log1p(-doubt), floor))


def _fit_doubt(own: Floats, w: Floats, n_classes: int) -> float:
    """The share of largest likelihood, given the probabilities of the true classes.

    A tenth of a row that was impossible to predict is added, so that the share is never zero.
    """
    p, w = np.append(own, 0.0), np.append(w, _DOUBTFUL_ROWS)
    gain = 1.0 / n_classes - p
    # The log-likelihood is concave in the share, so that its slope has one zero at most.

    def slope(epsilon: float) -> float:
        return float(w @ (gain / (p + epsilon * gain)))

    low, high = 1e-12, 0.5
    if n_classes < 2 or slope(low) <= 0:
        return 0.0
    return high if slope(high) >= 0 else float(brentq(slope, low, high, xtol=1e-14))
