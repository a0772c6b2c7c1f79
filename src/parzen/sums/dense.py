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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen import _native
from parzen.kernels import Kernel
from parzen.sums.blocked import blocked_sums
from parzen.sums.call import Call, ScaledSums

Floats = NDArray[Any]


class Dense:
    """Exact sums, for every kernel; the tolerance is not used."""

    name = "dense"

    def refuses_kernel(self, kernel: Kernel, n_features: int) -> str | None:
        return None

    def refuses(self, call: Call, rtol: float) -> str | None:
        return None

    def cost(self, call: Call, rtol: float, below: float) -> float:
        """Seconds, about."""
        values = len(call.bandwidths) * (1 if call.labels is not None else call.columns)
        halved = 0.6 if call.same and call.mode == "plain" else 1.0
        return dense_seconds(call.pairs, call.n_features, values) * halved

    def run(self, call: Call, rtol: float, threads: int) -> Floats | ScaledSums:
        return native_sums(call, _native.kernel_sums, threads)


def native_sums(call: Call, primitive: Any, threads: int) -> Floats | ScaledSums:
    """Sums by a function of the native core, or in blocks where it does not know the kernel."""
    d = call.X.shape[1]
    normalizers = np.array([call.kernel.log_normalizer(h, d) for h in call.bandwidths], dtype=float)
    mode = call.mode
    if mode == "plain" and normalizers.max() > _safe_exponent(call):
        mode = "scaled"  # sums in units of the peak would underflow where densities do not
    out = np.empty((len(call.X), call.columns, len(call.bandwidths)), dtype=call.dtype)
    scale = np.empty((len(call.X), len(call.bandwidths)), call.dtype) if mode == "scaled" else None
    native = call.kernel.native(d)
    if native is None:
        blocked_sums(
            call.X, call.Y, _dense_weights(call), call.kernel, call.bandwidths,
            mode=mode, exclude_self=call.exclude_self, out=out, log_scale=scale,
        )  # fmt: skip
    else:
        x, y, h = _rescaled(call)
        primitive(
            x, y, call.weights, call.labels, native[0], list(native[1]), h, normalizers,
            mode, call.same, call.exclude_self, out, scale, threads,
        )  # fmt: skip
    if scale is None:
        return out
    if call.mode == "scaled":
        return ScaledSums(out, scale[:, None, :])
    with np.errstate(over="ignore", divide="ignore"):
        return np.asarray(
            np.sign(out) * np.exp(np.log(np.abs(out)) + scale[:, None, :]), call.dtype
        )


def dense_seconds(pairs: float, n_features: int, values: int = 1) -> float:
    """Time of exact sums on one thread, with ``values`` kernel values for each pair."""
    return pairs * (0.3 + 0.06 * n_features + 0.7 * values) * 1e-9


def _safe_exponent(call: Call) -> float:
    return 40.0 if call.dtype == np.float32 else 300.0


def _rescaled(call: Call) -> tuple[Floats, Floats, NDArray[np.float64]]:
    """Data and bandwidths times a power of two where squares would leave the number range."""
    if call.kernel.measure == "inner":
        return call.X, call.Y, call.bandwidths
    exponent = int(np.round(np.log2(call.bandwidths).mean()))
    if abs(exponent) <= (16 if call.dtype == np.float32 else 128):
        return call.X, call.Y, call.bandwidths
    x = np.ldexp(call.X, -exponent)
    return (
        x,
        x if call.same else np.ldexp(call.Y, -exponent),
        np.ldexp(call.bandwidths, -exponent),
    )


def _dense_weights(call: Call) -> Floats:
    """The weights as one array (points, columns, 1 or bandwidths)."""
    n = len(call.Y)
    w = np.ones((n, 1, 1)) if call.weights is None else call.weights
    if call.labels is None:
        return w
    one_hot = np.zeros((n, call.columns, 1))
    one_hot[np.arange(n), call.labels] = 1
    return np.asarray(one_hot * w)
