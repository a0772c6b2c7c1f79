"""Do prediction sets keep their promise, and how large are they for it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Floats, last_step
from parzen.plots.figure import Display

# Shares of rows whose sets shall hold the true label.
LEVELS = tuple(np.round(np.arange(0.5, 1.0, 0.01), 2).tolist())


@dataclass(eq=False, kw_only=True)
class CoverageDisplay(Display):
    """Coverage and mean size of prediction sets against the level that is asked for.

    Attributes
    ----------
    levels : array of shape (n_levels,)
        Shares of rows whose sets shall hold the true label: 1 - alpha.
    coverage : array of shape (n_levels,)
        Shares of the test rows whose sets do.
    sizes : array of shape (n_levels,)
        Mean number of labels in a set.
    name : str
        Name of the curve.
    line_, diagonal_, size_line_ : artists
        What ``plot`` drew.
    {axes_, figure_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import ParzenClassifier
    >>> from parzen.plots import CoverageDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = ParzenClassifier(bandwidth=0.5).fit(X[::2], y[::2])
    >>> display = CoverageDisplay.from_estimator(clf, X[1::2], y[1::2], levels=[0.8, 0.9])
    >>> bool(display.sizes[0] <= display.sizes[1])
    True
    """

    levels: Floats
    coverage: Floats
    sizes: Floats
    name: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        levels: ArrayLike = LEVELS,
        conditional: bool = True,
        name: str | None = None,
        axes: Any = None,
    ) -> Self:
        """Judge the sets of a classifier, or of a pipeline that ends in one, on test data.

        Parameters
        ----------
        estimator : classifier or Pipeline
            Fitted, with ``p_values``.
        X, y : array
            Test data.
        levels : array of shape (n_levels,), default=0.5, 0.51, ..., 0.99
            Shares of rows whose sets shall hold the true label.
        conditional : bool, default=True
            Whether the level holds in every class, or on average over the classes.
        name : str, default=None
            Name of the curve; None for the class of the estimator.
        {axes}
        """
        last, points = last_step(estimator, X)
        if not hasattr(last, "p_values"):
            raise TypeError(
                f"{type(last).__name__} has no prediction sets; ConformalClassifier gives it some."
            )
        shares = np.asarray(levels, dtype=np.float64)
        if not np.all((shares > 0) & (shares < 1)):
            raise ValueError(f"levels must be between 0 and 1, e.g. 0.9, got {levels!r}.")
        p = last.p_values(points, conditional=conditional)
        hits = np.asarray(y)[:, None] == last.classes_
        alphas = np.round(1 - shares, 12)  # 1 - 0.9 is less than 0.1 in floating point
        sets = [p > alpha for alpha in alphas]
        display = cls(
            levels=shares,
            coverage=np.array([(each & hits).any(axis=1).mean() for each in sets]),
            sizes=np.array([each.sum(axis=1).mean() for each in sets]),
            name=type(last).__name__ if name is None else name,
        )
        return display.plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        {axes}
            Several displays may share axes.
        """
        left, right = self._begin_pair(axes)
        (self.diagonal_,) = left.plot(self.levels, self.levels, "k:", lw=0.8)
        (self.line_,) = left.plot(self.levels, self.coverage, label=self.name)
        (self.size_line_,) = right.plot(self.levels, self.sizes, color=self.line_.get_color())
        left.set(xlabel="level (1 - alpha)", ylabel="share of sets with the true label")
        left.legend(frameon=False)
        right.set(xlabel="level (1 - alpha)", ylabel="mean number of labels in a set")
        return self
