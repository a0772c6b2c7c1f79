"""What stands beside the tables of Xiong, Swamy & Ahmad (2005), on the same thirds.

A tuned support vector machine and a forest on the training third, and on both thirds, because the
cores are labelled data too; and the four classifiers of the paper with a kernel that uses both
thirds better: every row a core, the generalised eigenproblem instead of 200 steps, its ridge and
the cores' width by the separability of held-out rows. And K_alg of Table IX as Cristianini et al.
(2001) computed it, for rows whose labels are unknown but whose places are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from parzen.classifiers import KernelFisherClassifier, KernelMSEClassifier
from parzen.feature_space import KernelOptimizer
from parzen.papers.kernel_optimization.kernel_machines import Kernels, predictions
from parzen.papers.kernel_optimization.printed import CLASSIFIERS
from parzen.papers.kernel_optimization.thirds import (
    BASE_GAMMAS,
    GAUSSIAN,
    VALUES,
    Floats,
    bandwidth,
    on_one_thread,
    percent,
    thirds,
)

BASELINES = ("SVC, train", "forest, train", "SVC, both", "forest, both", "boosting, both",
             "Gaussian Bayes, both", "KNN, both")  # fmt: skip
TRANSDUCTIVE = ("training aligned", "test aligned")
BETTER = tuple(f"{c} eigen" for c in CLASSIFIERS)


@on_one_thread
def beside_trial(title: str, trial: int) -> dict[str, float]:
    """Test errors of the baselines in percent."""
    X, y, (cores, train, test) = thirds(title, trial)
    both = np.concatenate([train, cores])
    svc = GridSearchCV(SVC(), {"C": [1, 10, 100, 1000],
                               "gamma": [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]})  # fmt: skip
    forest = RandomForestClassifier(200, random_state=0)
    contenders = [
        (svc, train), (forest, train), (svc, both), (forest, both),
        (HistGradientBoostingClassifier(random_state=0), both), (GaussianNB(), both),
        (_neighbours(), both),
    ]  # fmt: skip
    return {
        name: percent(model.fit(X[rows], y[rows]).predict(X[test]), y[test])
        for name, (model, rows) in zip(BASELINES, contenders, strict=True)
    }


@on_one_thread
def better_trial(title: str, trial: int) -> dict[str, float]:
    """Test errors of the paper's classifiers with a kernel optimised on both thirds, in percent."""
    X, y, (cores, train, test) = thirds(title, trial)
    rows = np.concatenate([train, cores])
    images = _images(X, y, rows)
    least_squares: dict[str, Any] = {
        "kernel": "linear", "bandwidth": 1.0, "threshold": VALUES["KMSE"], "n_jobs": 1
    }  # fmt: skip
    machines = [
        _neighbours(),
        KernelMSEClassifier(**least_squares),
        KernelFisherClassifier(**least_squares),
        GridSearchCV(SVC(kernel="linear", max_iter=100_000), {"C": VALUES["SVM"]}),
    ]
    return {
        name: percent(machine.fit(images[rows], y[rows]).predict(images[test]), y[test])
        for name, machine in zip(BETTER, machines, strict=True)
    }


@on_one_thread
def transductive_trial(title: str, trial: int) -> dict[str, float]:
    """Errors of 3-NN with K_alg of training and test rows together; the core third chooses gamma_0.

    The eigenvectors are those of the Gram matrix of both, the new eigenvalues <v_i, y>^2 over the
    training rows.
    """
    X, y, (cores, train, test) = thirds(title, trial)

    def errors(gamma0: float, rows: NDArray[np.intp]) -> list[float]:
        both = X[np.concatenate([train, rows])]
        V = np.linalg.eigh(GAUSSIAN.similarity(both, both, bandwidth=bandwidth(gamma0)))[1]
        images = V * (V[: len(train)].T @ y[train])
        kernels = Kernels.of_features(images[: len(train)], images[len(train) :])
        labels = predictions("KNN", kernels, y[train], [3])[0]
        return [percent(a, y[b]) for a, b in zip(labels, (train, rows), strict=True)]

    best = min(BASE_GAMMAS, key=lambda gamma0: errors(gamma0, cores)[1])
    return dict(zip(TRANSDUCTIVE, errors(best, test), strict=True))


def _neighbours() -> Any:
    return GridSearchCV(KNeighborsClassifier(), {"n_neighbors": VALUES["KNN"]})


def _images(X: Floats, y: Floats, rows: NDArray[Any]) -> Floats:
    """All rows in the space of a kernel optimised on some, which have unit length on average."""
    optimizer = KernelOptimizer(
        core_bandwidth="cv", solver="eigen", cores="all", random_state=0, n_jobs=1
    )
    images = np.asarray(optimizer.fit(X[rows], y[rows]).transform(X))
    return np.asarray(images / np.sqrt((images[rows] ** 2).sum(axis=1).mean()))
