"""Checked labels and frequencies, and equal rows merged, for the measures of this room."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from parzen._core import Array, Floats, Ints, validate_weights


class Classes(NamedTuple):
    """Classes of a sample: their names, the class of every row, and the rows' frequencies."""

    names: Array
    codes: Ints
    weights: Floats

    @property
    def one_hot(self) -> Floats:
        """Weights in the column of each row's class, shape (rows, classes)."""
        columns = np.zeros((len(self.codes), len(self.names)))
        columns[np.arange(len(self.codes)), self.codes] = self.weights
        return columns

    @property
    def sizes(self) -> Floats:
        """m_c: the total frequency of each class."""
        sums = np.bincount(self.codes, self.weights, minlength=len(self.names))
        return np.asarray(sums, dtype=np.float64)

    def centred_one_hot(self) -> Floats:
        """Indicators of the classes, less the share of each class, shape (rows, classes)."""
        indicators = np.equal.outer(self.codes, np.arange(len(self.names))).astype(np.float64)
        return np.asarray(indicators - self.sizes / self.sizes.sum())

    def signs(self) -> Floats:
        """-1 for the first class and +1 for the other."""
        return np.where(self.codes == 0, -1.0, 1.0)

    def check_uncentred(self, centered: bool) -> None:
        """Refuse labels that are not centred where there are more than two classes."""
        if not centered and len(self.names) > 2:
            raise ValueError(
                f"centered=False is defined for two classes, but y has {len(self.names)}; "
                "use centered=True."
            )

    def blocks(self) -> list[slice]:
        """The rows of each class, where the rows are in the order of their classes."""
        ends = np.cumsum(np.bincount(self.codes, minlength=len(self.names))).tolist()
        return [slice(start, stop) for start, stop in pairwise([0, *ends])]

    def take(self, rows: Any) -> Classes:
        """The same classes on some of the rows."""
        return Classes(self.names, self.codes[rows], self.weights[rows])


def as_classes(y: ArrayLike, n: int, sample_weight: ArrayLike | None = None) -> Classes:
    """Check labels of ``n`` rows, and their frequencies."""
    labels = column_or_1d(y, warn=True)
    check_consistent_length(np.empty(n), labels)
    check_classification_targets(labels)
    names, codes = np.unique(labels, return_inverse=True)
    weights = validate_weights(sample_weight, np.empty((n, 1)))
    return Classes(names, codes, np.ones(n) if weights is None else weights)


def merge_equal_rows(X: Array, classes: Classes) -> tuple[Array, Classes]:
    """Distinct rows with their total frequencies, in an order that only depends on the rows.

    A row of weight k, k copies of it, and the same rows in another order then all give the same
    model, random choices included. Rows without weight are left out.
    """
    kept = classes.weights > 0
    order = np.argsort(X[kept, 0], kind="stable")
    first = X[kept, 0][order]
    if (
        len(first) and (first[1:] > first[:-1]).all()
    ):  # no two are equal, and the order is that below
        return np.ascontiguousarray(X[kept][order] + 0.0), classes.take(np.flatnonzero(kept)[order])
    codes = classes.codes[kept].astype(X.dtype)[:, None]
    rows, place = np.unique(np.hstack([X[kept] + 0.0, codes]), axis=0, return_inverse=True)
    weights = np.bincount(place.ravel(), classes.weights[kept], minlength=len(rows))
    merged = Classes(
        classes.names, rows[:, -1].astype(np.intp), np.asarray(weights, dtype=np.float64)
    )
    return np.ascontiguousarray(rows[:, :-1]), merged
