"""An expansion whose kernels are wider where the sample is thin (Abramson, 1982).

The kernel of point i in class c has the bandwidth h_c lambda_i with

    lambda_i = ( f(x_i) / g )^(-1/2),   log g = mean_j log f(x_j),

where f is the density of the class at the common bandwidth, and the mean is over its points. Tails
get wide kernels and peaks narrow ones, which takes the leading term out of the bias.

No two kernels have the same bandwidth, so the sums visit every pair; trees and transforms do not
serve them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from parzen._core import Array, Floats, Ints, steps
from parzen.expansion.kernel_expansion import KernelExpansion
from parzen.expansion.space import Space
from parzen.sums import DEFAULT_RTOL, PreparedSums

_MAX_LOG_RATIO = 600.0  # Logarithms of heights that may be apart in one pass: no weight underflows.


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
        return self._log_sums(X, options.get("n_jobs"), exclude_self=False)

    def others_log_sums(self, **options: Any) -> Array:
        """Log-sums at the points themselves, each without its own kernel; factors stay."""
        return self._log_sums(self.points, options.get("n_jobs"), exclude_self=True)

    def sums_method(self, method: str, rtol: float) -> str:
        """Every sum is taken over all pairs."""
        return "dense"

    def subset(self, rows: Any) -> LocalExpansion:
        """The same expansion on some of its points: indices or a mask."""
        part = super().subset(rows)
        assert isinstance(part, LocalExpansion)
        return replace(part, factors=self.factors[rows])

    def _log_sums(self, X: Array, n_jobs: int | None, *, exclude_self: bool) -> Array:
        out = np.full((len(X), self.n_classes), -np.inf, np.result_type(X, self.points))
        if len(X) == 0:
            return out
        how: dict[str, Any] = {"method": "dense", "rtol": DEFAULT_RTOL, "n_jobs": n_jobs}
        passes = list(self._passes())
        for c, rows, log_heights, space in steps(passes, [len(rows) for _, rows, *_ in passes]):
            unit = log_heights.max()
            sums = PreparedSums(
                space.map(self.points[rows]), np.exp(log_heights - unit), kernel=self.kernel,
                bandwidth=space.bandwidth, mode="log", factors=self.factors[rows],
            )  # fmt: skip
            level = unit - self._log_normalizer(space)
            others = np.delete(np.arange(len(X)), rows) if exclude_self else slice(None)
            logs = np.asarray(sums.at(space.map(X[others]), **how))[:, 0, 0] + level
            out[others, c] = np.logaddexp(out[others, c], logs)
            if exclude_self:
                own = sums.without_self(**how)[:, 0, 0] + level
                out[rows, c] = np.logaddexp(out[rows, c], own)
        return out

    def _passes(self) -> Iterator[tuple[int, Ints, Floats, Space]]:
        """What `_kernels` gives, with the points of a class by height where these are far apart."""
        for c, rows, log_heights, space in self._kernels():
            part = np.floor((log_heights.max() - log_heights) / _MAX_LOG_RATIO)
            for k in np.unique(part):
                yield c, rows[part == k], log_heights[part == k], space

    def _kernels(self) -> Iterator[tuple[int, Ints, Floats, Space]]:
        """Class, its points, the logs of their weighted peaks, and the space of the class."""
        d = self.points.shape[1]
        for c, rows, space in self._classes():
            if len(rows) == 0:
                continue
            heights = np.asarray(
                self.kernel.log_normalizer(space.bandwidth * self.factors[rows], d), np.float64
            )
            heights = heights + space.log_volume + self.class_factors[c]
            if self.weights is not None:
                heights = heights + np.log(self.weights[rows])
            yield c, rows, heights, space

    def _add_own_remainder(self, sums: Array) -> None:
        if self.weights is None:
            return
        for c, rows, heights, _ in self._kernels():
            heavy = self.weights[rows] > 1
            own = rows[heavy]
            kept = heights[heavy] + np.log1p(-1 / self.weights[own])
            sums[own, c] = np.logaddexp(sums[own, c], kept)
