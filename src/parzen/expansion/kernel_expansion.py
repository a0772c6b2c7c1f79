"""The fitted model of every classifier: a weighted kernel expansion per class.

    score_c(x) = b_c + sum_i W[i, c] k_c(x, x_i)

Each point belongs to one class (``labels``, with one weight per point), or carries a weight for
every class (a matrix). The kernel's bandwidth is common, per class, per feature or both, and each
class may have a metric of its own. Non-negative expansions are evaluated as log-sums, signed ones
with the largest kernel value of a row factored out, so neither underflows.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parzen._core import Array, Floats, Ints
from parzen.expansion.gaps import column_log_means, marginal_log_sums
from parzen.expansion.prepared import Group, PreparedExpansion
from parzen.expansion.space import Space
from parzen.kernels import ColumnProduct, Kernel, get
from parzen.metric import Whitening
from parzen.sums import (
    DEFAULT_RTOL,
    PreparedSums,
    ScaledSums,
    TreeStore,
    has_missing,
)

_PREPARED = "_prepared"  # The attribute of the preparation, which is not part of the state.
_GAPS = "_has_gaps"  # The attribute that remembers whether entries are missing.
_LOCK = threading.Lock()  # Two threads must not prepare one expansion twice.


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
    mismatch : float, default=0.0
        Log of the factor for a missing entry that only the query or only the point has.

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

    points: Array
    kernel: Kernel
    bandwidth: Floats
    n_classes: int
    labels: Ints | None = None
    weights: Array | None = None
    log_factors: Floats | None = None
    offset: Floats | None = None
    whitening: Whitening | None = None
    unit_peak: bool = False
    mismatch: float = 0.0

    @property
    def is_shared(self) -> bool:
        """Whether all classes have the same kernel, so that one pass serves them all."""
        return self.whitening is None and (
            self.bandwidth.ndim == 0 or (self.bandwidth.ndim == 2 and len(self.bandwidth) == 1)
        )

    @property
    def kernel_in_space(self) -> Kernel:
        """The kernel of the points that `Space.map` returns."""
        return get("gaussian") if isinstance(self.kernel, ColumnProduct) else self.kernel

    @property
    def prepared(self) -> PreparedExpansion:
        """The expansion prepared for many queries, made at the first one."""
        found = self.__dict__.get(_PREPARED)
        if found is None:
            with _LOCK:
                found = self.__dict__.setdefault(_PREPARED, PreparedExpansion(self))
        assert isinstance(found, PreparedExpansion)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """The fields: the preparation is neither copied nor pickled."""
        return {k: v for k, v in self.__dict__.items() if k not in (_PREPARED, _GAPS)}

    @property
    def class_factors(self) -> Floats:
        """The ``log_factors``; zeros where there are none."""
        return np.zeros(self.n_classes) if self.log_factors is None else self.log_factors

    def sums_method(self, method: str, rtol: float) -> str:
        """The method for sums at as many queries as there are points."""
        if self.has_gaps:
            return "dense"
        return self.prepared.sums_method(method, rtol)

    def log_sums(
        self,
        X: Array,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> Array:
        """Logarithms of the class sums, shape (n_queries, n_classes); weights must not be negative.

        A class without terms at a point (compact kernels) has minus infinity there.
        """
        if self.has_gaps or has_missing(X):
            return marginal_log_sums(self, X)
        return self.prepared.log_sums(X, method, rtol, n_jobs)

    @property
    def has_gaps(self) -> bool:
        """Whether entries of the points are missing."""
        if _GAPS not in self.__dict__:
            self.__dict__[_GAPS] = has_missing(self.points)
        return bool(self.__dict__[_GAPS])

    def column_log_means(self) -> tuple[Floats, Floats]:
        """Log of the mean density of every column at the points of a class, and of its peak.

        Both have shape (n_classes, n_features): see `parzen.sums.column_log_means`.
        """
        return column_log_means(self)

    def gapped_log_sums_without_one(self, copies: Floats | None) -> Array:
        """Log-sums at points with missing entries, one of the ``copies`` of each left out.

        It is left out of the densities of single columns too.
        """
        ones = np.ones(len(self.points))
        return marginal_log_sums(self, self.points, "copy", ones if copies is None else copies)

    def leave_one_out_log_sums(self, **options: Any) -> Array:
        """Log-sums at the points themselves, from each of which one unit of weight is left out.

        Weights are frequencies: a point of weight w keeps max(w - 1, 0) of its own kernel. The
        options are those of `log_sums`.
        """
        if self.has_gaps:
            return marginal_log_sums(self, self.points, "copy")
        sums = self.others_log_sums(**options)
        self._add_own_remainder(sums)
        return sums

    def others_log_sums(
        self, *, method: str = "auto", rtol: float = DEFAULT_RTOL, n_jobs: int | None = None
    ) -> Array:
        """Log-sums at the points themselves, each without its own kernel, whatever its weight.

        Where entries are missing, the densities of single columns that stand for them keep it.
        """
        if self.labels is None:
            raise ValueError("leaving one out needs labels: points that belong to one class each.")
        if self.has_gaps:
            return marginal_log_sums(self, self.points, "kernel")
        how: dict[str, Any] = {"method": method, "rtol": rtol, "n_jobs": n_jobs}
        groups = self.prepared.groups("log")
        if self.is_shared:
            _, _, sums, levels = groups[0]
            assert sums is not None
            shared = sums.without_self(**how)[:, :, 0]
            return np.asarray(shared + levels.astype(shared.dtype))
        how["n_jobs"] = self.prepared.threads(len(self.points), n_jobs)
        logs = np.full((len(self.points), self.n_classes), -np.inf, dtype=self.points.dtype)
        for c, (_, space, sums, levels) in enumerate(groups):
            if sums is not None:
                own = self.labels == c
                sums = sums if self.n_classes == 1 else sums.with_own_trees()
                logs[own, c] = sums.without_self(**how)[:, 0, 0] + levels
                if not own.all():
                    others = np.asarray(sums.at(space.map(self.points[~own]), **how))
                    logs[~own, c] = others[:, 0, 0] + levels
        return logs

    def log_peaks(self) -> Floats:
        """Log of each class's kernel at distance 0, shape (n_classes,)."""
        peaks = [s.log_volume - self._peak(s) + self._log_normalizer(s) for s in self._spaces()]
        return np.array(np.broadcast_to(peaks, self.n_classes))

    def scores(
        self,
        X: Array,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> Array:
        """Signed scores b_c + sum_i W[i, c] k(x, x_i), shape (n_queries, n_classes)."""
        mantissa, log_scale = self.prepared.scaled_sums(X, method, rtol, n_jobs)
        with np.errstate(over="ignore", under="ignore"):
            total = mantissa * np.exp(log_scale)
        return np.asarray(total if self.offset is None else total + self.offset)

    def scaled_scores(
        self,
        X: Array,
        *,
        method: str = "auto",
        rtol: float = DEFAULT_RTOL,
        n_jobs: int | None = None,
    ) -> ScaledSums:
        """Signed sums without the offset as mantissa * exp(log_scale), each (n_queries, n_classes).

        Signs are right where the sums themselves underflow.
        """
        return self.prepared.scaled_sums(X, method, rtol, n_jobs)

    def weight_matrix(self) -> Array:
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

    def groups(self, mode: str, trees: TreeStore) -> Iterator[Group]:
        """Classes that share a kernel, with their sums prepared for log-sums or signed sums."""
        how: dict[str, Any] = {"kernel": self.kernel_in_space, "mode": mode}
        if self.is_shared or self.n_classes == 1:
            how["trees"] = trees
        factors = self.class_factors if mode == "log" else np.zeros(self.n_classes)
        if not self.is_shared:
            for c, rows, space in self._classes():
                column, level = self._column(c, rows, space, how)
                yield Group(slice(c, c + 1), space, column, factors[c] + level)
            return
        space = self.space(0)
        Y = space.map(self.points)
        how["bandwidth"] = space.bandwidth
        levels = factors + (space.log_volume - self._peak(space))
        sums: PreparedSums | None
        if len(Y) == 0:
            sums = None
        elif self.labels is None:
            sums = PreparedSums(Y, self.weights, **how)
        elif mode == "scaled":  # in other units than the trees of the log-sums
            sums = PreparedSums(Y, self.weight_matrix(), **{**how, "trees": TreeStore()})
        else:
            weights, log_units = self._weights_in_units()
            sums = PreparedSums(Y, weights, labels=self.labels, n_labels=self.n_classes, **how)
            levels = levels + log_units
        yield Group(slice(None), space, sums, levels)

    def _column(
        self, c: int, rows: Ints, space: Space, how: dict[str, Any]
    ) -> tuple[PreparedSums | None, Array]:
        """The sums of one class, and what is added to their logarithms."""
        level = np.array([space.log_volume - self._peak(space)])
        if len(rows) == 0:
            return None, level
        w = self.weights
        if w is not None:
            w = w[rows] if w.ndim == 1 else w[rows, c]
            unit = float(w.max()) if how["mode"] == "log" else 1.0
            unit = unit if np.count_nonzero(w / unit) == np.count_nonzero(w) else 1.0
            w, level = w / unit, level + np.log(unit)
        Y = space.map(self.points[rows])
        return PreparedSums(Y, w, bandwidth=space.bandwidth, **how), level

    def _weights_in_units(self) -> tuple[Array | None, Floats]:
        """Weights relative to the largest of their class (1e-300 is no zero), and its logarithm."""
        if self.weights is None:
            return None, np.zeros(self.n_classes)
        assert self.labels is not None
        unit = np.zeros(self.n_classes)
        np.maximum.at(unit, self.labels, self.weights)
        unit[unit == 0] = 1.0
        relative = self.weights / unit[self.labels]
        unit[self.labels[(relative == 0) & (self.weights > 0)]] = 1.0  # a light point is no zero
        return self.weights / unit[self.labels], np.log(unit)

    def _add_own_remainder(self, sums: Array) -> None:
        if self.weights is None or not (self.weights > 1).any():
            return
        assert self.labels is not None
        rows = np.flatnonzero(self.weights > 1)
        own = (self.log_peaks() + self.class_factors)[self.labels[rows]]
        remainder = np.log(self.weights[rows] - 1) + own
        sums[rows, self.labels[rows]] = np.logaddexp(sums[rows, self.labels[rows]], remainder)

    def _log_normalizer(self, space: Space) -> float:
        d = self.points.shape[1] if space.columns is None else space.map(self.points[:1]).shape[1]
        return float(self.kernel_in_space.log_normalizer(space.bandwidth, d))

    def _peak(self, space: Space) -> float:
        """What to take off so that kernels have height 1, where that is asked for."""
        return self._log_normalizer(space) + space.log_volume if self.unit_peak else 0.0

    def _spaces(self) -> list[Space]:
        return [self.space(c) for c in range(1 if self.is_shared else self.n_classes)]

    def space(self, c: int) -> Space:
        """The space in which the kernel of class c has one bandwidth."""
        if self.whitening is not None:
            h = float(self.bandwidth if self.bandwidth.ndim == 0 else self.bandwidth[c])
            return Space(None, self.whitening, c, h, float(self.whitening.log_volumes[c]))
        if isinstance(self.kernel, ColumnProduct):
            return self._column_space(self.kernel, c)
        if self.bandwidth.ndim < 2:
            h = float(self.bandwidth if self.bandwidth.ndim == 0 else self.bandwidth[c])
            return Space(None, None, c, h, 0.0)
        row = self.bandwidth[c if len(self.bandwidth) > 1 else 0]
        return Space(row, None, c, 1.0, float(-np.log(row).sum()))

    def _column_space(self, kernel: ColumnProduct, c: int) -> Space:
        h = self.bandwidth
        row = kernel.check_row(h[c if len(h) > 1 else 0] if h.ndim == 2 else h)
        n_codes = kernel.embedded(self.points[:1], row).shape[1]
        peak = self.kernel_in_space.log_normalizer(1.0, n_codes)
        return Space(row, None, c, 1.0, float(kernel.log_peaks(row).sum() - peak), kernel)

    def _classes(self) -> Iterator[tuple[int, Any, Space]]:
        """Class, rows of its points and its space."""
        if self.labels is None:
            assert self.weights is not None
            for c in range(self.n_classes):
                yield c, np.flatnonzero(self.weights[:, c]), self.space(c)
            return
        order = np.argsort(self.labels, kind="stable")
        ends = np.searchsorted(self.labels[order], np.arange(self.n_classes + 1))
        for c in range(self.n_classes):
            yield c, order[ends[c] : ends[c + 1]], self.space(c)
