"""A sample in two axes of a feature space, in the colours of its classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.plots.figure import Display, scatter_classes


@dataclass(eq=False, kw_only=True)
class EmbeddingDisplay(Display):
    """Points of a feature space.

    Attributes
    ----------
    points : array of shape (n_samples, 2)
        The two coordinates shown.
    y : array of shape (n_samples,)
        The labels.
    components : (int, int)
        Which axes of the feature space they are.
    points_ : list of artists
        What ``plot`` drew, one per class.
    {ax_, figure_}

    Examples
    --------
    >>> from parzen.datasets import make_ring
    >>> from parzen.feature_space import LaplacianEmbedding
    >>> from parzen.plots import EmbeddingDisplay
    >>> X, y = make_ring(random_state=0)
    >>> display = EmbeddingDisplay.from_estimator(LaplacianEmbedding().fit(X), X, y)
    >>> display.points.shape
    (263, 2)
    """

    points: NDArray[np.float64]
    y: NDArray[Any]
    components: tuple[int, int] = (0, 1)

    @classmethod
    def from_estimator(
        cls,
        transformer: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        components: tuple[int, int] = (0, 1),
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Rows as a fitted transformer of `parzen.feature_space` maps them.

        Parameters
        ----------
        transformer : transformer
            Fitted; or anything with ``transform``, e.g. a pipeline.
        X, y : array of shape (n_samples, n_features), (n_samples,)
            Rows to show, and their labels.
        components : (int, int), default=(0, 1)
            Axes of the feature space.
        {ax, options}
        """
        return cls.from_points(transformer.transform(X), y, components=components, ax=ax, **options)

    @classmethod
    def from_points(
        cls,
        points: ArrayLike,
        y: ArrayLike,
        *,
        components: tuple[int, int] = (0, 1),
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Rows that are embedded already.

        Parameters
        ----------
        points : array of shape (n_samples, n_components)
            Coordinates; where there is one only, the other is zero.
        y : array of shape (n_samples,)
            The labels.
        components : (int, int), default=(0, 1)
            Columns to show.
        {ax, options}
        """
        image = np.asarray(points, dtype=np.float64)
        if image.shape[1] == 1:
            image = np.column_stack([image, np.zeros(len(image))])
        if max(components) >= image.shape[1]:
            raise ValueError(
                f"components={components!r}: the feature space has {image.shape[1]} axes."
            )
        display = cls(points=image[:, list(components)], y=np.asarray(y), components=components)
        return display.plot(ax, **options)

    def plot(
        self, ax: Any = None, *, title: str = "", point_size: float = 12.0, origin: bool = False
    ) -> Self:
        """Draw.

        Parameters
        ----------
        {ax}
        title : str, default=""
            Title of the axes.
        point_size : float, default=12
            Size of the markers, in square points.
        origin : bool, default=False
            Whether to mark the origin, which matters where angles do.
        """
        self._begin(ax)
        self.points_ = scatter_classes(
            self.ax_, self.points, self.y, np.unique(self.y), size=point_size
        )
        if origin:
            self.ax_.plot(0, 0, "k+", ms=12)
        first, second = self.components
        self.ax_.set(xlabel=f"axis {first + 1}", ylabel=f"axis {second + 1}", title=title)
        return self
