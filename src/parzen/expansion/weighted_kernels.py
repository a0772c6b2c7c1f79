"""The weighted kernels of an expansion: points, classes and weights, and the space of each class.

A model may ask for the kernels class by class, or for the groups of classes that one pass serves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.expansion.space import Space
from parzen.kernels import ColumnProduct, Kernel, get
from parzen.metric import Whitening
from parzen.sums import PreparedSums, TreeStore


class Group(NamedTuple):
    """Classes that share a kernel: all of them, or one."""

    classes: slice
    space: Space
    sums: PreparedSums | None  # None for a class without points.
    log_levels: Array  # (classes,), added to the logarithms of the sums.


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightedKernels:
    """The fields of a `KernelExpansion`, which describes them."""

    points: Array
    kernel: Kernel
    bandwidth: Floats
    n_classes: int
    labels: Ints | None = None
    weights: Array | None = None
    log_factors: Floats | None = None
    offset: Floats | None = None
    whitening: Whitening | None = None
    unit_peak: bool = False
    mismatch: float = 0.0

    @property
    def is_shared(self) -> bool:
        """Whether all classes have the same kernel, so that one pass serves them all."""
        return self.whitening is None and (
            self.bandwidth.ndim == 0 or (self.bandwidth.ndim == 2 and len(self.bandwidth) == 1)
        )

    @property
    def kernel_in_space(self) -> Kernel:
        """The kernel of the points that `Space.map` returns."""
        return get("gaussian") if isinstance(self.kernel, ColumnProduct) else self.kernel

    @property
    def class_factors(self) -> Floats:
        """The ``log_factors``; zeros where there are none."""
        return np.zeros(self.n_classes) if self.log_factors is None else self.log_factors

    def log_peaks(self) -> Floats:
        """Log of each class's kernel at distance 0, shape (n_classes,)."""
        spaces = [self.space(c) for c in range(1 if self.is_shared else self.n_classes)]
        peaks = [s.log_volume - self._peak(s) + self._log_normalizer(s) for s in spaces]
        return np.array(np.broadcast_to(peaks, self.n_classes))

    def weight_matrix(self) -> Array:
        """The weights as a matrix (n_points, n_classes)."""
        if self.labels is None:
            assert self.weights is not None
            return self.weights
        W = np.zeros((len(self.points), self.n_classes))
        W[np.arange(len(W)), self.labels] = 1.0 if self.weights is None else self.weights
        return W

    def groups(self, mode: str, trees: TreeStore) -> Iterator[Group]:
        """Classes that share a kernel, with their sums prepared for log-sums or signed sums."""
        how: dict[str, Any] = {"kernel": self.kernel_in_space, "mode": mode}
        if self.is_shared or self.n_classes == 1:
            how["trees"] = trees
        factors = self.class_factors if mode == "log" else np.zeros(self.n_classes)
        if not self.is_shared:
            for c, rows, space in self._classes():
                column, level = self._column(c, rows, space, how)
                yield Group(slice(c, c + 1), space, column, factors[c] + level)
            return
        space = self.space(0)
        Y = space.map(self.points)
        how["bandwidth"] = space.bandwidth
        levels = factors + (space.log_volume - self._peak(space))
        sums: PreparedSums | None
        if len(Y) == 0:
            sums = None
        elif self.labels is None:
            sums = PreparedSums(Y, self.weights, **how)
        elif mode == "scaled":  # in other units than the trees of the log-sums
            sums = PreparedSums(Y, self.weight_matrix(), **{**how, "trees": TreeStore()})
        else:
            weights, log_units = self._weights_in_units()
            sums = PreparedSums(Y, weights, labels=self.labels, n_labels=self.n_classes, **how)
            levels = levels + log_units
        yield Group(slice(None), space, sums, levels)

    def _column(
        self, c: int, rows: Ints, space: Space, how: dict[str, Any]
    ) -> tuple[PreparedSums | None, Array]:
        """The sums of one class, and what is added to their logarithms."""
        level = np.array([space.log_volume - self._peak(space)])
        if len(rows) == 0:
            return None, level
        w = self.weights
        if w is not None:
            w = w[rows] if w.ndim == 1 else w[rows, c]
            unit = float(w.max()) if how["mode"] == "log" else 1.0
            unit = unit if np.count_nonzero(w / unit) == np.count_nonzero(w) else 1.0
            w, level = w / unit, level + np.log(unit)
        Y = space.map(self.points[rows])
        return PreparedSums(Y, w, bandwidth=space.bandwidth, **how), level

    def _weights_in_units(self) -> tuple[Array | None, Floats]:
        """Weights relative to the largest of their class (1e-300 is no zero), and its logarithm."""
        if self.weights is None:
            return None, np.zeros(self.n_classes)
        assert self.labels is not None
        unit = np.zeros(self.n_classes)
        np.maximum.at(unit, self.labels, self.weights)
        unit[unit == 0] = 1.0
        relative = self.weights / unit[self.labels]
        unit[self.labels[(relative == 0) & (self.weights > 0)]] = 1.0  # a light point is no zero
        return self.weights / unit[self.labels], np.log(unit)

    def _log_normalizer(self, space: Space) -> float:
        d = self.points.shape[1] if space.columns is None else space.map(self.points[:1]).shape[1]
        return float(self.kernel_in_space.log_normalizer(space.bandwidth, d))

    def _peak(self, space: Space) -> float:
        """What to take off so that kernels have height 1, where that is asked for."""
        return self._log_normalizer(space) + space.log_volume if self.unit_peak else 0.0

    def space(self, c: int) -> Space:
        """The space in which the kernel of class c has one bandwidth."""
        if self.whitening is not None:
            h = float(self.bandwidth if self.bandwidth.ndim == 0 else self.bandwidth[c])
            return Space(None, self.whitening, c, h, float(self.whitening.log_volumes[c]))
        if isinstance(self.kernel, ColumnProduct):
            return self._column_space(self.kernel, c)
        if self.bandwidth.ndim < 2:
            h = float(self.bandwidth if self.bandwidth.ndim == 0 else self.bandwidth[c])
            return Space(None, None, c, h, 0.0)
        row = self.bandwidth[c if len(self.bandwidth) > 1 else 0]
        return Space(row, None, c, 1.0, float(-np.log(row).sum()))

    def _column_space(self, kernel: ColumnProduct, c: int) -> Space:
        h = self.bandwidth
        row = kernel.check_row(h[c if len(h) > 1 else 0] if h.ndim == 2 else h)
        n_codes = kernel.embedded(self.points[:1], row).shape[1]
        peak = self.kernel_in_space.log_normalizer(1.0, n_codes)
        return Space(row, None, c, 1.0, float(kernel.log_peaks(row).sum() - peak), kernel)

    def _classes(self) -> Iterator[tuple[int, Any, Space]]:
        """Class, rows of its points and its space."""
        if self.labels is None:
            assert self.weights is not None
            for c in range(self.n_classes):
                yield c, np.flatnonzero(self.weights[:, c]), self.space(c)
            return
        order = np.argsort(self.labels, kind="stable")
        ends = np.searchsorted(self.labels[order], np.arange(self.n_classes + 1))
        for c in range(self.n_classes):
            yield c, order[ends[c] : ends[c + 1]], self.space(c)
