"""Stratified folds of a sample: pairs of index arrays, one pair (train, test) for each fold."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from parzen.samples.held_out import Split
from parzen.samples.sample import Sample


def check_folds(folds: Any, name: str = "folds") -> None:
    """Refuse what is neither a number of folds nor a way to make them."""
    if isinstance(folds, int | np.integer):
        good = folds >= 2 and not isinstance(folds, bool)
    else:
        good = isinstance(folds, Iterable) or hasattr(folds, "split")
    if not good or isinstance(folds, str | bytes):
        raise ValueError(
            f"{name}={folds!r} must be a whole number of at least 2, a scikit-learn splitter, or "
            "an iterable of (train, test) index arrays."
        )


def checked_folds(folds: Any) -> Any:
    """The folds, checked; an iterator is read, which could neither be read again nor copied."""
    check_folds(folds)
    return tuple(folds) if isinstance(folds, Iterator) else folds


def stratified_splits(sample: Sample, folds: Any) -> list[Split]:
    """(train, test) rows of every fold."""
    n = len(sample)
    if isinstance(folds, (int, np.integer)):
        most = int(np.bincount(sample.codes).max())
        splitter = StratifiedKFold(min(int(folds), most)) if most > 1 else KFold(n)
    elif hasattr(folds, "split"):
        splitter = folds
    else:
        return _checked_splits(folds, n)
    with warnings.catch_warnings():
        # A class smaller than the folds is legitimate here: it is absent from some of them.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return _checked_splits(splitter.split(sample.X, sample.codes), n)


def _checked_splits(pairs: Iterable[Any], n: int) -> list[Split]:
    splits = [_checked_split(pair, place, n) for place, pair in enumerate(pairs)]
    if not splits:
        raise ValueError("folds must hold at least one pair (train, test) of index arrays.")
    return splits


def _checked_split(pair: Any, place: int, n: int) -> Split:
    try:
        train, test = (np.arange(n)[np.asarray(rows)] for rows in pair)
        numbered = train.ndim == test.ndim == 1
    except (IndexError, TypeError, ValueError):
        numbered = False
    if not numbered:
        raise ValueError(
            f"fold {place} of folds must be a pair (train, test) of arrays that number the {n} "
            "rows of the sample; rows of sample_weight 0 are not counted."
        )
    if len(train) == 0 or len(test) == 0:
        raise ValueError(f"fold {place} of folds has no rows to train or to test on; drop it.")
    return train, test
