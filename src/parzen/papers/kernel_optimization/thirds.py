"""One trial of Xiong, Swamy & Ahmad (2005): thirds for cores, training and test.

Tables II to VII have fixed parameters, VIII and IX choose them on the core third, as the paper
does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from parzen._core import Floats
from parzen.feature_space import AlignedKernel, KernelOptimizer
from parzen.kernels import get
from parzen.papers.engine import quietly
from parzen.papers.kernel_optimization.kernel_machines import Kernels, predictions
from parzen.papers.kernel_optimization.printed import CLASSIFIERS, SETS

Trial = TypeVar("Trial", bound=Callable[..., dict[str, Any]])

GAUSSIAN = get("gaussian")
FIXED: dict[str, Any] = {"KNN": 3, "KMSE": 1e-3, "KFD": 1e-3, "SVM": 1e3}
VALUES: dict[str, list[Any]] = {
    "KNN": [1, 3, 5, 7, 9],
    "KMSE": [10.0**-k for k in range(2, 9)],
    "KFD": [10.0**-k for k in range(2, 9)],
    "SVM": [10.0**k for k in range(1, 8)],
}
BASE_GAMMAS = [1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 0.1, 0.5, 1.0]
CORE_GAMMAS = [1e-3, 5e-3, 1e-2, 5e-2, 0.1, 0.5, 1.0]


def bandwidth(gamma: float) -> float:
    """The bandwidth of exp(-gamma r^2)."""
    return float(1.0 / np.sqrt(2.0 * gamma))


def thirds(title: str, trial: int) -> tuple[Floats, Floats, list[NDArray[np.intp]]]:
    """Rows, labels -1 and +1, and the places of cores, training and test."""
    data = SETS[title].load()
    y = np.where(data.y == np.unique(data.y)[-1], 1, -1)
    order = np.random.default_rng(trial).permutation(len(y))
    return data.X, y, np.array_split(order[: 3 * (len(y) // 3)], 3)


def optimised(
    X: Floats, y: Floats, cores: Floats, gamma0: float, gamma: float, step: str = "fixed"
) -> Any:
    """The kernel of Fig. 2: eta_0 = 0.01, N = 200."""
    h, core_h = bandwidth(gamma0), bandwidth(gamma)
    optimizer = KernelOptimizer("gaussian", h, core_h, cores=cores, step=step, n_jobs=1)
    return optimizer.fit(X, y).kernel_


def on_one_thread(trial: Trial) -> Trial:
    """A trial on one thread of BLAS, without the warnings that extreme parameters must give."""

    @wraps(trial)
    def run(*place: Any, **parameters: Any) -> Any:
        with threadpool_limits(1, user_api="blas"):
            return quietly(lambda: trial(*place, **parameters))

    return cast("Trial", run)


@on_one_thread
def fixed_trial(title: str, trial: int, gamma0: float, gamma: float) -> dict[str, list[float]]:
    """Training and test error of every classifier with every kernel, in percent."""
    X, y, (cores, train, test) = thirds(title, trial)
    h = bandwidth(gamma0)
    learned = {
        name: optimised(X[train], y[train], X[cores], gamma0, gamma, step)
        for name, step in (("opt", "fixed"), ("line search", "line_search"))
    }
    errors = {}
    for name, kernel in {"Gauss": GAUSSIAN, **learned}.items():
        kernels = Kernels.of(kernel, h, X[train], X[test])
        for c in CLASSIFIERS:
            labels = predictions(c, kernels, y[train], [FIXED[c]])[0]
            errors[f"{c} {name}"] = [percent(a, b) for a, b in zip(labels, (y[train], y[test]))]
    return errors


@on_one_thread
def tuned_trial(title: str, trial: int, quick: bool) -> dict[str, float]:
    """Errors with parameters chosen on the core third."""
    X, y, (cores, train, test) = thirds(title, trial)
    queries = np.concatenate([cores, test])
    best = _Best((y[train], y[cores], y[test]))
    for gamma0 in BASE_GAMMAS[2::3] if quick else BASE_GAMMAS:
        h = bandwidth(gamma0)
        best.offer("Gauss", Kernels.of(GAUSSIAN, h, X[train], X[queries]), VALUES)
        aligned = AlignedKernel("gaussian", h, centered=False).fit(X[train], y[train])
        images = aligned.transform(X[train]), aligned.transform(X[queries])
        best.offer("aligned", Kernels.of_features(*images), {"KNN": [3]})
        for gamma in CORE_GAMMAS[1::2] if quick else CORE_GAMMAS:
            kernel = optimised(X[train], y[train], X[cores], gamma0, gamma)
            best.offer("opt", Kernels.of(kernel, h, X[train], X[queries]), VALUES)
    return best.tables()


class _Best:
    """For each kernel and classifier the parameters with the smallest error on the core third."""

    def __init__(self, truth: tuple[Floats, Floats, Floats]) -> None:
        self.truth = truth
        self.errors: dict[tuple[str, str], list[float]] = {}

    def offer(self, kernel: str, kernels: Kernels, values: dict[str, list[Any]]) -> None:
        n = len(self.truth[1])
        for classifier, choices in values.items():
            found = predictions(classifier, kernels, self.truth[0], choices)
            for choice, (train, query) in zip(choices, found):
                labels = train, query[:n], query[n:]
                errors = [percent(a, b) for a, b in zip(labels, self.truth)]
                self._keep((kernel, classifier), errors)
                if classifier == "KNN" and choice == 3:
                    self._keep((kernel, "3-NN"), errors)

    def _keep(self, key: tuple[str, str], errors: list[float]) -> None:
        if key not in self.errors or errors[1] < self.errors[key][1]:
            self.errors[key] = errors

    def tables(self) -> dict[str, float]:
        tuned = {f"{c} {k}": self.errors[k, c][2] for c in CLASSIFIERS for k in ("Gauss", "opt")}
        parts, kernels = (("training", 0), ("test", 2)), ("Gauss", "aligned", "opt")
        return tuned | {f"{p} {k}": self.errors[k, "3-NN"][i] for p, i in parts for k in kernels}


def percent(labels: Floats, truth: Floats) -> float:
    """Share of wrong labels."""
    return float(100 * np.mean(labels != truth))
