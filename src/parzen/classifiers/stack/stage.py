"""What the members of a stack are made from, and what they hand back.

A candidate has scores log pi_c f_c of rows that it has not seen: each row was left out, and where
labels shape more than the class sums (a metric, weights) its whole fold was. Rows are in a
canonical order and folds are read off it, so that neither the order of the input nor any label
decides who is with whom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers.stack.table import Blocks
from parzen.kernels import get
from parzen.metric import evenly
from parzen.samples import ABSENT, KernelSample, Sample, log

Floats = NDArray[np.float64]

_MOST_JUDGED = 4000
_MOST_VALUES = 2**25  # of the largest array, that of naive Bayes
_MOST_SCORES = 2**18  # of one candidate


class Rule(Protocol):
    """A fitted member."""

    def scores(self, blocks: Blocks, **options: Any) -> Floats:
        """Log pi_c f_c at each row, shape (n, C)."""


class Candidate(NamedTuple):
    """A member that may join the pool."""

    family: str
    parameter: float  # bandwidth or ridge
    scores: Floats  # (judged rows, C), out of sample
    fit: Callable[[], Rule]  # on all rows


@dataclass(frozen=True, eq=False)
class Stage:
    """The training rows."""

    blocks: Blocks
    discrete: NDArray[np.bool_]  # which of blocks.columns hold values
    codes: NDArray[np.intp]
    weights: Floats | None
    n_classes: int
    fold: NDArray[np.intp]  # of every row
    finer: NDArray[np.intp]  # twice as many folds, for members that are cheap to refit
    judged: NDArray[np.intp]  # rows that are scored
    threads: int

    @property
    def frequencies(self) -> Floats:
        """The weights, ones where none were given."""
        return np.ones(len(self.codes)) if self.weights is None else self.weights

    @property
    def log_shares(self) -> Floats:
        """Logarithms of the classes' shares of the sample."""
        counts = np.bincount(self.codes, self.frequencies, minlength=self.n_classes)
        return log(counts / counts.sum())

    def sample(self, block: Floats, kernel: str) -> KernelSample:
        """The rows as the selectors of bandwidths see them."""
        sample = Sample.coded(block, self.codes, self.weights, np.arange(self.n_classes))
        return KernelSample.over(sample, get(kernel), None, self.threads)

    def splits(self, *, finer: bool = False) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """(training rows, places among the judged rows) of every fold."""
        fold = self.finer if finer else self.fold
        parts = []
        for k in np.unique(fold[self.judged]):
            places = np.flatnonzero(fold[self.judged] == k)
            train = np.flatnonzero(fold != k)
            if len(train):
                parts.append((train, places))
        return parts

    def nothing(self, count: int = 1) -> Floats:
        """Scores of candidates whose folds are still to be filled in."""
        return np.full((count, len(self.judged), self.n_classes), ABSENT)


def judged_rows(n: int, blocks: Blocks, n_classes: int, folds: int) -> NDArray[np.intp]:
    """Rows that are scored out of sample: all, or an even selection."""
    arrays = 3 * blocks.columns.shape[1] * n_classes * folds
    most = min(_MOST_JUDGED, _MOST_VALUES // arrays, _MOST_SCORES // n_classes)
    return evenly(n, max(most, 2))
