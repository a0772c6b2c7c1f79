"""The strategy for large samples: far groups of points are bounded together.

A kd-tree per column knows box, weight, mean and second moments of its nodes, and from them bounds
on the kernel sum of a node. Only nodes whose bounds are too wide are looked into. Whether that
pays depends on where the queries lie, so "auto" tries a few of them and counts the work.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parzen.kernels import Kernel
from parzen.sums.call import Call, ScaledSums
from parzen.sums.dense import dense_seconds
from parzen.sums.forest import Column, Forest, build_seconds, refuses_kernel
from parzen.sums.tree_own import own_places

Floats = NDArray[Any]

PILOT = 24  # queries that are tried
MANY = 2000  # queries; among fewer it would take too long to try some again
ENOUGH = 0.5  # of the time of exact sums: estimates may be off by half
MOST_FEATURES = 16  # of what "auto" tries
MOST_COLUMNS = 64
_ROOM = 25.0  # how much longer than building the trees exact sums must take, which may be shared
_LEAST = 5e-6  # seconds that no query goes below


class Trees(NamedTuple):
    """The trees of a call's columns, and which column each feeds, with what sign."""

    forest: Forest
    signs: list[tuple[int, float]]

    @classmethod
    def of(cls, call: Call, threads: int) -> Trees:
        columns, signs = columns_of(call)
        return cls(Forest(columns, call.kernel, threads), signs)

    def own(self, call: Call) -> list[NDArray[np.int64]]:
        """The point of every tree that each query leaves out; none where nothing is left out."""
        return own_places(call, self.signs) if call.exclude_self else []


class Kept:
    """Where a model keeps its trees from one call to the next; a copy starts without."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.trees: Trees | None = None
        self.seconds: float | None = None  # of a query, when some were last tried

    def get(self, call: Call, threads: int) -> Trees:
        with self._lock:
            if self.trees is None:
                self.trees = Trees.of(call, threads)
            return self.trees

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        return Kept, ()


class Tree:
    """Sums within a relative tolerance."""

    name = "tree"

    def __init__(self) -> None:
        self._ready: tuple[Call, Trees] | None = None

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        return refuses_kernel(kernel, n_features)

    def refuses(self, call: Call, rtol: float) -> str | None:
        if len(call.bandwidths) > 1:
            return f"takes one bandwidth, not {len(call.bandwidths)}"
        return None

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds, by trying a few queries; infinity where building trees is too much already."""
        exact = dense_seconds(call.pairs, call.n_features)
        build = self._build_seconds(call)
        if (
            call.n_features > MOST_FEATURES
            or call.columns > MOST_COLUMNS
            or exact < _ROOM * build
            or build + _LEAST * len(call.X) > below
        ):
            return float("inf")
        kept = call.kept
        if kept is not None and kept.seconds is not None and len(call.X) < MANY:
            return float(kept.seconds * len(call.X))
        trees = Trees.of(call, 1) if kept is None or kept.trees is None else kept.trees
        pilot = slice(None, None, max(1, len(call.X) // PILOT))
        some, own = call.X[pilot], [places[pilot] for places in trees.own(call)]
        work = trees.forest.sums([some], rtol, 1, own)[2]
        seconds = work.seconds(call.n_features) * len(call.X) / len(some)
        if seconds > ENOUGH * exact:
            return float("inf")
        self._ready = call, trees
        if kept is not None:
            kept.trees, kept.seconds = trees, seconds / len(call.X)
        return seconds

    def _build_seconds(self, call: Call) -> float:
        there = call.kept is not None and call.kept.trees is not None
        return 0.0 if there else build_seconds(len(call.Y), call.n_features)

    def run(self, call: Call, rtol: float, threads: int) -> Floats | ScaledSums:
        trees = self._trees(call, threads)
        values, levels, _ = trees.forest.sums([call.X], rtol, threads, trees.own(call))
        return _in_mode(call, values, levels, trees.signs)

    def _trees(self, call: Call, threads: int) -> Trees:
        """Those of the estimate or of the model, or new ones."""
        ready, self._ready = self._ready, None
        trees = ready[1] if ready is not None and ready[0] is call else None
        if call.kept is None:
            return Trees.of(call, threads) if trees is None else trees
        return call.kept.get(call, threads)  # type: ignore[no-any-return]


def columns_of(call: Call) -> tuple[list[Column], list[tuple[int, float]]]:
    """Columns of non-negative weights, and which column of the call each feeds, with what sign."""
    h = float(call.bandwidths[0])
    if call.labels is not None:
        w = None if call.weights is None else call.weights[:, 0, 0]
        members = [call.labels == c for c in range(call.columns)]
        columns = [Column(call.Y[m], None if w is None else w[m], h) for m in members]
        return columns, [(c, 1.0) for c in range(call.columns)]
    if call.weights is None:
        return [Column(call.Y, None, h)], [(0, 1.0)]
    columns, signs = [], []
    for c in range(call.columns):
        w = call.weights[:, c, 0]
        for sign in (1.0, -1.0):
            part = np.maximum(sign * w, 0.0)
            if sign > 0 or part.any():
                columns.append(Column(call.Y, part, h))
                signs.append((c, sign))
    return columns, signs


def _in_mode(
    call: Call,
    values: NDArray[np.float64],
    levels: NDArray[np.float64],
    signs: list[tuple[int, float]],
) -> Floats | ScaledSums:
    """Sums in units of the peak as the caller wants them.

    Columns of both signs are put together with the largest level of each row factored out.
    """
    normalizer = float(call.kernel.log_normalizer(float(call.bandwidths[0]), call.n_features))
    if call.mode == "log":
        with np.errstate(divide="ignore"):
            logs = np.log(values) + (levels + normalizer)
        return np.asarray(logs[:, :, None], dtype=call.dtype)
    reached = np.where(values > 0, levels, -np.inf).max(axis=1, keepdims=True)
    scale = np.where(np.isfinite(reached), reached, 0.0)
    parts = values * np.exp(np.minimum(levels - scale, 0.0))
    mantissa = np.zeros((len(values), call.columns))
    for j, (c, sign) in enumerate(signs):
        mantissa[:, c] += sign * parts[:, j]
    scale += normalizer
    if call.mode == "scaled":
        return ScaledSums(
            mantissa[:, :, None].astype(call.dtype), scale[:, :, None].astype(call.dtype)
        )
    with np.errstate(over="ignore", divide="ignore"):
        sums = np.sign(mantissa) * np.exp(np.log(np.abs(mantissa)) + scale)
    return np.asarray(sums[:, :, None], dtype=call.dtype)
