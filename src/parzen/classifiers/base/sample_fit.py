"""The fit of the classifiers that see their sample once: from X and y to the decision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from numpy.typing import ArrayLike

from parzen._core import Array, Floats, is_dask, telling_callbacks, validate_weights
from parzen.classifiers.base.explaining import row_names
from parzen.classifiers.base.labels import check_labels, warn_single_kernels
from parzen.samples import Sample


class SampleFit(ABC):
    """``fit`` in the steps that a subclass defines, in the order in which they are called."""

    @abstractmethod
    def _set_classes(self, sample: Sample) -> None:
        """Set the classes, their counts and the priors."""

    @abstractmethod
    def _fit_densities(self, sample: Sample) -> None:
        """Fit the sums of the classes; ``self.priors_`` is known already."""

    @abstractmethod
    def _set_decision(self) -> None:
        """Set what decides by these sums."""

    def _complete_fit(self, weights: Floats | None) -> None:  # noqa: B027
        """Set what describes all rows that were given; ``weights`` are their frequencies."""

    def _remember_rows(self, X: Any, weights: Array | None) -> None:
        """Keep what names the rows of the sample, which has no rows of weight 0."""
        self._row_names = row_names(X, weights)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classes, and choose the parameters that were left to be chosen.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The sample.
        y : array of shape (n_samples,)
            The class of each row.
        sample_weight : array of shape (n_samples,), default=None
            Frequencies: weight 2 is two copies of the row, weight 0 none.
        """
        estimator: Any = self
        if is_dask(X, y, sample_weight):
            return estimator._fit_by_chunks(X, y, sample_weight)  # type: ignore[no-any-return]
        with telling_callbacks(estimator, X, y, sample_weight):
            estimator._check_parameters()
            estimator._forget()
            points = estimator._validate(X, reset=True)
            labels = check_labels(y, points, type(self).__name__)
            weights = validate_weights(sample_weight, points)
            sample = Sample.labelled(points, labels, weights)
            self._remember_rows(X, weights)
            warn_single_kernels(sample)
            self._set_classes(sample)
            self._fit_densities(sample)
            self._set_decision()
            self._complete_fit(weights)
        return self
