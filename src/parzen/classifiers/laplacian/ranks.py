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

    def _label_p_values(self, X: ArrayLike, conformity: str, conditional: bool) -> Floats:
        if self._density is None or self.n_density_samples is not None:
            return super()._label_p_values(X, conformity, conditional)
        points = self._validate(X, reset=False)
        # A new row would change the columns that other rows lack.
        ranked: Bools = np.asarray(np.isnan(points).any(axis=1) | self.expansion_.has_gaps)
        if conformity == "density":
            return self._density_p_values(points, ranked)
        out = np.empty((len(points), len(self.classes_)))
        if ranked.any():
            out[ranked] = self._ranks(self._log_densities(points[ranked]), conformity, conditional)
        if not ranked.all():
            out[~ranked] = self._full_p_values(points[~ranked], conditional)
        return out

    def _full_p_values(self, points: Array, conditional: bool) -> Floats:
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
        at_X = self._log_densities(points).astype(np.float64), self._log_density_at(points)
        return bag.p_values(points, *at_X, self._ranked(), conditional)

    def _density_p_values(self, X: Array, ranked: Bools) -> Floats:
        """P-values of the density f, some of them by ranks among left-out rows; one column."""
        out = np.empty((len(X), 1))
        if ranked.any():
            zeros = np.zeros(len(self._scored[1]), np.intp)
            at_X, own = self._log_density_at(X[ranked])[:, None], self._left_out_log_f()
            out[ranked] = ranked_p_values(at_X, own, zeros, self._ranked(), conditional=True)
        if not ranked.all():
            out[~ranked] = self._full_density_p_values(X[~ranked]).max(axis=1, keepdims=True)
        return out

    def _full_density_p_values(self, X: Array) -> Floats:
        """Those of whole rows; one column, or one per class where bandwidths differ."""
        assert self._density is not None
        density, rows = self._density, self.bandwidth_rows_
        sums = density.leave_one_out_log_sums(**self._sums_options()).astype(np.float64)
        unranked = () if rows is None else rows
        full = FullConformal(density, sums, self.class_count_, unranked=unranked)
        at_X = density.log_sums(X, **self._sums_options())
        return full.p_values(X, at_X, conformity="density", n_jobs=self.n_jobs)
