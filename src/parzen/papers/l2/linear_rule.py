"""The paper's rules in plain arithmetic, as a warning.

    f_c(x) = sum_i a_i exp(-|x - x_i|^2 / 2 s^2),    +1 where f_+ >= gamma f_-

In twenty dimensions both sums of a point far out are exactly 0.0, the difference is "not negative",
and the point gets label +1. Where +1 is the class that lies far out, as in Ringnorm, that is the
right answer for the wrong reason: it is how the paper's 2.4 % can be had.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import StratifiedKFold

from parzen._core import Floats
from parzen.papers.l2.all_columns import l2_with_all_columns


class LinearParzen(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Linear-space plug-in rule for two classes; ties, 0 = 0 among them, to ``classes_[0]``.

    Parameters
    ----------
    sigma : float
        The bandwidth.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> LinearParzen(0.5).fit(X, y).predict([[0.2], [5.5], [1e3]])
    array([0, 1, 0])
    """

    def __init__(self, sigma: float = 1.0) -> None:
        self.sigma = sigma

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Self:
        """Keep the sample."""
        self.X_, self.y_ = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.classes_ = np.unique(self.y_)
        self.weights_ = np.ones(len(self.y_))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels by the difference of the densities, computed as it stands."""
        return self._labels(pairwise_distances(np.asarray(X, float), self.X_, metric="sqeuclidean"))

    def _labels(self, squares: Floats) -> NDArray[Any]:
        kernels = np.exp(-squares / (2 * self.sigma**2))
        first = self.y_ == self.classes_[0]
        sums = [kernels[:, rows] @ self.weights_[rows] for rows in (first, ~first)]
        return np.asarray(self.classes_[np.where(sums[0] >= sums[1], 0, 1)])

    def select(self, X: Floats, y: NDArray[Any], grid: Floats) -> float:
        """The sigma of least error in five folds, the largest where several tie."""
        squares = pairwise_distances(X, metric="sqeuclidean")
        errors = np.zeros(len(grid))
        for train, test in StratifiedKFold(5).split(X, y):
            block = squares[np.ix_(test, train)]
            for i, s in enumerate(grid):
                rule = clone(self).set_params(sigma=float(s)).fit(X[train], y[train])
                errors[i] += np.mean(rule._labels(block) != y[test])
        return float(grid[np.flatnonzero(errors <= errors.min() + 1e-12)[-1]])


class LinearL2(LinearParzen):
    """The same with the weights of L2QP-k.

    Parameters
    ----------
    sigma : float
        The bandwidth.
    smoothing : float
        The k of L2QP-k.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> LinearL2(0.5).fit(X, y).predict([[0.2], [5.5], [1e3]])
    array([0, 1, 0])
    """

    def __init__(self, sigma: float = 1.0, smoothing: float = 0.0) -> None:
        super().__init__(sigma)
        self.smoothing = smoothing

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Self:
        """Weights by the quadratic programme; gamma = N-/N+ scales those of each class."""
        super().fit(X, y)
        machine = l2_with_all_columns(self.sigma, smoothing=self.smoothing)
        self.expansion_ = machine.fit(X, y).expansion_
        self.support_ = machine.support_
        rows_of_class = np.array([np.sum(self.y_ == c) for c in self.classes_])
        self.weights_ = np.zeros(len(self.y_))
        codes = np.searchsorted(self.classes_, self.y_[self.support_])
        self.weights_[self.support_] = machine.weights_ * rows_of_class[codes]
        return self
