"""The columns of Tables 2 to 4: how each chooses its parameters, and the classifier it then is.

Grids as in section 6: 50 values of sigma from 0.01 to 10 (11 beside eta), 10 of eta from 1 to
sqrt(2)^d, for smoothing k = 1 too; the support vector machines 2^-2 .. 2^7 for sigma and
2^-5, 2^-3 .. 2^15 for C. Five folds; ties go to the largest sigma. The hard margin is C = 2^15.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from parzen.bandwidth import KFoldError
from parzen.classifiers import L2Classifier, ParzenClassifier
from parzen.experiments._linear_rule import LinearParzen
from parzen.experiments._methods import BASELINES

Floats = NDArray[np.floating[Any]]
Parameters = dict[str, Any]

SIGMAS, FEW_SIGMAS = np.geomspace(1e-2, 1e1, 50), np.geomspace(1e-2, 1e1, 11)
SVM_SIGMAS, COSTS = 2.0 ** np.arange(-2, 8), 2.0 ** np.arange(-5, 16, 2)
HARD = float(COSTS[-1])
_PAIRS = np.array([[a, b] for a in np.geomspace(0.3, 2.0, 7) for b in np.geomspace(0.3, 2.0, 7)])
_MOST_STEPS = 100_000  # a hard margin that cannot be reached would never stop


@dataclass(frozen=True)
class Column:
    """A method: parameters from a training set, and a classifier from parameters."""

    select: Callable[[Floats, NDArray[Any], bool], Parameters]
    make: Callable[[Parameters], Any]


def _l2(smoothing: float, *, with_eta: bool = False, grid: Floats | None = None) -> Column:
    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        options: Parameters = {"grid": grid if grid is not None else _every(SIGMAS, quick)}
        if with_eta:
            etas = np.geomspace(1.0, np.sqrt(2.0) ** X.shape[1], 5 if quick else 10)
            options = {"grid": FEW_SIGMAS, "eta": "cv", "eta_grid": etas}
        clf = L2Classifier(smoothing=smoothing, n_jobs=1, **options).fit(X, y)
        return {"sigma": np.asarray(clf.bandwidth_).tolist(), "eta": clf.eta_}

    def make(p: Parameters) -> L2Classifier:
        return L2Classifier(bandwidth=p["sigma"], eta=p["eta"], smoothing=smoothing, n_jobs=1)

    return Column(select, make)


def _select_parzen(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
    selector = KFoldError(grid=SIGMAS.tolist())
    return {"sigma": ParzenClassifier(bandwidth=selector, n_jobs=1).fit(X, y).bandwidth_}


def _select_linear(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
    return {"sigma": LinearParzen.select(X, y, _every(SIGMAS, quick))}


def _svm(costs: Floats) -> Column:
    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        tried = costs[::3] if quick and len(costs) > 1 else costs
        errors = svm_errors(X, y, SVM_SIGMAS, tried)
        # ties to the largest sigma, then to the smallest C
        place = int(np.flatnonzero((errors <= errors.min() + 1e-12)[::-1])[0])
        i, j = divmod(place, len(tried))
        return {"sigma": float(SVM_SIGMAS[::-1][i]), "C": float(tried[j])}

    def make(p: Parameters) -> SVC:
        gamma = 1.0 / (2.0 * p["sigma"] ** 2)
        return SVC(C=p["C"], gamma=gamma, max_iter=_MOST_STEPS, cache_size=500)

    return Column(select, make)


def svm_errors(X: Floats, y: NDArray[Any], sigmas: Floats, costs: Floats) -> Floats:
    """Mean error in five folds, (sigmas, costs); the folds share their distances."""
    squares = pairwise_distances(X, metric="sqeuclidean")
    folds = list(StratifiedKFold(5).split(X, y))
    errors = np.empty((len(sigmas), len(costs)))
    for i, sigma in enumerate(sigmas):
        K = np.exp(-squares / (2.0 * sigma**2))
        for j, C in enumerate(costs):
            svm = SVC(C=C, kernel="precomputed", max_iter=_MOST_STEPS)
            wrong = [
                np.mean(svm.fit(K[np.ix_(a, a)], y[a]).predict(K[np.ix_(b, a)]) != y[b])
                for a, b in folds
            ]
            errors[i, j] = np.mean(wrong)
    return errors


def _baseline(name: str) -> Column:
    """A rival of the comparison engine, with its grid; tuned where parameters are chosen."""

    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        search: GridSearchCV = BASELINES[name].make(0)
        if quick:
            return {k: v[0] for k, v in search.param_grid.items()}
        return dict(search.fit(X, y).best_params_)

    def make(p: Parameters) -> Any:
        return BASELINES[name].make(0).estimator.set_params(**p)

    return Column(select, make)


def _every(grid: Floats, quick: bool) -> Floats:
    return grid[::3] if quick else grid


COLUMNS: dict[str, Column] = {
    "H-SVM": _svm(np.array([HARD])),
    "S-SVM": _svm(COSTS),
    "L2QP-0": _l2(0),
    "L2QP-1": _l2(1),
    "L2QPη-0": _l2(0, with_eta=True),
    "L2QPη-1": _l2(1, with_eta=True),
    "Parzen": Column(_select_parzen, lambda p: ParzenClassifier(bandwidth=p["sigma"], n_jobs=1)),
    "Parzen, linear": Column(_select_linear, lambda p: LinearParzen(p["sigma"])),
    "L2QP-0, σ per class": _l2(0, grid=_PAIRS),
    "forest": _baseline("rf"),
    "boosting": _baseline("hgb"),
    "neighbours": _baseline("knn"),
    "Gaussian Bayes": _baseline("gnb"),
}


def consensus(found: list[Parameters]) -> Parameters:
    """The median of each parameter over the training sets; of words the most frequent.

    Examples
    --------
    >>> consensus([{"sigma": 1.0, "w": "a"}, {"sigma": 3.0, "w": "b"}, {"sigma": 2.0, "w": "b"}])
    {'sigma': 2.0, 'w': 'b'}
    """
    return {name: _middle([p[name] for p in found]) for name in found[0]}


def _middle(values: list[Any]) -> Any:
    if any(isinstance(v, str) for v in values):
        return max(dict.fromkeys(values), key=values.count)
    middle = np.median(np.array(values, dtype=np.float64), axis=0)
    if middle.ndim:
        return middle.tolist()
    whole = all(isinstance(v, int | np.integer) for v in values)
    return int(middle) if whole else float(middle)


def quietly(function: Callable[[], Any]) -> Any:
    """Call without the warnings that a grid of extremes must give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return function()
