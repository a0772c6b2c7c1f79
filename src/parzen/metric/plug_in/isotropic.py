"""``metric=None``: the columns as they are, or brought to one scale where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.bandwidth import Selector, column_scales, get_selector, given_bandwidth
from parzen.kernels import Kernel
from parzen.metric.plug_in.base import FittedMetric, Floats, PlugInMetric
from parzen.samples import KernelSample, Sample


@dataclass(frozen=True)
class IsotropicMetric(PlugInMetric):
    """One distance for all classes; ``scale="auto"`` divides columns of very unequal deviations."""

    scale: str | None = None

    def fit(
        self,
        bandwidth: Any,
        sample: Sample,
        *,
        kernel: Kernel,
        sample_weight: Floats | None,
        priors: Floats | None,
        n_jobs: int | None,
    ) -> FittedMetric:
        X, codes, C = sample.X, sample.codes, sample.n_classes
        if not isinstance(bandwidth, str | Selector):
            return FittedMetric(given_bandwidth(bandwidth, C, X.shape[1]), None)
        scale = column_scales(self.scale, bandwidth, X, sample.weights)
        X = X if scale is None else X / scale.astype(X.dtype)
        scaled = KernelSample.of(X, codes, kernel, sample_weight, priors, n_jobs, n_classes=C)
        selection = get_selector(bandwidth)._select(scaled)
        h = np.asarray(selection.bandwidth, np.float64)
        if scale is not None:
            h = np.multiply.outer(np.atleast_1d(h), scale)
        return FittedMetric(h, selection, scale=scale)
