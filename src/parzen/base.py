"""What every estimator of the library shares: how it computes kernel sums, and other arrays.

This module is the only way from the library to `parzen.distributed`. Every public method begins
with the question whether its input is an array of NumPy's; dask is imported only for dask objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY
from functools import partial, wraps
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen._core import (
    THREADS,
    Array,
    CallbackSupport,
    CategoryColumns,
    Constraints,
    Integer,
    Number,
    OneOf,
    as_numpy,
    check_parameters,
    declared,
    dense_blocks,
    effective_threads,
    is_dask,
    returned_like,
    telling_callbacks,
    validate_points,
    validate_table,
)
from parzen.bandwidth import KeptSums
from parzen.kernels import ColumnProduct, Kernel, get, get_density
from parzen.sums import (
    DEFAULT_RTOL,
    METHODS,
    ScaledSums,
    check_serves,
    has_missing,
    kernel_sums as sums_of_arrays,
    refuses_missing,
    sparse_sums,
)

Function = TypeVar("Function", bound=Callable[..., Any])


@declared
class SumsOptions(CallbackSupport):  # type: ignore[misc]
    """How an estimator with ``method``, ``rtol`` and ``n_jobs`` computes kernel sums."""

    _constraints: ClassVar[Constraints] = {
        "method": OneOf(*METHODS),
        "rtol": Number(
            "[0, 1)",
            wanted="a relative error from 0, which asks for exact sums, to below 1",
        ),
        "n_jobs": THREADS,
        "scale": OneOf("auto", None),
    }
    _descriptions: ClassVar[str] = """
    method : {"auto", "dense", "tree", "fourier"}, default="auto"
        How kernel sums at new points are computed: see :func:`parzen.kernel_sums`. ``"auto"``
        chooses by size, dimension, kernel and bandwidth; ``sums_method_`` says what.
    rtol : float, default=1e-12
        Largest relative error of a sum that a method other than dense may make; 0 for dense.
    n_jobs : int, default=None
        Threads; None for all cores that the process may use. The result does not depend on it.
    scale : "auto" or None, default="auto"
        ``"auto"`` brings columns to one scale where a single bandwidth is chosen for all of them
        and their standard deviations differ more than tenfold: each column then has a bandwidth in
        proportion to its deviation. Bandwidths that are given, a grid of them too, are in the units
        of the columns. None leaves the columns as they are.
    sums_method_ : str
        The method in use for kernel sums at many new points.
    bandwidth_ : float or array
        The bandwidth in use, in one of the shapes above.
    selection_ : Selection or None
        How it was chosen; None when it was given.
    scale_ : array of shape (n_features,) or None
        The standard deviations by which the columns were brought to one scale; None where they
        were not. Then ``bandwidth_`` is per feature, and the candidates in ``selection_`` are in
        units of ``scale_``.
    """

    _takes_sparse: ClassVar[bool] = True
    _: KW_ONLY
    method: str = "auto"
    rtol: float = DEFAULT_RTOL
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        """Refuse wrong parameters, before any computation; subclasses add what concerns several."""
        check_parameters(self)

    def _check_serves(self, n_features: int) -> None:
        """Refuse a method that was asked for by name and knows nothing of the kernel."""
        kernel = getattr(self, "kernel", None)
        if kernel is None or self.method in ("auto", "dense") or self.rtol == 0:
            return
        if not isinstance(kernel, Kernel | str) or kernel == "precomputed":
            raise ValueError(
                f"method={self.method!r} needs a kernel with a name, got kernel={kernel!r}; "
                "use method='dense' or 'auto'."
            )
        check_serves(self.method, get(kernel), n_features)

    def _check_fitted(self) -> None:
        """Refuse an estimator that is not fitted; quicker than scikit-learn's check if it is."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)

    def _model(self) -> Any:
        """The expansion whose sums the estimator asks for."""
        return self.expansion_

    @property
    def sums_method_(self) -> str:
        """The method for kernel sums at many new points."""
        check_is_fitted(self)
        return str(self._model().sums_method(self.method, self.rtol))

    def _sums_options(self) -> dict[str, Any]:
        return {"method": self.method, "rtol": self.rtol, "n_jobs": self.n_jobs}

    def _answer_other(self, method: str, X: Any, **options: Any) -> Array:
        """The answers of a public method to what is no array of NumPy's.

        Those about a dask object are a lazy array, those about an array of another library are in
        that library, and the rows of a sparse matrix become dense by blocks.
        """
        if is_dask(X):
            from parzen.distributed import map_rows

            return map_rows(self, method, X, **options)  # type: ignore[no-any-return]
        answer: Callable[[Any], Array] = partial(getattr(self, method), **options)
        if not sp.issparse(X):
            return returned_like(answer(as_numpy(X)), X)  # type: ignore[no-any-return]
        if not self._takes_sparse or X.shape[0] == 0:
            return answer(validate_points(self, X, reset=False))
        return np.concatenate([answer(rows) for _, rows in dense_blocks(X)])

    def __sklearn_tags__(self) -> Any:
        """Say whether sparse matrices are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags

    def _fit_by_chunks(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Fit dask objects, where they are or gathered; the cluster computes the large sums."""
        from parzen.distributed import ClusterWorkers, fit_chunks, gather

        with telling_callbacks(self, X, y, sample_weight):
            if fit_chunks(self, X, y, sample_weight):
                return self
        arrays = gather([X, y, sample_weight])
        n_jobs = self.n_jobs
        self.n_jobs = ClusterWorkers(effective_threads(n_jobs))
        try:
            return self.fit(*arrays)  # type: ignore[no-any-return]
        finally:
            self.n_jobs = n_jobs


