"""``metric="class"``: bandwidths in standard deviations of each class.

A density selector (a rule, lscv, likelihood) is given every class in its own whitened space and
chooses one bandwidth per class. A selector that scores decisions compares the classes' densities,
each in its own space. The metric depends on the labels: "kfold", "holdout" and "cv" fit it anew
without the rows that they score; "loo" and "training" keep the metric of all rows, and their errors
are therefore optimistic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from parzen._core import Floats
from parzen.bandwidth import (
    ClassifierSelector,
    Path,
    PlugInError,
    Selection,
    Selector,
    SplitSelector,
    TrainingError,
    common_path,
    get_selector,
    given_bandwidth,
    own_criterion,
    path_per_class,
)
from parzen.metric import Whitening, fit_whitening, pooled_whitening, whitened_sums, with_split
from parzen.metric.plug_in.base import FittedMetric, PlugInMetric
from parzen.samples import HeldOutSums, KernelSample, Sample, Thinning, log_copies

_DEVIATIONS = 2.0 ** (np.arange(-40, 25) / 8)  # Default grid: 1/32 to 8 standard deviations.


@dataclass(frozen=True)
class ClassMetric(PlugInMetric):
    """Every class in the space whitened by its own shrunk covariance."""

    name: ClassVar[str] = "class"

    def fit(self, bandwidth: Any, sample: Sample, weighted: KernelSample) -> FittedMetric:
        C = len(sample.classes)
        whitening = fit_whitening(sample.X, sample.codes, C, sample.weights)
        if not isinstance(bandwidth, str | Selector):
            h = given_bandwidth(bandwidth, C, sample.X.shape[1])
            if h.ndim == 2:
                raise ValueError(
                    "metric='class' takes a bandwidth for all or per class, not per feature."
                )
            return FittedMetric(h, None, whitening=whitening)
        own = own_criterion(bandwidth)
        selector = get_selector(bandwidth) if own is None else own.by(PlugInError)
        if isinstance(selector, ClassifierSelector):
            in_metric = ClassMetricSelector(_grid(selector, weighted), criterion_of=selector)
            path = replace(in_metric._select(weighted), criterion=selector.criterion)
            h = np.asarray(path.bandwidth, dtype=np.float64)
            return FittedMetric(h, path, whitening=whitening)
        h = np.array([_own_bandwidth(selector, sample, c, whitening, weighted) for c in range(C)])
        return FittedMetric(h, None, whitening=whitening)


def _grid(selector: ClassifierSelector, sample: KernelSample) -> tuple[float, ...]:
    if selector.per == "feature":
        raise ValueError("metric='class' takes a selector with per='all' or 'class'.")
    if selector.grid is not None:
        return tuple(selector.grid)
    return tuple(_DEVIATIONS * sample.kernel.bandwidth_factor(sample.X.shape[1]))


def _own_bandwidth(
    selector: Selector, sample: Sample, c: int, whitening: Whitening, options: KernelSample
) -> float:
    """What a density selector chooses for one class in its own space; equal rows take the rule."""
    rows = sample.codes == c
    Z = whitening.apply(sample.X[rows], c)
    w = None if sample.weights is None else sample.weights[rows]
    if not (Z - Z[0]).any():
        n = float(len(Z)) if w is None else float(w.sum())
        d = Z.shape[1]
        return float((4 / ((2 * d + 1) * n)) ** (1 / (d + 4)) * options.kernel.bandwidth_factor(d))
    choice = selector.select(Z, kernel=options.kernel, sample_weight=w, n_jobs=options.n_jobs)
    return float(np.ravel(choice.bandwidth)[0])


@dataclass(frozen=True)
class ClassMetricSelector(ClassifierSelector):
    """Scores decisions as ``criterion_of`` does, with every class in its own metric."""

    criterion_of: ClassifierSelector = field(kw_only=True)
    criterion: ClassVar[str] = "error in the classes' own metrics"

    @property
    def name(self) -> str:
        return self.criterion_of.name

    def _fall_back(self, sample: KernelSample) -> Selection:
        present, codes_present = np.unique(sample.codes, return_inverse=True)
        pooled = pooled_whitening(sample.X, codes_present, len(present), sample.weights)
        return super()._fall_back(replace(sample, X=pooled.apply(sample.X, 0)))

    def _thinning(self, sample: KernelSample) -> Thinning | None:
        has_splits = isinstance(self.criterion_of, SplitSelector)
        return self.criterion_of._thinning(sample) if has_splits else None

    def _scorer_of_part(
        self, sample: KernelSample, thinning: Thinning | None
    ) -> Callable[[Floats], Path]:
        criterion = self.criterion_of
        score = path_per_class if criterion.per == "class" else common_path
        return partial(score, self._scheme(thinning), criterion.loss, criterion.ties, sample)

    def _held_out(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> Iterator[HeldOutSums]:
        if not isinstance(self.criterion_of, SplitSelector):
            yield _with_all_rows(
                sample, grid, leave_out=not isinstance(self.criterion_of, TrainingError)
            )
            return
        splits = self.criterion_of._scored_splits(sample, thinning)
        for train, test in splits:
            if len(test):
                yield with_split(sample.rows(train), sample.rows(test), grid, len(splits))


def _with_all_rows(sample: KernelSample, grid: Floats, *, leave_out: bool) -> HeldOutSums:
    """All rows in the metrics of all rows, each left out of its own class or not."""
    present, codes_present = np.unique(sample.codes, return_inverse=True)
    whitening = fit_whitening(sample.X, codes_present, len(present), sample.weights)
    sums = np.full((len(sample), sample.n_classes, len(grid)), -np.inf)
    sizes = np.tile(sample.counts, (len(sample), 1))
    for k, c in enumerate(present):
        own = sample.codes == c
        part = sample.rows(own)
        sums[:, c] = whitened_sums(sample.X, part, grid, whitening, k)
        if leave_out:
            alone = whitened_sums(None, part, grid, whitening, k)
            copies = log_copies(part, grid) + whitening.log_volumes[k]
            sums[own, c] = alone if part.weights is None else np.logaddexp(alone, copies)
            sizes[own, c] = sample.same_class_weight_without_self()[own]
    return HeldOutSums(
        sample.codes, sample.frequencies / sample.frequencies.sum(), sums, sizes, sample.priors
    )
