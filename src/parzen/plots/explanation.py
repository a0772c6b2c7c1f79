"""Why one row got its label: the training rows and the columns that speak for it and against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen._core import Floats
from parzen.evidence import Explanation, explain_by_last_step
from parzen.plots.figure import Display, bars

FOR, AGAINST = "tab:blue", "tab:orange"


@dataclass(eq=False, kw_only=True)
class ExplanationDisplay(Display):
    """Two bar charts: the shares of training rows, and the effects of columns on the log-odds.

    Attributes
    ----------
    explanation : `parzen.evidence.Explanation`
        What is shown.
    columns : list of str
        Names of the columns.
    {axes_, figure_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import ParzenClassifier
    >>> from parzen.plots import ExplanationDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = ParzenClassifier(bandwidth=0.5).fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(clf, X.iloc[[70]], top=3)
    >>> print(display.explanation.label, display.columns[2])
    1 petal length (cm)
    """

    explanation: Explanation
    columns: list[str]

    @classmethod
    def from_estimator(
        cls, estimator: Any, x: ArrayLike, *, top: int = 5, axes: Any = None, most_columns: int = 20
    ) -> Self:
        """Explain one row by a classifier, or by a pipeline that ends in one.

        Parameters
        ----------
        estimator : classifier or Pipeline
            Fitted, with ``explain``.
        x : array of shape (n_features,), or one row of a table
            The row.
        top : int, default=5
            How many training rows to show for the label, and against it.
        {axes}
        most_columns : int, default=20
            Columns that are shown, those of the largest effects.
        """
        X: Any = x if np.ndim(x) == 2 else np.reshape(np.asarray(x), (1, -1))
        if len(X) != 1:
            raise ValueError(f"x must be one row, got {len(X)}; choose one, e.g. X[:1].")
        (found,), columns = explain_by_last_step(estimator, X, top)
        return cls(explanation=found, columns=columns).plot(axes, most_columns=most_columns)

    def plot(self, axes: Any = None, *, most_columns: int = 20) -> Self:
        """Draw.

        Parameters
        ----------
        {axes}
        most_columns : int, default=20
            Columns that are shown, those of the largest effects.
        """
        rows, columns = self._begin_pair(axes)
        found = self.explanation
        names = [name for side in found.row_labels() for name in side]
        shares = np.concatenate([found.supporting_shares, -found.opposing_shares])
        bars(rows, names, shares, _colours(shares))
        rows.axvline(0, color="k", lw=0.8)
        rows.set(xlabel=f"share of the rows against ({found.rival}) and for ({found.label})")
        order = np.argsort(-np.abs(found.column_effects), kind="stable")[:most_columns]
        effects = found.column_effects[order]
        bars(columns, [self.columns[j] for j in order], effects, _colours(effects))
        columns.axvline(0, color="k", lw=0.8)
        columns.set(xlabel=f"effect on the log-odds, {found.log_odds:.3g} in all")
        return self


def _colours(values: Floats) -> list[str]:
    return [FOR if value >= 0 else AGAINST for value in values]
