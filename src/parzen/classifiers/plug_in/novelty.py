"""Novelty of rows for a classifier that has scores and no densities.

It is judged by the densities of a `ParzenClassifier` with the same kernel and bandwidth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen._core import Floats, available_if, is_other_array, validate_points
from parzen.classifiers.plug_in.parzen import ParzenClassifier
from parzen.kernels import Kernel, check_kernel
from parzen.samples import Sample


def _has_density_kernel(estimator: Any) -> None:
    kernel = check_kernel(estimator.kernel)
    if isinstance(kernel, Kernel) and kernel.is_density:
        return
    raise AttributeError(
        f"novelty_p_values are judged by kernel densities, and kernel={estimator.kernel!r} is "
        "none; use a density kernel such as 'gaussian'."
    )


class NoveltyByDensities:
    """P-values against novelty by densities of the training rows, made when first asked for."""

    _reference: Sample | None  # the training rows
    _reference_density: ParzenClassifier | None  # their densities

    @available_if(_has_density_kernel)
    def novelty_p_values(self, X: ArrayLike) -> Floats:
        """P-values of "this row is like those of the sample": small for novel rows.

        They are those of a `ParzenClassifier` with the same kernel and bandwidth: of rows from the
        classes at most a share alpha has a value of alpha or less, nearly so where the bandwidth
        was chosen.
        """
        estimator: Any = self
        if is_other_array(X):
            return np.asarray(estimator._answer_other("novelty_p_values", X))
        check_is_fitted(estimator)
        points = validate_points(estimator, X, reset=False)
        return self._densities().novelty_p_values(points)

    def _densities(self) -> ParzenClassifier:
        if getattr(self, "_reference_density", None) is None:
            self._reference_density = self._density_of(self._reference_rows())
        assert self._reference_density is not None
        return self._reference_density

    def _reference_rows(self) -> Sample:
        sample: Sample | None = getattr(self, "_reference", None)
        if sample is None:
            raise ValueError(
                "novelty_p_values need the training rows, which a model file keeps only if novelty "
                "was given at fit."
            )
        return sample

    def _density_of(self, sample: Sample) -> ParzenClassifier:
        """The densities of the classes at the same kernel and bandwidth."""
        estimator: Any = self
        density = ParzenClassifier(
            estimator.kernel,
            estimator.bandwidth_,
            novelty=getattr(estimator, "novelty", None),
            **estimator._sums_options(),
        )
        return density.fit(sample.X, sample.codes, sample.frequencies)

    def _keep_reference(self, sample: Sample | None) -> None:
        self._reference, self._reference_density = sample, None

    def _unsaved_attributes(self) -> set[str]:
        """What model files leave out: a sparse model does not carry all rows for novelty alone."""
        return {"_reference", "_reference_density"}
