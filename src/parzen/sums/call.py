"""The checked arguments of one call of the primitive, which every strategy is given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._core import Array, Floats, as_bandwidths, as_matrix, as_weights, check_range
from parzen.kernels import Kernel, Rescaled, get


class ScaledSums(NamedTuple):
    """Sums with the largest kernel value of each row factored out.

    ``mantissa * exp(log_scale)`` are the sums; signs and ratios of the mantissas are right even
    where the sums themselves underflow.
    """

    mantissa: Array  # (queries, columns, bandwidths)
    log_scale: Array  # (queries, 1, bandwidths)

    def plus(self, other: ScaledSums) -> ScaledSums:
        """The sums over the points of both."""
        levels = [part._log_size() for part in (self, other)]
        scale = np.maximum(*levels)
        scale = np.where(np.isfinite(scale), scale, np.maximum(self.log_scale, other.log_scale))
        mantissa = np.zeros(np.broadcast_shapes(self.mantissa.shape, other.mantissa.shape))
        for part, level in zip((self, other), levels, strict=True):
            shift = np.where(np.isfinite(level), part.log_scale - scale, 0.0)
            mantissa += part.mantissa * np.exp(shift)
        return ScaledSums(mantissa.astype(self.mantissa.dtype), scale.astype(self.log_scale.dtype))

    def plain(self, dtype: Any) -> Array:
        """The sums themselves; those out of range are 0 or infinite."""
        with np.errstate(over="ignore", divide="ignore"):
            sizes = np.exp(np.log(np.abs(self.mantissa)) + self.log_scale)
        return np.asarray(np.sign(self.mantissa) * sizes, dtype)

    def _log_size(self) -> Array:
        """Logarithm of the largest column of each row; minus infinity where all are 0."""
        with np.errstate(divide="ignore"):
            largest = np.abs(self.mantissa).max(axis=1, keepdims=True).astype(np.float64)
            return np.asarray(np.log(largest) + self.log_scale)


class Call(NamedTuple):
    """The checked arguments of one call."""

    X: Array
    Y: Array
    kernel: Kernel
    bandwidths: Floats
    mode: str  # "plain", "log" or "scaled"
    same: bool  # The queries are the points.
    exclude_self: bool
    weights: Array | None = None  # (points, columns, 1 or bandwidths); (points, 1, ...) with labels
    labels: NDArray[np.int32] | None = None  # The one column that each point contributes to.
    columns: int = 1
    trees: Any = None  # A `tree.TreeStore` for these points; without one "auto" builds no trees.
    in_parts: bool | None = None  # Whether `sizes.need_parts` of the weights; None: not known yet.
    factors: Array | None = None  # (points,) By how much each point's kernel is wider.
    plan: Any = None  # A `dense.DensePlan` for these points, where it has been made already.

    @property
    def dtype(self) -> Any:
        return self.X.dtype

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def needs_all_pairs(self) -> bool:
        """Whether only exact sums serve: unequal widths, or queries that leave out another row."""
        return self.factors is not None or (self.exclude_self and not self.same)

    @property
    def pairs(self) -> float:
        return float(len(self.X)) * float(len(self.Y))

    @classmethod
    def prepare(
        cls,
        X: ArrayLike,
        Y: ArrayLike,
        kernel: str | Kernel,
        bandwidths: ArrayLike,
        *,
        exclude_self: bool,
        mode: str,
    ) -> Call:
        """Check queries, points, kernel and bandwidths; one column of ones."""
        k = get(kernel)
        h = as_bandwidths(bandwidths)
        if isinstance(k, Rescaled):  # a convolution: the same profile at another bandwidth
            h = h * k.factor
            k = k.kernel
        same = X is Y
        x = as_matrix(X, "X")
        y = x if same else as_matrix(Y, "Y")
        if x.shape[1] != y.shape[1]:
            raise ValueError(f"X has {x.shape[1]} columns but Y has {y.shape[1]}.")
        if len(y) == 0:
            raise ValueError("Y has no points; at least one is needed.")
        if exclude_self and not same:
            if not np.array_equal(x, y):
                raise ValueError("exclude_self=True needs the queries X to be the points Y.")
            same = True
        if mode == "log" and k.measure == "inner":
            raise ValueError(
                f"log=True needs positive values, which kernel {k.name!r} does not give."
            )
        if x.dtype != y.dtype:
            x, y = x.astype(np.float64, copy=False), y.astype(np.float64, copy=False)
        if k.measure == "squared":
            check_range(y, h)
        return cls(x, y, k, h, mode, same, exclude_self)

    def weighted(self, weights: ArrayLike | None) -> Call:
        """The call with a column of sums for every column of weights."""
        w = self._as_weights(weights)
        return self if w is None else self._replace(weights=w, columns=w.shape[1])

    def labelled(self, labels: Array, n_labels: int, weights: ArrayLike | None) -> Call:
        """The call with a column of sums for every label."""
        codes = np.ascontiguousarray(labels, dtype=np.int32)
        return self._replace(weights=self._as_weights(weights), labels=codes, columns=n_labels)

    def at(self, X: Array) -> Call:
        """The same points at new queries, a checked array of rows."""
        if X.dtype == self.Y.dtype:
            return self._replace(X=X, same=False)

        def double(values: Any) -> Any:
            return None if values is None else values.astype(np.float64, copy=False)

        return self._replace(
            X=double(X), Y=double(self.Y), weights=double(self.weights), same=False, in_parts=None,
            plan=None, factors=double(self.factors),
        )  # fmt: skip

    def _as_weights(self, weights: ArrayLike | None) -> Array | None:
        signed = self.mode != "log"
        return as_weights(weights, len(self.Y), len(self.bandwidths), self.dtype, signed=signed)
