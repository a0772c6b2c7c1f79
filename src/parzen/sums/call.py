"""The checked arguments of one call of the primitive, which every strategy is given."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._core import as_bandwidths, as_matrix, check_range
from parzen.kernels import Kernel, Rescaled, get

Floats = NDArray[Any]

# Where the model that is being asked keeps what is prepared for its calls; see `_tree.Kept`.
KEPT: ContextVar[Any] = ContextVar("KEPT", default=None)


class ScaledSums(NamedTuple):
    """Sums with the largest kernel value of each row factored out.

    ``mantissa * exp(log_scale)`` are the sums; signs and ratios of the mantissas are right even
    where the sums themselves underflow.
    """

    mantissa: Floats  # (queries, columns, bandwidths)
    log_scale: Floats  # (queries, 1, bandwidths)


class Call(NamedTuple):
    """The checked arguments of one call."""

    X: Floats
    Y: Floats
    kernel: Kernel
    bandwidths: NDArray[np.float64]
    mode: str  # "plain", "log" or "scaled"
    same: bool
    exclude_self: bool
    weights: Floats | None = (
        None  # (points, columns, 1 or bandwidths); (points, 1, ...) with labels
    )
    labels: NDArray[np.int32] | None = None  # the one column that each point feeds
    columns: int = 1
    kept: Any = None  # what is prepared for these points is to be kept here

    @property
    def dtype(self) -> Any:
        return self.X.dtype

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

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
        return cls(x, y, k, h, mode, same, exclude_self, kept=KEPT.get())
