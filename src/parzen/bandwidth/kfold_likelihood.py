"""K-fold log-likelihood: each point under the density of the other folds.

    -(1/K) sum_k (1/N_k) sum_{i in fold k} log f^{-k}(x_i)

The criterion of `KernelDensity`'s own cross-validation, in one pass over the pairs for all folds,
bandwidths and classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from parzen._core import Floats
from parzen.bandwidth.density_criteria import DensitySelector
from parzen.bandwidth.losses import own_log_losses
from parzen.samples import (
    HeldOutSums,
    KernelSample,
    checked_folds,
    fold_sums,
    log,
    stratified_splits,
)


@dataclass(frozen=True)
class KFoldLikelihood(DensitySelector):
    """Log-likelihood of held-out folds under their own class, its negative mean minimised.

    Parameters
    ----------
    folds : int or splitter, default=5
        Number of folds, not shuffled and stratified where there are labels; or any scikit-learn
        splitter, or an iterable of (train, test) index arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.bandwidth import KFoldLikelihood
    >>> X = np.random.default_rng(0).normal(size=(500, 1))
    >>> round(KFoldLikelihood(folds=10).select(X).bandwidth, 2)
    0.32
    """

    folds: Any = field(default=5, kw_only=True)
    name: ClassVar[str] = "cv"
    criterion: ClassVar[str] = "negative mean K-fold log-likelihood"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "folds", checked_folds(self.folds))

    def _can_compare(self, sample: KernelSample) -> bool:
        return bool((np.bincount(sample.codes) > 1).any())

    def _held_out(self, sample: KernelSample, grid: Floats) -> Iterator[HeldOutSums]:
        """Log kernel sums of the other folds at the rows of each fold."""
        return fold_sums(sample, grid, stratified_splits(sample, self.folds))

    def _terms(self, sample: KernelSample, grid: Floats) -> tuple[Floats, Floats]:
        scores = own_log_losses(self._held_out(sample, grid), sample.n_classes, len(grid))
        return np.sign(scores), log(np.abs(scores))
