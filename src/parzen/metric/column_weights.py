"""Relevance of the features, learned by the gradient of the conditional likelihood.

    minimise  N F(omega, s, b, tau) + ridge/2 [ sum_l (log omega_l - mean)^2 + sum_c s_c^2 ]
              + 0.05 |b|^2 + (log tau)^2 / 2

with F of `MetricLoss`. The temperature tau is learned with the weights: without it the bandwidth
would have to calibrate the posteriors as well. Ridges run from strong to weak, each search starting
where the one before ended (L-BFGS). The plug-in rule's relative bandwidths are the same with s = b
= log tau = 0; their ridge is the one of least held-out loss over folds, the infinite one included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.optimize import minimize

from parzen._core import Floats, effective_threads, look_up, run_tasks
from parzen.metric.loss import Metric, MetricLoss
from parzen.samples import KernelSample, best_place

RIDGES = (16.0, 3.0, 0.5)  # The finite ridges; an infinite one leaves all weights equal.
MOST_ROWS = 1000  # Rows whose posteriors enter the loss; all points stay centres.

_N_FOLDS = 3  # Folds on which the ridges are compared.
_MAX_ITERATIONS = 30  # Iterations of L-BFGS for one ridge.
_MAX_LOG_WEIGHT = 16.0  # Bound on |log omega|: beyond it a feature has no influence, or all of it.
_OFFSET_RIDGE = 0.1  # The penalty is half of this times |b|^2.
_TEMPERATURE_RIDGE = 1.0  # The penalty is half of this times (log tau)^2.


def relative_bandwidths(sample: KernelSample, common: float) -> Floats:
    """One factor per feature, of geometric mean 1, given the best common bandwidth.

    Cost: at most some 400 gradients of min(n, 1000) * n * d operations each. Of more than
    1000 rows a systematic sample enters the loss.
    """
    ordered = _in_canonical_order(replace(sample, X=sample.X.astype(np.float64) / common))
    chosen = best_place(held_out_losses(ordered, _N_FOLDS, _plain_path), "smallest")
    if chosen == 0:
        return np.ones(sample.X.shape[1])
    log_weights = _plain_path(ordered, RIDGES[:chosen])[-1].log_weights
    power = -1.0 if sample.kernel.measure == "l1" else -0.5
    return np.asarray(np.exp(power * (log_weights - log_weights.mean())))


def ridge_path(
    loss: MetricLoss,
    start: Metric,
    ridges: tuple[float, ...],
    *,
    size: float,
    plain: bool = False,
    tolerance: float = 1e-6,
) -> list[Metric]:
    """The metric of each ridge, starting each search where the one before ended.

    ``size`` is the N that the mean loss stands for; ``plain`` learns the weights omega only.
    """
    path, metric = [], start
    for ridge in ridges:
        metric = _descend(loss, ridge, metric, size, plain, tolerance)
        path.append(metric)
    return path


def systematic_rows(sample: KernelSample, most: int) -> Floats:
    """Weight of each row in the loss: its frequency, or 0 for rows that are not drawn.

    Of more than ``most`` rows, ``most`` are drawn at equal steps of the cumulated frequencies.
    """
    w = sample.frequencies
    if len(sample) <= most:
        return w
    ends = np.cumsum(w)
    draws = np.searchsorted(ends, (np.arange(most) + 0.5) * (ends[-1] / most))
    counts = np.bincount(np.minimum(draws, len(w) - 1), minlength=len(w))
    return np.asarray(counts * (ends[-1] / most))


def held_out_losses(
    sample: KernelSample, folds: int, path_of: Callable[[KernelSample], list[Metric]]
) -> Floats:
    """Log-loss of every metric of a path, learned on the other folds, summed over the rows."""
    fold = np.arange(len(sample)) % folds

    def of_fold(k: int) -> Floats:
        train, test = (sample.rows(np.flatnonzero(part)) for part in (fold != k, fold == k))
        loss = MetricLoss.held_out(test, train)
        if len(loss.y) == 0:
            return np.zeros(1 + len(RIDGES))
        mass = test.frequencies.sum()
        return np.array([loss(metric)[0] * mass for metric in path_of(train)])

    tasks = [partial(of_fold, k) for k in range(folds)]
    return np.asarray(np.sum(run_tasks(tasks, effective_threads(sample.n_jobs)), axis=0))


def _plain_path(sample: KernelSample, ridges: tuple[float, ...] = RIDGES) -> list[Metric]:
    """Equal weights, standing for an infinite ridge, and the metrics of the ridges after it."""
    loss = MetricLoss.leave_one_out(sample, systematic_rows(sample, MOST_ROWS))
    start = Metric.plain(np.zeros(sample.X.shape[1]), loss.n_classes)
    size = sample.frequencies.sum() * min(1.0, MOST_ROWS / len(sample))
    return [start, *ridge_path(loss, start, ridges, size=size, plain=True)]


def _descend(
    loss: MetricLoss, ridge: float, start: Metric, size: float, plain: bool, tolerance: float
) -> Metric:
    d = len(start.log_weights)
    C = len(start.offsets)
    strengths = np.concatenate(
        [np.full(d + C, ridge), np.full(C, _OFFSET_RIDGE), [_TEMPERATURE_RIDGE]]
    ) / size  # fmt: skip

    def objective(flat: Floats) -> tuple[float, Floats]:
        look_up()
        value, slopes = loss(Metric.of(flat, d))
        deviation = flat.copy()
        deviation[:d] -= flat[:d].mean()
        gradient = slopes.flat() + strengths * deviation
        if plain:
            gradient[d:] = 0.0
        return value + 0.5 * float(strengths @ deviation**2), gradient

    found = minimize(
        objective,
        start.flat(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-_MAX_LOG_WEIGHT, _MAX_LOG_WEIGHT)] * (d + 2 * C + 1),
        options={"maxiter": _MAX_ITERATIONS, "ftol": tolerance},
    )
    return Metric.of(np.asarray(found.x, np.float64), d)


def _in_canonical_order(sample: KernelSample) -> KernelSample:
    """Rows sorted by class and coordinates, so that their order in the input has no effect."""
    return sample.rows(np.lexsort((*sample.X.T[::-1], sample.codes)))
