"""Where a classifier decides for which class, and the kernels it decides by.

The plane of two features; with more features, the slice through ``at`` (the medians unless given).
Regions are the labels that ``predict`` gives, rejections included; the line is where a score of two
classes is zero. Circles mark kernels, larger where they weigh more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen._core import Floats
from parzen.plots.figure import Display, colour, feature_names, scatter_classes, widened
from parzen.plots.kernels import PlacedKernels, kernels_of


@dataclass(eq=False, kw_only=True)
class BoundaryDisplay(Display):
    """Regions, boundary, sample and kernels in the plane of two features.

    Attributes
    ----------
    x0, x1 : array of shape (resolution,)
        The grid.
    regions : array of shape (resolution, resolution)
        Places in ``labels`` of the predictions on the grid, rows along x1.
    labels : array
        The classes, then labels of rejection where any occur.
    scores : array of shape (resolution, resolution) or None
        Scores of two classes on the grid, positive for the second.
    points, y : array
        The sample in the two features, and its labels.
    kernels : PlacedKernels or None
        Kernels in the two features and their weights.
    names : (str, str)
        Names of the two features.
    regions_, boundary_, points_, kernels_ : artists
        What ``plot`` drew.
    {ax_, figure_}

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from parzen import L2Classifier
    >>> from parzen.plots import BoundaryDisplay
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> clf = L2Classifier(bandwidth=0.3).fit(X, y)
    >>> display = BoundaryDisplay.from_estimator(clf, X, y)
    >>> len(display.kernels.points) == len(clf.support_)
    True
    """

    x0: Floats
    x1: Floats
    regions: NDArray[np.intp]
    labels: NDArray[Any]
    scores: Floats | None
    points: Floats
    y: NDArray[Any]
    kernels: PlacedKernels | None
    names: tuple[str, str]
    title: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        features: tuple[int, int] = (0, 1),
        at: ArrayLike | None = None,
        resolution: int = 120,
        margin: float = 0.1,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Evaluate a fitted classifier on a grid, and draw it.

        Parameters
        ----------
        estimator : classifier
            Fitted: any of this library, a support vector machine, a pipeline that ends in one.
        X, y : array of shape (n_samples, n_features), (n_samples,)
            The sample to show; its range, widened by ``margin``, is the range of the picture.
        features : (int, int), default=(0, 1)
            Columns of the plane.
        at : array of shape (n_features,), default=None
            Values of the other columns; None for the medians of X.
        resolution : int, default=120
            Grid points along each axis.
        margin : float, default=0.1
            Share of the range added on each side.
        title : str, default=""
            Title of the axes.
        {ax, options}
        """
        check_is_fitted(estimator)
        points = np.asarray(X, dtype=np.float64)
        first, second = _checked(features, points.shape[1])
        plane = points[:, [first, second]]
        x0, x1 = np.linspace(*widened(plane, margin), resolution, axis=1)
        grid = _slice(points, (first, second), x0, x1, at)
        classes = np.asarray(estimator.classes_)
        regions, labels = _codes(estimator.predict(grid), classes)
        kernels = kernels_of(estimator)
        names = feature_names(estimator, points.shape[1])
        display = cls(
            x0=x0,
            x1=x1,
            regions=regions.reshape(resolution, resolution),
            labels=labels,
            scores=_scores(estimator, grid, classes, resolution),
            points=plane,
            y=np.asarray(y),
            kernels=None
            if kernels is None
            else kernels._replace(points=kernels.points[:, [first, second]]),
            names=(names[first], names[second]),
            title=title,
        )
        return display.plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        show_regions: bool = True,
        show_kernels: bool = True,
        point_size: float = 14.0,
        line: dict[str, Any] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        show_regions, show_kernels : bool, default=True
            Whether to fill the regions, and to circle the kernels.
        point_size : float, default=14
            Size of the sample's markers, in square points.
        line : dict, default=None
            Options of the boundary line, as matplotlib's ``contour`` takes them.
        """
        self._begin(ax)
        self.regions_ = self._draw_regions() if show_regions else None
        self.boundary_ = self._draw_boundary({"colors": "black", "linewidths": 1.2} | (line or {}))
        classes = self.labels[np.isin(self.labels, np.unique(self.y))]
        self.points_ = scatter_classes(self.ax_, self.points, self.y, classes, size=point_size)
        self.kernels_ = self._draw_kernels() if show_kernels else None
        limits = {"xlim": (self.x0[0], self.x0[-1]), "ylim": (self.x1[0], self.x1[-1])}
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1], title=self.title, **limits)
        return self

    def _draw_regions(self) -> Any:
        levels = np.arange(len(self.labels) + 1) - 0.5
        colours = [colour(code) for code in range(len(self.labels))]
        return self.ax_.contourf(
            self.x0, self.x1, self.regions, levels=levels, colors=colours, alpha=0.18
        )

    def _draw_boundary(self, options: dict[str, Any]) -> Any:
        if self.scores is not None:
            if not self.scores.min() < 0 < self.scores.max():
                return None
            return self.ax_.contour(self.x0, self.x1, self.scores, levels=[0.0], **options)
        present = np.unique(self.regions)
        if len(present) < 2:
            return None
        return self.ax_.contour(
            self.x0, self.x1, self.regions, levels=present[:-1] + 0.5, **options
        )

    def _draw_kernels(self) -> Any:
        if self.kernels is None or len(self.kernels.points) == 0:
            return None
        size = 20.0 + 100.0 * self.kernels.weights / self.kernels.weights.max()
        return self.ax_.scatter(
            *self.kernels.points.T, s=size, facecolors="none", edgecolors="0.25", linewidths=0.6
        )


def _checked(features: tuple[int, int], n_features: int) -> tuple[int, int]:
    first, second = (int(f) for f in features)
    if first == second or not all(0 <= f < n_features for f in (first, second)):
        raise ValueError(
            f"features={features!r} must be two different columns of the {n_features} there are."
        )
    return first, second


def _slice(
    points: Floats, features: tuple[int, int], x0: Floats, x1: Floats, at: ArrayLike | None
) -> Floats:
    centre = np.median(points, axis=0) if at is None else np.asarray(at, dtype=np.float64)
    if centre.shape != (points.shape[1],):
        raise ValueError(f"at must have one value per feature, {points.shape[1]}.")
    grid = np.tile(centre, (len(x0) * len(x1), 1))
    grid[:, features[0]], grid[:, features[1]] = (side.ravel() for side in np.meshgrid(x0, x1))
    return grid


def _codes(
    predictions: NDArray[Any], classes: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Places of the predictions among the classes and, after them, the labels of rejection."""
    others = [label for label in np.unique(predictions) if label not in classes]
    labels = np.concatenate([classes, np.asarray(others, dtype=np.asarray(predictions).dtype)])
    order = np.argsort(labels, kind="stable")
    return order[np.searchsorted(labels[order], predictions)], labels


def _scores(estimator: Any, grid: Floats, classes: NDArray[Any], resolution: int) -> Floats | None:
    if len(classes) != 2 or not hasattr(estimator, "decision_function"):
        return None
    scores = np.asarray(estimator.decision_function(grid))
    return scores.reshape(resolution, resolution) if scores.ndim == 1 else None
