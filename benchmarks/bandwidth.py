"""Choosing a bandwidth: the whole grid in one pass against a grid search, accuracy beside the time.

ours      leave-one-out error of the plug-in rule, 50 bandwidths
KDE grid  GridSearchCV, 5 folds, the same 50 bandwidths, a plug-in rule of KernelDensity
SVC grid  GridSearchCV, 5 folds, 10 bandwidths x 11 C: the grid of Kim & Scott (2010)
cv_ls     statsmodels' least-squares cross-validation against ours, n = 2000, one feature

The grid searches run once, in one process; ours runs before and after them, its best time counts.
Of the peers' five folds the first alone is run and its time counted five times (their tables say
so), since the SVC takes some ten minutes otherwise; ``--full`` runs all five. ``--only=moons``,
``--only=clusters`` and ``--only=lscv`` are the parts. CPU seconds are summed over threads and
hardly notice what else the machine does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification, make_moons
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KernelDensity
from sklearn.svm import SVC

from benchmarks._timing import Times, optional, table, time_once, verdict
from parzen.bandwidth import LSCV, LeaveOneOutError, Selection
from parzen.sums import labelled_kernel_sums

_ROUNDS = 5
_FOLDS = 5


class KernelDensityRule(ClassifierMixin, BaseEstimator):
    """The plug-in rule as one builds it from scikit-learn's parts."""

    def __init__(self, bandwidth: float = 1.0) -> None:
        self.bandwidth = bandwidth

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.models_ = [
            KernelDensity(bandwidth=self.bandwidth).fit(X[y == c]) for c in self.classes_
        ]
        self.log_priors_ = np.log([np.mean(y == c) for c in self.classes_])
        return self

    def predict(self, X: Any) -> Any:
        scores = np.column_stack([model.score_samples(X) for model in self.models_])
        return self.classes_[(scores + self.log_priors_).argmax(axis=1)]


def run(only: str | None = None, full: bool = False) -> None:
    warnings.filterwarnings("ignore", "the bandwidth chosen", UserWarning)
    parts = {
        "moons": lambda: _compare("2000 x 2, moons", _moons(2000), None, full),
        "clusters": lambda: _compare("4000 x 20, clusters", _clusters(4000), 700.0, full),
        "lscv": lambda: _compare_lscv(2000),
    }
    if only is not None and only not in parts:
        raise SystemExit(f"--only={only} is none of {', '.join(parts)}")
    for name, part in parts.items():
        if only in (None, name):
            part()


def _moons(n: int) -> tuple[Any, ...]:
    X, y = make_moons(2 * n, noise=0.35, random_state=0)
    return X[:n], y[:n], X[n:], y[n:]


def _clusters(n: int) -> tuple[Any, ...]:
    X, y = make_classification(
        2 * n, 20, n_informative=10, n_redundant=0, n_clusters_per_class=3, random_state=0
    )
    return X[:n], y[:n], X[n:], y[n:]


def _compare(title: str, data: tuple[Any, ...], at_least: float | None, full: bool) -> None:
    X, y, Q, q = data
    grid = _fifty(X)
    kept: dict[str, Any] = {}

    def ours() -> None:
        kept["ours"] = LeaveOneOutError(grid=grid).select(X, y)

    svc = {"gamma": 0.5 / 4.0 ** np.arange(-2, 8), "C": 2.0 ** np.arange(-5, 16, 2)}
    folds = list(StratifiedKFold(_FOLDS).split(X, y))
    cv = folds if full else folds[:1]
    peers = {
        "KDE grid": GridSearchCV(KernelDensityRule(), {"bandwidth": grid}, cv=cv),
        "SVC grid": GridSearchCV(SVC(), svc, cv=cv),
    }
    best = _best(ours)
    times = {name: _all_folds(search, X, y) for name, search in peers.items()}
    best = _better(best, _best(ours))
    rows: list[list[object]] = [
        ["ours", best.wall, best.cpu, "", "", _error(kept["ours"], data), ""]
    ]
    for name, taken in times.items():
        wall, cpu = taken.wall / best.wall, taken.cpu / best.cpu
        wanted = verdict(wall, at_least=at_least) if at_least and name == "SVC grid" else ""
        error = 100 * float(np.mean(peers[name].predict(Q) != q))
        rows.append([name, taken.wall, taken.cpu, wall, cpu, error, wanted])
    head = ["", "wall s", "CPU s", "x wall", "x CPU", "test error %", "wanted"]
    how = "all folds" if full else f"a grid's time is {_FOLDS} times that of its first fold"
    table(f"bandwidth, {title} ({how})", head, rows)


def _all_folds(search: GridSearchCV, X: Any, y: Any) -> Times:
    """Time of the search over five folds, where it may have run one, and of one last fit."""
    taken = time_once(lambda: search.fit(X, y))
    searching = 1.0 - search.refit_time_ / taken.wall
    times = 1.0 + (_FOLDS / search.n_splits_ - 1.0) * searching
    return Times(times * taken.cpu, times * taken.wall)


def _compare_lscv(n: int) -> None:
    if optional("statsmodels") is None:
        return
    from statsmodels.nonparametric.kernel_density import KDEMultivariate

    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-2, 0.5, (n // 2, 1)), rng.normal(1, 1, (n - n // 2, 1))])
    kept: dict[str, Any] = {}

    def ours() -> None:
        kept["ours"] = LSCV().select(X).bandwidth

    def theirs() -> None:
        kept["theirs"] = KDEMultivariate(X, "c", bw="cv_ls").bw[0]

    best = _best(ours)
    peer = time_once(theirs)
    best = _better(best, _best(ours))
    ratio = peer.wall / best.wall
    rows = [
        ["ours", best.wall, best.cpu, "", "", float(kept["ours"]), ""],
        ["statsmodels cv_ls", peer.wall, peer.cpu, ratio, peer.cpu / best.cpu,
         float(kept["theirs"]), verdict(ratio, at_least=150.0)],
    ]  # fmt: skip
    head = ["", "wall s", "CPU s", "x wall", "x CPU", "bandwidth", "wanted"]
    table(f"lscv, {n} x 1", head, rows)


def _fifty(X: Any) -> Any:
    """50 bandwidths around the scale of the data, with a ratio of 2^(1/4) of their squares."""
    return 3.0 * X.std(axis=0).mean() * 2.0 ** (np.arange(-49, 1) / 8)


def _error(selection: Selection, data: tuple[Any, ...]) -> float:
    X, y, Q, q = data
    sums = labelled_kernel_sums(Q, X, y, 2, bandwidths=selection.bandwidth)[:, :, 0]
    return 100 * float(np.mean(sums.argmax(axis=1) != q))


def _best(contender: Callable[[], None]) -> Times:
    contender()
    times = [time_once(contender) for _ in range(_ROUNDS)]
    return Times(min(t.cpu for t in times), min(t.wall for t in times))


def _better(first: Times, second: Times) -> Times:
    return Times(min(first.cpu, second.cpu), min(first.wall, second.wall))
