"""Kernel naive Bayes' own K-fold error: one factor on the rule of every class and column.

    h_cl = m * silverman_cl,   m from 1/8 to 8,   the m of least error on stratified folds

The rule is computed anew without each fold. A common factor keeps the proportions of the columns'
rules: a few errors are enough to choose one number, and too few to choose one for every column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from parzen._core import Floats, Ints, steps
from parzen.bandwidth import (
    CrossValidation,
    ErrorLoss,
    Path,
    Selection,
    common_path,
    selection_of,
    warn_at_edge,
)
from parzen.classifiers.naive_bayes.columns import ColumnDensities
from parzen.kernels import Kernel
from parzen.samples import HeldOutSums, Sample, stratified_splits

FitColumns = Callable[[Sample, float], Sequence[ColumnDensities]]
_DEFAULT_FACTORS = 2.0 ** (np.arange(-12, 13) / 4)  # Factors on the rule, from 1/8 to 8.
_N_FOLDS = 5  # Folds where the user gave none.


def check_factors(own: CrossValidation | None) -> None:
    """Refuse a search per class or per feature: the rule has a bandwidth for each already."""
    if own is not None and own.per != "all":
        raise ValueError(
            f"bandwidth={own!r}: per={own.per!r} is not available in KernelNaiveBayes, whose rule "
            "has a bandwidth for every class and column; use per='all', a common factor on it."
        )


def choose_factor(
    sample: Sample,
    fit_columns: FitColumns,
    kernel: Kernel,
    priors: Floats | None,
    threads: int,
    own: CrossValidation,
) -> Selection:
    """The factor with the smallest error; the largest of several, 1 where folds are impossible."""
    factors = _DEFAULT_FACTORS if own.grid is None else np.array(own.grid)
    if len(sample.classes) < 2 or np.bincount(sample.codes).max() < 2:
        return _selection(Path(np.array(0), np.nan, np.array([np.nan])), np.ones(1))
    splits = stratified_splits(sample, _N_FOLDS if own.folds is None else own.folds)

    def held_out(sample: Sample, grid: Floats) -> Iterator[HeldOutSums]:
        for split in steps(splits):
            yield _fold(sample, split, len(splits), fit_columns, priors, threads, grid)

    path = common_path(held_out, ErrorLoss(), "largest", sample, factors)
    if own.grid is not None:
        warn_at_edge(path, factors, own.name)
    return _selection(path, factors)


def _fold(
    sample: Sample,
    split: tuple[Ints, Ints],
    n_splits: int,
    fit_columns: FitColumns,
    priors: Floats | None,
    threads: int,
    factors: Floats,
) -> HeldOutSums:
    """Log-densities of the classes at the rows of a fold, fitted to the other rows."""
    train, test = (sample.rows(part) for part in split)
    sums = np.zeros((len(test.X), len(sample.classes), len(factors)))
    columns = fit_columns(train, 1.0)
    for j, column in enumerate(steps(list(columns))):
        sums += column.at_factors(test.X[:, j], factors, n_jobs=threads)
    with np.errstate(divide="ignore"):
        sums += np.log(train.counts)[:, None]
    return HeldOutSums.of_split(train, test, sums, n_splits, priors)


def _selection(path: Path, factors: Floats) -> Selection:
    return selection_of(
        path,
        factors,
        name="cv",
        criterion="K-fold error over a factor on the rule of every column",
        axis="factor on the rule of every column",
    )
