"""The log-loss of a kernel rule as a function of its metric, with gradient, in native code.

    score_c(x) = log pi_c + b_c + tau log( 1/n_c sum_{j in c} w_j exp(-e^{-s_c} D(x, x_j)) ),
    D = sum_l omega_l |dx_l|  (product Laplacian)  or  1/2 sum_l omega_l dx_l^2  (Gaussian)

The points x_j are all other rows, or the rows of a training part. With b = 0, tau = 1 and s = 0 the
score is the plug-in rule's with the bandwidths omega^-1 or omega^-1/2. Pairs are visited twice in
tiles and never stored: time m n d, memory m + n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen import _native
from parzen._core import Array, Floats, Ints, effective_threads
from parzen.samples import KernelSample, log


class Metric(NamedTuple):
    """The variables of the loss; its gradient has the same fields."""

    log_weights: Floats  # (d,) log omega
    log_scales: Floats  # (classes present,) s_c
    offsets: Floats  # (classes present,) b_c
    log_temperature: float  # log tau

    @classmethod
    def plain(cls, log_weights: Floats, n_classes: int, log_temperature: float = 0.0) -> Metric:
        """A metric that is the same for all classes: s = b = 0."""
        zeros = np.zeros(n_classes)
        return cls(np.asarray(log_weights, np.float64), zeros, zeros.copy(), log_temperature)

    def flat(self) -> Floats:
        """One vector, as an optimiser wants it."""
        return np.concatenate([*self[:3], [self.log_temperature]])

    @classmethod
    def of(cls, flat: Floats, d: int) -> Metric:
        """From one vector."""
        C = (len(flat) - d - 1) // 2
        return cls(flat[:d], flat[d : d + C], flat[d + C : -1], float(flat[-1]))


@dataclass(frozen=True, eq=False)
class MetricLoss:
    """Mean negative log posterior of the queries' classes; call it with a `Metric`."""

    queries: Array  # (m, d)
    y: NDArray[np.int32]  # place of the query's class among those present
    share: Floats  # (m,), sums to 1
    own: NDArray[np.int64] | None  # (m,) the point that each query leaves out; None: no point
    left: Array  # (m,) frequency of the query that remains when one copy is left out
    points: Array  # (n, d), sorted by class
    weights: Array  # (n,)
    starts: NDArray[np.uint64]  # (classes present + 1,) first point of each class, and n
    log_sizes: Floats  # (m, classes present) log n_c, without what the query leaves out
    log_priors: Floats  # (m, classes present); empirical priors leave the query out
    absolute: bool  # |dx| in place of dx^2 / 2: the product Laplacian
    threads: int

    @classmethod
    def leave_one_out(cls, sample: KernelSample, row_weights: Floats) -> MetricLoss:
        """Each row against all others; rows of weight 0 or alone in their class do not count."""
        order = np.argsort(sample.codes, kind="stable")
        points = sample.rows(order)
        w = row_weights[order]
        rows = np.flatnonzero((w > 0) & (points.same_class_weight_without_self() > 0))
        return cls._of(points.rows(rows), w[rows], points, rows)

    @classmethod
    def held_out(cls, test: KernelSample, train: KernelSample) -> MetricLoss:
        """Test rows against training rows; rows of a class without training rows do not count."""
        rows = np.flatnonzero(train.counts[test.codes] > 0)
        points = train.rows(np.argsort(train.codes, kind="stable"))
        return cls._of(test.rows(rows), test.frequencies[rows], points, None)

    @classmethod
    def _of(
        cls, queries: KernelSample, w: Floats, points: KernelSample, own: Ints | None
    ) -> MetricLoss:
        centre = points.X.mean(axis=0)
        classes, starts, labels = np.unique(points.codes, return_index=True, return_inverse=True)
        sizes = np.tile(points.counts[classes], (len(queries), 1))
        if own is not None:
            sizes[np.arange(len(own)), labels[own]] = points.same_class_weight_without_self()[own]
        frequencies, dtype = queries.frequencies, points.X.dtype
        priors = sizes if points.priors is None else np.tile(points.priors[classes], (len(w), 1))
        return cls(
            queries=np.ascontiguousarray(queries.X - centre),
            y=np.searchsorted(classes, queries.codes).astype(np.int32),
            share=w / w.sum() if len(w) else w,
            own=None if own is None else own.astype(np.int64),
            left=(frequencies - np.minimum(frequencies, 1.0)).astype(dtype),
            points=np.ascontiguousarray(points.X - centre),
            weights=points.frequencies.astype(dtype),
            starts=np.append(starts, len(points)).astype(np.uint64),
            log_sizes=log(sizes),
            log_priors=log(priors),
            absolute=points.kernel.measure == "l1",
            threads=effective_threads(points.n_jobs),
        )

    @property
    def n_classes(self) -> int:
        """Number of classes among the points."""
        return len(self.starts) - 1

    def __call__(self, metric: Metric) -> tuple[float, Metric]:
        """Value and gradient."""
        tau = float(np.exp(metric.log_temperature))
        rates = np.exp(np.concatenate([metric.log_weights, -metric.log_scales]))
        gradient = np.empty(len(rates) + self.n_classes + 1)
        value = _native.metric_loss(
            self.queries, self.points, self.absolute, self.starts, self.weights, self.y, self.own,
            self.left, self.log_sizes, self.log_priors, self.share,
            np.concatenate([rates, metric.offsets, [tau]]), gradient, None, self.threads,
        )  # fmt: skip
        d = len(metric.log_weights)
        slopes = Metric.of(gradient, d)
        # The native gradient is that of log omega, -s, b and tau; here it becomes that of the
        # fields.
        return value, Metric(
            slopes.log_weights, -slopes.log_scales, slopes.offsets, tau * slopes.log_temperature
        )
