"""Folds of the search over bandwidth and eta."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parzen._core import Bools, Floats, Ints
from parzen.classifiers.base import error_weights
from parzen.classifiers.l2.class_rule import ClassRule, ClassValues
from parzen.samples import Sample, stratified_splits


class Fold(NamedTuple):
    """A training set as a mask of the sorted rows, its held-out rows, and its class values."""

    train: Bools
    test: Ints
    weights: Floats  # how much an error at each held-out row counts
    classes: ClassValues


def folds_of(
    cv: Any, sample: Sample, order: Ints, rows: Ints | None, rule: ClassRule
) -> list[Fold]:
    """The folds of a sample.

    ``order`` sorts the sample by class; ``rows`` are its rows in the input, None for all.
    """
    codes, frequencies = sample.codes[order], sample.frequencies[order]
    weights = frequencies * error_weights(rule.class_weight, sample.classes)[codes]
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(place))
    if rows is not None and not (isinstance(cv, int | np.integer) or hasattr(cv, "split")):
        # Given folds number the rows of the input.
        cv = [[np.flatnonzero(np.isin(rows, part)) for part in pair] for pair in cv]
    folds = []
    for train, test in stratified_splits(sample, cv):
        mask = np.zeros(len(place), dtype=bool)
        mask[place[train]] = True
        counts = np.bincount(codes, frequencies * mask, len(sample.classes)).astype(np.float64)
        held_out = place[test]
        values = rule.at(sample.classes, counts)
        folds.append(Fold(mask, held_out, weights[held_out], values))
    return folds
