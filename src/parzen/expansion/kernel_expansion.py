"""The fitted model of every classifier: a weighted kernel expansion per class.

    score_c(x) = b_c + sum_i W[i, c] k_c(x, x_i)

Each point belongs to one class (``labels``, with one weight per point), or carries a weight for
every class (a matrix). The kernel's bandwidth is common, per class, per feature or both, and each
class may have a metric of its own. Non-negative expansions are evaluated as log-sums, signed ones
with the largest kernel value of a row factored out, so neither underflows.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parzen._core import Array, Floats
from parzen.expansion.gaps import column_log_means, marginal_log_sums
from parzen.expansion.prepared import PreparedExpansion
from parzen.expansion.weighted_kernels import WeightedKernels
from parzen.sums import ScaledSums, has_missing

_PREPARED = "_prepared"  # The attribute of the preparation, which is not part of the state.
_GAPS = "_has_gaps"  # The attribute that remembers whether entries are missing.
_LOCK = threading.Lock()  # Two threads must not prepare one expansion twice.


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelExpansion(WeightedKernels):
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

    def sums_method(self, method: str, rtol: float) -> str:
        """The method for sums at as many queries as there are points."""
        if self.has_gaps:
            return "dense"
        return self.prepared.sums_method(method, rtol)

    def log_sums(self, X: Array, **options: Any) -> Array:
        """Logarithms of the class sums, shape (n_queries, n_classes); weights must not be negative.

        A class without terms at a point (compact kernels) has minus infinity there. The options of
        all sums are ``method``, ``rtol`` and ``n_jobs`` of `parzen.kernel_sums`.
        """
        if self.has_gaps or has_missing(X):
            return marginal_log_sums(self, X)
        return self.prepared.log_sums(X, **options)

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

        Weights are frequencies: a point of weight w keeps max(w - 1, 0) of its own kernel.
        """
        if self.has_gaps:
            return marginal_log_sums(self, self.points, "copy")
        sums = self.others_log_sums(**options)
        self._add_own_remainder(sums)
        return sums

    def others_log_sums(self, **options: Any) -> Array:
        """Log-sums at the points themselves, each without its own kernel, whatever its weight.

        Where entries are missing, the densities of single columns that stand for them keep it.
        """
        if self.labels is None:
            raise ValueError("leaving one out needs labels: points that belong to one class each.")
        if self.has_gaps:
            return marginal_log_sums(self, self.points, "kernel")
        groups = self.prepared.groups("log")
        if self.is_shared:
            _, _, sums, levels = groups[0]
            assert sums is not None
            shared = sums.without_self(**options)[:, :, 0]
            return np.asarray(shared + levels.astype(shared.dtype))
        options["n_jobs"] = self.prepared.threads(len(self.points), options.get("n_jobs"))
        logs = np.full((len(self.points), self.n_classes), -np.inf, dtype=self.points.dtype)
        for c, (_, space, sums, levels) in enumerate(groups):
            if sums is not None:
                own = self.labels == c
                sums = sums if self.n_classes == 1 else sums.with_own_trees()
                logs[own, c] = sums.without_self(**options)[:, 0, 0] + levels
                if not own.all():
                    others = np.asarray(sums.at(space.map(self.points[~own]), **options))
                    logs[~own, c] = others[:, 0, 0] + levels
        return logs

    def scores(self, X: Array, **options: Any) -> Array:
        """Signed scores b_c + sum_i W[i, c] k(x, x_i), shape (n_queries, n_classes)."""
        mantissa, log_scale = self.prepared.scaled_sums(X, **options)
        with np.errstate(over="ignore", under="ignore"):
            total = mantissa * np.exp(log_scale)
        return np.asarray(total if self.offset is None else total + self.offset)

    def scaled_scores(self, X: Array, **options: Any) -> ScaledSums:
        """Signed sums without the offset as mantissa * exp(log_scale), each (n_queries, n_classes).

        Signs are right where the sums themselves underflow.
        """
        return self.prepared.scaled_sums(X, **options)

    def subset(self, rows: Any) -> KernelExpansion:
        """The same expansion on some of its points: indices or a mask."""
        labels = None if self.labels is None else self.labels[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, points=self.points[rows], labels=labels, weights=weights)

    def _add_own_remainder(self, sums: Array) -> None:
        if self.weights is None or not (self.weights > 1).any():
            return
        assert self.labels is not None
        rows = np.flatnonzero(self.weights > 1)
        own = (self.log_peaks() + self.class_factors)[self.labels[rows]]
        remainder = np.log(self.weights[rows] - 1) + own
        sums[rows, self.labels[rows]] = np.logaddexp(sums[rows, self.labels[rows]], remainder)
