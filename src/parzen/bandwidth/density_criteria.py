"""Selectors that score the density estimates; a score is a sum over the classes.

    likelihood  -(1/N) sum_i log f^{-i}(x_i)

With labels, the classes' scores are added up, or minimised one by one with ``per="class"``.
Frequencies count as copies.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from parzen._core import Floats, Ints, steps
from parzen.bandwidth.search import Path, signed_path
from parzen.bandwidth.selector import GridSelector
from parzen.bandwidth.thinned import ThinnedSelector
from parzen.samples import (
    KernelSample,
    Thinning,
    feature_scales,
    leave_one_out_sums,
    log,
    log_add,
    log_copies,
    signed_sum,
)
from parzen.sums import has_missing, kernel_sums

# From a sample and a grid to the scores of every class, as signs and logarithms.
Terms = Callable[[KernelSample, Floats], tuple[Floats, Floats]]


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

    def _scorer(self, sample: KernelSample) -> Callable[[Floats], Path]:
        return partial(self._path, self._terms, sample)

    def _path(self, terms: Terms, sample: KernelSample, grid: Floats) -> Path:
        signs, logs = terms(sample, grid)
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
class ThinnedDensitySelector(ThinnedSelector, DensitySelector):
    """A selector that scores each class's density by itself, on some of many rows.

    With ``per="class"`` it scores all rows: each class is decided by its own rows, however few.
    """

    @abstractmethod
    def _terms(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> tuple[Floats, Floats]: ...

    def _scorer_of_part(
        self, sample: KernelSample, thinning: Thinning | None
    ) -> Callable[[Floats], Path]:
        return partial(self._path, partial(self._terms, thinning=thinning), sample)

    def _thinning(self, sample: KernelSample) -> Thinning | None:
        return None if self.per == "class" else super()._thinning(sample)


@dataclass(frozen=True)
class Likelihood(ThinnedDensitySelector):
    """Leave-one-out log-likelihood of each point under its own class, its negative mean minimised.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Sensitive to outliers, and unbounded when points coincide: then the bandwidth ends at the
    lower edge of its grid, with a warning. A point that is alone in its class carries no loss.

    Parameters
    ----------
    most_scored : int or None, default=4000
        Rows that are scored where there are more than five times as many; None for all.
    """

    name: ClassVar[str] = "likelihood"
    criterion: ClassVar[str] = "negative mean leave-one-out log-likelihood"

    def _terms(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> tuple[Floats, Floats]:
        total = scored_weight(sample, thinning)
        scores = np.array([_log_loss(*part, grid) / total for part in each_class(sample, thinning)])
        return np.sign(scores), log(np.abs(scores))


def each_class(
    sample: KernelSample, thinning: Thinning | None
) -> Iterator[tuple[KernelSample, Ints | None]]:
    """The classes and their rows that are scored, None for all.

    Progress is reported in proportion to their pairs of rows.
    """
    parts = list(sample.by_class())
    scored: list[Ints | None] = [None] * len(parts)
    if thinning is not None:
        is_scored = np.zeros(len(sample), bool)
        is_scored[thinning.places(len(sample))] = True
        scored = [np.flatnonzero(is_scored[rows]) for rows in sample.class_rows()]
    pairs = list(zip(parts, scored, strict=True))
    return steps(pairs, [float(len(part)) ** 2 for part in parts])


def scored_weight(sample: KernelSample, thinning: Thinning | None) -> float:
    """Sum of the frequencies of the rows that are scored."""
    w = sample.frequencies
    return float((w if thinning is None else w[thinning.places(len(w))]).sum())


def _log_loss(part: KernelSample, among: Ints | None, grid: Floats) -> Floats:
    rows = slice(None) if among is None else among
    logs = loo_log_densities(part, grid, among)
    not_alone = part.same_class_weight_without_self()[rows] > 0
    return np.asarray(-(part.frequencies[rows][not_alone] @ logs[not_alone]))


def loo_log_densities(part: KernelSample, grid: Floats, among: Ints | None = None) -> Floats:
    """Log f^{-i}(x_i) of one class, shape (rows, bandwidths); -inf for a point that is alone.

    ``among`` names the rows, all by default.
    """
    if len(part) == 0 or (among is not None and len(among) == 0):
        return np.empty((0, len(grid)))
    if among is not None or has_missing(part.X):
        found = list(leave_one_out_sums(part, grid, among))
        sums, counts = (
            np.concatenate([getattr(each, name)[:, 0] for each in found])
            for name in ("log_sums", "counts")
        )
        return np.asarray(sums - log(np.maximum(counts, 1e-300))[:, None])
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
