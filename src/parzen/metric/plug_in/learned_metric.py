"""``metric="learned"``: a bandwidth per column by the leave-one-out conditional likelihood.

    P(c|x)  proportional to  pi_c exp(b_c) (f_c(x) / k_c(0))^tau

Columns are taken in units of their standard deviation, so that the ridge, which draws the columns
towards a common bandwidth, does not depend on the units of the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from parzen._core import Bools, Floats
from parzen.bandwidth import (
    Selector,
    given_bandwidth,
    path_of,
    selection_of,
    with_constant_columns,
)
from parzen.metric import RIDGES, Metric, choose_metric, column_shares, metric_bandwidth
from parzen.metric.plug_in.base import FittedMetric, PlugInMetric, Tempering
from parzen.samples import KernelSample, Sample, feature_scales

_N_FOLDS = 5  # Folds on which the penalties are compared.


@dataclass(frozen=True)
class LearnedMetric(PlugInMetric):
    """A bandwidth for every column, a scale for every class, and a tempering of the densities."""

    kernels: ClassVar[tuple[str, ...] | None] = ("gaussian", "laplacian")
    name: ClassVar[str] = "learned"

    def fit(self, bandwidth: Any, sample: Sample, weighted: KernelSample) -> FittedMetric:
        """Learn all of them; a number as ``bandwidth`` starts the search.

        Constant columns have nothing to learn from: they share one bandwidth.
        """
        part, varies = sample.varying()
        if varies is not None:
            if np.ndim(bandwidth) == 2:
                bandwidth = np.asarray(bandwidth)[:, varies]
            found = self.fit(bandwidth, part, weighted.columns(varies))
            return _for_all_columns(found, varies)
        in_order = sample.merged(by="value").sample  # the search would enlarge another rounding
        scales = feature_scales(in_order.X, in_order.weights)
        units = weighted.X.astype(np.float64) / scales
        distinct = replace(weighted, X=units).merged(by="value").sample
        whole = KernelSample.over(distinct, weighted.kernel, weighted.priors, weighted.n_jobs)
        absolute = weighted.kernel.measure == "l1"
        start = _given_start(bandwidth, sample, scales, absolute)
        metric, losses = choose_metric(whole, start, _N_FOLDS)
        selection = selection_of(
            path_of(losses, ties="smallest"),
            np.array([np.inf, *RIDGES]),
            name="learned",
            criterion="held-out log-loss",
            axis="penalty on unequal columns",
        )
        h = metric_bandwidth(metric, absolute=absolute)
        return FittedMetric(
            h * scales,
            replace(selection, bandwidth=h * scales),
            relevance=column_shares(distinct.X, h, absolute=absolute),
            tempering=Tempering(float(np.exp(metric.log_temperature)), metric.offsets),
        )


def _for_all_columns(found: FittedMetric, varies: Bools) -> FittedMetric:
    assert found.selection is not None
    assert found.relevance is not None
    h = np.asarray(with_constant_columns(found.bandwidth, varies))
    relevance = np.zeros(len(varies))
    relevance[varies] = found.relevance
    selection = replace(found.selection, bandwidth=h)
    return replace(found, bandwidth=h, selection=selection, relevance=relevance)


def _given_start(bandwidth: Any, sample: Sample, scales: Floats, absolute: bool) -> Metric | None:
    """The metric of a given bandwidth, classes taken together; None where one is to be found."""
    if isinstance(bandwidth, str | Selector):
        return None
    C, d = len(sample.classes), sample.X.shape[1]
    h = given_bandwidth(bandwidth, C, d)
    logs = np.log(h if h.ndim == 2 else np.full((1, d), np.exp(np.log(h).mean()))).mean(axis=0)
    return Metric.plain((-1.0 if absolute else -2.0) * (logs - np.log(scales)), C)
