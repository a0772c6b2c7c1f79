"""Kernel expansions as ONNX graphs.

    log f_c(x)  = log sum_{i in c} w_i k(x, x_i)      the largest term of a row factored out
    s_c(x)      = b_c + sum_i W[i, c] k(x, x_i)

Distances are sums of differences, column by column (a Scan), as everywhere in the library: a common
offset of the data costs no digits. Memory is a few numbers for each pair of row and kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from parzen._core import Floats
from parzen.expansion import KernelExpansion
from parzen.kernels import AnovaKernel, ColumnProduct, Kernel
from parzen.onnx.tensors import (
    Tensor,
    UnsupportedError,
    Value,
    as_array,
    joined,
    log_sum,
    reduced,
    traced,
    where,
    zeros,
)

_KNOWN_FIELDS = frozenset({
    "points", "kernel", "bandwidth", "n_classes", "labels", "weights", "log_factors", "offset",
    "whitening", "unit_peak", "mismatch",  # the last one concerns missing entries only
})  # fmt: skip


def log_sums(expansion: KernelExpansion, X: Value) -> Value:
    """`KernelExpansion.log_sums`."""
    _refuse_unknown(expansion)
    levels = expansion.log_peaks() + expansion.class_factors
    parts = []
    for c in range(expansion.n_classes):
        points, weights = _of_class(expansion, c)
        if len(points) == 0:
            parts.append(zeros(X, 1) - np.inf)
            continue
        with np.errstate(divide="ignore"):
            logs = _log_kernel(expansion, c, X, points) + np.log(weights)
        parts.append(log_sum(logs) + levels[c])
    return joined(parts)


def scores(expansion: KernelExpansion, X: Value) -> Value:
    """`KernelExpansion.scores`."""
    mantissa, log_scale = scaled_scores(expansion, X)
    offset = 0.0 if expansion.offset is None else expansion.offset
    return mantissa * np.exp(log_scale) + offset


def scaled_scores(expansion: KernelExpansion, X: Value) -> tuple[Value, Value]:
    """`KernelExpansion.scaled_scores`: mantissa and log-scale, one column per class."""
    _refuse_unknown(expansion)
    peaks = expansion.log_peaks()
    if expansion.kernel.measure == "inner":
        K = _inner_kernel(expansion.kernel, X, as_array(expansion.points))
        return K @ as_array(expansion.weight_matrix()), zeros(X, 1)
    if expansion.is_shared:
        found = [_mantissa(expansion, 0, X, expansion.points, expansion.weight_matrix())]
    else:
        classes = [_of_class(expansion, c) for c in range(expansion.n_classes)]
        found = [_mantissa(expansion, c, X, Y, w[:, None]) for c, (Y, w) in enumerate(classes)]
    levels = [log_scale + zeros(X, 1) for _, log_scale in found]
    scale = levels[0] + peaks if expansion.is_shared else joined(levels) + peaks
    return joined([mantissa for mantissa, _ in found]), scale


def _mantissa(
    expansion: KernelExpansion, c: int, X: Value, points: Floats, weights: Floats
) -> tuple[Value, Value]:
    """Sums relative to the largest kernel of a row, and its logarithm."""
    if len(points) == 0:
        return zeros(X, 1), zeros(X, 1)
    logs = _log_kernel(expansion, c, X, points)
    largest = reduced("Max", logs, keepdims=True)
    largest = where(largest >= np.finfo(np.float64).min, largest, 0.0)
    return np.exp(logs - largest) @ as_array(weights), largest


def _of_class(expansion: KernelExpansion, c: int) -> tuple[Floats, Floats]:
    """The points of a class and their weights."""
    W = expansion.weights
    if expansion.labels is None:
        assert W is not None
        rows = np.flatnonzero(W[:, c])
        return expansion.points[rows], as_array(W[rows, c])
    rows = np.flatnonzero(expansion.labels == c)
    return expansion.points[rows], np.ones(len(rows)) if W is None else as_array(W[rows])


def _log_kernel(expansion: KernelExpansion, c: int, X: Value, points: Floats) -> Value:
    """Log of the kernel in units of its peak, for every row of X and every point."""
    space, kernel = expansion.space(c), expansion.kernel
    if space.columns is not None:
        raise UnsupportedError(f"kernel={kernel!r}")
    if space.whitening is not None:
        X = (X - space.whitening.centres[c]) @ space.whitening.roots[c]
    elif space.scale is not None:
        X = X / space.scale
    Y, d, s = as_array(space.map(as_array(points))), points.shape[1], space.bandwidth
    if type(kernel).pairs is not Kernel.pairs or kernel.measure == "inner":
        raise UnsupportedError(f"kernel={kernel.name!r}, whose logarithm is unknown,")
    try:
        if kernel.measure == "coordinates":
            # The profile sums over the features, the last axis: one of them at a time.
            return _over_columns(X, Y, partial(_one_feature, kernel, s, d))
        if kernel.measure == "l1":
            return traced(kernel.log_shape(_over_columns(X, Y, np.abs) / s, d))
        return traced(kernel.log_shape(_over_columns(X, Y, np.square) / s**2, d))
    except UnsupportedError as error:
        raise UnsupportedError(f"kernel={kernel!r}, whose formula has {error},") from None


def _one_feature(kernel: Kernel, s: float, d: int, difference: Value) -> Value:
    apart = difference.graph.op("Unsqueeze", np.abs(difference) / s, [-1])
    return traced(kernel.log_shape(apart, d))


def _over_columns(X: Value, Y: Floats, term: Callable[[Value], Value]) -> Value:
    """The sum over the columns of a function of x_l - y_l, shape (rows of X, rows of Y)."""
    if Y.shape[1] == 1:
        return term(X - Y.T)
    graph, part = X.graph, X.graph.inner()
    total, x, y = (Tensor(part, graph.unique(name)) for name in ("total", "x", "y"))
    difference = part.op("Unsqueeze", x, [1]) - part.op("Unsqueeze", y, [0])
    after = total + term(difference)
    shapes: dict[str, list[Any]] = {
        total.name: [None, len(Y)], x.name: [None], y.name: [len(Y)], after.name: [None, len(Y)]
    }  # fmt: skip
    body = part.as_part([total.name, x.name, y.name], [after], shapes)
    return graph.op(
        "Scan", zeros(X, len(Y)), X, Y, body=body, num_scan_inputs=2, scan_input_axes=[1, 1]
    )


def _inner_kernel(kernel: Kernel, X: Value, points: Floats) -> Value:
    """Values of a kernel of inner products."""
    if isinstance(kernel, AnovaKernel):
        return _anova(kernel, X, points)
    if type(kernel).pairs is not Kernel.pairs:
        raise UnsupportedError(f"kernel={kernel!r}")
    return traced(kernel.profile(X @ points.T, 1.0, points.shape[1]))


def _anova(kernel: AnovaKernel, X: Value, points: Floats) -> Value:
    """The ANOVA kernel by its formula, the sums S1 and S2 over the columns in one Scan."""
    reference, e = kernel.points, kernel.equality
    w = np.ones(len(reference)) if kernel.weights is None else kernel.weights
    shares = w / w.sum()

    def means(Y: Floats) -> Floats:
        return np.column_stack([
            _column_kernel(y[:, None] - r, e_l) @ shares
            for y, r, e_l in zip(Y.T, reference.T, e, strict=True)
        ])  # fmt: skip

    centre = shares @ means(reference)
    constant = (reference == reference[0]).all(axis=0)
    inverse = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, 1.0 - centre))
    d, rho = max(int((~constant).sum()), 1), kernel.interactions
    graph, part = X.graph, X.graph.inner()
    names = ("s1", "s2", "x", "y", "reference", "mean", "share", "scale")
    s1, s2, x, y, r, mean, e_l, scale = (Tensor(part, graph.unique(name)) for name in names)
    column = part.op("Unsqueeze", x, [1])
    own = _column_kernel(column - part.op("Unsqueeze", r, [0]), e_l) @ shares[:, None]
    value = _column_kernel(column - part.op("Unsqueeze", y, [0]), e_l) - own - mean
    value = value * scale
    after = [s1 + value, s2 + value * value]
    body = part.as_part([t.name for t in (s1, s2, x, y, r, mean, e_l, scale)], after, {})
    outputs = [graph.unique("s1"), graph.unique("s2")]
    start = zeros(X, len(points))
    scanned = (points, reference, means(points) - centre, e, inverse)
    graph.node(
        "Scan", [start, start, X, *map(graph.tensor, scanned)], outputs, body=body,
        num_scan_inputs=6, scan_input_axes=[1, 1, 1, 1, 0, 0],
    )  # fmt: skip
    S1, S2 = (Tensor(graph, name) for name in outputs)
    pairs = (S1 * S1 - S2) * (rho / (d - 1)) if d > 1 else 0.0
    return (S1 + pairs) / (d * (1.0 + rho))


def _column_kernel(difference: Any, equality: Any) -> Any:
    """The kernel of one column, of arrays or of tensors."""
    return (1.0 - equality) * np.exp(-np.abs(difference)) + equality * np.where(
        difference == 0.0, 1.0, 0.0
    )


def _refuse_unknown(expansion: KernelExpansion) -> None:
    if isinstance(expansion.kernel, ColumnProduct):
        raise UnsupportedError(f"kernel={expansion.kernel.name!r}")
    if expansion.has_gaps:
        raise UnsupportedError("training rows with missing values (impute them before the fit)")

    for field in fields(expansion):
        if field.name not in _KNOWN_FIELDS and getattr(expansion, field.name) is not field.default:
            raise UnsupportedError(f"the part {field.name!r} of {type(expansion).__name__}")
