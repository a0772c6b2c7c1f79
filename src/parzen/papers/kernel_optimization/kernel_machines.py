"""The four classifiers of Xiong, Swamy & Ahmad (2005) on Gram matrices, as the paper has them.

Each returns test labels -1, +1 from kernel values alone; KMSE and KFD discard the eigenvalues below
a threshold E. Kept apart from the library's own estimators to stay with the printed formulas.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from parzen._core import Floats

Labels = list[tuple[NDArray[Any], ...]]


@dataclass(frozen=True)
class Kernels:
    """Kernel values among training rows, of queries against them, and distances for neighbours."""

    train: Floats
    query: Floats
    train_distances: Floats
    query_distances: Floats

    @classmethod
    def of(cls, kernel: Any, bandwidth: float, X: Floats, Z: Floats) -> Self:
        """From a conformal kernel, or from a plain one with a peak (neighbours as in the input)."""
        K, Kz = (kernel.similarity(A, X, bandwidth=bandwidth) for A in (X, Z))
        if hasattr(kernel, "distances"):
            D, Dz = (kernel.distances(A, X, bandwidth=bandwidth) for A in (X, Z))
        else:
            D, Dz = kernel.pairs(X, X), kernel.pairs(Z, X)
        return cls(K, Kz, D, Dz)

    @classmethod
    def of_features(cls, Y: Floats, Yz: Floats) -> Self:
        """From images in a Euclidean space."""
        squares = [(A**2).sum(axis=1) for A in (Y, Yz)]
        K, Kz = Y @ Y.T, Yz @ Y.T
        D = squares[0][:, None] + squares[0] - 2 * K
        Dz = squares[1][:, None] + squares[0] - 2 * Kz
        return cls(K, Kz, D, Dz)


def predictions(name: str, kernels: Kernels, y: Floats, values: Sequence[Any]) -> Labels:
    """Labels of the training rows and of the queries for each value of the one parameter."""
    return {"KNN": _neighbours, "KMSE": _kmse, "KFD": _kfd, "SVM": _svm}[name](kernels, y, values)


def _neighbours(k: Kernels, y: Floats, values: Sequence[Any]) -> Labels:
    own = k.train_distances.copy()
    np.fill_diagonal(own, np.inf)  # a training row is not its own neighbour
    votes = []
    for D in (own, k.query_distances):
        order = np.argsort(D, axis=1, kind="stable")[:, : max(values)]
        votes.append(np.cumsum(y[order], axis=1))
    return [tuple(np.where(v[:, n - 1] >= 0, 1, -1) for v in votes) for n in values]


def _kmse(k: Kernels, y: Floats, values: Sequence[Any]) -> Labels:
    """(21): f(t) = (1 + t_X)' (11' + K)^+ b."""
    eigenvalues, P = np.linalg.eigh(k.train + 1.0)
    out = []
    for E in values:
        kept = eigenvalues > E
        w = P[:, kept] @ ((P[:, kept].T @ y) / eigenvalues[kept])
        out.append(tuple(np.where((K + 1.0) @ w >= 0, 1, -1) for K in (k.train, k.query)))
    return out


def _kfd(k: Kernels, y: Floats, values: Sequence[Any]) -> Labels:
    """f(t) = m lambda' K (beta Omega^-2 beta') (t_X - mu_X), Omega of the centred K."""
    K, m = k.train, len(y)
    mean = K.mean(axis=1)
    omega, beta = np.linalg.eigh(K - mean[:, None] - mean + mean.mean())
    labels = np.where(y > 0, 1.0 / max((y > 0).sum(), 1), -1.0 / max((y < 0).sum(), 1))
    out = []
    for E in values:
        kept = omega > E
        w = m * beta[:, kept] @ ((beta[:, kept].T @ (K @ labels)) / omega[kept] ** 2)
        out.append(tuple(np.where((A - mean) @ w >= 0, 1, -1) for A in (K, k.query)))
    return out


def _svm(k: Kernels, y: Floats, values: Sequence[Any]) -> Labels:
    out: Labels = []
    for C in values:
        machine = SVC(C=C, kernel="precomputed", max_iter=100_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # C = 1e7 on noise
            machine.fit(k.train, y)
        out.append((machine.predict(k.train), machine.predict(k.query)))
    return out