@declared
class StreamOptions:
    """How an estimator with ``partial_fit`` treats a stream of rows."""

    _constraints: ClassVar[Constraints] = {
        "window": Integer(1, also=(None,)),
        "forget": Number("[0, 1)"),
        "rechoose": Integer(1, also=(None,)),
    }
    _descriptions: ClassVar[str] = """
    window : int, default=None
        How many of the latest rows `partial_fit` keeps; None for all.
    forget : float, default=0.0
        By which share every further row of `partial_fit` lowers the weights of the earlier ones;
        rows that weigh a millionth are dropped.
    rechoose : int, default=None
        After how many rows `partial_fit` chooses the bandwidth anew, from the rows that still
        count, and from sums that are kept where it is ``"loo"``, ``"conditional_likelihood"`` or
        ``"likelihood"``. None holds the bandwidth that was chosen from the first batch.
    """

    _: KW_ONLY
    window: int | None = None
    forget: float = 0.0
    rechoose: int | None = None

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Leave the estimator as it was where adding rows fails or is interrupted."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _count_rows(self, n_new: int, n_rows: int, first: bool) -> bool:
        """Count rows since the last choice of the bandwidth; whether the next choice is due.

        ``n_rows`` are those that count by now.
        """
        since = n_new + (0 if first else getattr(self, "_rows_since_choice", 0))
        due = first or (self.rechoose is not None and since >= self.rechoose)
        self._rows_since_choice = 0 if due else since
        if due and not first:  # the first choice is that of `fit`
            self._kept_sums = getattr(self, "_kept_sums", KeptSums())
            self._kept_sums.begin(since, n_rows)
        return due

    def _in_stream(self, bandwidth: Any, place: Any = None) -> Any:
        """The selector that keeps its sums, where the bandwidth is chosen again and again.

        ``place`` tells the choices of one fit apart.
        """
        kept: KeptSums | None = getattr(self, "_kept_sums", None)
        if kept is None:
            return bandwidth
        return kept.serve(bandwidth, get_density(self.kernel), place)  # type: ignore[attr-defined]

    def _forget(self) -> None:
        super()._forget()  # type: ignore[misc]
        for name in ("_kept_sums", "_rows_since_choice"):
            self.__dict__.pop(name, None)

    def _unsaved_attributes(self) -> set[str]:
        """What model files do not carry."""
        others: Callable[[], set[str]] = getattr(super(), "_unsaved_attributes", set)
        return others() | {"_kept_sums"}


class TableKernel:
    """Rows of an estimator whose ``kernel`` may be a `ColumnProduct`, which takes tables."""

    kernel: str | Kernel

    @property
    def _takes_missing(self) -> bool:
        """Whether entries may be missing, but for kernels that are no products."""
        return False

    def __sklearn_tags__(self) -> Any:
        """Say whether NaN is allowed."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        kernel = self.kernel
        can_leave_out = not isinstance(kernel, str | Kernel) or refuses_missing(kernel, 2) is None
        tags.input_tags.allow_nan = self._takes_missing and can_leave_out
        return tags

    def _check_missing(self, X: Array, kernel: Kernel) -> None:
        """Refuse missing entries where the model has no densities of fewer columns."""
        if not self._takes_missing or not has_missing(X):
            return
        reason = refuses_missing(kernel, X.shape[1])
        if reason is not None:
            raise ValueError(f"Input X contains NaN: {reason}.")

    def _validate(self, X: ArrayLike, *, reset: bool) -> Array:
        kernel, allow_nan = get_density(self.kernel), self._takes_missing
        if isinstance(kernel, ColumnProduct):
            if reset:
                self._categories = CategoryColumns.find(X, kernel.unordered, kernel.ordered)
            points = validate_table(self, X, self._categories, reset=reset, allow_nan=allow_nan)
        else:
            points = validate_points(self, X, reset=reset, allow_nan=allow_nan)
        self._check_missing(points, kernel)
        return points

    def _in_levels(self, X: Array) -> Array:
        """Drawn rows with the levels of the table that the estimator was given."""
        if not isinstance(get_density(self.kernel), ColumnProduct):
            return X
        found: Array = self._categories.as_levels(X, getattr(self, "feature_names_in_", None))
        return found

    def _check_columns_alone(self) -> None:
        """Refuse what a kernel with a bandwidth for every column excludes."""
        for name in ("metric", "adaptive", "bounds", "periods"):
            value = getattr(self, name, None)
            if isinstance(self.kernel, ColumnProduct) and value:
                raise ValueError(
                    f"{name}={value!r} and a ColumnProduct, which has a bandwidth for every "
                    "column, exclude each other; leave one of them out."
                )

    def _kernel_of(self, X: Array) -> Kernel:
        """The kernel for a training sample: a `ColumnProduct` finds its categories there."""
        kernel = get_density(self.kernel)
        if not isinstance(kernel, ColumnProduct):
            return kernel
        return kernel.fitted(X, self._categories.is_categorical, self._categories.is_ordered)


def _also_of_other_arrays(function: Function) -> Function:
    @wraps(function)
    def sums(X: Any, Y: Any, weights: Any = None, **options: Any) -> Any:
        if is_dask(X, Y):
            from parzen.distributed import chunked_sums

            return chunked_sums(X, Y, weights, **options)
        if sp.issparse(X) or sp.issparse(Y):
            return sparse_sums(function, X, Y, weights, **options)
        found = function(as_numpy(X), as_numpy(Y), as_numpy(weights), **options)
        if isinstance(found, ScaledSums):
            return ScaledSums(*(returned_like(part, X) for part in found))
        return returned_like(found, X)

    sums.__module__ = __name__
    return cast("Function", sums)


kernel_sums = _also_of_other_arrays(sums_of_arrays)
