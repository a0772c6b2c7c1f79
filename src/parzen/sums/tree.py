"""The strategy for large samples: far groups of points are bounded together.

A kd-tree per column knows box, weight, mean and second moments of its nodes, and from them bounds
on the kernel sum of a node. Only nodes whose bounds are too wide are opened. Whether that is
faster depends on where the queries lie, so "auto" counts the work for a few of them.

A sum of a sample over itself, each row without its own term, skips the own point and never
subtracts it: the search starts from the siblings of all nodes on the path from the root to the
point's leaf, and from the other points of that leaf. A tree has the points of one column only;
`SignedForest.own` says which of them each row is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen._core import Array, Bools
from parzen.kernels import Kernel
from parzen.sums.call import Call, ScaledSums
from parzen.sums.dense import dense_seconds
from parzen.sums.forest import Forest, TreeColumn, Work, build_seconds, refuses_kernel

Places = NDArray[np.int64]


N_PILOT_QUERIES = 24  # Queries on which "auto" counts the work of trees before it takes them.
# Queries; among fewer, counting the work anew takes too long, and the last count is used.
MIN_QUERIES_FOR_PILOT = 2000
# Share of the time of exact sums that trees may take at most; estimates may be off by half.
MAX_TIME_SHARE = 0.5
MAX_FEATURES = 16  # Features up to which "auto" tries trees.
MAX_COLUMNS = 64  # Columns of sums up to which "auto" tries trees.
# Build trees only if exact sums take this many times the build: exact sums may use all threads.
_MIN_SPEEDUP_TO_BUILD = 25.0
_MIN_SECONDS_PER_QUERY = 5e-6  # Seconds that a query takes in any tree.


class SignedForest(NamedTuple):
    """One tree for each sign of each column; ``signs`` are the column and the sign of a tree."""

    forest: Forest
    signs: list[tuple[int, float]]

    @classmethod
    def of(cls, call: Call, threads: int) -> SignedForest:
        columns, signs = columns_of(call)
        return cls(Forest(columns, call.kernel, threads), signs)

    def own(self, call: Call) -> list[Places]:
        """For every tree the place of each query among its points, which the query leaves out.

        It is -1 where the query is none of them: a tree has no points without weight. The list is
        empty where nothing is left out.
        """
        w = call.weights
        if not call.exclude_self:
            return []
        if call.labels is not None:
            counts = True if w is None else w[:, 0, 0] > 0
            return [_ranks((call.labels == c) & counts) for c in range(call.columns)]
        if w is None:
            return [np.arange(len(call.Y), dtype=np.int64)]
        return [_ranks(sign * w[:, c, 0] > 0) for c, sign in self.signs]


class TreeStore:
    """The trees of some points, built when they are first needed; a copy starts without them.

    One store belongs to one set of points and weights: a call makes its own, and an expansion owns
    one for all its sums and labels. Several threads may ask at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trees: SignedForest | None = None
        self._seconds_per_query: float | None = None  # As last counted for sums.

    @property
    def is_built(self) -> bool:
        """Whether the trees exist already."""
        return self._trees is not None

    def get(self, build: Callable[[], SignedForest]) -> SignedForest:
        """The trees; ``build`` makes them if there are none."""
        with self._lock:
            if self._trees is None:
                self._trees = build()
            return self._trees

    def seconds_for_sums(
        self,
        build: Callable[[], SignedForest],
        work_at: Callable[[SignedForest, slice], Work],
        n_queries: int,
        size: Size,
        below: float,
    ) -> float:
        """Seconds on one thread, from the work at some queries; infinity where trees do not pay.

        ``work_at`` computes the sums of some queries. ``below`` is the time of the best strategy so
        far: no trees are built to lose against it.
        """
        n, d = n_queries, size.n_features
        exact = dense_seconds(float(n) * size.n_points, d)
        build_time = 0.0 if self.is_built else build_seconds(size.n_points, d)
        if (
            d > MAX_FEATURES
            or size.n_columns > MAX_COLUMNS
            or exact < _MIN_SPEEDUP_TO_BUILD * build_time
            or build_time + _MIN_SECONDS_PER_QUERY * n > below
        ):
            return float("inf")
        if self._seconds_per_query is not None and n < MIN_QUERIES_FOR_PILOT:
            return self._seconds_per_query * n
        pilot = slice(0, n, max(1, n // N_PILOT_QUERIES))
        work = work_at(self.get(build), pilot)
        seconds = work.seconds(d) * n / len(range(n)[pilot])
        if seconds > MAX_TIME_SHARE * exact:
            return float("inf")
        self._seconds_per_query = seconds / n
        return seconds

    def __reduce__(self) -> tuple[type[TreeStore], tuple[()]]:
        return TreeStore, ()


class Size(NamedTuple):
    """What the time of a model's sums depends on."""

    n_points: int
    n_features: int
    n_columns: int


class Tree:
    """Sums within a relative tolerance."""

    name = "tree"

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        return refuses_kernel(kernel, n_features)

    def refuses(self, call: Call, rtol: float) -> str | None:
        if len(call.bandwidths) > 1:
            return f"takes one bandwidth, not {len(call.bandwidths)}"
        return None

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds, from the work at a few queries; infinity where trees do not pay."""
        if call.trees is None:
            return float("inf")
        store: TreeStore = call.trees
        size = Size(len(call.Y), call.n_features, call.columns)

        def work_at(trees: SignedForest, rows: slice) -> Work:
            own = [places[rows] for places in trees.own(call)]
            return trees.forest.sums([call.X[rows]], rtol, 1, own)[2]

        def build() -> SignedForest:
            return SignedForest.of(call, 1)

        return store.seconds_for_sums(build, work_at, len(call.X), size, below)

    def run(self, call: Call, rtol: float, threads: int) -> Array | ScaledSums:
        store: TreeStore = TreeStore() if call.trees is None else call.trees
        trees = store.get(lambda: SignedForest.of(call, threads))
        values, levels, _ = trees.forest.sums([call.X], rtol, threads, trees.own(call))
        normalizer = float(call.kernel.log_normalizer(float(call.bandwidths[0]), call.n_features))
        levels += normalizer
        if call.mode == "log":
            with np.errstate(divide="ignore"):
                return np.asarray((np.log(values) + levels)[:, :, None], dtype=call.dtype)
        sums = signed_sums(values, levels, trees.signs, call.columns, call.dtype)
        if call.mode == "scaled":
            return sums
        return ScaledSums(*(part.astype(np.float64, copy=False) for part in sums)).plain(call.dtype)


def _ranks(members: Bools) -> Places:
    """The place of each row among the members, -1 for rows that are none."""
    return np.where(members, np.cumsum(members, dtype=np.int64) - 1, -1)


def columns_of(call: Call) -> tuple[list[TreeColumn], list[tuple[int, float]]]:
    """Columns of non-negative weights; of each the column of the call, and the sign there."""
    h = float(call.bandwidths[0])
    if call.labels is not None:
        w = None if call.weights is None else call.weights[:, 0, 0]
        members = [call.labels == c for c in range(call.columns)]
        columns = [TreeColumn(call.Y[m], None if w is None else w[m], h) for m in members]
        return columns, [(c, 1.0) for c in range(call.columns)]
    if call.weights is None:
        return [TreeColumn(call.Y, None, h)], [(0, 1.0)]
    columns, signs = [], []
    for c in range(call.columns):
        w = call.weights[:, c, 0]
        for sign in (1.0, -1.0):
            part = np.maximum(sign * w, 0.0)
            if sign > 0 or part.any():
                columns.append(TreeColumn(call.Y, part, h))
                signs.append((c, sign))
    return columns, signs


def signed_sums(
    values: Array, levels: Array, signs: list[tuple[int, float]], n_columns: int, dtype: Any
) -> ScaledSums:
    """Sums of columns that have a tree for each sign, the largest level of a row factored out."""
    largest = np.where(values > 0, levels, -np.inf).max(axis=1, keepdims=True)
    scale = np.where(np.isfinite(largest), largest, 0.0)
    parts = values * np.exp(np.minimum(levels - scale, 0.0))
    mantissa = np.zeros((len(values), n_columns))
    for j, (c, sign) in enumerate(signs):
        mantissa[:, c] += sign * parts[:, j]
    return ScaledSums(mantissa[:, :, None].astype(dtype), scale[:, :, None].astype(dtype))
