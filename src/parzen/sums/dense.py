"""The exact strategy: every pair, in tiles that fit the cache.

Queries are taken in small blocks, points in runs that fit the cache. For each tile the pair measure
(squared distance, L1 distance or inner product) is computed once; every bandwidth and every weight
column then uses it while it is in cache, and the matrix of pairs is never stored::

          points  ->  |--- run ---|--- run ---| ...
    queries    4 rows |   tile    |           |      distances, then one exponential per pair;
               4 rows |           |           |      bandwidths with h^2 ratio 2 by squaring
                 ...
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from parzen import _native
from parzen._core import Array, Floats
from parzen.kernels import Kernel
from parzen.sums.blocked import blocked_sums
from parzen.sums.call import Call, ScaledSums


class DensePlan(NamedTuple):
    """What exact sums prepare for the points; it is the same for all queries."""

    mode: str  # In which the native core sums: "scaled" where plain sums would underflow.
    log_normalizers: Floats  # (bandwidths,)
    native: tuple[str, list[float]] | None  # Name and parameters of the kernel's profile.
    exponent: int  # Queries, points and bandwidths are divided by 2^exponent.
    points: Array
    bandwidths: Floats

    @classmethod
    def of(cls, call: Call) -> DensePlan:
        """The plan of a call, for any queries of its type."""
        d, h, single = call.n_features, call.bandwidths, call.dtype == np.float32
        normalizers = np.asarray(call.kernel.log_normalizer(h, d), dtype=np.float64)
        mode = call.mode
        # With a peak above exp(300) (single precision: exp(40)), sums in units of the peak would
        # underflow where the densities do not.
        if mode == "plain" and normalizers.max() > (40.0 if single else 300.0):
            mode = "scaled"
        native = call.kernel.native(d)
        # Bandwidths far from 1 are scaled by a power of two, so that squares stay in range.
        exponent = 0
        if native is not None and call.kernel.measure != "inner":
            middle = int(np.round(np.log2(h).mean()))
            exponent = middle if abs(middle) > (16 if single else 128) else 0
        return cls(
            mode,
            normalizers,
            None if native is None else (native[0], list(native[1])),
            exponent,
            np.ldexp(call.Y, -exponent) if exponent else call.Y,
            np.ldexp(h, -exponent) if exponent else h,
        )


class NativeSums:
    """Exact sums by a function of the native core, or in blocks where it has no such kernel."""

    function: ClassVar[str]

    def refuses(self, call: Call, rtol: float) -> str | None:
        return None

    def run(self, call: Call, rtol: float, threads: int) -> Array | ScaledSums:
        plan: DensePlan = DensePlan.of(call) if call.plan is None else call.plan
        shape = len(call.X), call.columns, len(call.bandwidths)
        sums = np.empty(shape, dtype=call.dtype)
        scale = np.empty(shape[::2], call.dtype) if plan.mode == "scaled" else None
        if plan.native is None:
            blocked_sums(
                call.X, call.Y, _dense_weights(call), call.kernel, call.bandwidths,
                mode=plan.mode, exclude_self=call.exclude_self, factors=call.factors, out=sums,
                log_scale=scale,
            )  # fmt: skip
        else:
            queries = call.X
            if plan.exponent:
                queries = plan.points if call.same else np.ldexp(queries, -plan.exponent)
            getattr(_native, self.function)(
                queries, plan.points, call.weights, call.labels, *plan.native, plan.bandwidths,
                plan.log_normalizers, plan.mode, call.same, call.exclude_self, sums, scale, threads,
                *(() if call.factors is None else (call.factors,)),
            )  # fmt: skip
        if scale is None:
            return sums
        scaled = ScaledSums(sums, scale[:, None, :])
        return scaled if call.mode == "scaled" else scaled.plain(call.dtype)


class Dense(NativeSums):
    """Exact sums, for every kernel; the tolerance is not used."""

    name = "dense"
    function = "kernel_sums"

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        return None

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds, about."""
        values = len(call.bandwidths) * (1 if call.labels is not None else call.columns)
        halved = 0.6 if call.same and call.mode == "plain" else 1.0
        return dense_seconds(call.pairs, call.n_features, values) * halved


def dense_seconds(pairs: float, n_features: int, values: int = 1) -> float:
    """Time of exact sums on one thread, with ``values`` kernel values for each pair."""
    return pairs * (0.3 + 0.06 * n_features + 0.7 * values) * 1e-9


def _dense_weights(call: Call) -> Array:
    """The weights as one array (points, columns, 1 or bandwidths)."""
    n = len(call.Y)
    w = np.ones((n, 1, 1)) if call.weights is None else call.weights
    if call.labels is None:
        return w
    one_hot = np.zeros((n, call.columns, 1))
    one_hot[np.arange(n), call.labels] = 1
    return np.asarray(one_hot * w)
