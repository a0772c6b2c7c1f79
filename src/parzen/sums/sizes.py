"""Weights of very different sizes: sums over parts of similar size, each in a unit of its own.

    sum_j w_j k_j = sum_p 2^u_p (sum_{j in p} (2^-u_p w_j) k_j)

A heavy point far away may outweigh a light one nearby, although its kernel value, in units of the
nearest point's, underflows in the precision of the data. Within a part all weights are of similar
size, so that a term that underflows is negligible there. The units are kept as exponents, which
fit even where the weights are outside the range of single precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Any

import numpy as np

from parzen._core import Array
from parzen.sums.call import Call, ScaledSums
from parzen.sums.partial_sums import added, unprepared

Sums = Array | ScaledSums

# Powers of two that the weights of one part may span, by the type of the data.
_MAX_SPAN = {"f": 80, "d": 640}


def need_parts(weights: Array | None, dtype: Any) -> bool:
    """Whether weights span too much, or are too large or small, for sums in one pass."""
    if weights is None:
        return False
    sizes = np.abs(weights)
    largest, smallest = sizes.max(), sizes.min(initial=np.inf, where=sizes > 0)
    if largest == 0:
        return False
    top, bottom = (int(np.frexp(size)[1]) for size in (largest, smallest))
    max_span = _MAX_SPAN[np.dtype(dtype).char]
    return top - bottom > max_span or top > max_span or bottom < -max_span


def sums_in_parts(call: Call, run: Callable[[Call], Sums]) -> Sums:
    """The sums of a call whose weights need parts; ``run`` sums one part."""
    assert call.weights is not None
    if call.mode == "plain" and call.kernel.measure != "inner":
        return _plain_by_logs(call, run)
    mode = "log" if call.mode == "log" else "scaled"
    parts = []
    for weights, log_unit in _by_size(call.weights, _MAX_SPAN[call.dtype.char]):
        part = unprepared(call._replace(mode=mode, weights=weights.astype(call.dtype)))
        parts.append(_with_unit(run(part), log_unit))
    if call.mode == "plain":
        with np.errstate(over="ignore"):
            return _plain_total(parts).astype(call.dtype)
    total = reduce(partial(added, mode=mode), parts)
    if isinstance(total, ScaledSums):
        return ScaledSums(*(part.astype(call.dtype) for part in total))
    return total.astype(call.dtype)


def _plain_by_logs(call: Call, run: Callable[[Call], Sums]) -> Array:
    """Sums as differences of positive ones, whose logarithms lose no column to a nearer point."""
    parts = []
    for sign in (1.0, -1.0):
        weights = np.maximum(sign * call.weights, 0.0)  # type: ignore[operator]
        if weights.any():
            logs = np.asarray(sums_in_parts(call._replace(mode="log", weights=weights), run))
            parts.append(ScaledSums(np.full(logs.shape, sign), logs.astype(np.float64)))
    with np.errstate(over="ignore"):
        return _plain_total(parts).astype(call.dtype)


def _with_unit(part: Sums, log_unit: float) -> Sums:
    """The sums times a unit, in double precision."""
    if isinstance(part, ScaledSums):
        return ScaledSums(
            part.mantissa.astype(np.float64), part.log_scale.astype(np.float64) + log_unit
        )
    return part.astype(np.float64) + log_unit


def _plain_total(parts: list[Any]) -> Array:
    """The sum of scaled parts; a light column is not lost beside a heavy one, nor is a sign."""
    with np.errstate(over="ignore", divide="ignore", under="ignore"):
        logs = np.stack([np.log(np.abs(part.mantissa)) + part.log_scale for part in parts])
        peak = logs.max(axis=0)
        peak = np.where(np.isfinite(peak), peak, 0.0)
        signs = np.stack([np.sign(part.mantissa) for part in parts])
        total = (signs * np.exp(logs - peak)).sum(axis=0)
        return np.asarray(np.sign(total) * np.exp(np.log(np.abs(total)) + peak))


def _by_size(weights: Array, max_span: int) -> Iterator[tuple[Array, float]]:
    """For each part: its weights in the part's unit, 0 for the others, and the log of the unit."""
    exponents = np.frexp(weights)[1]
    present = weights != 0
    top = int(exponents[present].max())
    level = (top - exponents) // max_span
    for k in np.unique(level[present]):
        unit = top - int(k) * max_span
        some = np.where(present & (level == k), weights, 0)
        yield _times_power_of_two(some, -unit), unit * float(np.log(2.0))


def _times_power_of_two(values: Array, power: int) -> Array:
    """Values times 2^power, in two steps: 2^power itself may overflow."""
    half = power // 2
    return np.asarray(np.ldexp(np.ldexp(values, half), power - half))
