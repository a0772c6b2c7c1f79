"""The primitive: weighted kernel sums over all pairs, for every column and bandwidth in one pass.

    sums[i, c, b] = sum_j weights[j, c] k_b(x_i, y_j)

The arguments are checked here, in the same way for every strategy; `methods` chooses one.
Logarithms factor the nearest point of each column out of the row, so nothing underflows however far
a query lies from the data.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Floats, Ints, as_bandwidths
from parzen.kernels import ConformalKernel, Kernel, get
from parzen.sums.call import Call, ScaledSums
from parzen.sums.conformal import sums_with_factor, weights_with_factor
from parzen.sums.methods import DEFAULT_RTOL, check_method, check_serves, run, strategy_for
from parzen.sums.tree import TreeStore


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
    method: str = ...,
    rtol: float = ...,
    n_jobs: int | None = ...,
) -> Array: ...
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
    method: str = ...,
    rtol: float = ...,
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
    method: str = "auto",
    rtol: float = DEFAULT_RTOL,
    n_jobs: int | None = None,
) -> Array | ScaledSums:
    r"""Weighted sums of kernel values over all points, for every query, column and bandwidth.

    Read more in the :doc:`guide </guide/large_samples>`.

    Parameters
    ----------
    X : array of shape (n_queries, n_features)
        Queries. With dask arrays as X or Y the result is a lazy one with the row chunks of X;
        rows of sparse matrices become dense by blocks within ``working_memory``.
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
        Leave the pair (i, i) out. Needs ``X`` equal to ``Y``. It is skipped; by ``"tree"`` and
        ``"fourier"`` subtracted where the rest of the sum is large enough to keep its tolerance.
    log : bool, default=False
        Return the logarithms of the sums, exact at any distance and in any dimension.
        The weights must not be negative; a sum without terms is minus infinity.
    scaled : bool, default=False
        Return mantissas and a logarithmic scale per row, for signed weights far from the data.
    method : {"auto", "dense", "tree", "fourier"}, default="auto"
        How the sums are computed. ``"dense"`` visits every pair. ``"tree"`` bounds the kernels of
        far points together, within ``rtol``: radial kernels and the product Laplacian, one
        bandwidth. ``"fourier"`` takes two transforms (gaussian, up to 3 features, extra
        ``fourier``): within 1e-12 of the peak times the sum of the weights, and sums for which
        that is more than ``rtol`` by another method. ``"auto"`` chooses by size, dimension,
        kernel, bandwidth and tolerance; small problems are dense, one feature with a compact or
        Laplacian kernel is summed by sorting.
    rtol : float, default=1e-12
        Largest relative error of a sum that a strategy other than dense may make on top of
        rounding; for signed weights relative to the sum of absolute terms. 0 asks for dense.
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
    1e-12 (1 + \|v\|) in float64 and 1e-5 (1 + \|v\|) in float32. Plain sums are taken in units of
    the kernel's peak: a term that is less than 2e-308 of the peak (float32: 1e-38) is lost, which
    logarithms would keep.

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
        if log:
            raise ValueError(
                "log=True needs positive values, which kernel 'conformal' does not give."
            )
        of_base = kernel_sums(
            X, Y, weights_with_factor(k, Y, weights), kernel=k.base, bandwidths=bandwidths,
            exclude_self=exclude_self, scaled=True, method=method, rtol=rtol, n_jobs=n_jobs,
        )  # fmt: skip
        sums = sums_with_factor(k, X, of_base, as_bandwidths(bandwidths))
        return sums if scaled else np.asarray(sums.mantissa * np.exp(sums.log_scale))
    mode = "log" if log else "scaled" if scaled else "plain"
    call = Call.prepare(X, Y, k, bandwidths, exclude_self=exclude_self, mode=mode)
    call = call.weighted(weights)._replace(trees=TreeStore())
    return run(call, method, rtol, n_jobs)


def image_log_sums(
    images: Array,
    Y: Array,
    weights: Floats | None,
    *,
    kernel: Kernel,
    bandwidths: Floats,
    n_jobs: int | None,
) -> Floats:
    """Log-sums at an image of every point, each without its own point: (points, bandwidths)."""
    call = Call.prepare(images, Y, kernel, bandwidths, exclude_self=False, mode="log")
    call = call.weighted(weights)._replace(exclude_self=True, trees=TreeStore())
    return np.asarray(run(call, "auto", DEFAULT_RTOL, n_jobs), np.float64)[:, 0]


def labelled_kernel_sums(
    X: ArrayLike,
    Y: ArrayLike,
    labels: Ints,
    n_labels: int,
    weights: ArrayLike | None = None,
    *,
    kernel: str | Kernel = "gaussian",
    bandwidths: ArrayLike,
    exclude_self: bool = False,
    method: str = "auto",
    rtol: float = DEFAULT_RTOL,
    n_jobs: int | None = None,
) -> Array:
    """Log-sums per label: column c sums the points of label c only.

    The same as :func:`parzen.kernel_sums` with ``log=True`` and one weight column per label,
    without the dense matrix of weights: the cost does not grow with the number of labels.
    ``weights`` have shape (n_points,) or (n_points, 1, n_bandwidths).
    """
    call = Call.prepare(X, Y, kernel, bandwidths, exclude_self=exclude_self, mode="log")
    call = call.labelled(labels, n_labels, weights)._replace(trees=TreeStore())
    return np.asarray(run(call, method, rtol, n_jobs))


def method_for(
    X: ArrayLike,
    Y: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    labels: Ints | None = None,
    n_labels: int = 1,
    kernel: str | Kernel = "gaussian",
    bandwidths: ArrayLike,
    method: str = "auto",
    rtol: float = DEFAULT_RTOL,
) -> str:
    """The strategy that log-sums with these arguments would use; signed sums need not differ."""
    k = get(kernel)
    check_method(method, rtol)
    k = k.base if isinstance(k, ConformalKernel) else k
    if k.measure == "inner":
        check_serves(method, k, np.shape(X)[1])
        return "dense"
    call = Call.prepare(X, Y, k, bandwidths, exclude_self=False, mode="scaled")
    call = call.weighted(weights) if labels is None else call.labelled(labels, n_labels, weights)
    return strategy_for(call._replace(trees=TreeStore()), method, rtol).name
