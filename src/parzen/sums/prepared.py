"""Sums over the same points at many queries: everything but the queries is checked once.

A fitted model predicts again and again, often one row. `PreparedSums` keeps the checked call of its
points and weights, the plan of the exact strategy, the points as the core lays them out for a few
queries, and the trees where these were built, so that a prediction costs little more than its
kernels.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from parzen import _native
from parzen._core import Array, Ints
from parzen.kernels import ConformalKernel, Kernel
from parzen.sums.call import Call, ScaledSums
from parzen.sums.conformal import sums_with_factor, weights_with_factor
from parzen.sums.dense import DensePlan
from parzen.sums.methods import DEFAULT_RTOL, MIN_VALUES_FOR_THREADS, run
from parzen.sums.sizes import need_parts
from parzen.sums.tree import TreeStore

_MAX_PACKED_VALUES = 2**20  # Entries of points up to which they are kept packed, too.


class PreparedSums:
    """Kernel sums over fixed points at one bandwidth, as logarithms or signed.

    Parameters
    ----------
    Y : array of shape (n_points, n_features)
        The points that carry the kernels.
    weights : array of shape (n_points,) or (n_points, n_columns), default=None
        One column of sums for each column of weights; of shape (n_points,) with ``labels``.
    kernel : Kernel
        The kernel.
    bandwidth : float
        Its bandwidth.
    mode : {"log", "scaled"}
        What the sums are returned as, see `parzen.sums.kernel_sums`.
    labels : array of shape (n_points,), default=None
        The column that each point contributes to; there are then ``n_labels`` columns.
    n_labels : int, default=1
        The number of labels.
    trees : TreeStore, default=None
        Where trees over the points are kept; without one "auto" builds none.
    factors : array of shape (n_points,), default=None
        By how much the kernel of each point is wider; its peak stays that of the bandwidth.
    """

    def __init__(
        self,
        Y: Array,
        weights: Array | None = None,
        *,
        kernel: Kernel,
        bandwidth: float,
        mode: str,
        labels: Ints | None = None,
        n_labels: int = 1,
        trees: TreeStore | None = None,
        factors: Array | None = None,
    ) -> None:
        self._conformal = kernel if isinstance(kernel, ConformalKernel) else None
        if isinstance(kernel, ConformalKernel):
            weights, kernel = weights_with_factor(kernel, Y, weights), kernel.base
        call = Call.prepare(Y, Y, kernel, bandwidth, exclude_self=False, mode=mode)
        call = (
            call.weighted(weights) if labels is None else call.labelled(labels, n_labels, weights)
        )
        if factors is not None:
            call = call._replace(factors=np.ascontiguousarray(factors, call.dtype))
        in_parts = need_parts(call.weights, call.dtype)
        self.call = call._replace(trees=trees, in_parts=in_parts, plan=DensePlan.of(call))
        self._packed: Any = None
        self._max_packed_queries = self._count_packed_queries()

    def at(
        self,
        X: Array,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> Array | ScaledSums:
        """The sums at the rows of X, an array of finite numbers."""
        if not (X.flags.c_contiguous and X.dtype in (np.float32, np.float64)):
            X = np.ascontiguousarray(X, dtype=np.float32 if X.dtype == np.float32 else np.float64)
        few = 0 < len(X) <= self._max_packed_queries and method == "auto" and rtol == DEFAULT_RTOL
        plain_jobs = n_jobs is None or (type(n_jobs) is int and n_jobs != 0)
        found = self._packed_sums(X) if few and plain_jobs and X.dtype == self.call.dtype else None
        sums = run(self.call.at(X), method, rtol, n_jobs) if found is None else found
        if self._conformal is None:
            return sums
        assert isinstance(sums, ScaledSums)
        return sums_with_factor(self._conformal, X, sums, self.call.bandwidths)

    def _count_packed_queries(self) -> int:
        """Queries up to which "auto" takes exact sums on one thread, from packed points."""
        call, plan = self.call, self.call.plan
        plain = not call.in_parts and call.factors is None and call.mode != "plain"
        native = plan.native is not None and not plan.exponent
        if not (plain and native) or call.n_features == 1 or call.Y.size > _MAX_PACKED_VALUES:
            return 0
        return (MIN_VALUES_FOR_THREADS - 1) // len(call.Y)

    def _packed_sums(self, X: Array) -> Array | ScaledSums | None:
        """The sums over packed points; None where another instruction set is in use by now."""
        call, plan = self.call, self.call.plan
        if self._packed is None:
            kernel, parameters = plan.native
            self._packed = _native.pack(
                plan.points, call.weights, call.labels, kernel, parameters, plan.bandwidths,
                plan.log_normalizers, plan.mode, call.columns,
            )  # fmt: skip
        sums = np.empty((len(X), call.columns, 1), dtype=call.dtype)
        scale = np.empty((len(X), 1), call.dtype) if plan.mode == "scaled" else None
        if not self._packed.at(X, sums, scale):
            return None
        return sums if scale is None else ScaledSums(sums, scale[:, None, :])

    def with_own_trees(self) -> PreparedSums:
        """The same sums with a store of their own for trees, for calls that share none."""
        other = copy.copy(self)
        other.call = self.call._replace(trees=TreeStore())
        return other

    def without_self(
        self, *, method: str = "auto", rtol: float = DEFAULT_RTOL, n_jobs: int | None = None
    ) -> Array:
        """Log-sums at the points themselves, each without its own kernel."""
        call = self.call._replace(same=True, exclude_self=True)
        return np.asarray(run(call, method, rtol, n_jobs))
