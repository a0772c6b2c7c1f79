"""The training sample of a score classifier: distinct rows, and folds of them.

Equal rows are merged and sorted, so k copies of a row and weight k are the same problem bit for
bit, the order of the input does not matter, and no Gram matrix is singular because of repetition.
Folds are dealt from the sorted rows of each class in turn, so a row never is on both sides of a
split.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.samples import Sample

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def distinct_rows(
    X: NDArray[Any], y: NDArray[Any], weights: Floats | None
) -> tuple[Sample, Places]:
    """The sample of distinct rows, and the row of the input that each stands for."""
    present = np.arange(len(X)) if weights is None else np.flatnonzero(weights > 0)
    points = X.astype(np.float64, copy=False) + 0.0  # no negative zeros
    found = Sample.labelled(points, y, weights).merged()
    return found.sample, present[found.first]


def precomputed_rows(
    K: NDArray[Any], y: NDArray[Any], weights: Floats | None
) -> tuple[Sample, Places]:
    """The sample of a Gram matrix, whose rows and columns of weight 0 are dropped."""
    present = np.arange(len(K)) if weights is None else np.flatnonzero(weights > 0)
    sample = Sample.labelled(K.astype(np.float64, copy=False), y, weights)
    return replace(sample, X=sample.X[:, present]), present


def standing_for(sample: Sample, counts: Floats) -> Sample:
    """The same rows, with frequencies that add up to those of every class."""
    factors = counts[sample.codes] / sample.counts[sample.codes]
    return sample.reweighted(sample.frequencies * factors)


def dealt_folds(sample: Sample, folds: int) -> list[tuple[Places, Places]]:
    """(train, test) places of each stratified fold; fewer where no class has as many rows."""
    fold = np.empty(len(sample), dtype=np.intp)
    for c, rows in enumerate(sample.class_rows()):
        fold[rows] = (np.arange(len(rows)) + c) % folds
    pairs = ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds))
    return [(train, test) for train, test in pairs if len(train) and len(test)]
