"""The bandwidth of a classifier of scores: numbers, a selector's choice, or candidates to compare.

A selector of `parzen.bandwidth` judges the plug-in rule or the density, ``"cv"`` the classifier's
own error over a grid. One bandwidth per feature is a division of the columns before a kernel of
bandwidth 1. One per class is that of the problem of the class against the rest, so that every Gram
matrix stays symmetric; two classes then have two problems, and their score is half the difference,
which is that of the one problem where the bandwidths are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Array, Floats
from parzen.bandwidth import (
    CrossValidation,
    Selector,
    check_bandwidth_parameter,
    column_scales,
    get_selector,
    own_criterion,
    resolve_bandwidth,
)
from parzen.kernels import ConformalKernel, Kernel, has_bandwidth
from parzen.samples import Sample, sample_scale

_UNIT = np.array(1.0)
_GRID_EXPONENTS = np.arange(-4.0, 4.0)  # powers of two of the default grid


class BandwidthGrid(NamedTuple):
    """Candidates for the bandwidth, in units of ``scale``.

    The scale has shape (), (1, d) for one per feature, (C,) for one per class, or (C, d).
    """

    candidates: Floats
    scale: Floats
    columns: Floats | None = None  # the spreads that columns of unequal spread are divided by

    @property
    def per_class(self) -> bool:
        """Whether every class has a kernel of its own."""
        return self.scale.ndim == 1 or len(np.atleast_2d(self.scale)) > 1

    def kernels(self) -> Iterator[tuple[slice, BandwidthGrid]]:
        """Columns of the scores that share a kernel, and the bandwidths of it."""
        if not self.per_class:
            yield slice(None), self
            return
        for c, scale in enumerate(self.scale):
            common = scale.ndim == 0
            grid = (self.candidates * scale, _UNIT) if common else (self.candidates, scale[None, :])
            yield slice(c, c + 1), BandwidthGrid(*grid)

    def points(self, X: Floats) -> Floats:
        """The points in these units, for a common kernel."""
        return X if self.scale.ndim == 0 else np.asarray(X / self.scale)

    def bandwidth(self, place: int) -> float | Floats:
        """A candidate as the estimator shows it."""
        h = self.candidates[place] * self.scale
        return float(h) if h.ndim == 0 else h


def check_score_bandwidth(bandwidth: Any, kernel: Any) -> None:
    """Refuse what no data could make sense of, before any data is looked at."""
    check_bandwidth_parameter(bandwidth)
    own = own_criterion(bandwidth)
    per_feature = own.per == "feature" if own is not None else np.ndim(bandwidth) == 2
    if per_feature and isinstance(kernel, ConformalKernel):
        raise ValueError(
            f"bandwidth={bandwidth!r} divides the columns, and the cores of kernel='conformal' are "
            "points in the columns as they are; give a number, one per class, or 'cv'."
        )
    if own is not None:
        _check_own(own)
    elif _is_selector(bandwidth) and isinstance(kernel, Kernel) and not kernel.is_density:
        raise ValueError(
            f"bandwidth={get_selector(bandwidth).name!r} is chosen by kernel densities, and "
            f"kernel={kernel.name!r} is none; give a number, or 'cv'."
        )


def _check_own(own: CrossValidation) -> None:
    if own.per == "class":
        raise ValueError(
            f"bandwidth={own!r}: per='class' is not available here, the errors of all classes "
            "together would have to be compared; use 'all' or 'feature', or another selector."
        )
    if not (own.folds is None or isinstance(own.folds, Integral)):
        raise ValueError(
            f"bandwidth={own!r}: folds must be a whole number here, because equal rows are merged "
            "before they are split."
        )


def bandwidth_grid(
    bandwidth: Any, scale: str | None, sample: Sample, kernel: Any, n_jobs: int | None
) -> BandwidthGrid:
    """The candidates for a sample; ``scale`` is the parameter of the estimator."""
    if not has_bandwidth(kernel):
        return BandwidthGrid(np.ones(1), _UNIT)
    own, columns = own_criterion(bandwidth), None
    if not isinstance(kernel, ConformalKernel):  # its cores are points in the columns as they are
        columns = column_scales(scale, bandwidth, sample.X, sample.frequencies)
    if own is not None:
        return _own_grid(own, columns, sample, kernel, n_jobs)
    h, _ = resolve_bandwidth(
        bandwidth, sample.X, sample.codes, n_classes=len(sample.classes), kernel=kernel,
        sample_weight=sample.frequencies, scale=columns, n_jobs=n_jobs,
    )  # fmt: skip
    if h.ndim and (h == h[0]).all():
        h = h[0] if h.ndim == 1 else h[:1]
    return BandwidthGrid(h[None], _UNIT) if h.ndim == 0 else BandwidthGrid(np.ones(1), h, columns)


def _own_grid(
    own: CrossValidation,
    columns: Floats | None,
    sample: Sample,
    kernel: Kernel,
    n_jobs: int | None,
) -> BandwidthGrid:
    """A grid for the classifier's own error."""
    scale, X = _UNIT, sample.X
    if columns is not None:
        scale, X = columns[None, :], X / columns
    if own.per == "feature":
        relative = own.relative_bandwidths(
            X, sample.codes, kernel=kernel if kernel.is_density else "gaussian",
            sample_weight=sample.frequencies, n_jobs=n_jobs,
        )  # fmt: skip
        scale, X = relative[None, :], X / relative
    if own.grid is not None:
        return BandwidthGrid(np.array(own.grid), scale)
    return BandwidthGrid(_default_bandwidths(X, sample.frequencies, kernel), scale, columns)


def _is_selector(bandwidth: Any) -> bool:
    return isinstance(bandwidth, str | Selector) and own_criterion(bandwidth) is None


def _default_bandwidths(X: Array, weights: Floats, kernel: Kernel) -> Floats:
    """From 1/16 to 8 times the typical distance from the mean, in doublings; h(cX) = c h(X)."""
    d = X.shape[1]
    width = kernel.half_width(d)
    return np.asarray(sample_scale(X, weights) * np.sqrt(d) * 2.0**_GRID_EXPONENTS / width)
