"""The Laplacian classifier's own K-fold error, for a whole grid of bandwidths.

A fold's weights f^(-1/2) and normalisers V_c come from its training rows alone, so they depend on
the fold and on the bandwidth. Two passes over the pairs serve all folds and bandwidths, with
weights per fold and bandwidth: see `folds`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from parzen._core import Floats, Number
from parzen.bandwidth import KFoldError, Ties
from parzen.classifiers.laplacian.folds import held_out
from parzen.classifiers.laplacian.model import LaplacianOptions
from parzen.samples import HeldOutSums, KernelSample, Thinning


@dataclass(frozen=True)
class LaplacianKFoldError(KFoldError):
    """K-fold error of the Laplacian classifier; three folds as in the paper.

    Parameters
    ----------
    grid : sequence of float, default=None
        Parzen bandwidths to try; None derives them from the data.
    per : {"all", "feature"}, default="all"
        One bandwidth, or one per feature.
    folds : int or splitter, default=3
        Stratified folds, not shuffled; or any scikit-learn splitter.
    power : float, default=None
        Exponent of the weights; None for that of the classifier, 0.5 where there is none.
    most_scored : int or None, default=4000
        Rows that are scored, of all folds in proportion, where there are more than five times as
        many; None for all. The weights of the folds take all rows.

    Notes
    -----
    Given to a `LaplacianClassifier`, the selector takes over its options: every fold keeps, reduces
    and draws as a fit to its training rows would. ``reduction="l2"`` is a pursuit of its own for
    every fold, class and bandwidth: the choice then takes ten times as long, or more.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import LaplacianClassifier
    >>> from parzen.classifiers import LaplacianKFoldError
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = LaplacianKFoldError(grid=[0.1, 0.2, 0.4, 0.8])
    >>> LaplacianClassifier(bandwidth=selector).fit(X, y).bandwidth_
    0.4
    """

    ties: Ties = field(default="largest", kw_only=True)
    folds: Any = field(default=3, kw_only=True)
    power: float | None = field(default=None, kw_only=True)
    name: ClassVar[str] = "cv"
    criterion: ClassVar[str] = "K-fold error of the Laplacian classifier"

    def __post_init__(self) -> None:
        super().__post_init__()
        Number("[0, inf)", also=(None,)).check("power", self.power)
        if self.per == "class":
            raise ValueError(
                "per='class' is not available here: the weights of a class depend on the "
                "bandwidths of all classes; use 'all' or 'feature', or another selector."
            )

    def judging(self, options: LaplacianOptions) -> LaplacianKFoldError:
        """The same selector, for a classifier with these options."""
        own = {f.name: getattr(self, f.name) for f in fields(LaplacianKFoldError)}
        return _EstimatorKFoldError(**own, options=options)

    def _held_out(
        self, sample: KernelSample, grid: Floats, thinning: Thinning | None = None
    ) -> Iterator[HeldOutSums]:
        splits = self._scored_splits(sample, thinning)
        return held_out(sample, grid, splits, self._options(sample))

    def _options(self, sample: KernelSample) -> LaplacianOptions:
        power = 0.5 if self.power is None else self.power
        return LaplacianOptions(
            sample.kernel, power, None, "l2", None, np.random.RandomState(0), None
        )


@dataclass(frozen=True)
class _EstimatorKFoldError(LaplacianKFoldError):
    """The error of a classifier with given options; a power given to the selector prevails."""

    options: LaplacianOptions = field(kw_only=True)

    def _options(self, sample: KernelSample) -> LaplacianOptions:
        power = self.options.power if self.power is None else self.power
        return self.options._replace(power=power)
