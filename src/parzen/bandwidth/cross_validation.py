"""``bandwidth="cv"`` with options: the K-fold criterion of the estimator that it is given to.

That of `KernelDensity` is the K-fold log-likelihood, each point under the density of the other
folds, in one pass over the pairs for all folds, bandwidths and classes:

    -(1/K) sum_k (1/N_k) sum_{i in fold k} log f^{-k}(x_i)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Floats
from parzen.bandwidth.density_criteria import ThinnedDensitySelector
from parzen.bandwidth.error_criteria import KFoldError, KFoldSelector
from parzen.bandwidth.losses import own_log_losses
from parzen.bandwidth.search import Path
from parzen.bandwidth.selection import Selection
from parzen.bandwidth.selector import GridSelector
from parzen.bandwidth.thinned import ThinnedSelector
from parzen.kernels import Kernel
from parzen.samples import KernelSample, Thinning, checked_folds, log


@dataclass(frozen=True)
class KFoldLikelihood(KFoldSelector, ThinnedDensitySelector):
    """Log-likelihood of held-out folds under their own class, its negative mean minimised.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    folds : int or splitter, default=5
        Number of folds, not shuffled and stratified where there are labels; or any scikit-learn
        splitter, or an iterable of (train, test) index arrays.
    most_scored : int or None, default=4000
        Rows that are scored, of all folds in proportion, where there are more than five times as
        many; None for all.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import KFoldLikelihood
    >>> X = np.random.default_rng(0).normal(size=(500, 1))
    >>> round(KFoldLikelihood(folds=10).select(X).bandwidth, 2)
    0.32
    """

    name: ClassVar[str] = "cv"
    criterion: ClassVar[str] = "negative mean K-fold log-likelihood"

    def _can_compare(self, sample: KernelSample) -> bool:
        return bool((np.bincount(sample.codes) > 1).any())

    def _terms(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> tuple[Floats, Floats]:
        held_out = self._held_out(sample, grid, thinning)
        scores = own_log_losses(held_out, sample.n_classes, len(grid))
        return np.sign(scores), log(np.abs(scores))


Kind = TypeVar("Kind", bound=GridSelector)


@dataclass(frozen=True)
class PlugInError(KFoldError):
    """`KFoldError` under the name "cv", which is the name that the user gave."""

    name: ClassVar[str] = "cv"


@dataclass(frozen=True)
class CrossValidation(ThinnedSelector):
    """The estimator's own error on held-out folds: what ``bandwidth="cv"`` stands for.

    Every estimator puts its own criterion in the place of this selector: a classifier the error of
    its own decisions, with its own weights; `KernelDensity` the held-out log-likelihood;
    `L2KernelDensity` the estimated integrated squared error. By itself it estimates the error of
    the plug-in rule, or the likelihood of the density where there is one class only.

    Read more in the :doc:`guide </guide/bandwidths>`.

    Parameters
    ----------
    grid : sequence of float, default=None
        Bandwidths to try; None for the estimator's default. `KernelNaiveBayes`: factors on the
        rule of every class and column.
    per : {"all", "class", "feature"}, default="all"
        One bandwidth, one per class, or one per feature, as far as the estimator has them.
    folds : int, splitter or None, default=None
        Folds, not shuffled when a number; None for the estimator's default.
    most_scored : int or None, default=4000
        Rows that are scored where there are more than five times as many; None for all. For
        `KernelDensity`, `ParzenClassifier` and `LaplacianClassifier`; the others score all rows on
        which they compare bandwidths.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import RLSClassifier
    >>> from parzen.bandwidth import CrossValidation
    >>> X, y = load_iris(return_X_y=True)
    >>> RLSClassifier(bandwidth=CrossValidation(grid=[0.1, 1.0, 10.0])).fit(X, y).bandwidth_
    1.0
    """

    folds: Any = field(default=None, kw_only=True)
    name: ClassVar[str] = "cv"
    criterion: ClassVar[str] = "K-fold criterion of the estimator"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.folds is not None:
            object.__setattr__(self, "folds", checked_folds(self.folds))

    def by(self, criterion: type[Kind], **options: Any) -> Kind:
        """The selector of a criterion, with the options given here."""
        if self.folds is not None:
            options["folds"] = self.folds
        if issubclass(criterion, ThinnedSelector):
            options["most_scored"] = self.most_scored
        return criterion(grid=self.grid, per=self.per, **options)

    def relative_bandwidths(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        kernel: str | Kernel = "gaussian",
        sample_weight: ArrayLike | None = None,
        priors: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> Floats:
        """One factor per feature, of geometric mean 1, for an estimator that searches by itself."""
        return self._relative(KernelSample.of(X, y, kernel, sample_weight, priors, n_jobs))

    def _default_selector(self, sample: KernelSample) -> ThinnedSelector:
        return self.by(PlugInError if sample.n_classes > 1 else KFoldLikelihood)

    def _select(self, sample: KernelSample) -> Selection:
        return self._default_selector(sample)._select(sample)

    def _scorer_of_part(
        self, sample: KernelSample, thinning: Thinning | None
    ) -> Callable[[Floats], Path]:
        return self._default_selector(sample)._scorer_of_part(sample, thinning)

    def _relative(self, sample: KernelSample) -> Floats:
        return self._default_selector(sample)._relative(sample)


def own_criterion(bandwidth: Any) -> CrossValidation | None:
    """The options of ``bandwidth="cv"``; None where the bandwidth is something else."""
    if isinstance(bandwidth, str) and bandwidth == CrossValidation.name:
        return CrossValidation()
    return bandwidth if isinstance(bandwidth, CrossValidation) else None
