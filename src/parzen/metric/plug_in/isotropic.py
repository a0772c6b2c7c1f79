"""``metric=None``: the columns as they are, or brought to one scale where they differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parzen._core import Floats
from parzen.bandwidth import (
    Selection,
    Selector,
    column_scales,
    for_all_columns,
    get_selector,
    given_bandwidth,
    given_matrices,
    in_units_of_columns,
    resolve_bandwidth,
)
from parzen.kernels import ColumnProduct
from parzen.metric import Whitening
from parzen.metric.plug_in.base import FittedMetric, PlugInMetric
from parzen.samples import KernelSample, Sample


@dataclass(frozen=True)
class IsotropicMetric(PlugInMetric):
    """One distance for all classes; ``scale="auto"`` divides columns of very unequal deviations."""

    scale: str | None = None

    def fit(self, bandwidth: Any, sample: Sample, weighted: KernelSample) -> FittedMetric:
        if isinstance(weighted.kernel, ColumnProduct):  # has a bandwidth for every column
            w = weighted
            h, chosen = resolve_bandwidth(
                bandwidth, w.X, w.codes, n_classes=w.n_classes, kernel=w.kernel,
                sample_weight=w.weights, priors=w.priors, n_jobs=w.n_jobs,
            )  # fmt: skip
            return FittedMetric(h, chosen)
        matrices = given_matrices(bandwidth, labelled=True)
        if matrices is not None:
            return _by_matrices(matrices, sample, None)
        if not isinstance(bandwidth, str | Selector):
            h = given_bandwidth(bandwidth, sample.n_classes, sample.X.shape[1])
            return FittedMetric(h, None)
        scale = column_scales(self.scale, bandwidth, sample.X, sample.weights)
        if scale is not None:
            weighted = replace(weighted, X=weighted.X / scale.astype(weighted.X.dtype))
        part, varies = weighted.varying()
        selection = for_all_columns(get_selector(bandwidth)._select(part), varies)
        h = np.asarray(selection.bandwidth, np.float64)
        if h.ndim == 3:
            h = h * weighted.kernel.bandwidth_factor(sample.X.shape[1]) ** 2
            return _by_matrices(
                h if scale is None else h * np.outer(scale, scale), sample, selection
            )
        return FittedMetric(in_units_of_columns(h, scale), selection, scale=scale)


def _by_matrices(H: Floats, sample: Sample, selection: Selection | None) -> FittedMetric:
    """A bandwidth matrix for every class: the class's metric, in which its bandwidth is 1."""
    C, d = sample.n_classes, sample.X.shape[1]
    if H.shape not in ((1, d, d), (C, d, d)):
        raise ValueError(
            f"bandwidth has shape {H.shape}, but there are {C} classes and {d} features; give "
            f"matrices of shape (1, {d}, {d}) or ({C}, {d}, {d})."
        )
    H = np.broadcast_to(H, (C, d, d))
    centre = sample.X.mean(axis=0, dtype=np.float64)
    whitening = Whitening.by(H, np.broadcast_to(centre, (C, d)))
    return FittedMetric(np.ones(()), selection, whitening=whitening, matrices=H)
