"""kd-trees over the points, one per column of sums; ``native/src/tree/loops.hpp`` has the bounds.

A column is a set of points with non-negative weights and a bandwidth of its own. Columns may live
in spaces of their own, where the queries are then given once for each. Everything is in float64
and in units of the kernel's peak; points and bandwidths are scaled by a power of two where squares
would leave the number range.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen import _native
from parzen._core import Array, Floats
from parzen.kernels import Kernel, Rescaled

Codes = NDArray[np.int32]

# Codes of queries without a class: the bounds cannot decide; every decision costs too much; the
# density is too low; no kernel reaches the query.
UNDECIDED, AMBIGUOUS, NOVEL, NOWHERE = -1, -2, -3, -4
_KERNELS_WITH_BOUNDS = frozenset(_native.kernel_names("tree"))
_MAX_EXPONENT = 128  # Bandwidths beyond 2^128, or below 2^-128, are scaled by a power of two.


def refuses_kernel(kernel: Kernel, n_features: int) -> str | None:
    """Why trees cannot bound a kernel, as the end of a sentence; None when they can."""
    k = kernel.kernel if isinstance(kernel, Rescaled) else kernel
    native = k.native(n_features)
    if native is None or native[0] not in _KERNELS_WITH_BOUNDS:
        return f"has no bounds for kernel {kernel.name!r}"
    return None


class TreeColumn(NamedTuple):
    """The points of one column of sums, over which a tree is built."""

    points: Array
    weights: Array | None
    bandwidth: float


class DecisionRule(NamedTuple):
    """Decide by A_j = S_j^exponent exp(log_shift_j): see ``native/include/parzen/tree.hpp``."""

    log_shift: Floats
    exponent: float = 1.0
    costs: Floats | None = None  # (columns, options); None: the largest A_j
    reject: float | None = None
    novelty: float | None = None
    margin: float = 1e-10  # relative; queries whose options are closer are left undecided


class Work(NamedTuple):
    """Kernel pairs and tree nodes visited; ``quick`` counts those in single precision."""

    pairs: int
    nodes: int
    quick_pairs: int = 0
    quick_nodes: int = 0

    def seconds(self, n_features: int) -> float:
        """Seconds on one thread, about; the four costs are in nanoseconds."""
        pair, node = 0.8 + 0.24 * n_features, 20.0 + 15.0 * n_features
        quick_pair, quick_node = 0.4 + 0.02 * n_features, 20.0 + 4.0 * n_features
        full = self.pairs * pair + self.nodes * node
        return (full + self.quick_pairs * quick_pair + self.quick_nodes * quick_node) * 1e-9


def build_seconds(n_points: int, n_features: int) -> float:
    """Time to build the trees of so many points on one thread, about."""
    return n_points * (0.6 + 0.07 * n_features) * 1e-6


class Forest:
    """The trees of some columns."""

    def __init__(self, columns: Sequence[TreeColumn], kernel: Kernel, threads: int) -> None:
        self.n_features = int(columns[0].points.shape[1])
        self.n_points = sum(len(c.points) for c in columns)
        native = kernel.native(self.n_features)
        assert native is not None
        bandwidths = np.array([c.bandwidth for c in columns], dtype=np.float64)
        exponent = int(np.round(np.log2(bandwidths).mean()))
        self._exponent = exponent if abs(exponent) > _MAX_EXPONENT else 0
        weighted = [_in_units(c) for c in columns]
        self.log_units = np.log([unit for _, _, unit in weighted])
        self._native = _native.make_forest(
            [self._scaled(points) for points, _, _ in weighted],
            [weights for _, weights, _ in weighted],
            [float(h) for h in np.ldexp(bandwidths, -self._exponent)],
            native[0],
            list(native[1]),
            threads,
        )

    def sums(
        self,
        queries: Sequence[Array],
        rtol: float,
        threads: int,
        own: Sequence[NDArray[np.int64]] = (),
    ) -> tuple[Floats, Floats, Work]:
        """Sums in units of the peak, within ``rtol``: values * exp(levels), (queries, columns).

        ``own`` has for every column the point that each query leaves out, -1 for none, counted
        among the points that have a weight.
        """
        shape = (len(queries[0]), len(self.log_units))
        values, levels = np.empty(shape), np.empty(shape)
        x = [self._scaled(q) for q in queries]
        left_out = {"own": [np.ascontiguousarray(places) for places in own]} if own else {}
        work = self._native.sums(x, rtol, values, levels, threads, **left_out)
        return values, levels + self.log_units, Work(*work)

    def decide(
        self, queries: Sequence[Array], rule: DecisionRule, threads: int
    ) -> tuple[Codes, Work]:
        """The option for each query, or why there is none."""
        codes = np.empty(len(queries[0]), dtype=np.int32)
        shift = np.ascontiguousarray(rule.log_shift + rule.exponent * self.log_units)
        costs = None if rule.costs is None else np.ascontiguousarray(rule.costs, dtype=np.float64)
        work = self._native.decide(
            [self._scaled(q) for q in queries], costs, False, rule.exponent, shift,
            rule.reject, rule.novelty, rule.margin, codes, threads,
        )  # fmt: skip
        return codes, Work(*work)

    def _scaled(self, X: Array) -> Floats:
        x = np.ascontiguousarray(X, dtype=np.float64)
        return np.ldexp(x, -self._exponent) if self._exponent else x


def _in_units(column: TreeColumn) -> tuple[Array, Floats | None, float]:
    """The points of positive weight, their weights in units of the largest, and that unit."""
    if column.weights is None:
        return column.points, None, 1.0
    counts = column.weights > 0
    if not counts.any():
        return column.points[:0], None, 1.0
    weights = np.asarray(column.weights[counts], dtype=np.float64)
    unit = float(weights.max())
    points = column.points if counts.all() else column.points[counts]
    return points, None if (weights == unit).all() else weights / unit, unit
