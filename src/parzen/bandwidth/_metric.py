"""Relative bandwidths of the features, learned by the gradient of the conditional likelihood.

With theta_l = log h_l, and P the leave-one-out posterior of the plug-in rule in the metric theta,

    F(theta) = -(1/N) sum_i w_i log P(y_i | x_i)  +  (ridge / 2N) sum_l (theta_l - mean theta)^2
    dF/dtheta_l = -(1/N) sum_ij w_i (1[y_i = y_j] - P(y_j | x_i)) q_ij  d log k_ij / dtheta_l

where q_ij = k_ij / sum_{j' in class of j} k_ij'. The ridge draws the features towards a common
bandwidth; its strength is the one with the smallest held-out log-loss over folds, infinite (all
features alike) included. L-BFGS, warm-started from strong to weak ridges.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from parzen.bandwidth._metric_loss import MetricLoss
from parzen.bandwidth._path import best_place
from parzen.bandwidth._sample import Floats, Sample

_RIDGES = (16.0, 3.0, 0.5)  # after the infinite one, which needs no search
_FOLDS = 3
_ITERATIONS = 30
_LARGEST = 8.0  # of a log-ratio of bandwidths; beyond it a feature counts for nothing
_MOST_ROWS = 1000  # rows whose posteriors are scored; all points stay centres


def relative_bandwidths(sample: Sample, common: float) -> Floats:
    """One factor per feature, of geometric mean 1, given the best common bandwidth.

    Cost: at most some 400 gradients of min(n, 1000) * n * d operations each, in blocks of rows that
    fit ``working_memory``. More than 1000 rows are judged by a systematic sample.
    """
    ordered = _in_canonical_order(replace(sample, X=sample.X.astype(np.float64) / common))
    with threadpool_limits(1, user_api="blas"):  # the same bits on every machine
        chosen = _choose_ridge(ordered)
        if chosen == 0:
            return np.ones(sample.X.shape[1])
        theta = _ridge_path(ordered, _RIDGES[:chosen])[-1]
    return np.asarray(np.exp(theta - theta.mean()))


def _choose_ridge(sample: Sample) -> int:
    """Place of the best ridge, 0 for the infinite one; ties go to the strongest."""
    fold = np.arange(len(sample)) % _FOLDS
    losses = np.array([_held_out_losses(sample, fold == k) for k in range(_FOLDS)]).sum(axis=0)
    return len(losses) - 1 - best_place(losses[::-1])


def _held_out_losses(sample: Sample, held_out: NDArray[np.bool_]) -> Floats:
    """Log-loss of a fold for every ridge, each metric learned on the other folds."""
    train, test = sample.rows(np.flatnonzero(~held_out)), sample.rows(np.flatnonzero(held_out))
    judge = MetricLoss.held_out(test, train)
    metrics = [np.zeros(sample.X.shape[1]), *_ridge_path(train, _RIDGES)]
    return np.array([judge(theta)[0] * test.frequencies.sum() for theta in metrics])


def _ridge_path(sample: Sample, ridges: tuple[float, ...]) -> list[Floats]:
    """The metric of each ridge, starting each search where the one before ended."""
    rows = _systematic(sample)
    loss = MetricLoss.leave_one_out(sample, rows)
    size = sample.frequencies.sum() * min(1.0, _MOST_ROWS / len(sample))
    theta = np.zeros(sample.X.shape[1])
    path = []
    for ridge in ridges:
        theta = _descend(loss, ridge / size, theta)
        path.append(theta)
    return path


def _descend(loss: MetricLoss, ridge: float, start: Floats) -> Floats:
    def objective(theta: Floats) -> tuple[float, Floats]:
        value, gradient = loss(theta)
        spread = theta - theta.mean()
        return value + 0.5 * ridge * float(spread @ spread), gradient + ridge * spread

    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-_LARGEST, _LARGEST)] * len(start),
        options={"maxiter": _ITERATIONS, "ftol": 1e-6},
    )
    return np.asarray(found.x, np.float64)


def _in_canonical_order(sample: Sample) -> Sample:
    """Rows sorted by class and coordinates, so that their order in the input is nothing."""
    return sample.rows(np.lexsort((*sample.X.T[::-1], sample.y)))


def _systematic(sample: Sample) -> Floats:
    """Weight of each row in the loss: all of them, or an even selection along their order."""
    w = sample.frequencies
    if len(sample) <= _MOST_ROWS:
        return w
    ends = np.cumsum(w)
    draws = np.searchsorted(ends, (np.arange(_MOST_ROWS) + 0.5) * (ends[-1] / _MOST_ROWS))
    counts = np.bincount(np.minimum(draws, len(w) - 1), minlength=len(w))
    return np.asarray(counts * (ends[-1] / _MOST_ROWS))
