"""Bandwidths chosen for the very density that is fitted: with its bounds, circles and metric.

With f_0 the plain estimate and s x the images of x, x itself and its reflections at bounds,

    f^{-i}(x_i) = sum_s f_0^{-i}(s x_i)         the likelihood of a row without itself
    int f^2 = sum_s int f_0(x) f_0(s x) dx      for least squares, which needs f^{-i} too

The second holds where no kernel reaches past both bounds of a column, as the density itself does.
Held-out rows are judged in metrics that were fitted without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from parzen._core import Array, Floats, steps
from parzen.bandwidth import (
    LSCV,
    CrossValidation,
    KFoldLikelihood,
    Likelihood,
    Selection,
    Selector,
    for_all_columns,
)
from parzen.density.domains import ColumnDomains
from parzen.kernels import Kernel
from parzen.metric import class_sums, fit_whitening
from parzen.samples import (
    HeldOutSums,
    KernelSample,
    Thinning,
    class_log_sums,
    log,
    log_add,
    log_sum,
    signed_sum,
)
from parzen.sums import image_log_sums

Images = tuple[Array, ...]  # The sample and its reflections, each of shape (n_samples, n_features).
# Log of the ratio of normalisers that circles bring, for every bandwidth of a grid.
LogRatios = Callable[[Floats], Floats]


@dataclass(frozen=True)
class _FittedKFold(KFoldLikelihood):
    """Log-likelihood of held-out folds."""

    images: Images = field(kw_only=True)
    log_ratios: LogRatios = field(kw_only=True)
    whitened: bool = field(kw_only=True)

    def _default_grid(self, sample: KernelSample) -> Floats:
        return super()._default_grid(self._in_metric(sample))

    def _fall_back(self, sample: KernelSample) -> Selection:
        return super()._fall_back(self._in_metric(sample))

    def _in_metric(self, sample: KernelSample) -> KernelSample:
        return replace(sample, X=_whitened((sample.X,), sample)[0]) if self.whitened else sample

    def _held_out(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> Iterator[HeldOutSums]:
        splits = self._scored_splits(sample, thinning)
        for train, test in steps(splits):
            if len(test) == 0:
                continue
            points, rows = sample.rows(train), sample.rows(test)
            sums = [self._sums(image[test], points, grid) for image in self.images]
            total = log_sum(np.stack(sums), axis=0) + self.log_ratios(grid)
            yield HeldOutSums.of_split(points, rows, total, len(splits), None)

    def _sums(self, X: Array, points: KernelSample, grid: Floats) -> Floats:
        if self.whitened:
            return class_sums(X, points, grid)
        return class_log_sums(X, points, points.X, grid)


@dataclass(frozen=True)
class _FittedLikelihood(Likelihood):
    """Leave-one-out log-likelihood of all rows."""

    images: Images = field(kw_only=True)
    log_ratios: LogRatios = field(kw_only=True)

    def _terms(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> tuple[Floats, Floats]:
        logs = _log_left_out(self.images, sample, grid) + self.log_ratios(grid)
        w = sample.frequencies
        not_alone = sample.same_class_weight_without_self() > 0
        scores = -(w[not_alone] @ logs[not_alone])[None] / w.sum()
        return np.sign(scores), log(np.abs(scores))


@dataclass(frozen=True)
class _FittedLSCV(LSCV):
    """Least-squares cross-validation over all rows: int f^2 - 2 mean f^{-i}(x_i)."""

    images: Images = field(kw_only=True)

    def _terms(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> tuple[Floats, Floats]:
        w = sample.frequencies
        cross = log_sum(_log_left_out(self.images, sample, grid), axis=0, weights=w / w.sum())
        kernel = sample.kernel.convolved(sample.X.shape[1])
        sums = [_overlap(image, sample, grid, kernel) for image in self.images]
        square = log_sum(np.stack(sums), axis=0) - 2.0 * np.log(w.sum())
        terms = np.stack([square, np.log(2.0) + cross])
        sign, score = signed_sum(np.array([[1.0], [-1.0]]), terms)
        return sign[None], score[None]


def _log_left_out(images: Images, sample: KernelSample, grid: Floats) -> Floats:
    """Log f^{-i}(x_i), shape (rows, bandwidths); of a row of weight w > 1, w - 1 copies stay."""
    w, kernel = sample.frequencies, sample.kernel
    copies = log(w - np.minimum(w, 1.0))[:, None]
    sums = [
        log_add(
            _log_other_terms(image, sample, grid, kernel),
            copies + _log_own_terms(image, sample, grid, kernel),
        )
        for image in steps(images)
    ]
    others = np.maximum(sample.same_class_weight_without_self(), np.finfo(float).tiny)
    return np.asarray(log_sum(np.stack(sums), axis=0) - np.log(others)[:, None])


def _overlap(image: Array, sample: KernelSample, grid: Floats, kernel: Kernel) -> Floats:
    """Log of sum_ij w_i w_j k(s x_i, x_j) for every bandwidth."""
    w = sample.frequencies
    others = log_sum(_log_other_terms(image, sample, grid, kernel), axis=0, weights=w)
    return log_add(
        others, log_sum(_log_own_terms(image, sample, grid, kernel), axis=0, weights=w**2)
    )


def _log_other_terms(image: Array, sample: KernelSample, grid: Floats, kernel: Kernel) -> Floats:
    """Log of sum_{j != i} w_j k(s x_i, x_j), shape (rows, bandwidths)."""
    return image_log_sums(
        image, sample.X, sample.weights, kernel=kernel, bandwidths=grid, n_jobs=sample.n_jobs
    )


def _log_own_terms(image: Array, sample: KernelSample, grid: Floats, kernel: Kernel) -> Floats:
    """Log k(s x_i, x_i), shape (rows, bandwidths)."""
    gaps, d = np.abs(image.astype(np.float64) - sample.X), image.shape[1]
    by_measure = {"squared": (gaps**2).sum(axis=1), "l1": gaps.sum(axis=1), "coordinates": gaps}
    values = [kernel.log_profile(by_measure[kernel.measure], h, d) for h in grid]
    return np.asarray(np.stack(values, axis=1) + kernel.log_normalizer(grid, d), np.float64)


def _whitened(images: Images, sample: KernelSample) -> Images:
    """The images in coordinates where the covariance of the sample is the identity."""
    whitening = fit_whitening(sample.X, sample.codes, 1, sample.weights)
    return tuple(whitening.apply(image, 0) for image in images)


def can_select_for_density(selector: Selector) -> bool:
    """Whether `select_for_density` knows the criterion of a selector; a rule has none."""
    return type(selector) in (LSCV, Likelihood, KFoldLikelihood, CrossValidation)


def select_for_density(
    selector: Any, sample: KernelSample, domains: ColumnDomains, *, whitened: bool
) -> Selection:
    """Choose the bandwidth of one density on these domains, by the criterion of the selector."""
    part, varies = sample.varying()
    domains = domains if varies is None else domains.of(varies)
    images = tuple(map(domains.embed, domains.images(part.X)))
    part = replace(part, X=images[0])
    relative = selector._relative(part) if selector.per == "feature" else np.ones(1)
    images = tuple((image / relative).astype(image.dtype) for image in images)
    if whitened and not isinstance(selector, CrossValidation | KFoldLikelihood):
        images = _whitened(images, part)
    options: dict[str, Any] = {"grid": selector.grid, "images": images}
    if getattr(selector, "folds", None) is not None:
        options["folds"] = selector.folds
    log_ratios = domains.log_normaliser_ratios
    if isinstance(selector, LSCV):
        criterion: Any = _FittedLSCV(most_scored=None, **options)
    elif isinstance(selector, Likelihood):
        criterion = _FittedLikelihood(log_ratios=log_ratios, most_scored=None, **options)
    else:
        criterion = _FittedKFold(
            log_ratios=log_ratios,
            whitened=whitened,
            most_scored=selector.most_scored,
            **options,
        )
    found = criterion._select(replace(part, X=images[0]))
    if selector.per == "feature":
        found = replace(found, bandwidth=found.bandwidth * relative[None, :])
    return for_all_columns(found, varies)
