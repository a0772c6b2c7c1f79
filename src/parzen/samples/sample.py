"""The labelled training sample: rows, class codes, frequencies.

A frequency of 2 is two copies of the row. Rows of frequency 0 are dropped on the way in.

Of a stream those rows count that are the latest, or all with weights that decay: after every row,
the weights of the earlier ones are multiplied by 1 - forget. Rows whose weight has fallen to a
millionth are dropped, so a stream of any length is kept in memory for about 14 / forget rows, or
for ``window`` rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import (
    Array,
    Bools,
    Floats,
    Ints,
    as_matrix,
    check_countable,
    validate_weights,
    warn,
)
from parzen.kernels import Kernel, density_names, get
from parzen.samples.scales import varying_columns

_LEAST_WEIGHT = 1e-6  # Share of its first weight below which a row is dropped.
_MAX_NAMED_CLASSES = 5  # Classes that a warning names; it counts the others.


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, their classes and their frequencies.

    Examples
    --------
    >>> sample = Sample.labelled(np.array([[2.0], [1.0], [2.0]]), np.array(["b", "a", "b"]), None)
    >>> sample.codes, sample.counts, sample.merged().sample.weights
    (array([1, 0, 1]), array([1., 2.]), array([1., 2.]))
    """

    X: Array
    codes: Ints  # the class of each row, by its place among classes
    weights: Floats | None  # positive frequencies; None where all are 1
    classes: Array
    counts: Floats  # the weight of each class, 0 for a class without rows

    @classmethod
    def labelled(cls, X: Array, y: Array, weights: Floats | None) -> Sample:
        """The sample of rows of positive weight; its classes are the labels that remain."""
        all_classes = np.unique(y)
        if weights is not None and not (weights > 0).all():
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < len(all_classes):
            dropped = np.setdiff1d(all_classes, classes)
            warn(f"{class_names(dropped)} dropped: every sample_weight of it is zero.")
        if weights is not None and (weights == 1).all():
            weights = None
        return Sample.coded(X, codes, weights, classes)

    @classmethod
    def coded(cls, X: Array, codes: Ints, weights: Floats | None, classes: Array) -> Sample:
        """The sample of rows whose codes and positive weights are known."""
        return Sample(X, codes, weights, classes, _counts(codes, weights, len(classes)))

    def __len__(self) -> int:
        return len(self.X)

    @property
    def n_classes(self) -> int:
        """Number of classes, those without rows included."""
        return len(self.classes)

    @property
    def frequencies(self) -> Floats:
        """The weights, ones where none were given."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def shares(self) -> Floats:
        """Share of each class in the weight of the sample."""
        return np.asarray(self.counts / self.counts.sum())

    def rows(self, rows: Array | slice) -> Self:
        """The sample of some rows, with the same classes."""
        codes = self.codes[rows]
        w = None if self.weights is None else self.weights[rows]
        counts = _counts(codes, w, self.n_classes)
        return replace(self, X=self.X[rows], codes=codes, weights=w, counts=counts)

    def columns(self, columns: slice | Bools) -> Self:
        """The sample of some features."""
        return replace(self, X=np.ascontiguousarray(self.X[:, columns]))

    def varying(self) -> tuple[Self, Bools | None]:
        """The sample without constant columns, and which columns vary; None where all are kept."""
        varies = varying_columns(self.X)
        if varies.all() or not varies.any():
            return self, None
        return self.columns(varies), varies

    def reweighted(self, weights: Floats | None) -> Self:
        """The same rows with other positive frequencies."""
        return replace(self, weights=weights, counts=_counts(self.codes, weights, self.n_classes))

    def class_rows(self) -> list[Ints]:
        """The rows of each class, in order."""
        order = np.argsort(self.codes, kind="stable")
        ends = np.searchsorted(self.codes[order], np.arange(1, self.n_classes))
        return np.split(order, ends)

    def spaced_rows(self, share: float) -> Ints:
        """A share of the rows of each class, rounded up, evenly spaced in their order.

        Examples
        --------
        >>> y = np.array([0, 1, 0, 0, 0, 1])
        >>> Sample.labelled(np.zeros((6, 1)), y, None).spaced_rows(0.5)
        array([0, 1, 3])
        """
        parts = []
        for rows in self.class_rows():
            count = int(np.ceil(share * len(rows)))
            parts.append(rows[np.arange(count) * len(rows) // max(count, 1)])
        return np.sort(np.concatenate(parts))

    def by_class(self) -> Iterator[Self]:
        """The rows of each class as a sample of one class, empty ones included."""
        for c, rows in enumerate(self.class_rows()):
            part = self.rows(rows)
            codes = np.zeros(len(rows), np.intp)
            yield replace(part, codes=codes, classes=self.classes[[c]], counts=part.counts[[c]])

    def same_class_weight_without_self(self) -> Floats:
        """Total weight of each row's class minus min(w_i, 1): what stays when one copy is left out.

        The sum skips the row; the row is not subtracted from the sum.
        """
        if self.weights is None:
            return np.asarray(self.counts[self.codes] - 1.0)
        w = self.weights
        out = w - np.minimum(w, 1.0)
        for rows in self.class_rows():
            out[rows] += sum_of_others(w[rows])
        return out

    def merged(self, by: Order = "class") -> Merged:
        """Make one row, with the sum of the frequencies, of equal rows of a class.

        A weight of 2 and two copies then give the same sample to the last bit.

        Parameters
        ----------
        by : {"class", "value", "row"}, default="class"
            The order of the distinct rows: by class, then by columns; by value, for which neither
            the order of the rows, nor of the columns, nor the labels matter; or as they come.
        """
        X = np.where(np.isnan(self.X), np.inf, self.X)  # missing entries are equal to each other
        order = _value_order(X, self.codes) if by == "value" else _class_order(X, self.codes)
        points, codes = X[order], self.codes[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (points[1:] != points[:-1]).any(axis=1) | (codes[1:] != codes[:-1])
        into = np.empty(len(order), dtype=np.intp)
        into[order] = np.cumsum(new) - 1
        first = order[new]
        w = self.weights
        if len(first) < len(order):
            w = np.add.reduceat(self.frequencies[order], np.flatnonzero(new))
        elif w is not None:
            w = w[order]
        if by == "row":
            places = np.argsort(first)
            first, into = first[places], np.argsort(places)[into]
            w = None if w is None else w[places]
        found = replace(self, X=self.X[first], codes=self.codes[first], weights=w)
        return Merged(found, first, into)


Order = Literal["class", "value", "row"]


class Merged(NamedTuple):
    """A sample of distinct rows, and how its rows belong to those that were merged."""

    sample: Sample
    first: Ints  # the first row that each distinct row stands for
    into: Ints  # the distinct row that each row became


@dataclass(frozen=True, eq=False)
class KernelSample(Sample):
    """A sample with the kernel, the priors and the threads of a selector's call."""

    kernel: Kernel
    priors: Floats | None  # None for the classes' shares
    n_jobs: int | None
    mismatch: float = 0.0  # log of the factor for a gap that only one of two rows has

    @classmethod
    def of(
        cls,
        X: ArrayLike,
        y: ArrayLike | None,
        kernel: str | Kernel,
        sample_weight: ArrayLike | None,
        priors: ArrayLike | None,
        n_jobs: int | None,
        *,
        n_classes: int | None = None,
    ) -> KernelSample:
        """Check and gather the arguments of ``Selector.select``.

        With ``n_classes``, y holds codes below it, of which some may be absent.
        """
        points = as_matrix(X, "X", allow_nan=True)
        if len(points) == 0:
            raise ValueError("X has no rows to select a bandwidth from.")
        p = None if priors is None else _as_priors(priors)
        known = n_classes if p is None else len(p)
        codes = np.zeros(len(points), np.intp) if y is None else _codes(y, len(points), known)
        count = int(codes.max()) + 1 if known is None else known
        if codes.max() >= count:
            raise ValueError(f"priors has {count} entries, but y has {codes.max() + 1} classes.")
        sample = Sample.coded(points, codes, None, np.arange(count))
        if sample_weight is not None:
            w = np.asarray(validate_weights(sample_weight, points))
            sample = sample.reweighted(w)
            if not (w > 0).all():
                sample = sample.rows(np.flatnonzero(w))
        return KernelSample.over(sample, get(kernel), p, n_jobs)

    @classmethod
    def over(
        cls,
        sample: Sample,
        kernel: Kernel,
        priors: Floats | None,
        n_jobs: int | None,
        *,
        counted: bool = True,
    ) -> KernelSample:
        """A sample with the kernel of the sums over it; unless ``counted``, of any weight."""
        if not kernel.is_density:
            raise ValueError(
                f"kernel={kernel.name!r} is not a density, so it has no bandwidth to select; "
                f"choose one of {', '.join(density_names())}."
            )
        if counted:
            check_countable(sample.weights)
        s = sample
        return cls(s.X, s.codes, s.weights, s.classes, s.counts, kernel, priors, n_jobs)

    def by_class(self) -> Iterator[Self]:
        """The rows of each class as a sample of one class, empty ones included."""
        return (replace(part, priors=None) for part in super().by_class())

    @property
    def prior_shares(self) -> Floats:
        """The given priors, or the classes' share of the sample."""
        return self.shares if self.priors is None else self.priors


