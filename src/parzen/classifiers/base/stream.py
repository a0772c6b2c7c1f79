"""Density classifiers that learn from a stream: `partial_fit` over the rows that still count."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Array, available_if, declared, validate_weights
from parzen.bandwidth import Selector
from parzen.base import StreamOptions
from parzen.classifiers.base.labels import check_labels
from parzen.classifiers.base.leave_one_out import LeaveOneOutClassifier
from parzen.samples import Sample, recent_rows


def _has_no_metric(estimator: StreamClassifier) -> None:
    metric = getattr(estimator, "metric", None)
    if metric is not None:
        raise AttributeError(
            f"partial_fit needs metric=None, got {metric!r}, which is learned from all rows at "
            "once."
        )


@declared
class StreamClassifier(StreamOptions, LeaveOneOutClassifier):
    """A density classifier with ``partial_fit``."""

    # Numbers in use between two choices of the bandwidth, NaN where there was none to choose; else
    # None.
    _held_bandwidth: Any = field(init=False)

    @available_if(_has_no_metric)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to the densities; a bandwidth that is chosen is held, see ``rechoose``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            More rows, in the order in which they came.
        y : array of shape (n_samples,)
            Their classes.
        classes : array of shape (n_classes,), default=None
            All classes there will be; needed in the first call. A class without rows yet has
            density zero.
        sample_weight : array of shape (n_samples,), default=None
            Frequencies.
        """
        with self._all_or_nothing():
            self._check_parameters()
            first = not hasattr(self, "decision_")
            points = self._validate(X, reset=first)
            labels = check_labels(y, points, type(self).__name__)
            known = self._known_classes(classes, first)
            unknown = np.setdiff1d(labels, known)
            if len(unknown):
                label = unknown.tolist()[0]
                raise ValueError(f"y holds {label!r}, which is not in classes {known}.")
            new = Sample.labelled(points, labels, validate_weights(sample_weight, points))
            codes = np.searchsorted(known, new.classes)[new.codes]
            new = Sample.coded(new.X, codes, new.weights, known)
            recent = recent_rows(
                None if first else self._rows_so_far(), new, window=self.window, forget=self.forget
            )
            due = self._count_rows(len(new), len(recent), first)
            holds = isinstance(self.bandwidth, str | Selector) and not due
            self._held_bandwidth = np.asarray(self.bandwidth_) if holds else None
            self._row_names = None  # rows of several batches have numbers only
            self._set_classes(recent)
            self._fit_densities(recent)
            self._set_decision()
        return self

    def _bandwidth_in_use(self) -> Any:
        """What `_fit_densities` takes for ``bandwidth``: the numbers that are held, if any."""
        if self._holds_bandwidth:
            return self._held_bandwidth
        return self._in_stream(self.bandwidth)

    @property
    def _holds_bandwidth(self) -> bool:
        return getattr(self, "_held_bandwidth", None) is not None

    def _rows_so_far(self) -> Sample:
        """The rows of the fitted densities; those of an expansion are its points."""
        old = self.expansion_
        assert old.labels is not None
        return Sample.coded(old.points, old.labels, old.weights, self.classes_)

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("_held_bandwidth", None)

    def _known_classes(self, classes: ArrayLike | None, first: bool) -> Array:
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            return np.unique(np.asarray(classes))
        if classes is not None and not np.array_equal(
            np.unique(np.asarray(classes)), self.classes_
        ):
            raise ValueError(
                f"classes={classes!r} differ from those of the first call, {self.classes_}."
            )
        return np.asarray(self.classes_)
