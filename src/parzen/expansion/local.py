"""An expansion whose kernels are wider where the sample is thin (Abramson, 1982).

The kernel of point i in class c has the bandwidth h_c lambda_i with

    lambda_i = ( f(x_i) / g )^(-1/2),   log g = mean_j log f(x_j),

where f is the density of the class at the common bandwidth, and the mean is over its points. Tails
get wide kernels and peaks narrow ones, which takes the leading term out of the bias.

No two kernels have the same bandwidth, so the sums are taken in blocks of queries, each within
scikit-learn's ``working_memory``; trees and transforms do not serve them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils._chunking import get_chunk_n_rows

from parzen._core import Array, Floats, Ints
from parzen.expansion.kernel_expansion import KernelExpansion
from parzen.samples import log_sum

_ARRAYS_ALIVE = 4  # Arrays of a block's size that exist at the same time.


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalExpansion(KernelExpansion):
    """A labelled expansion of densities with a bandwidth of its own for every point.

    Attributes
    ----------
    factors : array of shape (n_points,)
        lambda_i: by how much the kernel of each point is wider than that of its class.
    """

    factors: Floats

    @classmethod
    def of(cls, pilot: KernelExpansion, n_jobs: int | None) -> LocalExpansion:
        """The expansion with Abramson's factors, from the one with common bandwidths."""
        if pilot.kernel.measure == "coordinates":
            raise ValueError(
                f"adaptive=True needs a kernel of one distance, and {pilot.kernel.name!r} is a "
                "product over columns; use 'gaussian' or adaptive=False."
            )
        assert pilot.labels is not None
        w = np.ones(len(pilot.points)) if pilot.weights is None else pilot.weights
        rows = np.arange(len(pilot.points))
        logs = pilot.log_sums(pilot.points, n_jobs=n_jobs)[rows, pilot.labels].astype(np.float64)
        counts = np.bincount(pilot.labels, w, pilot.n_classes)
        means = np.bincount(pilot.labels, w * logs, pilot.n_classes) / np.where(counts, counts, 1)
        state = {field.name: getattr(pilot, field.name) for field in fields(KernelExpansion)}
        return cls(**state, factors=np.exp(-0.5 * (logs - means[pilot.labels])))

    def log_sums(self, X: Array, **options: Any) -> Array:
        """Logarithms of the class sums, shape (n_queries, n_classes)."""
        return self._log_sums(X, exclude_self=False)

    def others_log_sums(self, **options: Any) -> Array:
        """Log-sums at the points themselves, each without its own kernel; factors stay."""
        return self._log_sums(self.points, exclude_self=True)

    def sums_method(self, method: str, rtol: float) -> str:
        """Every sum is taken over all pairs."""
        return "dense"

    def subset(self, rows: Any) -> LocalExpansion:
        """The same expansion on some of its points: indices or a mask."""
        labels = None if self.labels is None else self.labels[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(
            self,
            points=self.points[rows],
            labels=labels,
            weights=weights,
            factors=self.factors[rows],
        )

    def _log_sums(self, X: Array, *, exclude_self: bool) -> Array:
        out = np.full((len(X), self.n_classes), -np.inf, np.result_type(X, self.points))
        for c, rows, log_heights, bandwidths in self._kernels():
            space = self.space(c)
            queries, centres = space.map(X), space.map(self.points[rows])
            size = get_chunk_n_rows(
                row_bytes=8 * _ARRAYS_ALIVE * len(rows), max_n_rows=max(1, len(X))
            )
            for batch in gen_batches(len(X), size) if len(X) else ():
                pairs = self.kernel.pairs(queries[batch], centres)
                profile = self.kernel.log_profile(pairs, bandwidths, X.shape[1])
                logs: Floats = np.asarray(profile + log_heights, np.float64)
                if exclude_self:
                    own = (rows >= batch.start) & (rows < batch.stop)
                    logs[rows[own] - batch.start, np.flatnonzero(own)] = -np.inf
                out[batch, c] = log_sum(logs, axis=1)
        return out

    def _kernels(self) -> Iterator[tuple[int, Ints, Array, Array]]:
        """Class, its points, the logs of their weighted peaks, and their bandwidths."""
        d = self.points.shape[1]
        for c, rows, space in self._classes():
            if len(rows) == 0:
                continue
            bandwidths = space.bandwidth * self.factors[rows]
            heights = np.asarray(self.kernel.log_normalizer(bandwidths, d))
            heights = heights + space.log_volume + self.class_factors[c]
            if self.weights is not None:
                heights = heights + np.log(self.weights[rows])
            yield c, rows, heights, bandwidths

    def _add_own_remainder(self, sums: Array) -> None:
        if self.weights is None:
            return
        for c, rows, heights, _ in self._kernels():
            heavy = self.weights[rows] > 1
            own = rows[heavy]
            kept = heights[heavy] + np.log1p(-1 / self.weights[own])
            sums[own, c] = np.logaddexp(sums[own, c], kept)
