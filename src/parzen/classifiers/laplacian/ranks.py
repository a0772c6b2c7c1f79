"""P-values and novelty of the Laplacian classifier.

Sets of whole rows, by a model of whole rows, are full conformal (`bag`); where entries are missing,
and where a part of the points is kept or drawn, scores are ranked among those of left-out rows.
Novelty is judged by the density f.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, Bools, Floats, Ints, available_if
from parzen.classifiers.base import DensityClassifier, novelty_threshold, ranked_p_values
from parzen.classifiers.laplacian.bag import LaplacianBag
from parzen.conformal import FullConformal
from parzen.expansion import KernelExpansion


def keeps_all(estimator: Any) -> None:
    """Refuse an estimator that keeps a part of its points."""
    if estimator.keep is None:
        return
    raise AttributeError(
        f"score_samples is the density of all points and needs keep=None, got {estimator.keep!r}."
    )


class LaplacianRanks(DensityClassifier):
    """Ranks of labels by gamma_c, and of rows by f."""

    power: float
    n_density_samples: int | None
    log_normalizers_: Floats
    _density: KernelExpansion | None  # N f of all points, where they are kept
    _scored: tuple[Floats, Ints, Floats | None]  # left-out scores, codes, frequencies

    def _log_density_at(self, X: Array) -> Floats:
        """Log f, from all training points."""
        assert self._density is not None
        sums = self._density.log_sums(X, **self._sums_options()).astype(np.float64)
        return np.asarray(np.logaddexp.reduce(sums, axis=1) - np.log(self.class_count_.sum()))

    def _novelty_threshold(self, false_alarms: float) -> float:
        assert self._density is not None
        return novelty_threshold(self._left_out_log_f(), self._density.weights, false_alarms)

    def _left_out_log_f(self) -> Floats:
        """Log f at the training rows, each left out."""
        assert self._density is not None
        weights = self._density.weights
        sums = self._density.leave_one_out_log_sums(**self._sums_options()).astype(np.float64)
        taken = 1.0 if weights is None else np.minimum(weights, 1.0)
        with np.errstate(divide="ignore"):
            log_rest = np.log(self.class_count_.sum() - taken)
        rest = np.where(np.isfinite(log_rest), log_rest, 0.0)
        return np.asarray(np.logaddexp.reduce(sums, axis=1) - rest)

    def _leave_one_out_log_densities(self) -> Floats:
        return self._scored[0]

    def _leave_one_out_log_priors(self) -> Floats:
        return np.tile(np.log(self.priors_), (len(self._scored[1]), 1))

    def _training_sample(self) -> tuple[Ints, Floats | None]:
        return self._scored[1:]

    @available_if(keeps_all)
    def novelty_p_values(self, X: ArrayLike) -> Floats:
        """P-values of "this row is like those of the sample", by the density f: small for novel.

        Of rows like those of the sample at most a share alpha has a value of alpha or less.
        """
        return super().novelty_p_values(X)

    @property
    def _has_bags(self) -> bool:
        """Whether a row can join the sample: not where a part of the points is kept or drawn."""
        return self._density is not None and self.n_density_samples is None

    def _needs_ranks(self, X: Array) -> Bools:
        # A new row would change the columns that other rows lack.
        needs_ranks = not self._has_bags or self.expansion_.has_gaps
        return np.asarray(np.isnan(X).any(axis=1) | needs_ranks)

    def _ranked_p_values(self, X: Array, conformity: str, conditional: bool) -> Floats:
        if conformity == "posterior" or not self._has_bags:
            return super()._ranked_p_values(X, conformity, conditional)
        zeros = np.zeros(len(self._scored[1]), np.intp)  # one class: f has no labels
        at_X, own = self._log_density_at(X)[:, None], self._left_out_log_f()
        return ranked_p_values(at_X, own, zeros, self._ranked(), conditional=True)

    def _full_p_values(self, X: Array, conformity: str, conditional: bool) -> Floats:
        if conformity == "density":
            return np.asarray(self._full_density_p_values(X).max(axis=1, keepdims=True))
        assert self._density is not None
        if not hasattr(self, "_held_out_sums"):
            sums = self.expansion_.others_log_sums(**self._sums_options())
            self._held_out_sums = sums.astype(np.float64)
        bag = LaplacianBag(
            self.expansion_,
            self._held_out_sums,
            self._density,
            self.log_normalizers_,
            float(self.power),
            *self.decision_.exponent_and_shift(),
        )
        at_X = self._log_densities(X).astype(np.float64), self._log_density_at(X)
        return bag.p_values(X, *at_X, self._ranked(), conditional)

    def _full_density_p_values(self, X: Array) -> Floats:
        """Those of the density f; one column, or one per class where bandwidths differ."""
        assert self._density is not None
        density, rows = self._density, self.bandwidth_rows_
        sums = density.leave_one_out_log_sums(**self._sums_options()).astype(np.float64)
        unranked = () if rows is None else rows
        full = FullConformal(density, sums, self.class_count_, unranked=unranked)
        at_X = density.log_sums(X, **self._sums_options())
        return full.p_values(X, at_X, conformity="density", n_jobs=self.n_jobs)