def class_names(classes: Array) -> str:
    """Classes as a warning names them."""
    shown = ", ".join(repr(c) for c in classes[:_MAX_NAMED_CLASSES].tolist())
    rest = len(classes) - _MAX_NAMED_CLASSES
    return f"class {shown}" + (f" and {rest} more" if rest > 0 else "")


def sum_of_others(w: Floats) -> Floats:
    """Sum of all entries but one, for each one, without subtracting it."""
    return np.asarray(_before(w) + _before(w[::-1])[::-1])


def _before(w: Floats) -> Floats:
    """Sum of all entries before each one."""
    return np.concatenate([[0.0], np.cumsum(w)[:-1]]) if len(w) else w


def _counts(codes: Ints, weights: Floats | None, n_classes: int) -> Floats:
    return np.bincount(codes, weights, n_classes).astype(np.float64)


def _class_order(X: Array, codes: Ints) -> Ints:
    """Rows by class, then by their columns, then as given; mostly the first column decides."""
    order = np.lexsort((X[:, 0], codes))
    first, labels = X[order, 0], codes[order]
    if ((first[1:] != first[:-1]) | (labels[1:] != labels[:-1])).all():
        return np.asarray(order)
    return np.asarray(np.lexsort((*X.T[::-1], codes)))


def _value_order(X: Array, codes: Ints) -> Ints:
    """Rows by the sum of their entries in units of the columns' ranges, then by the entries."""
    finite = np.where(np.isinf(X), 0.0, X)
    with np.errstate(over="ignore"):
        span = np.maximum(finite.max(axis=0) - finite.min(axis=0), np.finfo(float).tiny)
        key = ((finite - finite.min(axis=0)) / span).sum(axis=1)
    return np.asarray(np.lexsort((codes, *X.T[::-1], key)))


