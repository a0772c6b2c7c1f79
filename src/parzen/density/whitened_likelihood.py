"""K-fold likelihood of a density in its own metric.

Held-out rows are judged in metrics that were fitted without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from parzen._core import Floats, steps
from parzen.bandwidth import KFoldLikelihood, Selection
from parzen.metric import fit_whitening, with_split
from parzen.samples import HeldOutSums, KernelSample, stratified_splits


@dataclass(frozen=True)
class WhitenedKFoldLikelihood(KFoldLikelihood):
    """K-fold log-likelihood of a density in its own metric, fitted anew without each fold."""

    def _default_grid(self, sample: KernelSample) -> Floats:
        return super()._default_grid(_whitened(sample))

    def _fall_back(self, sample: KernelSample) -> Selection:
        return super()._fall_back(_whitened(sample))

    def _held_out(self, sample: KernelSample, grid: Floats) -> Iterator[HeldOutSums]:
        splits = stratified_splits(sample, self.folds)
        for train, test in steps(splits):
            yield with_split(sample.rows(train), sample.rows(test), grid, len(splits))


def _whitened(sample: KernelSample) -> KernelSample:
    """A sample of one class in its own metric."""
    whitening = fit_whitening(sample.X, sample.codes, 1, sample.weights)
    return replace(sample, X=whitening.apply(sample.X, 0))
