"""Sizes of prediction sets at equal coverage, with the contenders of sets_beside.

A method that covers less than it promises has small sets for the wrong reason. So every method is
asked at many levels; coverage and mean size over the test rows of all halves make a curve, and the
size is read off where the coverage is the one that is wanted.
"""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks._timing import table
from benchmarks.sets_beside import CONTENDERS, SETS, halves

LEVELS = np.linspace(0.6, 0.94, 35).round(2)  # with 19 rows for calibration MAPIE takes no more
WANTED = (0.85, 0.9)


def curves(name: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Coverage and mean size at every level, over all test rows of one data set."""
    found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {who: [] for who in CONTENDERS}
    for train, test, labels, truth in halves(name):
        for who, sets_of in CONTENDERS.items():
            sets = np.asarray(sets_of(train, labels, test, LEVELS.tolist()), bool)
            covered = sets[:, np.arange(len(test)), truth].mean(axis=1)
            found[who].append((covered, sets.sum(axis=2).mean(axis=1)))
    means = {who: np.mean(values, axis=0) for who, values in found.items()}
    return {who: (covered, size) for who, (covered, size) in means.items()}


def size_at(wanted: float, covered: np.ndarray, size: np.ndarray) -> float:
    """The mean size where the coverage is the wanted one; NaN where no level covers so."""
    return float(np.interp(wanted, covered, size, left=np.nan, right=np.nan))


def run() -> None:
    """Print the sizes by data set."""
    warnings.simplefilter("ignore")  # of single rows of a class in a fold
    found = {name: curves(name) for name in SETS}
    rows, sizes = [], np.empty((len(WANTED), len(SETS), len(CONTENDERS)))
    for i, name in enumerate(SETS):
        for k, wanted in enumerate(WANTED):
            sizes[k, i] = [size_at(wanted, *curve) for curve in found[name].values()]
        rows.append([name, *(" / ".join(f"{s:.3f}" for s in each) for each in sizes[:, i].T)])
    means = sizes.mean(axis=1).T
    rows.append(["mean", *(" / ".join(f"{s:.3f}" for s in each) for each in means)])
    title = "Mean size of sets where 85 % / 90 % of the test rows are covered"
    table(title, ["data", *CONTENDERS], rows)
