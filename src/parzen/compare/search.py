"""scikit-learn's grid search, which tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.model_selection import GridSearchCV, ParameterGrid

from parzen._core import portion, steps

_REFIT_SHARE = 0.05  # About this share of the work is the last fit, on all rows.


class GridSearch(GridSearchCV):  # type: ignore[misc]
    """The same search, candidate after candidate; one that no fold can fit is an error.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5, 99]})
    >>> search.fit(*load_iris(return_X_y=True)).best_params_
    {'n_neighbors': 5}
    """

    def _run_search(self, evaluate_candidates: Callable[[list[dict[str, Any]]], Any]) -> None:
        with portion(0, 1 - _REFIT_SHARE):
            for candidate in steps(list(ParameterGrid(self.param_grid))):
                evaluate_candidates([candidate])
