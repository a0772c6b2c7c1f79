"""What a wrong decision costs: the error of the plug-in rule, or minus the log posterior.

    error   [argmax_c pi_c f_c(x_i) != y_i]              the notes' error estimates
    log     -log( pi_y f_y(x_i) / sum_c pi_c f_c(x_i) )  conditional likelihood

Where every density is zero (compact kernels) the priors decide: the majority class. Ties go to the
first class. A row whose class is empty without it cannot be predicted as its class: an error, but
no log-loss, since no bandwidth could help it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from parzen._core import Floats
from parzen.samples import HeldOutSums, first_largest, log, log_add, log_sum, rounding


class Loss(Protocol):
    """A loss of the plug-in rule, summed over some rows at every bandwidth."""

    def common(self, rows: HeldOutSums) -> Floats:
        """Share-weighted loss with one bandwidth for all classes: (bandwidths,)."""

    def by_class(self, rows: HeldOutSums, current: Floats, c: int) -> Floats:
        """The same when only class c moves, the others' ``log_joint`` being ``current``."""


class ErrorLoss:
    """Misclassified share of the rows."""

    def common(self, rows: HeldOutSums) -> Floats:
        joint = rows.log_joint()
        chosen = first_largest(joint)
        empty = np.isneginf(joint.max(axis=1))
        if empty.any():
            chosen = np.where(empty, rows.prior_mass().argmax(axis=1)[:, None], chosen)
        return np.asarray(rows.share @ (chosen != rows.codes[:, None]))

    def by_class(self, rows: HeldOutSums, current: Floats, c: int) -> Floats:
        # Class c is chosen where it exceeds the best of the other classes, which does not move;
        # a tie up to rounding goes to the class that comes first.
        moving = rows.log_joint()[:, c]
        others = current.copy()
        others[:, c] = -np.inf
        runner_up = first_largest(others)
        runner_up_joint = others[np.arange(len(others)), runner_up]
        empty = np.isneginf(runner_up_joint)
        runner_up[empty] = rows.prior_mass().argmax(axis=1)[empty]
        threshold, slack = (
            runner_up_joint[:, None],
            np.where(empty, 0.0, rounding(runner_up_joint))[:, None],
        )
        wins = moving > threshold + slack
        wins |= (moving >= threshold - slack) & ~empty[:, None] & (c < runner_up)[:, None]
        wrong = np.where(wins, (rows.codes != c)[:, None], (runner_up != rows.codes)[:, None])
        return np.asarray(rows.share @ wrong)


class LogLoss:
    """Minus the mean log posterior of the true class."""

    def common(self, rows: HeldOutSums) -> Floats:
        joint = rows.log_joint()
        own = joint[np.arange(len(joint)), rows.codes]
        return self._total(rows, log_sum(joint, axis=1), own)

    def by_class(self, rows: HeldOutSums, current: Floats, c: int) -> Floats:
        moving = rows.log_joint()[:, c]
        total = log_add(log_sum(np.delete(current, c, axis=1), axis=1)[:, None], moving)
        fixed = current[np.arange(len(current)), rows.codes][:, None]
        return self._total(rows, total, np.where((rows.codes == c)[:, None], moving, fixed))

    def _total(self, rows: HeldOutSums, total: Floats, own: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            loss = total - own
        empty = np.isneginf(total)
        if empty.any():
            mass = rows.prior_mass()
            prior = log(mass[np.arange(len(mass)), rows.codes]) - log(mass.sum(axis=1))
            loss = np.where(empty, -prior[:, None], loss)
        known = rows.is_known()
        return np.asarray(rows.share @ loss if known.all() else rows.share[known] @ loss[known])


def own_log_losses(table: Iterable[HeldOutSums], n_classes: int, n_bandwidths: int) -> Floats:
    """What the rows of each class add to the mean of -log f_y(x_i), (classes, bandwidths).

    A row whose class is empty without it carries no loss.
    """
    total, mass = np.zeros((n_classes, n_bandwidths)), 0.0
    for part in table:
        mass += float(part.share.sum())
        known = part.is_known()
        own = np.flatnonzero(known), part.codes[known]
        logs = part.log_sums[own] - log(part.counts[own])[:, None]
        np.add.at(total, part.codes[known], -part.share[known][:, None] * logs)
    return total / mass
