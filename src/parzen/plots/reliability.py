"""Are the probabilities right? Of the rows to which p was given, a share p should be hits.

Two classes: the probability of the second class and how often it is the label. More: the largest
probability and how often it is right. Bins hold equal numbers of rows, so that each point of the
curve is as certain as the next. Drawn with the sharpness, a histogram of the probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen._core import Floats
from parzen.plots.figure import Display


@dataclass(eq=False, kw_only=True)
class ReliabilityDisplay(Display):
    """Observed frequencies against predicted probabilities.

    Attributes
    ----------
    predicted, observed : array of shape (n_bins,)
        Mean probability and share of hits in each bin.
    counts : array of shape (n_bins,)
        Rows in each bin.
    probabilities : array of shape (n_samples,)
        The probabilities that were judged.
    calibration_error : float
        Mean of |observed - predicted| over the rows.
    name : str
        Name of the curve.
    line_, diagonal_, histogram_ : artists
        What ``plot`` drew.
    {ax_, figure_}

    Examples
    --------
    >>> from parzen.plots import ReliabilityDisplay
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=5000)
    >>> y = (rng.uniform(size=5000) < p).astype(int)
    >>> both = np.column_stack([1 - p, p])
    >>> display = ReliabilityDisplay.from_predictions(y, both, classes=[0, 1])
    >>> bool(display.calibration_error < 0.03)
    True
    """

    predicted: Floats
    observed: Floats
    counts: NDArray[np.intp]
    probabilities: Floats
    name: str = ""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, name: str | None = None, **options: Any
    ) -> Self:
        """Judge a fitted classifier on test data.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``predict_proba``.
        X, y : array
            Test data.
        name : str, default=None
            Name of the curve; None for the class of the estimator.
        **options
            Passed to ``from_predictions``.
        """
        proba = estimator.predict_proba(X)
        options |= {"name": type(estimator).__name__ if name is None else name}
        return cls.from_predictions(y, proba, classes=estimator.classes_, **options)

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        proba: ArrayLike,
        *,
        classes: ArrayLike,
        n_bins: int = 10,
        name: str = "",
        ax: Any = None,
    ) -> Self:
        """Judge probabilities.

        Parameters
        ----------
        y : array of shape (n_samples,)
            True labels.
        proba : array of shape (n_samples, n_classes)
            Probabilities.
        classes : array of shape (n_classes,)
            The labels of the columns.
        n_bins : int, default=10
            Bins of equal numbers of rows; fewer where probabilities tie.
        name : str, default=""
            Name of the curve.
        {ax}
        """
        p, labels = np.asarray(proba, dtype=np.float64), np.asarray(classes)
        truth = np.asarray(y)
        if p.shape != (len(truth), len(labels)):
            raise ValueError(f"proba must have shape ({len(truth)}, {len(labels)}), got {p.shape}.")
        if len(labels) == 2:
            given, hit = p[:, 1], truth == labels[1]
        else:
            given, hit = p.max(axis=1), truth == labels[p.argmax(axis=1)]
        edges = np.unique(np.quantile(given, np.linspace(0, 1, n_bins + 1)))
        place = np.clip(np.searchsorted(edges, given, side="right") - 1, 0, max(len(edges) - 2, 0))
        counts = np.bincount(place)
        filled = np.flatnonzero(counts)
        predicted, observed = (
            np.bincount(place, weights=v)[filled] / counts[filled] for v in (given, hit)
        )
        display = cls(
            predicted=predicted,
            observed=observed,
            counts=counts[filled],
            probabilities=given,
            name=name,
        )
        return display.plot(ax)

    @property
    def calibration_error(self) -> float:
        """Mean distance of observed and predicted over the rows."""
        return float(np.average(np.abs(self.observed - self.predicted), weights=self.counts))

    def plot(self, ax: Any = None, *, histogram: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
            Several displays may share axes.
        histogram : bool, default=True
            Whether to draw the histogram of the probabilities along the lower edge.
        """
        self._begin(ax)
        (self.diagonal_,) = self.ax_.plot([0, 1], [0, 1], "k:", lw=0.8)
        label = f"{self.name} ({self.calibration_error:.3f})".strip()
        (self.line_,) = self.ax_.plot(self.predicted, self.observed, "o-", ms=4, label=label)
        self.histogram_ = self._draw_histogram() if histogram else None
        self.ax_.set(
            xlabel="predicted probability", ylabel="observed share", xlim=(0, 1), ylim=(0, 1)
        )
        self.ax_.legend(frameon=False, title="calibration error")
        return self

    def _draw_histogram(self) -> Any:
        heights, edges = np.histogram(self.probabilities, bins=20, range=(0, 1))
        return self.ax_.bar(
            edges[:-1], 0.15 * heights / heights.max(), width=0.05, align="edge", alpha=0.25,
            color=self.line_.get_color(),
        )  # fmt: skip
