"""Columns of tables: how a method chooses its parameters, and the classifier that it then is.

The support vector machines have the grids of Kim & Scott (2010), section 6: 2^-2 .. 2^7 for sigma,
2^-5, 2^-3 .. 2^15 for C, five folds, ties to the largest sigma. The hard margin is C = 2^15. The
baselines are those of the comparison engine, with its grids.
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

from parzen._core import Floats
from parzen.compare import BASELINES

Parameters = dict[str, Any]

SVM_SIGMAS, COSTS = np.exp2(np.arange(-2, 8)), np.exp2(np.arange(-5, 16, 2))
_MAX_SVM_STEPS = 100_000  # LIBSVM stops here: a hard margin that cannot be reached would never end.


@dataclass(frozen=True)
class Column:
    """A method: a classifier from parameters, and parameters from a training set.

    Attributes
    ----------
    make : callable
        Takes the parameters to a classifier.
    select : callable, default=None
        Takes X, y and whether to be quick to the parameters; None where the classifier chooses
        for itself on every training set.
    """

    make: Callable[[Parameters], Any]
    select: Callable[[Floats, NDArray[Any], bool], Parameters] | None = None


def self_tuning(make: Callable[[], Any]) -> Column:
    """A classifier that chooses for itself."""
    return Column(lambda p: make())


def support_vector_machine(costs: Floats = COSTS, sigmas: Floats = SVM_SIGMAS) -> Column:
    """The Gaussian kernel exp(-r^2 / 2 sigma^2); both parameters by five folds."""

    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        tried = costs[::3] if quick and len(costs) > 1 else costs
        errors = svm_errors(X, y, sigmas, tried)
        # ties to the largest sigma, then to the smallest C
        place = int(np.flatnonzero((errors <= errors.min() + 1e-12)[::-1])[0])
        i, j = divmod(place, len(tried))
        return {"sigma": float(sigmas[::-1][i]), "C": float(tried[j])}

    def make(p: Parameters) -> SVC:
        gamma = 1.0 / (2.0 * p["sigma"] ** 2)
        return SVC(C=p["C"], gamma=gamma, max_iter=_MAX_SVM_STEPS, cache_size=500)

    return Column(make, select)


def svm_errors(X: Floats, y: NDArray[Any], sigmas: Floats, costs: Floats) -> Floats:
    """Mean error in five folds, (sigmas, costs); the folds share their distances."""
    squares = pairwise_distances(X, metric="sqeuclidean")
    folds = list(StratifiedKFold(5).split(X, y))
    errors = np.empty((len(folds), len(sigmas), len(costs)))
    for i, sigma in enumerate(sigmas):
        K = np.exp(-squares / (2.0 * sigma**2))
        for f, (a, b) in enumerate(folds):
            inside, outside = K[np.ix_(a, a)], K[np.ix_(b, a)]
            for j, C in enumerate(costs):
                svm = SVC(C=C, kernel="precomputed", max_iter=_MAX_SVM_STEPS).fit(inside, y[a])
                errors[f, i, j] = np.mean(svm.predict(outside) != y[b])
    return np.asarray(errors.mean(axis=0))


def baseline(name: str) -> Column:
    """A rival of the comparison engine, with its grid; tuned where parameters are chosen."""

    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        search: GridSearchCV = BASELINES[name].make(0)
        if quick:
            return {k: v[0] for k, v in search.param_grid.items()}
        return dict(search.fit(X, y).best_params_)

    def make(p: Parameters) -> Any:
        return BASELINES[name].make(0).estimator.set_params(**p)

    return Column(make, select)


BASELINE_COLUMNS = {
    "forest": baseline("rf"),
    "boosting": baseline("hgb"),
    "neighbours": baseline("knn"),
    "Gaussian Bayes": baseline("gnb"),
}


def consensus(found: list[Parameters]) -> Parameters:
    """The median of each parameter over the training sets; of words the most frequent.

    Examples
    --------
    >>> consensus([{"sigma": 1.0, "w": "a"}, {"sigma": 3.0, "w": "b"}, {"sigma": 2.0, "w": "b"}])
    {'sigma': 2.0, 'w': 'b'}
    """
    return {name: _middle([p[name] for p in found]) for name in (found[0] if found else ())}


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
