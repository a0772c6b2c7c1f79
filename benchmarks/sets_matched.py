"""Sizes of prediction sets at equal coverage, with the contenders of sets_beside.

A method that covers less than it promises has small sets for the wrong reason. So every method is
asked at many levels; coverage and mean size over the test rows of all halves make a curve, and the
size is read off where the coverage is the one that is wanted.

The last rows are the mean difference from the first column, paired by split, with two standard
errors: by leaving out each split in turn, the data sets being these six, and over the data sets.
"""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks._timing import table
from benchmarks.sets_beside import CONTENDERS, SETS, SPLITS, halves

LEVELS = np.linspace(0.6, 0.94, 35).round(2)  # with 19 rows for calibration MAPIE takes no more
WANTED = (0.85, 0.9)


def curves(name: str) -> np.ndarray:
    """Coverage and mean size by contender and split at every level: (who, split, 2, level)."""
    found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {who: [] for who in CONTENDERS}
    for train, test, labels, truth in halves(name):
        for who, sets_of in CONTENDERS.items():
            sets = np.asarray(sets_of(train, labels, test, LEVELS.tolist()), bool)
            covered = sets[:, np.arange(len(test)), truth].mean(axis=1)
            found[who].append((covered, sets.sum(axis=2).mean(axis=1)))
    return np.array(list(found.values()))


def sizes_at(wanted: float, found: np.ndarray) -> np.ndarray:
    """Each contender's size where its coverage is the wanted one; NaN where no level covers so."""
    means = found.mean(axis=1)
    return np.array([np.interp(wanted, *curve, left=np.nan, right=np.nan) for curve in means])


def differences(wanted: float, found: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """Mean difference from the first contender over the sets, and its two standard errors."""

    def difference(curves: np.ndarray) -> np.ndarray:
        sizes = sizes_at(wanted, curves)
        return sizes - sizes[0]

    by_set = np.array([difference(curves) for curves in found.values()])
    left_out = np.array([
        [difference(np.delete(curves, k, axis=1)) for k in range(SPLITS)]
        for curves in found.values()
    ])  # fmt: skip
    by_splits = (SPLITS - 1) * left_out.var(axis=1).sum(axis=0)
    of_sets = by_set.std(axis=0, ddof=1) / np.sqrt(len(by_set))
    return by_set.mean(axis=0), np.sqrt(by_splits) / len(by_set), of_sets


def run() -> None:
    """Print the sizes by data set."""
    warnings.simplefilter("ignore")  # of single rows of a class in a fold
    found = {name: curves(name) for name in SETS}
    sizes = np.array([[sizes_at(wanted, found[name]) for wanted in WANTED] for name in SETS])
    rows = [[name, *_cells(of_set)] for name, of_set in zip(SETS, sizes, strict=True)]
    rows.append(["mean", *_cells(sizes.mean(axis=0))])
    parts = zip(*(differences(wanted, found) for wanted in WANTED), strict=True)
    names = ("difference", "its error over splits", "its error over sets")
    rows += [[name, *_cells(np.array(part))] for name, part in zip(names, parts, strict=True)]
    title = "Mean size of sets where 85 % / 90 % of the test rows are covered"
    table(title, ["data", *CONTENDERS], rows)


def _cells(sizes: np.ndarray) -> list[str]:
    """One cell for each contender, with a size for each wanted coverage."""
    return [" / ".join(f"{size:.3f}" for size in each) for each in sizes.T]
