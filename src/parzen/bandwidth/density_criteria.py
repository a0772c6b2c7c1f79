"""Selectors that score the density estimates; a score is a sum over the classes.

    likelihood  -(1/N) sum_i log f^{-i}(x_i)

With labels, the classes' scores are added up, or minimised one by one with ``per="class"``.
Frequencies count as copies.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parzen._core import Floats, steps
from parzen.bandwidth.search import Path, signed_path
from parzen.bandwidth.selector import GridSelector
from parzen.samples import (
    KernelSample,
    feature_scales,
    leave_one_out_sums,
    log,
    log_add,
    log_copies,
    signed_sum,
)
from parzen.sums import has_missing, kernel_sums


@dataclass(frozen=True)
class DensitySelector(GridSelector):
    """A selector that scores each class's density by itself.

    Per feature, the bandwidths are in proportion to the columns' standard deviations.
    """

    @abstractmethod
    def _terms(self, sample: KernelSample, grid: Floats) -> tuple[Floats, Floats]:
        """Scores of every class, shape (classes, bandwidths), as sign and logarithm."""

    def _relative(self, sample: KernelSample) -> Floats:
        scales = feature_scales(sample.X, sample.weights)
        return np.asarray(np.exp(np.log(scales) - np.log(scales).mean()))

    def _path(self, sample: KernelSample, grid: Floats) -> Path:
        signs, logs = self._terms(sample, grid)
        common = signed_path(*signed_sum(signs, logs))
        if self.per != "class":
            return common
        has_pairs = [
            (part.same_class_weight_without_self() > 0).any() for part in sample.by_class()
        ]
        parts = [signed_path(*row) for row in zip(signs, logs, strict=True)]
        # A class without pairs of rows has no score of its own, and takes the common bandwidth.
        places = [path.places if own else common.places for path, own in zip(parts, has_pairs)]
        units = np.array([[path.log_unit] for path in parts])
        return Path(
            np.array(places),
            float(sum(path.score * np.exp(path.log_unit) for path in parts)),
            np.array([path.scores for path in parts]),
            units if units.any() else 0.0,
        )


@dataclass(frozen=True)
class Likelihood(DensitySelector):
    """Leave-one-out log-likelihood of each point under its own class, its negative mean minimised.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Sensitive to outliers, and unbounded when points coincide: then the bandwidth ends at the
    lower edge of its grid, with a warning. A point that is alone in its class carries no loss.
    """

    name: ClassVar[str] = "likelihood"
    criterion: ClassVar[str] = "negative mean leave-one-out log-likelihood"

    def _terms(self, sample: KernelSample, grid: Floats) -> tuple[Floats, Floats]:
        total = sample.frequencies.sum()
        scores = np.array([_log_loss(part, grid) / total for part in each_class(sample)])
        return np.sign(scores), log(np.abs(scores))


def each_class(sample: KernelSample) -> Iterator[KernelSample]:
    """The classes; progress is reported in proportion to their pairs of rows."""
    parts = list(sample.by_class())
    return steps(parts, [float(len(part)) ** 2 for part in parts])


def _log_loss(part: KernelSample, grid: Floats) -> Floats:
    logs = loo_log_densities(part, grid)
    not_alone = part.same_class_weight_without_self() > 0
    return np.asarray(-(part.frequencies[not_alone] @ logs[not_alone]))


def loo_log_densities(part: KernelSample, grid: Floats) -> Floats:
    """Log f^{-i}(x_i) of one class, shape (rows, bandwidths); -inf for a point that is alone."""
    if len(part) == 0:
        return np.empty((0, len(grid)))
    if has_missing(part.X):
        own = next(leave_one_out_sums(part, grid))
        return np.asarray(own.log_sums[:, 0] - log(np.maximum(own.counts, 1e-300)))
    sums = kernel_sums(
        part.X,
        part.X,
        part.weights,
        kernel=part.kernel,
        bandwidths=grid,
        exclude_self=True,
        log=True,
        n_jobs=part.n_jobs,
    )[:, 0].astype(np.float64, copy=False)
    if part.weights is not None:
        sums = log_add(sums, log_copies(part, grid))
    weight_of_others = part.same_class_weight_without_self()[:, None]
    return np.where(
        weight_of_others > 0,
        sums - log(np.where(weight_of_others > 0, weight_of_others, 1.0)),
        -np.inf,
    )
