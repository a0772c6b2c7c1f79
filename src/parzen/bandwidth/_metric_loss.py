"""The log-loss of the plug-in rule as a function of the features' log bandwidths, with gradient.

Points are sorted by class, so that class sums are sums over slices; every class's largest term is
factored out. Squared distances are formed by matrix products of centred data: the search needs
no more digits than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen.bandwidth._logs import log, log_sum
from parzen.bandwidth._sample import Floats, Sample

_COPIES = 8  # arrays of a block's size that are alive at once


@dataclass(frozen=True, eq=False)
class MetricLoss:
    """Mean negative log posterior of the queries' classes; call it with theta = log bandwidths."""

    queries: Floats  # (m, d)
    y: NDArray[np.intp]
    share: Floats  # (m,), sums to 1
    own: NDArray[np.intp] | None  # the query's place among the points, where it is left out
    points: Floats  # (n, d), sorted by class
    log_weights: Floats  # (n,)
    slices: tuple[slice, ...]  # of the points, for each class present
    left: Floats  # (m,) log of the copies of the query that stay when it is left out
    prior: Floats  # (m, classes present) log prior over class size, 0 for empirical priors
    absolute: bool  # |dx| in place of dx^2 / 2: the product Laplacian

    @classmethod
    def leave_one_out(cls, sample: Sample, row_weights: Floats) -> MetricLoss:
        """Rows judged by all others; those of weight 0 or alone in their class do not count."""
        order = np.argsort(sample.y, kind="stable")
        points = sample.rows(order)
        w = row_weights[order]
        rows = np.flatnonzero((w > 0) & (points.companions() > 0))
        return cls._of(points.rows(rows), w[rows], points, rows)

    @classmethod
    def held_out(cls, test: Sample, train: Sample) -> MetricLoss:
        """Rows judged by others; rows of a class that the others lack do not count."""
        rows = np.flatnonzero(train.sizes[test.y] > 0)
        points = train.rows(np.argsort(train.y, kind="stable"))
        return cls._of(test.rows(rows), test.frequencies[rows], points, None)

    @classmethod
    def _of(
        cls, queries: Sample, w: Floats, points: Sample, own: NDArray[np.intp] | None
    ) -> MetricLoss:
        centre = points.X.mean(axis=0)
        classes, starts, labels = np.unique(points.y, return_index=True, return_inverse=True)
        sizes = np.tile(points.sizes[classes], (len(queries), 1))
        if own is not None:
            sizes[np.arange(len(own)), labels[own]] = points.companions()[own]
        frequencies = queries.frequencies
        return cls(
            queries=queries.X - centre,
            y=np.searchsorted(classes, queries.y),
            share=w / w.sum() if len(w) else w,
            own=own,
            points=points.X - centre,
            log_weights=np.log(points.frequencies),
            slices=tuple(slice(a, b) for a, b in pairwise([*starts, len(points)])),
            left=log(frequencies - np.minimum(frequencies, 1.0)),
            prior=(
                np.zeros_like(sizes)
                if points.priors is None
                else log(points.priors[classes]) - log(sizes)
            ),
            absolute=points.kernel.measure == "l1",
        )

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        rate = np.exp(-theta if self.absolute else -2.0 * theta)
        value, gradient = 0.0, np.zeros(len(theta))
        count = max(1, len(self.queries))
        rows = get_chunk_n_rows(row_bytes=_COPIES * 8 * len(self.points), max_n_rows=count)
        for batch in gen_batches(len(self.queries), rows) if len(self.queries) else ():
            part, slope = self._block(batch, rate)
            value += part
            gradient += slope
        return value, gradient

    def _block(self, batch: slice, rate: Floats) -> tuple[float, Floats]:
        kernels = self._log_kernels(batch, rate)
        joint = self._normalise_classes(kernels) + self.prior[batch]
        total = log_sum(joint, axis=1)
        rows, y, share = np.arange(len(joint)), self.y[batch], self.share[batch]
        value = float(share @ (total - joint[rows, y]))
        residual = -np.exp(joint - total[:, None])
        residual[rows, y] += 1.0
        residual *= share[:, None]
        for c, columns in enumerate(self.slices):
            kernels[:, columns] *= residual[:, c, None]
        return value, -rate * self._moment(batch, kernels)

    def _log_kernels(self, batch: slice, rate: Floats) -> Floats:
        """Log w_j k(x_i, x_j), the query's own place holding its remaining copies."""
        x, p = self.queries[batch], self.points
        if self.absolute:
            logs = np.zeros((len(x), len(p)))
            for column, weight in enumerate(rate):
                logs -= weight * np.abs(x[:, column, None] - p[None, :, column])
        else:
            scaled = p * rate
            logs = x @ scaled.T - 0.5 * ((x * x) @ rate)[:, None]
            logs -= 0.5 * np.einsum("ij,ij->i", p, scaled)
            np.minimum(logs, 0.0, out=logs)
        logs += self.log_weights
        if self.own is not None:
            logs[np.arange(len(x)), self.own[batch]] = self.left[batch]
        return logs

    def _normalise_classes(self, logs: Floats) -> Floats:
        """Log-sum of every class; in place, the kernels become shares of their class."""
        sums = np.empty((len(logs), len(self.slices)))
        for c, columns in enumerate(self.slices):
            part = logs[:, columns]
            top = part.max(axis=1)
            top[np.isneginf(top)] = 0.0
            part -= top[:, None]
            np.exp(part, out=part)
            total = part.sum(axis=1)
            sums[:, c] = log(total) + top
            part /= np.where(total > 0, total, 1.0)[:, None]
        return sums

    def _moment(self, batch: slice, pull: Floats) -> Floats:
        """sum_ij pull_ij dx_l^2, or |dx_l|."""
        x, p = self.queries[batch], self.points
        if self.absolute:
            return np.array(
                [
                    np.einsum("ij,ij->", pull, np.abs(a[:, None] - b))
                    for a, b in zip(x.T, p.T, strict=True)
                ]
            )
        squares = pull.sum(axis=1) @ (x * x) + pull.sum(axis=0) @ (p * p)
        return np.asarray(squares - 2.0 * np.einsum("il,il->l", x, pull @ p))
