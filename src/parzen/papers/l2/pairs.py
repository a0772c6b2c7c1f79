"""The L2 programme row by row: a solver that moves weight between two rows of a class at a time.

The paper solves its programme by a changed LIBSVM. Its shares of kernels may then depend on two
things that the library's do not show. Copies of a row have weights of their own, and which of them
keep one depends on where the solver starts: here all weights of a class are equal. And a solver
that stops early leaves small weights.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances

from parzen._core import Floats
from parzen.solvers import simplex_qp
from parzen.sums import kernel_sums

TOLERANCE = 2e-3  # See the note of the table 'pairs'.


class PairwiseL2(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """L2QP-k for two classes by steps between pairs of rows; ties to ``classes_[0]``.

    Parameters
    ----------
    sigma, eta, smoothing : float
        The bandwidth, the divisor of the linear term, and the paper's k.
    tol : float
        As for `parzen.solvers.simplex_qp`.

    Examples
    --------
    >>> X, y = np.array([[0.0], [0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 0, 1, 1])
    >>> PairwiseL2(0.5).fit(X, y).predict([[0.2], [5.5]])
    array([0, 1])
    """

    def __init__(
        self, sigma: float = 1.0, eta: float = 1.0, smoothing: float = 0.0, tol: float = TOLERANCE
    ) -> None:
        self.sigma = sigma
        self.eta = eta
        self.smoothing = smoothing
        self.tol = tol

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Self:
        """Find the weights; gamma = N-/N+, with ``classes_[0]`` for the class +."""
        self.X_ = np.asarray(X, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.codes_ = codes
        positive = codes == 0
        self.gamma_ = float(np.sum(~positive) / np.sum(positive))
        Q, c = self._programme(positive)
        equal = 1.0 / np.bincount(codes)[codes]
        self.weights_ = simplex_qp(Q, c, codes, start=equal, tol=self.tol).weights
        self.support_ = np.flatnonzero(self.weights_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels by the densities of the classes, compared as logarithms."""
        queries = np.asarray(X, dtype=np.float64)
        logs = [
            kernel_sums(queries, self.X_[rows], self.weights_[rows], bandwidths=self.sigma,
                        log=True, n_jobs=1).ravel()
            for rows in (self.codes_ == 0, self.codes_ == 1)
        ]  # fmt: skip
        return np.asarray(self.classes_[np.where(logs[0] >= logs[1] + np.log(self.gamma_), 0, 1)])

    def _programme(self, positive: NDArray[Any]) -> tuple[Floats, Floats]:
        """Matrix and linear term of (7), divided by k_rho(0)."""
        variance, k = self.sigma**2, self.smoothing
        rho, tau = 2 * variance * (1 + k**2), variance * (1 + 2 * k**2)
        squares = pairwise_distances(self.X_, metric="sqeuclidean")
        signs = np.where(positive, 1.0, -self.gamma_)
        Q = np.exp(-squares / (2 * rho)) * np.outer(signs, signs)
        K = np.exp(-squares / (2 * tau) + 0.5 * self.X_.shape[1] * np.log(rho / tau))
        np.fill_diagonal(K, 0.0)
        n_positive, n = np.sum(positive), len(positive)
        others = [np.where(own, m - 1, m) for own, m in ((positive, n_positive),
                                                         (~positive, n - n_positive))]  # fmt: skip
        difference = (
            K[:, positive].sum(axis=1) / others[0]
            - self.gamma_ * K[:, ~positive].sum(axis=1) / others[1]
        )
        return Q, signs * difference / self.eta
