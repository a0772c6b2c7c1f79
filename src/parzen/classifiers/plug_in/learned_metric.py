"""``metric="learned"``: a bandwidth per column by the leave-one-out conditional likelihood.

    P(c|x)  proportional to  pi_c exp(b_c) (f_c(x) / k_c(0))^tau

Columns are taken in units of their standard deviation, so that the ridge, which draws the columns
towards a common bandwidth, does not depend on the units of the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth import Selection, Selector, path_of, resolve_bandwidth, selection_of
from parzen.classifiers.base import Decision
from parzen.kernels import Kernel
from parzen.metric import RIDGES, Metric, choose_metric, column_shares, metric_bandwidth
from parzen.samples import KernelSample, Sample, feature_scales

Floats = NDArray[np.float64]
KERNELS = ("gaussian", "laplacian")
_N_FOLDS = 5  # Folds on which the penalties are compared.


class LearnedMetric(NamedTuple):
    """Bandwidths, temperature and offsets, in the units of the data."""

    bandwidth: Floats  # (1, d) or (C, d)
    relevance: Floats  # (d,), sums to 1
    temperature: float
    offsets: Floats  # (C,)
    selection: Selection  # of the penalty


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricDecision(Decision):
    """Decide by pi_c exp(offset_c) f_c^exponent; the mixture stays that of the densities."""

    exponent: float
    offsets: Floats

    def joint_with(self, log_densities: NDArray[Any], log_priors: Floats) -> Floats:
        tempered = self.exponent * np.asarray(log_densities, dtype=np.float64)
        return np.asarray(tempered + self.offsets + log_priors)

    def exponent_and_shift(self) -> tuple[float, Floats]:
        return self.exponent, np.asarray(self.offsets + self.log_priors)

    def log_mixture(self, log_densities: NDArray[Any]) -> Floats:
        plain = np.asarray(log_densities, dtype=np.float64) + self.log_priors
        return np.asarray(np.logaddexp.reduce(plain, axis=1))


def learn_metric(
    bandwidth: Any,
    sample: Sample,
    *,
    kernel: Kernel,
    sample_weight: Floats | None,
    priors: Floats | None,
    n_jobs: int | None,
) -> LearnedMetric:
    """Learn bandwidths, temperature and offsets; a number as ``bandwidth`` starts the search."""
    scales = feature_scales(sample.X, sample.weights)
    units = sample.X.astype(np.float64) / scales
    distinct = replace(sample, X=units).reweighted(sample_weight).merged(by="value").sample
    whole = KernelSample.over(distinct, kernel, priors, n_jobs)
    absolute = kernel.measure == "l1"
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
    return LearnedMetric(
        h * scales,
        column_shares(distinct.X, h, absolute=absolute),
        float(np.exp(metric.log_temperature)),
        metric.offsets,
        replace(selection, bandwidth=h * scales),
    )


def _given_start(bandwidth: Any, sample: Sample, scales: Floats, absolute: bool) -> Metric | None:
    """The metric of a given bandwidth, classes taken together; None where one is to be found."""
    if isinstance(bandwidth, str | Selector):
        return None
    C, d = len(sample.classes), sample.X.shape[1]
    h, _ = resolve_bandwidth(bandwidth, sample.X, sample.codes, n_classes=C)
    logs = np.log(h if h.ndim == 2 else np.full((1, d), np.exp(np.log(h).mean()))).mean(axis=0)
    return Metric.plain((-1.0 if absolute else -2.0) * (logs - np.log(scales)), C)
