"""The fitted model of every classifier: a weighted kernel expansion per class.

    score_c(x) = b_c + sum_i W[i, c] k_c(x, x_i)

Each point belongs to one class (``labels``, with one weight per point), or carries a weight for
every class (a matrix). The kernel's bandwidth is common, per class, per feature or both, and each
class may have a metric of its own. Non-negative expansions are evaluated as log-sums, signed ones
with the largest kernel value of a row factored out, so neither underflows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from parzen._core import effective_threads
from parzen.kernels import Kernel
from parzen.metric import Whitening
from parzen.sums import (
    DEFAULT_RTOL,
    KEPT,
    Kept,
    ScaledSums,
    kernel_sums,
    labelled_kernel_sums,
    method_for,
)

Floats = NDArray[Any]
_WORTH_SHARING = 50_000  # pairs; below that starting threads takes longer than the work


class _Space(NamedTuple):
    """Where the kernel of a class is plain: columns scaled or whitened, then one bandwidth."""

    scale: NDArray[np.float64] | None  # one divisor per column
    whitening: Whitening | None
    c: int
    bandwidth: float
    log_volume: float

    def map(self, X: Floats) -> Floats:
        if self.whitening is not None:
            return self.whitening.apply(X, self.c)
        return X if self.scale is None else np.asarray(X / self.scale, dtype=X.dtype)


class ClassColumn(NamedTuple):
    """The sum of a class: exp(log_level) times a weighted sum of kernels of height 1."""

    points: Floats
    weights: Floats | None
    bandwidth: float
    log_level: float


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelExpansion:
    """A weighted sum of kernels per class.

    Attributes
    ----------
    points : array of shape (n_points, n_features)
        The points that carry a kernel.
    kernel : Kernel
        Their kernel.
    bandwidth : array of shape (), (n_classes,), (1, n_features) or (n_classes, n_features)
        Common, per class, per feature, or both. With ``whitening``, in units of its space.
    n_classes : int
        Number of columns of the scores.
    labels : array of shape (n_points,), default=None
        The class of each point; None when ``weights`` is a matrix.
    weights : array of shape (n_points,) or (n_points, n_classes), default=None
        None for ones, with ``labels`` only.
    log_factors : array of shape (n_classes,), default=None
        Added to the log-sums of each class, such as -log(n_c) for the mean of its kernels.
    offset : array of shape (n_classes,), default=None
        b_c of a signed expansion.
    whitening : Whitening, default=None
        A metric per class.
    unit_peak : bool, default=False
        Kernels of height 1 instead of density 1.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.expansion import KernelExpansion
    >>> from parzen.kernels import get
    >>> two = KernelExpansion(points=np.array([[0.0], [5.0]]), kernel=get("gaussian"),
    ...                       bandwidth=np.array(1.0), n_classes=2, labels=np.array([0, 1]))
    >>> two.log_sums(np.array([[0.0], [1000.0]])).round(1)
    array([[-9.000000e-01, -1.340000e+01],
           [-5.000009e+05, -4.950134e+05]])
    """

    points: Floats
    kernel: Kernel
    bandwidth: NDArray[np.float64]
    n_classes: int
    labels: NDArray[np.intp] | None = None
    weights: Floats | None = None
    log_factors: NDArray[np.float64] | None = None
    offset: NDArray[np.float64] | None = None
    whitening: Whitening | None = None
    unit_peak: bool = False

    @property
    def is_shared(self) -> bool:
        """Whether all classes have the same kernel, so that one pass serves them all."""
        return self.whitening is None and (
            self.bandwidth.ndim == 0 or (self.bandwidth.ndim == 2 and len(self.bandwidth) == 1)
        )

    def sums_method(self, method: str, rtol: float) -> str:
        """The method for sums at as many queries as there are points."""
        space = self._space(0)
        Y = space.map(self.points)
        weights = self.weights if self.labels is None else None
        return method_for(
            Y, Y, weights, labels=self.labels, n_labels=self.n_classes, kernel=self.kernel,
            bandwidths=space.bandwidth, method=method, rtol=rtol,
        )  # fmt: skip

    def log_sums(
        self,
        X: Floats,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> Floats:
        """Logarithms of the class sums, shape (n_queries, n_classes); weights must not be negative.

        A class without terms at a point (compact kernels) has minus infinity there.
        """
        how: dict[str, Any] = {"method": method, "rtol": rtol}
        if self.is_shared:
            with self._keeping("log"):
                sums = self._shared_log_sums(X, exclude_self=False, n_jobs=n_jobs, **how)
        else:
            threads = self._threads(len(X), n_jobs)
            sums = np.empty((len(X), self.n_classes), dtype=np.result_type(X, self.points))
            for c, rows, space in self._classes():
                with self._keeping(f"log {c}"):
                    sums[:, c] = self._column(space.map(X), c, rows, space, n_jobs=threads, **how)
        return self._with_factors(sums)

    def leave_one_out_log_sums(self, **options: Any) -> Floats:
        """Log-sums at the points themselves, from each of which one unit of weight is left out.

        Weights are frequencies: a point of weight w keeps max(w - 1, 0) of its own kernel. The
        options are those of `log_sums`.
        """
        sums = self._others_log_sums(**options)
        self._add_own_remainder(sums)
        return self._with_factors(sums)

    def others_log_sums(self, **options: Any) -> Floats:
        """Log-sums at the points themselves, each without its own kernel, whatever its weight."""
        return self._with_factors(self._others_log_sums(**options))

    def maps(self) -> list[Callable[[Floats], Floats]]:
        """Into the space of the kernel: one map for all classes, or one for each."""
        return [space.map for space in self._spaces()]

    def class_columns(self) -> Iterator[ClassColumn]:
        """Every class's points in the space of its kernel, with what multiplies their sum."""
        factors = np.zeros(self.n_classes) if self.log_factors is None else self.log_factors
        for c, rows, space in self._classes():
            weights = self.weights
            if weights is not None:
                weights = weights[rows] if weights.ndim == 1 else weights[rows, c]
            level = self._log_normalizer(space) + space.log_volume - self._peak(space)
            yield ClassColumn(
                space.map(self.points[rows]), weights, space.bandwidth, level + float(factors[c])
            )

    def log_peaks(self) -> NDArray[np.float64]:
        """Log of each class's kernel at distance 0, shape (n_classes,)."""
        peaks = [s.log_volume - self._peak(s) + self._log_normalizer(s) for s in self._spaces()]
        return np.array(np.broadcast_to(peaks, self.n_classes))

    def scores(
        self,
        X: Floats,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> Floats:
        """Signed scores b_c + sum_i W[i, c] k(x, x_i), shape (n_queries, n_classes)."""
        mantissa, log_scale = self.scaled_scores(X, method=method, rtol=rtol, n_jobs=n_jobs)
        with np.errstate(over="ignore", under="ignore"):
            total = mantissa * np.exp(log_scale)
        return np.asarray(total if self.offset is None else total + self.offset)

    def scaled_scores(
        self,
        X: Floats,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> ScaledSums:
        """Signed sums without the offset as mantissa * exp(log_scale), each (n_queries, n_classes).

        Signs are right where the sums themselves underflow.
        """
        W = self.weight_matrix()
        parts = []
        for columns, rows, space in self._groups():
            points = self.points[rows]
            if len(points) == 0:  # a class whose weights are all zero
                nothing = np.zeros((len(X), W[:, columns].shape[1]))
                parts.append((nothing, nothing))
                continue
            with self._keeping(f"signed {columns}"):
                sums = kernel_sums(
                    space.map(X), space.map(points), W[rows][:, columns],
                    kernel=self.kernel, bandwidths=space.bandwidth, scaled=True, method=method,
                    rtol=rtol, n_jobs=n_jobs,
                )  # fmt: skip
            level = space.log_volume - self._peak(space)
            scale = np.broadcast_to(sums.log_scale[:, :, 0] + level, sums.mantissa.shape[:2])
            parts.append((sums.mantissa[:, :, 0], scale))
        return ScaledSums(np.hstack([m for m, _ in parts]), np.hstack([s for _, s in parts]))

    def weight_matrix(self) -> Floats:
        """The weights as a matrix (n_points, n_classes)."""
        if self.labels is None:
            assert self.weights is not None
            return self.weights
        W = np.zeros((len(self.points), self.n_classes))
        W[np.arange(len(W)), self.labels] = 1.0 if self.weights is None else self.weights
        return W

    def subset(self, rows: Any) -> KernelExpansion:
        """The same expansion on some of its points: indices or a mask."""
        labels = None if self.labels is None else self.labels[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, points=self.points[rows], labels=labels, weights=weights)

    def without_zeros(self) -> KernelExpansion:
        """The same expansion on the points whose weights are not all zero."""
        if self.weights is None:
            return self
        kept = self.weights != 0 if self.weights.ndim == 1 else (self.weights != 0).any(axis=1)
        return self.subset(kept)

    @contextmanager
    def _keeping(self, key: str) -> Iterator[None]:
        """Calls within share what is prepared for them, as long as the expansion lives."""
        token = KEPT.set(_kept.setdefault(self, {}).setdefault(key, Kept()))
        try:
            yield
        finally:
            KEPT.reset(token)

    def _others_log_sums(self, *, n_jobs: int | None = None, **how: Any) -> Floats:
        if self.labels is None:
            raise ValueError("leaving one out needs labels: points that belong to one class each.")
        if self.is_shared:
            return self._shared_log_sums(self.points, exclude_self=True, n_jobs=n_jobs, **how)
        n_jobs = self._threads(len(self.points), n_jobs)
        sums = np.empty((len(self.points), self.n_classes), dtype=self.points.dtype)
        for c, rows, space in self._classes():
            others = np.ones(len(self.points), dtype=bool)
            others[rows] = False
            queries = space.map(self.points[others])
            sums[others, c] = self._column(queries, c, rows, space, n_jobs=n_jobs, **how)
            sums[rows, c] = self._column(None, c, rows, space, n_jobs=n_jobs, **how)
        return sums

    def _shared_log_sums(self, X: Floats, *, exclude_self: bool, **options: Any) -> Floats:
        space = self._space(0)
        Y = space.map(self.points)
        queries = Y if X is self.points else space.map(X)
        options |= {
            "kernel": self.kernel,
            "bandwidths": space.bandwidth,
            "exclude_self": exclude_self,
        }
        level = space.log_volume - self._peak(space)
        if self.labels is None:
            return np.asarray(
                kernel_sums(queries, Y, self.weights, log=True, **options)[:, :, 0] + level
            )
        weights, log_scale = self._weights_in_units()
        sums = labelled_kernel_sums(queries, Y, self.labels, self.n_classes, weights, **options)
        return np.asarray(sums[:, :, 0] + (log_scale + level).astype(sums.dtype))

    def _column(
        self, queries: Floats | None, c: int, rows: Any, space: _Space, **options: Any
    ) -> Floats:
        """Log-sums of one class; None for its own points, each without itself."""
        if len(self.points[rows]) == 0 or (queries is not None and len(queries) == 0):
            return np.full(0 if queries is None else len(queries), -np.inf)
        Y = space.map(self.points[rows])
        weights = self.weights
        if weights is not None:
            weights = weights[rows] if weights.ndim == 1 else weights[rows, c]
        unit = 1.0 if weights is None else float(weights.max())
        sums = kernel_sums(
            Y if queries is None else queries, Y, None if weights is None else weights / unit,
            kernel=self.kernel, bandwidths=space.bandwidth, log=True,
            exclude_self=queries is None, **options,
        )  # fmt: skip
        return np.asarray(sums[:, 0, 0] + (space.log_volume - self._peak(space) + np.log(unit)))

    def _weights_in_units(self) -> tuple[Floats | None, NDArray[np.float64]]:
        """Weights relative to the largest of their class (1e-300 is no zero), and its logarithm."""
        if self.weights is None:
            return None, np.zeros(self.n_classes)
        assert self.labels is not None
        unit = np.zeros(self.n_classes)
        np.maximum.at(unit, self.labels, self.weights)
        unit[unit == 0] = 1.0
        return self.weights / unit[self.labels], np.log(unit)

    def _add_own_remainder(self, sums: Floats) -> None:
        if self.weights is None or not (self.weights > 1).any():
            return
        assert self.labels is not None
        rows = np.flatnonzero(self.weights > 1)
        own = self.log_peaks()[self.labels[rows]]
        remainder = np.log(self.weights[rows] - 1) + own
        sums[rows, self.labels[rows]] = np.logaddexp(sums[rows, self.labels[rows]], remainder)

    def _threads(self, n_queries: int, n_jobs: int | None) -> int:
        """Asked once for all classes; one thread where a class is too little work to share."""
        threads = effective_threads(n_jobs)
        pairs = n_queries * len(self.points) / self.n_classes
        return 1 if pairs < _WORTH_SHARING else threads

    def _with_factors(self, sums: Floats) -> Floats:
        return sums if self.log_factors is None else sums + self.log_factors.astype(sums.dtype)

    def _log_normalizer(self, space: _Space) -> float:
        return float(self.kernel.log_normalizer(space.bandwidth, self.points.shape[1]))

    def _peak(self, space: _Space) -> float:
        """What to take off so that kernels have height 1, where that is asked for."""
        return self._log_normalizer(space) + space.log_volume if self.unit_peak else 0.0

    def _spaces(self) -> list[_Space]:
        return [self._space(c) for c in range(1 if self.is_shared else self.n_classes)]

    def _space(self, c: int) -> _Space:
        if self.whitening is not None:
            h = float(self.bandwidth if self.bandwidth.ndim == 0 else self.bandwidth[c])
            return _Space(None, self.whitening, c, h, float(self.whitening.log_volumes[c]))
        if self.bandwidth.ndim < 2:
            h = float(self.bandwidth if self.bandwidth.ndim == 0 else self.bandwidth[c])
            return _Space(None, None, c, h, 0.0)
        row = self.bandwidth[c if len(self.bandwidth) > 1 else 0]
        return _Space(row, None, c, 1.0, float(-np.log(row).sum()))

    def _classes(self) -> Iterator[tuple[int, Any, _Space]]:
        """Class, rows of its points and its space."""
        if self.labels is None:
            assert self.weights is not None
            for c in range(self.n_classes):
                yield c, np.flatnonzero(self.weights[:, c]), self._space(c)
            return
        order = np.argsort(self.labels, kind="stable")
        ends = np.searchsorted(self.labels[order], np.arange(self.n_classes + 1))
        for c in range(self.n_classes):
            yield c, order[ends[c] : ends[c + 1]], self._space(c)

    def _groups(self) -> Iterator[tuple[slice, Any, _Space]]:
        """Columns that share a kernel, the rows of their points, and their space."""
        if self.is_shared:
            yield slice(None), slice(None), self._space(0)
            return
        for c, rows, space in self._classes():
            yield slice(c, c + 1), rows, space


# Not a field: trees are neither copied nor pickled with an expansion.
_kept: WeakKeyDictionary[KernelExpansion, dict[str, Kept]] = WeakKeyDictionary()
