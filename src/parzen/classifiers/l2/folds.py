"""Folds of the search over bandwidth and eta, and the table of their errors."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from parzen.classifiers.l2.class_rule import ClassRule, ClassValues
from parzen.samples import Sample

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

_TIE = 1e-6  # two errors are equal if they differ by less than this share of the largest error


class Fold(NamedTuple):
    """A training set as a mask of the sorted rows, its held-out rows, and its class values."""

    train: NDArray[np.bool_]
    test: Rows
    weights: Floats  # how much an error at each held-out row counts
    classes: ClassValues


class FoldErrors(NamedTuple):
    """Errors (folds, bandwidths, etas) along a falling grid, and shares of kernels kept."""

    grid: Floats  # (bandwidths, n_classes), and features where each class has its own
    errors: Floats
    sparsity: Floats

    @property
    def means(self) -> Floats:
        """Mean error over the folds, (bandwidths, etas)."""
        return np.asarray(self.errors.mean(axis=0))

    def best(self) -> tuple[int, int]:
        """Place of the smallest mean error: largest bandwidth first, then smallest eta."""
        means = self.means
        place = first_best(means.ravel())
        return place // means.shape[1], place % means.shape[1]

    def joined(self, other: FoldErrors, *, larger: bool) -> FoldErrors:
        """With further bandwidths at one end."""
        first, last = (other, self) if larger else (self, other)
        return FoldErrors(
            np.concatenate([first.grid, last.grid]),
            np.concatenate([first.errors, last.errors], axis=1),
            np.concatenate([first.sparsity, last.sparsity], axis=1),
        )

    def results(self, etas: Floats) -> dict[str, Floats]:
        """The table as ``cv_results_``."""
        common = bool((self.grid == self.grid[:, :1]).all())
        return {
            "bandwidth": self.grid[:, 0] if common else self.grid,
            "eta": etas,
            "errors": self.means,
            "fold_errors": self.errors,
            "sparsity": self.sparsity.mean(axis=0),
        }


def first_best(errors: Floats) -> int:
    """Place of the first of the smallest errors; a millionth of the largest is no difference.

    Class weights may count some errors by next to nothing: these must not outvote the order.
    """
    return int(np.argmax(errors <= errors.min() + _TIE * errors.max()))


def folds_of(
    cv: Any, sample: Sample, order: Rows, rows: Rows | None, rule: ClassRule
) -> list[Fold]:
    """The folds of a sample; none where there is nothing to hold out.

    ``order`` sorts the sample by class; ``rows`` are its rows in the input, None for all.
    """
    n_classes = len(sample.classes)
    if n_classes == 1:
        return []
    codes, frequencies = sample.codes[order], sample.frequencies[order]
    weights = frequencies * rule.error_weights(sample.classes, sample.counts)[codes]
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(place))
    folds = []
    for train, test in _splits(cv, sample, rows):
        mask = np.zeros(len(place), dtype=bool)
        mask[place[train]] = True
        counts = np.bincount(codes, frequencies * mask, n_classes).astype(np.float64)
        held_out = place[test]
        values = rule.at(sample.classes, counts)
        folds.append(Fold(mask, held_out, weights[held_out], values))
    return folds


def _splits(cv: Any, sample: Sample, rows: Rows | None) -> list[tuple[Any, Any]]:
    """Training and held-out rows; given ones number the rows of the input."""
    if rows is None or isinstance(cv, int) or hasattr(cv, "split"):
        return _splits_of_rows(cv, sample.X, sample.codes)
    place = np.full(int(rows.max()) + 1, -1)
    place[rows] = np.arange(len(rows))

    def in_sample(given: Any) -> Rows:
        found = np.asarray(given)
        found = place[found[found < len(place)]]
        return np.asarray(found[found >= 0])

    return [(in_sample(train), in_sample(test)) for train, test in cv]


def _splits_of_rows(cv: Any, X: NDArray[Any], codes: Rows) -> list[tuple[Any, Any]]:
    counts = np.bincount(codes)
    if isinstance(cv, int | np.integer):
        n_folds = min(int(cv), int(counts.max()))
        if n_folds < 2 or len(counts) < 2:
            return []
        cv = StratifiedKFold(n_folds)
    splitter = check_cv(cv, codes, classifier=True)
    with warnings.catch_warnings():
        # A class smaller than the number of folds is absent from some; the fit says so elsewhere.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        return list(splitter.split(X, codes))
