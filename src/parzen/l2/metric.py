"""Gaussians with a bandwidth per class and feature in the L2 programme.

    rho_gh = (s_g^2 + s_h^2 + 2 lambda^2)^1/2,   tau_g = (s_g^2 + 2 lambda^2)^1/2   in every feature

The kernel of two classes is that of columns divided by rho_gh, at bandwidth 1; the neighbours of
a class are those in columns divided by its tau.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from parzen._core import Floats
from parzen.kernels import Kernel
from parzen.l2.carriers import Carriers
from parzen.sums import ScaledSums, kernel_sums

_UNIT_BANDWIDTH = np.ones(1)  # columns are divided by their widths instead


def log_peaks(kernel: Kernel, widths: Floats) -> Floats:
    """Logs of the kernel at distance 0, widths per feature along the last axis."""
    peak = float(kernel.log_normalizer(1.0, widths.shape[-1]))
    return np.asarray(peak - np.log(widths).sum(axis=-1))


def rows_between_classes(sample: Carriers, kernel: Kernel, rho: Floats, rows: slice) -> Floats:
    """k_rho between some points and all points in units of its peak; rho is (C, C, d)."""
    out = np.empty((rows.stop - rows.start, len(sample.X)))
    for g in range(sample.n_classes):
        own = sample.class_slice(g)
        first, last = max(own.start, rows.start), min(own.stop, rows.stop)
        if first >= last:
            continue
        for h in range(sample.n_classes):
            other = sample.class_slice(h)
            left, right = sample.X[first:last] / rho[g, h], sample.X[other] / rho[g, h]
            block = kernel.similarity(left, right, bandwidth=1.0)
            out[first - rows.start : last - rows.start, other] = block
    return out


def neighbour_sums(
    sample: Carriers, columns: Floats, kernel: Kernel, tau: Floats, n_jobs: int | None
) -> Floats:
    """Sums of kernels at every point but its own, in the widths (C, d) of its class.

    In units of the kernel's peak, shape (n, columns).
    """
    out = np.empty(columns.shape)
    options: dict[str, Any] = {"kernel": kernel, "bandwidths": _UNIT_BANDWIDTH, "scaled": True}
    options["n_jobs"] = n_jobs
    for c in range(sample.n_classes):
        rows = sample.class_slice(c)
        if rows.start == rows.stop:
            continue
        X = sample.X / tau[c]
        queries = np.ascontiguousarray(X[rows])
        parts = [kernel_sums(queries, queries, columns[rows], exclude_self=True, **options)]
        others = np.delete(np.arange(len(X)), rows)
        if len(others):
            parts.append(kernel_sums(queries, X[others], columns[others], **options))
        if sample.others is not None:
            parts.append(
                sample.others.scaled(tau[c]).sums(queries, kernel, _UNIT_BANDWIDTH, n_jobs)
            )
        total = reduce(ScaledSums.plus, parts)
        with np.errstate(under="ignore"):
            level = np.exp(total.log_scale - kernel.log_normalizer(1.0, X.shape[1]))
            out[rows] = (total.mantissa * level)[:, :, 0]
    return out
