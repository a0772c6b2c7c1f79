"""Decision boundaries in every pair of some features: slices of one classifier, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.plots.boundary import BoundaryDisplay
from parzen.plots.figure import pyplot


@dataclass(eq=False)
class BoundaryPairsDisplay:
    """A `BoundaryDisplay` for each pair of features.

    Attributes
    ----------
    displays : dict of (int, int) to BoundaryDisplay
        The slices.
    figure_, axes_ :
        Where they are drawn; unused places are switched off.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import ParzenClassifier
    >>> from parzen.plots import BoundaryPairsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = ParzenClassifier(bandwidth=0.4).fit(X, y)
    >>> pairs = BoundaryPairsDisplay.from_estimator(clf, X, y, features=[1, 2, 3], resolution=30)
    >>> sorted(pairs.displays)
    [(1, 2), (1, 3), (2, 3)]
    """

    displays: dict[tuple[int, int], BoundaryDisplay]
    figure_: Any
    axes_: Any

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        features: Sequence[int] | None = None,
        resolution: int = 80,
        **options: Any,
    ) -> Self:
        """Draw the slice of a fitted classifier in every pair of ``features``.

        Parameters
        ----------
        estimator, X, y, resolution :
            As in `BoundaryDisplay.from_estimator`.
        features : sequence of int, default=None
            Columns to pair; None for all, which must be four at most.
        **options
            Passed to `BoundaryDisplay.from_estimator`.
        """
        n_features = np.shape(X)[1]
        chosen = list(range(n_features)) if features is None else [int(f) for f in features]
        if len(chosen) < 2 or (features is None and n_features > 4):
            raise ValueError(
                f"features={features!r}: name two or more of the {n_features} columns."
            )
        pairs = list(combinations(chosen, 2))
        columns = min(3, len(pairs))
        rows = -(-len(pairs) // columns)
        figure, grid = pyplot().subplots(
            rows, columns, figsize=(4 * columns, 3.4 * rows), squeeze=False, layout="constrained"
        )
        for ax in grid.flat[len(pairs) :]:
            ax.axis("off")
        options |= {"resolution": resolution}
        displays = {
            pair: BoundaryDisplay.from_estimator(estimator, X, y, features=pair, ax=ax, **options)
            for pair, ax in zip(pairs, grid.flat)
        }
        return cls(displays, figure, grid)
