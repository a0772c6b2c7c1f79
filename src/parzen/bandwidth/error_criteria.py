"""Selectors that score the plug-in rule: its error by four estimates, and its log posterior.

    training  (1/n) sum_i [f(x_i) != y_i]                goes to 0 with the bandwidth: overfits
    holdout   the same on a part that was held out       unbiased for the smaller sample
    kfold     mean of the errors on K held-out folds     notes, "K-fold cross-validation"
    loo       K = n                                      one pass over the pairs, equal to n refits

`ConditionalLikelihood` is leave-one-out with the log posterior of the true class in place of the
error: a smooth function of the bandwidth, and a proper score of probabilities.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from parzen._core import Floats, Ints, OneOf
from parzen.bandwidth.coordinate import Ties, common_path, path_per_class
from parzen.bandwidth.grid import default_grid
from parzen.bandwidth.losses import ErrorLoss, LogLoss, Loss
from parzen.bandwidth.search import Path
from parzen.bandwidth.thinned import ThinnedSelector
from parzen.kernels import get
from parzen.metric import relative_bandwidths
from parzen.samples import (
    HeldOutSums,
    KernelSample,
    Scheme,
    Split,
    Thinning,
    checked_folds,
    fold_sums,
    holdout_sums,
    leave_one_out_sums,
    stratified_splits,
    training_sums,
)

_LEAST_SCORED_OF_CLASS = 20  # With fewer, all rows are scored for the bandwidth of a class.


@dataclass(frozen=True)
class ClassifierSelector(ThinnedSelector):
    """A selector that scores the decisions of the plug-in rule.

    Per class by coordinate search, on all rows where a class is too rare for a part of them. Per
    feature the relative bandwidths are learned by the gradient of the conditional likelihood (of a
    Gaussian, or a product Laplacian for that kernel); the common factor is then the selector's own
    choice.

    Parameters
    ----------
    ties : {"likelihood", "largest", "smallest"}, default="likelihood"
        What decides among bandwidths of the same error: the log posterior of the rows' own classes
        on the same held-out rows, or the largest or smallest of them.
    """

    ties: Ties = field(default="likelihood", kw_only=True)
    needs_labels: ClassVar[bool] = True
    loss: ClassVar[Loss] = ErrorLoss()

    def __post_init__(self) -> None:
        super().__post_init__()
        OneOf("likelihood", "largest", "smallest").check("ties", self.ties)

    @abstractmethod
    def _held_out(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> Iterator[HeldOutSums]:
        """Log kernel sums of the classes at rows that are left out of them."""

    def _scheme(self, thinning: Thinning | None) -> Scheme:
        """What holds out some rows, all where there is no thinning."""
        return self._held_out if thinning is None else partial(self._held_out, thinning=thinning)

    def _scorer_of_part(
        self, sample: KernelSample, thinning: Thinning | None
    ) -> Callable[[Floats], Path]:
        score = path_per_class if self.per == "class" else common_path
        return partial(score, self._scheme(thinning), self.loss, self.ties, sample)

    def _thinning(self, sample: KernelSample) -> Thinning | None:
        thinning = super()._thinning(sample)
        if thinning is None or self.per != "class":
            return thinning
        sizes = np.bincount(sample.codes)
        scored_of_rarest = sizes[sizes > 0].min() * thinning.most / len(sample)
        return thinning if scored_of_rarest >= _LEAST_SCORED_OF_CLASS else None

    def _relative(self, sample: KernelSample) -> Floats:
        kernel = sample.kernel if sample.kernel.measure == "l1" else get("gaussian")
        scored = replace(sample, kernel=kernel)
        grid = default_grid(scored)
        scheme = partial(leave_one_out_sums, among=_places(sample, self._thinning(sample)))
        start = common_path(scheme, LogLoss(), "largest", scored, grid)
        return relative_bandwidths(scored, float(grid[start.places]))

    def _can_compare(self, sample: KernelSample) -> bool:
        return int(np.count_nonzero(sample.counts)) > 1 and super()._can_compare(sample)


@dataclass(frozen=True)
class TrainingError(ClassifierSelector):
    """Error on the training sample itself: optimistic, 0 for small bandwidths.

    Read more in the :doc:`guide </guide/bandwidths>`.

    So is the likelihood there, and ties go to the largest bandwidth by default.

    Parameters
    ----------
    most_scored : int or None, default=None
        Rows that are scored where there are more than five times as many; None for all. Small
        bandwidths make next to no training errors, which a part of the rows does not tell apart.
    """

    ties: Ties = field(default="largest", kw_only=True)
    most_scored: int | None = field(default=None, kw_only=True)
    name: ClassVar[str] = "training"
    criterion: ClassVar[str] = "training error"

    def _held_out(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> Iterator[HeldOutSums]:
        return training_sums(sample, grid, _places(sample, thinning))


def _places(sample: KernelSample, thinning: Thinning | None) -> Ints | None:
    return None if thinning is None else thinning.places(len(sample))


@dataclass(frozen=True)
class LeaveOneOutSelector(ClassifierSelector):
    """A selector that scores each row by the densities of all other rows."""

    def _held_out(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> Iterator[HeldOutSums]:
        return leave_one_out_sums(sample, grid, _places(sample, thinning))


@dataclass(frozen=True)
class LeaveOneOutError(LeaveOneOutSelector):
    """Leave-one-out error: exact, in one pass over the pairs for the whole grid.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    most_scored : int or None, default=4000
        Rows that are scored where there are more than five times as many; None for all.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import LeaveOneOutError
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> chosen = LeaveOneOutError().select(X, y)
    >>> chosen.score < 0.15, len(chosen.grid) == len(chosen.scores)
    (True, True)
    """

    name: ClassVar[str] = "loo"
    criterion: ClassVar[str] = "leave-one-out error"


@dataclass(frozen=True)
class ConditionalLikelihood(LeaveOneOutSelector):
    """Leave-one-out log posterior of the true class, its negative mean minimised.

    Read more in the :doc:`guide </guide/bandwidths>`.

    A point that is alone in its class carries no loss: no bandwidth could predict it. Ties go to
    the largest bandwidth by default.

    Parameters
    ----------
    most_scored : int or None, default=4000
        Rows that are scored where there are more than five times as many; None for all.
    """

    name: ClassVar[str] = "conditional_likelihood"
    criterion: ClassVar[str] = "negative mean leave-one-out log posterior"
    ties: Ties = field(default="largest", kw_only=True)
    loss: ClassVar[Loss] = LogLoss()


@dataclass(frozen=True)
class SplitSelector(ThinnedSelector):
    """A selector that scores rows by the densities of other rows: pairs of (train, test) rows."""

    @abstractmethod
    def _splits(self, sample: KernelSample) -> list[Split]:
        """All pairs of (train, test) rows."""

    def _scored_splits(self, sample: KernelSample, thinning: Thinning | None) -> list[Split]:
        splits = self._splits(sample)
        return splits if thinning is None else thinning.splits(splits)

    def _n_held_out(self, sample: KernelSample) -> int:
        return sum(len(test) for _, test in self._splits(sample))


@dataclass(frozen=True)
class HoldoutError(SplitSelector, ClassifierSelector):
    """Error on a stratified part that is held out of the density estimates.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    test_size : float, default=0.3
        Share of each class that is held out.
    random_state : int, RandomState or None, default=0
        Which rows are held out.
    most_scored : int or None, default=4000
        Rows of this part that are scored where the sample has more than five times as many; None
        for all.
    """

    test_size: float = field(default=0.3, kw_only=True)
    random_state: Any = field(default=0, kw_only=True)
    name: ClassVar[str] = "holdout"
    criterion: ClassVar[str] = "holdout error"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.test_size, bool) or not isinstance(self.test_size, Real):
            raise TypeError(f"test_size must be a number between 0 and 1, got {self.test_size!r}.")
        if not 0 < self.test_size < 1:
            raise ValueError(f"test_size={self.test_size!r} must lie between 0 and 1.")

    def _held_out(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> Iterator[HeldOutSums]:
        return holdout_sums(sample, grid, self._scored_splits(sample, thinning)[0])

    def _splits(self, sample: KernelSample) -> list[Split]:
        return [self._split(sample)]

    def _can_compare(self, sample: KernelSample) -> bool:
        return super()._can_compare(sample) and len(self._split(sample)[1]) > 0

    def _split(self, sample: KernelSample) -> Split:
        rng = check_random_state(self.random_state)
        held_out = np.zeros(len(sample), bool)
        for rows in sample.class_rows():
            count = min(round(self.test_size * len(rows)), len(rows) - 1)
            held_out[rng.permutation(rows)[: max(count, 0)]] = True
        return np.flatnonzero(~held_out), np.flatnonzero(held_out)


@dataclass(frozen=True)
class KFoldSelector(SplitSelector):
    """A selector that scores each row by the densities of the other folds."""

    folds: Any = field(default=5, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "folds", checked_folds(self.folds))

    def _held_out(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> Iterator[HeldOutSums]:
        """Log kernel sums of the classes over the other folds, at the rows of each fold."""
        splits = self._splits(sample)
        scored = None if thinning is None else thinning.splits(splits)
        return fold_sums(sample, grid, splits, scored)

    def _splits(self, sample: KernelSample) -> list[Split]:
        return stratified_splits(sample, self.folds)


@dataclass(frozen=True)
class KFoldError(KFoldSelector, ClassifierSelector):
    """K-fold error: the mean of the errors on the folds, in one pass for all folds.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    folds : int or splitter, default=5
        Number of stratified folds, not shuffled (at most as many as the largest class has rows);
        or any scikit-learn splitter, or an iterable of (train, test) index arrays, which count
        the rows of positive weight.
    most_scored : int or None, default=4000
        Rows that are scored, of all folds in proportion, where there are more than five times as
        many; None for all.
    """

    name: ClassVar[str] = "kfold"
    criterion: ClassVar[str] = "K-fold error"
