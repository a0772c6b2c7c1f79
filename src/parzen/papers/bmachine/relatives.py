"""Machines that Basak's report sets beside its own in section 3, tuned by five folds."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, NuSVC

from parzen.classifiers import RLSClassifier
from parzen.papers.engine import Column, Floats, Parameters

_GAMMAS = 1 / (2 * 2.0 ** np.arange(-3.0, 4.0) ** 2)
_COSTS = 10.0 ** np.arange(-1.0, 4.0)
_RIDGES = 10.0 ** np.arange(-5.0, 0.0)
_NUS = np.array([0.05, 0.1, 0.2, 0.4, 0.6, 0.8])


class SquaredSlackSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The 2-norm SVM: a hard margin with 1/C added to the diagonal of the Gram matrix.

    Parameters
    ----------
    C : float
        The weight of half the sum of squared slacks.
    gamma : float
        Of the kernel exp(-gamma r^2).

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> SquaredSlackSVC().fit(X, y).predict([[0.5], [3.5]])
    array([0, 1])
    """

    def __init__(self, C: float = 1.0, gamma: float = 1.0) -> None:
        self.C = C
        self.gamma = gamma

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Solve the dual without an upper bound on its variables."""
        self.X_ = np.asarray(X, dtype=np.float64)
        K = rbf_kernel(self.X_, gamma=self.gamma)
        K[np.diag_indices_from(K)] += 1 / self.C
        self.machine_ = SVC(C=np.inf, kernel="precomputed", tol=1e-4).fit(K, y)
        self.classes_ = self.machine_.classes_
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels."""
        K = rbf_kernel(np.asarray(X, dtype=np.float64), self.X_, gamma=self.gamma)
        return np.asarray(self.machine_.predict(K))


class FeasibleNuSVC(NuSVC):  # type: ignore[misc]
    """ν-SVM; ν is lowered where two classes of a split are too unequal for it."""

    nu: float

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit with ν as given, or below twice the share of the smaller class in a pair."""
        counts = np.unique(np.asarray(y), return_counts=True)[1]
        limit = 2 * counts.min() / (counts.min() + counts.max())
        self.nu = min(self.nu, 0.95 * float(limit))  # at the limit the offset is not unique
        super().fit(X, y)
        return self


def _tuned(machine: Any, **grid: Any) -> Column:
    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        step = 3 if quick else 1
        tried = {name: np.asarray(values)[::step].tolist() for name, values in grid.items()}
        return dict(GridSearchCV(machine(), tried, cv=5).fit(X, y).best_params_)

    return Column(lambda p: machine(**p), select)


RELATIVES = {
    "ridge": _tuned(RLSClassifier, bandwidth=np.sqrt(0.5 / _GAMMAS), regularization=_RIDGES),
    "2-norm SVM": _tuned(SquaredSlackSVC, gamma=_GAMMAS, C=_COSTS),
    "ν-SVM": _tuned(FeasibleNuSVC, gamma=_GAMMAS, nu=_NUS),
}
