"""What the members of a stack are fitted to, and what they return.

A candidate has scores log pi_c f_c of rows that it has not seen: each row was left out, and where
labels shape more than the class sums (a metric, weights) its whole fold was. Rows are in a
canonical order and folds are read off it, so that neither the order of the input nor any label
decides which rows share a fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from parzen._core import Floats, Ints
from parzen.classifiers.stack.table import Blocks
from parzen.kernels import Kernel, get
from parzen.samples import ABSENT, KernelSample, Sample, evenly, log

T = TypeVar("T")

MOST_CENTRES = 14_000  # Most rows that densities are fitted to, those that are scored included.
# Rows that least squares is fitted to, where there are more; a tenth of them if that is more.
LEAST_SQUARES_ROWS = 25_000
_MOST_SCORED_ROWS = 4000  # Most rows on which candidates are compared.
_MOST_COLUMN_VALUES = 2**25  # Most entries of the largest array, that of naive Bayes.
_MOST_SCORES = 2**18  # Most entries of the scores of one candidate.


class MemberRule(Protocol):
    """A fitted member."""

    @property
    def rows(self) -> Ints | None:
        """Numbers of its points among the distinct rows of the fit; None in older model files."""

    @property
    def terms(self) -> int:
        """Numbers that the scores of one row sum over: training points times columns."""

    def scores(self, blocks: Blocks, **options: Any) -> Floats:
        """Log pi_c f_c at each row, shape (n, C)."""


class Candidate(NamedTuple):
    """A member that may join the stack."""

    family: str  # candidates of one family compete
    label: str  # the family and what distinguishes this candidate, but for the parameter
    parameter: float  # bandwidth, ridge or regulariser
    scores: Floats  # (scored rows, C), out of sample
    fit: Callable[[], MemberRule]  # on all rows


def candidates(
    family: str,
    label: str,
    parameters: Iterable[float],
    scores: Iterable[Floats],
    fit: Callable[[float], MemberRule],
) -> list[Candidate]:
    """A candidate for every parameter, which ``fit`` takes."""
    return [
        Candidate(family, label, float(parameter), own, partial(fit, float(parameter)))
        for parameter, own in zip(parameters, scores, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class StackTrainingSet:
    """The training rows, their folds, and the rows on which candidates are scored."""

    blocks: Blocks
    codes: Ints
    weights: Floats | None
    n_classes: int
    fold_of_row: Ints
    fine_fold_of_row: Ints  # twice as many folds, for members that are cheap to refit
    scored_rows: Ints
    threads: int
    numbers: Ints  # of the rows, among the distinct rows of the fit
    whole: StackTrainingSet | None = None  # all rows, where these are a part of them
    landmark_share: float = 1.0  # of the usual landmarks of lsard, less where time is short
    shared: dict[str, Any] = field(default_factory=dict)  # results that several families need

    @property
    def frequencies(self) -> Floats:
        """The weights, ones where none were given."""
        return np.ones(len(self.codes)) if self.weights is None else self.weights

    @property
    def log_shares(self) -> Floats:
        """Logarithms of the classes' shares of the sample."""
        counts = np.bincount(self.codes, self.frequencies, minlength=self.n_classes)
        return log(counts / counts.sum())

    @property
    def is_part(self) -> bool:
        """Whether rows are many: some are held out, and there may be more for least squares."""
        return self.whole is not None

    @property
    def all_rows(self) -> StackTrainingSet:
        """The training set of all rows; its scored rows are the same rows in the same order."""
        return self if self.whole is None else self.whole

    def part(self, rows: Ints, scored: Ints) -> StackTrainingSet:
        """Some of the rows, and the places of those among them that are scored."""
        weights = None if self.weights is None else self.weights[rows]
        return StackTrainingSet(
            self.blocks.rows(rows), self.codes[rows], weights, self.n_classes,
            self.fold_of_row[rows], self.fine_fold_of_row[rows], scored, self.threads,
            self.numbers[rows], whole=replace(self, scored_rows=rows[scored], shared={}),
        )  # fmt: skip

    @property
    def scored_part(self) -> StackTrainingSet:
        """The scored rows alone."""
        return self.part(self.scored_rows, np.arange(len(self.scored_rows)))

    def sample(self, block: Floats, kernel: str | Kernel) -> KernelSample:
        """The rows as the selectors of bandwidths see them."""
        sample = Sample.coded(block, self.codes, self.weights, np.arange(self.n_classes))
        return KernelSample.over(sample, get(kernel), None, self.threads)

    @property
    def is_scored(self) -> Ints:
        """1 for rows that are scored, 0 for the others."""
        found = np.zeros(len(self.codes), dtype=np.intp)
        found[self.scored_rows] = 1
        return found

    def splits(self, *, fine: bool = False) -> list[tuple[Ints, Ints]]:
        """(training rows, places among the scored rows) of every fold.

        Of many rows there is one split: the scored rows are held out, and the others are enough.
        """
        fold = self.fine_fold_of_row if fine else self.fold_of_row
        if self.is_part:
            fold = self.is_scored
        parts = []
        for k in np.unique(fold[self.scored_rows]):
            places = np.flatnonzero(fold[self.scored_rows] == k)
            train = np.flatnonzero(fold != k)
            if len(train):
                parts.append((train, places))
        return parts

    def unfilled_scores(self, count: int = 1) -> Floats:
        """Scores of candidates whose folds are still to be filled in."""
        return np.full((count, len(self.scored_rows), self.n_classes), ABSENT)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """The result of ``make``, computed at the first call with this key."""
        if key not in self.shared:
            self.shared[key] = make()
        found: T = self.shared[key]
        return found


def scored_rows(
    n: int, n_columns: int, n_classes: int, folds: int, *, held_out: bool = False
) -> Ints:
    """Rows that are scored out of sample: all, or an even selection; a third if ``held_out``."""
    arrays = 3 * n_columns * n_classes * folds
    most = min(_MOST_SCORED_ROWS, _MOST_COLUMN_VALUES // arrays, _MOST_SCORES // n_classes)
    most = min(most, n // 3) if held_out else most
    return evenly(n, max(most, 2))
