"""The four classifiers of Xiong, Swamy & Ahmad (2005) on Gram matrices.

KMSE and KFD are the library's, with the paper's threshold E, below which eigenvalues are left out;
the SVM is scikit-learn's. Neighbours vote in the order of their distances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from parzen._core import Floats
from parzen.classifiers import KernelFisherClassifier, KernelMSEClassifier
from parzen.papers.engine import quietly

Labels = list[tuple[NDArray[Any], ...]]
_ON_GRAM: dict[str, Any] = {"kernel": "precomputed", "n_jobs": 1}
_MACHINES: dict[str, Callable[[float], Any]] = {
    "KMSE": lambda E: KernelMSEClassifier(threshold=E, absolute=True, **_ON_GRAM),
    "KFD": lambda E: KernelFisherClassifier(threshold=E, absolute=True, **_ON_GRAM),
    "SVM": lambda C: SVC(C=C, kernel="precomputed", max_iter=100_000),
}


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
    if name == "KNN":
        return _neighbours(kernels, y, values)
    rows = np.vstack([kernels.train, kernels.query])
    out: Labels = []
    for value in values:  # labels with the other sign, because a score of 0 is the first class
        labels = -quietly(partial(_MACHINES[name](value).fit, kernels.train, -y)).predict(rows)
        out.append((labels[: len(y)], labels[len(y) :]))
    return out


def _neighbours(k: Kernels, y: Floats, values: Sequence[Any]) -> Labels:
    own = k.train_distances.copy()
    np.fill_diagonal(own, np.inf)  # a training row is not its own neighbour
    votes = []
    for D in (own, k.query_distances):
        order = np.argsort(D, axis=1, kind="stable")[:, : max(values)]
        votes.append(np.cumsum(y[order], axis=1))
    return [tuple(np.where(v[:, n - 1] >= 0, 1, -1) for v in votes) for n in values]
