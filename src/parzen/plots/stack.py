"""What a stack is made of: the weights of its members, and the relevance of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen._core import Floats, last_estimator
from parzen.plots.figure import Display, bars, colour, feature_names


@dataclass(eq=False, kw_only=True)
class StackDisplay(Display):
    """Two bar charts: the members of a stack, and the columns that its learned metrics look at.

    Attributes
    ----------
    members : list of str
        Names of the experts.
    families : list of str
        The family of each; bars of a family share a colour.
    weights : array of shape (n_experts,)
        Their weights in the stack.
    log_losses : array of shape (n_experts,)
        Log-loss of each alone, out of sample; written beside the bars.
    columns : list of str
        Names of the columns.
    relevance : array of shape (n_columns,)
        Share of each column, summing to 1.
    {axes_, figure_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import StackedDensityClassifier
    >>> from parzen.plots import StackDisplay
    >>> clf = StackedDensityClassifier("fast").fit(*load_iris(return_X_y=True))
    >>> display = StackDisplay.from_estimator(clf)
    >>> len(display.members) == len(clf.experts_), len(display.columns)
    (True, 4)
    """

    members: list[str]
    families: list[str]
    weights: Floats
    log_losses: Floats
    columns: list[str]
    relevance: Floats

    @classmethod
    def from_estimator(cls, estimator: Any, *, axes: Any = None, most_columns: int = 20) -> Self:
        """The members of a fitted `StackedDensityClassifier`, or of a pipeline that ends in one.

        Parameters
        ----------
        estimator : StackedDensityClassifier or Pipeline
            Fitted.
        {axes}
        most_columns : int, default=20
            Columns that are shown, the most relevant ones.
        """
        last = last_estimator(estimator)
        check_is_fitted(last)
        experts = getattr(last, "experts_", None)
        if experts is None:
            raise TypeError(f"{type(last).__name__} is no stack: it has no experts_.")
        display = cls(
            members=[expert.name for expert in experts],
            families=[expert.family for expert in experts],
            weights=np.asarray(last.weights_),
            log_losses=np.array([expert.log_loss for expert in experts]),
            columns=feature_names(last, last.n_features_in_),
            relevance=np.asarray(last.metric_),
        )
        return display.plot(axes, most_columns=most_columns)

    def plot(self, axes: Any = None, *, most_columns: int = 20) -> Self:
        """Draw.

        Parameters
        ----------
        {axes}
        most_columns : int, default=20
            Columns that are shown, the most relevant ones.
        """
        self._begin_pair(axes)
        self._draw_members(self.axes_[0])
        self._draw_relevance(self.axes_[1], most_columns)
        return self

    def _draw_members(self, ax: Any) -> None:
        known = list(dict.fromkeys(self.families))
        colours = [colour(known.index(family)) for family in self.families]
        drawn = bars(ax, self.members, self.weights, colours)
        ax.bar_label(drawn, [f"{loss:.3f}" for loss in self.log_losses], padding=3, fontsize=8)
        ax.margins(x=0.15)
        ax.set(xlabel="weight in the stack (log-loss alone beside it)")

    def _draw_relevance(self, ax: Any, most: int) -> None:
        order = np.argsort(-self.relevance, kind="stable")[:most]
        bars(ax, [self.columns[j] for j in order], self.relevance[order], "tab:gray")
        ax.set(xlabel="relevance of the column")
