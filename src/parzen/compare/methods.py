"""The methods that are compared: the library's classifiers and the usual baselines.

Each comes with its own model selection, which `fit` runs on the rows it is given and on no others:
the classifiers by the leave-one-out or K-fold error that they know how to compute in one go, the
baselines by a grid search over five folds. A new method is one row of a table below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.utils import get_tags

from parzen import classifiers
from parzen._core import last_estimator
from parzen.compare.search import GridSearch
from parzen.table import TableEncoder


@dataclass(frozen=True)
class Method:
    """A classifier with its model selection.

    Attributes
    ----------
    name : str
        The short name by which it is asked for.
    title : str
        What it is.
    make : callable
        Returns a new estimator for a seed.
    reads : {"points", "tables"}
        What it takes as it is: numbers only; categories and missing values as well.
    """

    name: str
    title: str
    make: Callable[[int], Any]
    reads: str = "points"


def method(name: str) -> Method:
    """A method or a baseline by name.

    Examples
    --------
    >>> method("lssvm").title
    'least-squares support vector machine'
    """
    known = {**METHODS, **BASELINES}
    if name not in known:
        raise ValueError(
            f"unknown method {name!r}; the methods are {', '.join(METHODS)}, "
            f"the baselines {', '.join(BASELINES)}."
        )
    return known[name]


def estimators(names: list[str], *, random_state: int = 0) -> dict[str, Any]:
    """New estimators by name, ready for :func:`parzen.compare.compare`.

    Examples
    --------
    >>> estimators(["parzen", "knn"])["parzen"]
    ParzenClassifier()
    """
    return {name: method(name).make(random_state) for name in names}


def table_estimators(
    names: list[str], *, missing: str = "auto", gaps: bool = False, random_state: int = 0
) -> dict[str, Any]:
    """New estimators for tables of numbers and texts, by name.

    Each begins with a :class:`parzen.table.TableEncoder`, except those that read such tables
    themselves. With ``missing="auto"`` missing values stay missing for those whose tags say that
    they take them, and are imputed for the others where the table has ``gaps``.

    Examples
    --------
    >>> list(table_estimators(["l2"])["l2"].named_steps)
    ['table', 'l2']
    """
    made = estimators(names, random_state=random_state)
    for name, estimator in made.items():
        if not reads_itself(name, missing):
            made[name] = Pipeline([("table", TableEncoder()), (name, estimator)])
            settle_gaps(made[name], missing, gaps)
    return made


def reads_itself(name: str, missing: str) -> bool:
    """Whether a method is given the table as it is."""
    return method(name).reads == "tables" and missing != "impute"


def settle_gaps(estimator: Any, missing: str, gaps: bool) -> str:
    """Tell the encoder of a table what to do with missing values: "keep", "impute" or "refuse".

    Examples
    --------
    >>> made = table_estimators(["parzen", "l2"])
    >>> [settle_gaps(estimator, "auto", gaps=True) for estimator in made.values()]
    ['keep', 'impute']
    """
    last = last_estimator(estimator)
    takes = get_tags(getattr(last, "estimator", last)).input_tags.allow_nan
    if missing == "auto":
        missing = "keep" if takes else "impute" if gaps else "refuse"
    if isinstance(estimator, Pipeline):
        estimator.set_params(table__missing=missing)
    return missing


@dataclass(frozen=True)
class _SearchFolds:
    """Five shuffled folds, fewer where every class has fewer rows."""

    seed: int

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        counts = np.unique(y, return_counts=True)[1] if y is not None else [5]
        return int(min(5, max(2, max(counts))))

    def split(self, X: Any, y: Any, groups: Any = None) -> Any:
        folds = self.get_n_splits(X, y)
        return StratifiedKFold(folds, shuffle=True, random_state=self.seed).split(X, y)


def _tuned(estimator: Any, grid: dict[str, Any], seed: int) -> GridSearch:
    return GridSearch(estimator, grid, cv=_SearchFolds(seed))


def _svc(seed: int) -> Any:
    # Columns have unit deviation, so useful widths are known up to the dimension.
    return _tuned(
        SVC(), {"C": 10.0 ** np.arange(-1, 4), "gamma": 2.0 ** np.arange(-11, 2, 2)}, seed
    )


def _forest(seed: int) -> Any:
    forest = RandomForestClassifier(100, random_state=seed)
    return _tuned(forest, {"max_features": ["sqrt", 0.5], "min_samples_leaf": [1, 4]}, seed)


def _boosting(seed: int) -> Any:
    trees = HistGradientBoostingClassifier(random_state=seed)
    return _tuned(trees, {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [8, 31]}, seed)


def _neighbours(seed: int) -> Any:
    grid = {"n_neighbors": [1, 3, 5, 9, 15, 25], "weights": ["uniform", "distance"]}
    return _tuned(KNeighborsClassifier(), grid, seed)


def _gaussian_bayes(seed: int) -> Any:
    return _tuned(GaussianNB(), {"var_smoothing": 10.0 ** np.arange(-9, 1)}, seed)


def _table(*methods: Method) -> dict[str, Method]:
    return {m.name: m for m in methods}


METHODS = _table(
    Method(
        "auto",
        "stack of leave-one-out densities",
        lambda seed: classifiers.StackedDensityClassifier(random_state=seed),
        reads="tables",
    ),
    Method("parzen", "Parzen plug-in rule", lambda seed: classifiers.ParzenClassifier()),
    Method(
        "nb",
        "kernel naive Bayes",
        lambda seed: classifiers.KernelNaiveBayes(
            bandwidth="cv", categorical_features="from_dtype"
        ),
        reads="tables",
    ),
    Method("l2", "L2 kernel classifier", lambda seed: classifiers.L2Classifier(eta="cv")),
    Method("l2le", "L2 classifier, linear", lambda seed: classifiers.L2LinearClassifier()),
    Method(
        "laplacian",
        "Laplacian classifier",
        lambda seed: classifiers.LaplacianClassifier(bandwidth="cv", random_state=seed),
    ),
    Method("bmachine", "B-machine", lambda seed: classifiers.BMachineClassifier(margin="cv")),
    Method(
        "lssvm",
        "least-squares support vector machine",
        lambda seed: classifiers.LSSVMClassifier(C="cv"),
    ),
    Method(
        "rls",
        "regularised least squares",
        lambda seed: classifiers.RLSClassifier(regularization="cv"),
    ),
    Method(
        "kmse",
        "kernel minimum squared error",
        lambda seed: classifiers.KernelMSEClassifier(threshold="cv"),
    ),
    Method(
        "kfd",
        "kernel Fisher discriminant",
        lambda seed: classifiers.KernelFisherClassifier(threshold="cv"),
    ),
)
BASELINES = _table(
    Method("svc", "support vector machine", _svc),
    Method("rf", "random forest", _forest),
    Method("hgb", "gradient boosting", _boosting),
    Method("knn", "nearest neighbours", _neighbours),
    Method("gnb", "Gaussian naive Bayes", _gaussian_bayes),
)
