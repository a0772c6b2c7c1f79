"""``metric=None``: the columns as they are, or brought to one scale where they differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parzen.bandwidth import Selector, column_scales, get_selector, given_bandwidth
from parzen.metric.plug_in.base import FittedMetric, PlugInMetric
from parzen.samples import KernelSample, Sample


@dataclass(frozen=True)
class IsotropicMetric(PlugInMetric):
    """One distance for all classes; ``scale="auto"`` divides columns of very unequal deviations."""

    scale: str | None = None

    def fit(self, bandwidth: Any, sample: Sample, weighted: KernelSample) -> FittedMetric:
        if not isinstance(bandwidth, str | Selector):
            h = given_bandwidth(bandwidth, sample.n_classes, sample.X.shape[1])
            return FittedMetric(h, None)
        scale = column_scales(self.scale, bandwidth, sample.X, sample.weights)
        if scale is not None:
            weighted = replace(weighted, X=weighted.X / scale.astype(weighted.X.dtype))
        selection = get_selector(bandwidth)._select(weighted)
        h = np.asarray(selection.bandwidth, np.float64)
        if scale is not None:
            h = np.multiply.outer(np.atleast_1d(h), scale)
        return FittedMetric(h, selection, scale=scale)
