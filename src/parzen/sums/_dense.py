"""The primitive: weighted kernel sums over all pairs, for every column and bandwidth in one pass.

    sums[i, c, b] = sum_j weights[j, c] k_b(x_i, y_j)

Queries are taken in small blocks, points in runs that fit the cache. For each tile the pair measure
(squared distance, L1 distance or inner product) is computed once; every bandwidth and every weight
column then uses it while it is in cache, and the matrix of pairs is never stored::

          points  ->  |--- run ---|--- run ---| ...
    queries    4 rows |   tile    |           |      distances, then one exponential per pair;
               4 rows |           |           |      bandwidths with h^2 ratio 2 by squaring
                 ...

Logarithms factor the nearest point of each column out of the row, so nothing underflows however
far a query lies from the data. When queries are the points each pair is visited once.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen import _native
from parzen._threads import effective_threads
from parzen._validation import as_bandwidths, as_matrix, as_weights
from parzen.kernels import ConformalKernel, Kernel, Rescaled, get
from parzen.sums._blocked import blocked_sums
from parzen.sums._conformal import sums_with_factor, weights_with_factor

Floats = NDArray[Any]


class ScaledSums(NamedTuple):
    """Sums with the largest kernel value of each row factored out.

    ``mantissa * exp(log_scale)`` are the sums; signs and ratios of the mantissas are right even
    where the sums themselves underflow.
    """

    mantissa: Floats  # (queries, columns, bandwidths)
    log_scale: Floats  # (queries, 1, bandwidths)


@overload
def kernel_sums(
    X: ArrayLike,
    Y: ArrayLike,
    weights: ArrayLike | None = ...,
    *,
    kernel: str | Kernel = ...,
    bandwidths: ArrayLike,
    exclude_self: bool = ...,
    log: bool = ...,
    scaled: Literal[False] = ...,
    n_jobs: int | None = ...,
) -> Floats: ...
@overload
def kernel_sums(
    X: ArrayLike,
    Y: ArrayLike,
    weights: ArrayLike | None = ...,
    *,
    kernel: str | Kernel = ...,
    bandwidths: ArrayLike,
    exclude_self: bool = ...,
    log: Literal[False] = ...,
    scaled: Literal[True],
    n_jobs: int | None = ...,
) -> ScaledSums: ...


def kernel_sums(
    X: ArrayLike,
    Y: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    kernel: str | Kernel = "gaussian",
    bandwidths: ArrayLike,
    exclude_self: bool = False,
    log: bool = False,
    scaled: bool = False,
    n_jobs: int | None = None,
) -> Floats | ScaledSums:
    r"""Weighted sums of kernel values over all points, for every query, column and bandwidth.

    Parameters
    ----------
    X : array of shape (n_queries, n_features)
        Queries.
    Y : array of shape (n_points, n_features)
        Points that carry the kernels. Pass the same object as ``X`` for the sums of a sample
        over itself: each pair is then visited once.
    weights : array of shape (n_points,) or (n_points, n_columns[, n_bandwidths]), default=None
        One column of sums per column of weights; None is one column of ones. A third axis is for
        weights that depend on the bandwidth.
    kernel : str or Kernel, default="gaussian"
        See :func:`parzen.kernels.get`.
    bandwidths : float or array of shape (n_bandwidths,)
        Grids with a ratio of 2^(1/p) between neighbouring squared bandwidths (Laplacian kernels:
        between bandwidths) cost p exponentials per pair, whatever their length.
    exclude_self : bool, default=False
        Leave the pair (i, i) out. It is skipped, never subtracted. Needs ``X`` equal to ``Y``.
    log : bool, default=False
        Return the logarithms of the sums, exact at any distance and in any dimension.
        The weights must not be negative; a sum without terms is minus infinity.
    scaled : bool, default=False
        Return mantissas and a logarithmic scale per row, for signed weights far from the data.
    n_jobs : int, default=None
        Threads; None for all cores this process may use. The result does not depend on it.

    Returns
    -------
    array of shape (n_queries, n_columns, n_bandwidths), or ScaledSums
        In float32 when both ``X`` and ``Y`` are float32, otherwise float64.

    Notes
    -----
    Time is one distance and at most one exponential per pair and bandwidth; memory beyond input
    and output is a copy of the points. Log-sums agree with extended precision within
    1e-12 (1 + \|v\|) in float64 and 1e-5 (1 + \|v\|) in float32.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import kernel_sums
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> kernel_sums(X, X, bandwidths=[0.5, 1.0], exclude_self=True).shape
    (3, 1, 2)
    >>> kernel_sums([[1e6]], X, bandwidths=1.0, log=True).item()
    -499997000005.41...
    """
    if log and scaled:
        raise ValueError("log=True and scaled=True exclude each other; choose one.")
    k = get(kernel)
    if isinstance(k, ConformalKernel):
        return _conformal_sums(X, Y, weights, k, bandwidths, exclude_self, log, scaled, n_jobs)
    mode = "log" if log else "scaled" if scaled else "plain"
    call = _Call.prepare(X, Y, kernel, bandwidths, exclude_self=exclude_self, mode=mode)
    w = as_weights(weights, len(call.Y), len(call.bandwidths), call.dtype, signed=not log)
    return call.run(w, None, 1 if w is None else w.shape[1], n_jobs)


def labelled_kernel_sums(
    X: ArrayLike,
    Y: ArrayLike,
    labels: NDArray[np.intp],
    n_labels: int,
    weights: ArrayLike | None = None,
    *,
    kernel: str | Kernel = "gaussian",
    bandwidths: ArrayLike,
    exclude_self: bool = False,
    n_jobs: int | None = None,
) -> Floats:
    """Log-sums per label: column c sums the points of label c only.

    The same as :func:`kernel_sums` with ``log=True`` and one weight column per label, without the
    dense matrix of weights: the cost does not grow with the number of labels.
    ``weights`` have shape (n_points,) or (n_points, 1, n_bandwidths).
    """
    call = _Call.prepare(X, Y, kernel, bandwidths, exclude_self=exclude_self, mode="log")
    w = as_weights(weights, len(call.Y), len(call.bandwidths), call.dtype, signed=False)
    return np.asarray(call.run(w, np.ascontiguousarray(labels, dtype=np.int32), n_labels, n_jobs))


def _conformal_sums(
    X: ArrayLike,
    Y: ArrayLike,
    weights: ArrayLike | None,
    kernel: ConformalKernel,
    bandwidths: ArrayLike,
    exclude_self: bool,
    log: bool,
    scaled: bool,
    n_jobs: int | None,
) -> Floats | ScaledSums:
    if log:
        raise ValueError("log=True needs positive values, which kernel 'conformal' does not give.")
    sums = kernel_sums(
        X, Y, weights_with_factor(kernel, Y, weights), kernel=kernel.base, bandwidths=bandwidths,
        exclude_self=exclude_self, scaled=True, n_jobs=n_jobs,
    )  # fmt: skip
    parts = ScaledSums(*sums_with_factor(kernel, X, *sums, as_bandwidths(bandwidths)))
    return parts if scaled else np.asarray(parts.mantissa * np.exp(parts.log_scale))


class _Call(NamedTuple):
    """The checked arguments of one call."""

    X: Floats
    Y: Floats
    kernel: Kernel
    bandwidths: NDArray[np.float64]
    mode: str
    same: bool
    exclude_self: bool

    @property
    def dtype(self) -> Any:
        return self.X.dtype

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
    ) -> _Call:
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
        return cls(x, y, k, h, mode, same, exclude_self)

    def run(
        self,
        weights: Floats | None,
        labels: NDArray[np.int32] | None,
        columns: int,
        n_jobs: int | None,
    ) -> Floats | ScaledSums:
        threads = effective_threads(n_jobs)
        d = self.X.shape[1]
        normalizers = np.array(
            [self.kernel.log_normalizer(h, d) for h in self.bandwidths], dtype=float
        )
        mode = self.mode
        if mode == "plain" and np.abs(normalizers).max() > self._safe_exponent():
            mode = "scaled"  # sums in units of the peak would underflow where densities do not
        out = np.empty((len(self.X), columns, len(self.bandwidths)), dtype=self.dtype)
        scale = (
            np.empty((len(self.X), len(self.bandwidths)), self.dtype) if mode == "scaled" else None
        )
        native = self.kernel.native(d)
        if native is None:
            dense = _dense_weights(weights, labels, columns, len(self.Y))
            blocked_sums(
                self.X, self.Y, dense, self.kernel, self.bandwidths,
                mode=mode, exclude_self=self.exclude_self, out=out, log_scale=scale,
            )  # fmt: skip
        else:
            x, y, h = self._rescaled()
            _native.kernel_sums(
                x, y, weights, labels, native[0], list(native[1]), h, normalizers,
                mode, self.same, self.exclude_self, out, scale, threads,
            )  # fmt: skip
        if scale is None:
            return out
        if self.mode == "scaled":
            return ScaledSums(out, scale[:, None, :])
        with np.errstate(over="ignore", divide="ignore"):
            return np.asarray(
                np.sign(out) * np.exp(np.log(np.abs(out)) + scale[:, None, :]), self.dtype
            )

    def _safe_exponent(self) -> float:
        return 40.0 if self.dtype == np.float32 else 300.0

    def _rescaled(self) -> tuple[Floats, Floats, NDArray[np.float64]]:
        """Data and bandwidths times a power of two where squares would leave the number range."""
        if self.kernel.measure == "inner":
            return self.X, self.Y, self.bandwidths
        exponent = int(np.round(np.log2(self.bandwidths).mean()))
        if abs(exponent) <= (16 if self.dtype == np.float32 else 128):
            return self.X, self.Y, self.bandwidths
        x = np.ldexp(self.X, -exponent)
        return (
            x,
            x if self.same else np.ldexp(self.Y, -exponent),
            np.ldexp(self.bandwidths, -exponent),
        )


def _dense_weights(
    weights: Floats | None, labels: NDArray[np.int32] | None, columns: int, n: int
) -> Floats:
    """The weights as one array (points, columns, 1 or bandwidths)."""
    w = np.ones((n, 1, 1)) if weights is None else weights
    if labels is None:
        return w
    one_hot = np.zeros((n, columns, 1))
    one_hot[np.arange(n), labels] = 1
    return np.asarray(one_hot * w)