def _as_priors(priors: ArrayLike) -> Floats:
    try:
        p = np.asarray(priors, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"priors={priors!r} must be numbers, one per class, or None.") from error
    if p.ndim != 1 or not (np.isfinite(p).all() and (p >= 0).all() and p.sum() > 0):
        raise ValueError(f"priors={priors!r} must be numbers >= 0, one per class, or None.")
    return p


def _codes(y: ArrayLike, n: int, n_classes: int | None) -> Ints:
    """Labels by their place among the sorted ones; codes below ``n_classes`` as they are."""
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(f"y has shape {labels.shape}, but X has {n} rows.")
    whole = n_classes is not None and labels.dtype.kind in "iu"
    if whole and labels.min() >= 0 and labels.max() < n_classes:
        return labels.astype(np.intp, copy=False)
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.intp)


def recent_rows(
    old: Sample | None, new: Sample, *, window: int | None = None, forget: float = 0.0
) -> Sample:
    """The rows of two samples of the same classes that still count, the older ones first."""
    if old is not None:
        X = np.concatenate([old.X, new.X], dtype=np.result_type(old.X, new.X))
        codes = np.concatenate([old.codes, new.codes])
        given = old.weights is not None or new.weights is not None
        weights = np.concatenate([old.frequencies, new.frequencies]) if given else None
        kept = old.X.shape[0]
    else:
        X, codes, weights, kept = new.X, new.codes, new.weights, 0
    if forget > 0:
        rows_since = np.append(np.full(kept, len(new)), np.arange(len(new), 0, -1) - 1)
        weights = (np.ones(len(X)) if weights is None else weights) * (1 - forget) ** rows_since
        counts = weights >= _LEAST_WEIGHT * weights.max(initial=0.0)
        X, codes, weights = X[counts], codes[counts], weights[counts]
    if window is not None and len(X) > window:
        latest = slice(len(X) - window, None)
        X, codes, weights = X[latest], codes[latest], None if weights is None else weights[latest]
    return Sample.coded(X, codes, weights, new.classes)
