"""Splits into training and test rows: seeded, stratified where every class allows it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from parzen.samples import Split


def random_splits(
    y: ArrayLike, n_splits: int = 10, *, test_size: float = 0.3, random_state: int = 0
) -> list[Split]:
    """Random splits, with the classes' shares in both parts where that can be done.

    Examples
    --------
    >>> [(len(train), len(test)) for train, test in random_splits([0, 0, 1, 1], 2, test_size=0.5)]
    [(2, 2), (2, 2)]
    """
    options: dict[str, Any] = {
        "n_splits": n_splits, "test_size": test_size, "random_state": random_state,
    }  # fmt: skip
    labels = np.asarray(y)
    counts = np.unique(labels, return_counts=True)[1]
    enough = counts.min() >= 2 and min(test_size, 1 - test_size) * len(labels) >= len(counts)
    splitter = StratifiedShuffleSplit(**options) if enough else ShuffleSplit(**options)
    return list(splitter.split(np.zeros(len(labels)), labels))


def fold_splits(y: ArrayLike, n_folds: int = 10, *, random_state: int = 0) -> list[Split]:
    """Shuffled folds, stratified where every class has a row for each of them.

    Examples
    --------
    >>> [test.tolist() for _, test in fold_splits([0, 0, 1, 1], 2)]
    [[1, 2], [0, 3]]
    """
    labels = np.asarray(y)
    enough = np.unique(labels, return_counts=True)[1].min() >= n_folds
    kind = StratifiedKFold if enough else KFold
    splitter = kind(n_folds, shuffle=True, random_state=random_state)
    return list(splitter.split(np.zeros(len(labels)), labels))
