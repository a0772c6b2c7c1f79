"""The LASSO on a Gram matrix, a rival in Basak's report: eq. (40), (41).

    min |t - K alpha|^2 + b |alpha|_1

As the B-machine it is least squares with few kernels, but its weights may have either sign. The
solver is scikit-learn's; more than two classes stand one against the rest each.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV

from parzen.kernels import Floats, gram
from parzen.papers.engine import Column, Parameters

_BANDWIDTHS, _PENALTIES = (0.3, 0.5, 1.0, 2.0, 3.0, 5.0), tuple(10.0 ** np.arange(-5.0, -1.0))


class KernelLasso(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian kernels with an L1 penalty, ``b`` of (41) divided by twice the rows."""

    def __init__(self, bandwidth: float = 1.0, penalty: float = 1e-3) -> None:
        self.bandwidth = bandwidth
        self.penalty = penalty

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Find the weights; ``support_`` are the rows that have one."""
        self.classes_, places = np.unique(y, return_inverse=True)
        targets = 2.0 * np.eye(len(self.classes_))[places] - 1.0
        if len(self.classes_) == 2:
            targets = targets[:, 1:]
        lasso = Lasso(self.penalty, fit_intercept=False, max_iter=2000, tol=1e-3)
        W = lasso.fit(gram(X, X, "gaussian", self.bandwidth), targets).coef_
        W = np.atleast_2d(W).T
        self.support_ = np.flatnonzero(W.any(axis=1))
        self._points, self._weights = X[self.support_], W[self.support_]
        return self

    def predict(self, X: Floats) -> NDArray[Any]:
        """The class with the largest score."""
        if not len(self._points):
            return np.full(len(X), self.classes_[0])
        scores = gram(X, self._points, "gaussian", self.bandwidth) @ self._weights
        best = scores.argmax(axis=1) if len(self.classes_) > 2 else (scores[:, 0] > 0).astype(int)
        return np.asarray(self.classes_[best])


def kernel_lasso() -> Column:
    """Bandwidth and penalty by five folds of the first training set."""

    def select(X: NDArray[Any], y: NDArray[Any], quick: bool) -> Parameters:
        step = 3 if quick else 1
        grid = {"bandwidth": _BANDWIDTHS[::step], "penalty": _PENALTIES[1::step]}
        return dict(GridSearchCV(KernelLasso(), grid, cv=5).fit(X, y).best_params_)

    return Column(lambda p: KernelLasso(**p), select)
