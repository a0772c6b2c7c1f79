"""The L2 programme row by row: a solver that moves weight between two rows of a class at a time.

The paper solves its programme by a changed LIBSVM. Two things follow for its shares of kernels,
which the library's solver does not show. Copies of a row have weights of their own, and which of
them keep one depends on where the solver starts: here all weights of a class are equal. And it
stops at a tolerance, before the smallest weights have gone.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances

from parzen._core import Floats
from parzen.sums import kernel_sums

TOLERANCE = 3e-5  # In units of k_sqrt2sigma(0); see the note of the table 'pairs'.
_MOST_STEPS = 100_000
_LEAST_CURVATURE = 1e-12  # Of a step between two copies of a row.


class PairwiseL2(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """L2QP-k for two classes by steps between pairs of rows; ties to ``classes_[0]``.

    Parameters
    ----------
    sigma, eta, smoothing : float
        The bandwidth, the divisor of the linear term, and the paper's k.
    tol : float
        The largest violation of the optimality conditions that is left.

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
        self.weights_ = by_pairs(Q, c, positive, self.tol)
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


def by_pairs(Q: Floats, c: Floats, positive: NDArray[Any], tol: float) -> Floats:
    """Minimise a'Qa / 2 - c'a for weights that are not negative and sum to one in each class.

    Every step takes weight from one row and gives it to the row of its class with the least
    gradient: the pair of largest gain, as in LIBSVM.
    """
    classes = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    a = np.where(positive, 1.0 / len(classes[0]), 1.0 / len(classes[1]))
    gradient, diagonal = Q @ a - c, np.diag(Q)
    for _ in range(_MOST_STEPS):
        gap, gain, pair = 0.0, 0.0, (0, 0)
        for rows in classes:
            own = gradient[rows]
            to = int(rows[np.argmin(own)])
            excess = np.where(a[rows] > 0, own - gradient[to], 0.0)
            curvature = diagonal[rows] + diagonal[to] - 2 * Q[to, rows]
            gains = excess**2 / np.maximum(curvature, _LEAST_CURVATURE)
            best = int(np.argmax(gains))
            gap = max(gap, float(excess.max()))
            if gains[best] > gain:
                gain, pair = float(gains[best]), (to, int(rows[best]))
        if gap <= tol:
            break
        to, source = pair
        curvature = diagonal[to] + diagonal[source] - 2 * Q[to, source]
        free = (gradient[source] - gradient[to]) / max(curvature, _LEAST_CURVATURE)
        moved = min(float(free), float(a[source]))
        a[to] += moved
        a[source] = 0.0 if moved == a[source] else a[source] - moved
        gradient += moved * (Q[to] - Q[source])
    return np.asarray(a)
