"""A labelled sample as the selectors see it: positive frequencies, class codes, one kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._core import as_matrix, validate_weights
from parzen.kernels import Kernel, density_names, get

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of weight 0 are dropped: they are as good as absent."""

    X: NDArray[Any]
    y: NDArray[np.intp]
    n_classes: int
    weights: Floats | None
    priors: Floats | None
    kernel: Kernel
    n_jobs: int | None

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
    ) -> Sample:
        """Gather the arguments of ``Selector.select``.

        With ``n_classes``, y holds codes below it, of which some may be absent.
        """
        k = get(kernel)
        if not k.is_density:
            raise ValueError(
                f"kernel={k.name!r} is not a density, so it has no bandwidth to select; choose one "
                f"of {', '.join(density_names())}."
            )
        points = as_matrix(X, "X")
        if len(points) == 0:
            raise ValueError("X has no rows to select a bandwidth from.")
        p = None if priors is None else _as_priors(priors)
        known = n_classes if p is None else len(p)
        codes = np.zeros(len(points), np.intp) if y is None else _codes(y, len(points), known)
        count = int(codes.max()) + 1 if known is None else known
        if codes.max() >= count:
            raise ValueError(f"priors has {count} entries, but y has {codes.max() + 1} classes.")
        sample = cls(points, codes, count, None, p, k, n_jobs)
        if sample_weight is None:
            return sample
        w = np.asarray(validate_weights(sample_weight, points))
        return replace(sample, weights=w).rows(np.flatnonzero(w))

    def rows(self, rows: NDArray[Any] | slice) -> Sample:
        """The sample of these rows only."""
        w = None if self.weights is None else self.weights[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], weights=w)

    def by_class(self) -> Iterator[Sample]:
        """The rows of each class in turn as samples of one class, empty ones included."""
        for rows in self.class_rows():
            y = np.zeros(len(rows), np.intp)
            yield replace(self.rows(rows), y=y, n_classes=1, priors=None)

    def class_rows(self) -> list[NDArray[np.intp]]:
        """Indices of the rows of each class, in order."""
        order = np.argsort(self.y, kind="stable")
        ends = np.searchsorted(self.y[order], np.arange(1, self.n_classes))
        return np.split(order, ends)

    def columns(self, columns: slice) -> Sample:
        """The sample of these features only."""
        return replace(self, X=np.ascontiguousarray(self.X[:, columns]))

    def __len__(self) -> int:
        return len(self.X)

    @property
    def frequencies(self) -> Floats:
        """The weights, ones where none were given."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def sizes(self) -> Floats:
        """Sum of the frequencies of each class."""
        return np.bincount(self.y, self.frequencies, self.n_classes).astype(np.float64)

    @property
    def shares(self) -> Floats:
        """The given priors, or the classes' share of the sample."""
        return self.sizes / self.sizes.sum() if self.priors is None else self.priors

    def companions(self) -> Floats:
        """Mass of its own class that each row sees when one of its copies is left out.

        Leaving one out takes min(w_i, 1) from the row; the sum skips it, it is not subtracted.
        """
        if self.weights is None:
            return np.asarray(self.sizes[self.y] - 1.0)
        w = self.weights
        out = w - np.minimum(w, 1.0)
        for rows in self.class_rows():
            out[rows] += sum_of_others(w[rows])
        return out


def _as_priors(priors: ArrayLike) -> Floats:
    try:
        p = np.asarray(priors, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"priors={priors!r} must be numbers, one per class, or None.") from error
    if p.ndim != 1 or not (np.isfinite(p).all() and (p >= 0).all() and p.sum() > 0):
        raise ValueError(f"priors={priors!r} must be numbers >= 0, one per class, or None.")
    return p


def _codes(y: ArrayLike, n: int, n_classes: int | None) -> NDArray[np.intp]:
    """Labels by their place among the sorted ones; codes below ``n_classes`` as they are."""
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(f"y has shape {labels.shape}, but X has {n} rows.")
    whole = n_classes is not None and labels.dtype.kind in "iu"
    if whole and labels.min() >= 0 and labels.max() < n_classes:
        return labels.astype(np.intp, copy=False)
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.intp)


def sum_of_others(w: Floats) -> Floats:
    """Sum of all entries but one, for each one, without subtracting it."""
    return np.asarray(_before(w) + _before(w[::-1])[::-1])


def _before(w: Floats) -> Floats:
    """Sum of all entries before each one."""
    return np.concatenate([[0.0], np.cumsum(w)[:-1]]) if len(w) else w
