"""The automatic classifier against a grid search and boosting: time, error, memory, at every size.

Wanted: "core" fits in the time of GridSearchCV(SVC) on a 6 x 6 grid with five folds, "fast" in a
fifth of it, at 400 to 1500 rows; 1e5 rows in at most 6 times the processor time of
HistGradientBoosting, predicted in at most 15 times its time; a million queries in batches. All
sides use two processes or threads.
"""

from __future__ import annotations

import resource
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks._timing import interleaved, optional, table, time_once, verdict
from parzen import StackedDensityClassifier

_JOBS = 2
_QUERIES = 20_000


def run(quick: bool = False) -> None:
    """Print the tables."""
    _against_grid_search(((400, 10),) if quick else ((400, 10), (700, 20), (1500, 20)))
    _against_boosting((1000, 10_000) if quick else (1000, 10_000, 100_000))
    _large(20_000 if quick else 100_000, 100_000 if quick else 1_000_000)


def sample(n: int, d: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Two classes, noisy, that depend on a third of the columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    few = X[:, : max(2, d // 3)]
    score = few[:, 0] * few[:, 1] + 0.5 * (few**2).sum(axis=1) - 0.5 * few.shape[1]
    return X, (score + 0.5 * rng.normal(size=n) > 0).astype(np.intp)


def grid_search() -> Any:
    """SVC over 6 values of C and 6 widths, five folds."""
    grid = {"svc__C": 10.0 ** np.arange(-2, 4), "svc__gamma": 2.0 ** np.arange(-11, 1, 2)}
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5, n_jobs=_JOBS)


def _against_grid_search(shapes: tuple[tuple[int, int], ...]) -> None:
    rows = []
    for n, d in shapes:
        X, y = sample(n, d)
        Q, truth = sample(4000, d, seed=1)
        models = {
            "core": StackedDensityClassifier("core", random_state=0, n_jobs=_JOBS),
            "fast": StackedDensityClassifier("fast", random_state=0, n_jobs=_JOBS),
            "svc": grid_search(),
        }
        times = interleaved(
            {name: lambda m=m, X=X, y=y: m.fit(X, y) for name, m in models.items()},
            rounds=3, seconds=40.0,
        )  # fmt: skip
        wall = {name: t.wall for name, t in times.items()}
        errors = {name: 100 * (1 - m.score(Q, truth)) for name, m in models.items()}
        rows.append(
            [
                f"{n} x {d}",
                wall["svc"],
                wall["core"],
                wall["fast"],
                verdict(wall["core"] / wall["svc"], at_most=1.0),
                verdict(wall["fast"] / wall["svc"], at_most=0.2),
                *(errors[name] for name in ("svc", "core", "fast")),
            ]
        )
    table(
        "seconds to fit, two jobs; errors in percent",
        [
            "rows",
            "svc 6 x 6",
            "core",
            "fast",
            "core / svc",
            "fast / svc",
            "svc %",
            "core %",
            "fast %",
        ],
        rows,
    )


def _against_boosting(sizes: tuple[int, ...]) -> None:
    """A smooth problem: ten informative columns of twenty, three clusters a class."""
    lightgbm = optional("lightgbm")
    rows = []
    for n in sizes:
        X, y = make_classification(
            n + _QUERIES, 20, n_informative=10, n_clusters_per_class=3, random_state=0
        )
        models: dict[str, Any] = {
            "boosting": HistGradientBoostingClassifier(random_state=0),
            "core": StackedDensityClassifier(random_state=0, n_jobs=_JOBS),
        }
        if lightgbm is not None:
            models["lightgbm"] = lightgbm.LGBMClassifier(random_state=0, verbose=-1, n_jobs=_JOBS)
        cost: dict[str, tuple[float, float]] = {}
        for name, model in models.items():
            fit = time_once(lambda m=model, X=X, y=y, n=n: m.fit(X[:n], y[:n])).cpu
            predict = time_once(lambda m=model, X=X, n=n: m.predict(X[n:])).cpu
            cost[name] = fit, predict
            error = 100 * (1 - model.score(X[n:], y[n:]))
            ratios = [cost[name][k] / cost["boosting"][k] for k in (0, 1)]
            rows.append([f"{n} {name}", fit, predict, *ratios, error])
    table(
        f"CPU seconds, 20 columns, {_QUERIES} queries",
        ["rows", "fit", "predict", "fit / boosting", "predict / boosting", "error %"],
        rows,
    )


def _large(n: int, queries: int) -> None:
    X, y = sample(n, 20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    clf = StackedDensityClassifier(random_state=0, n_jobs=_JOBS).fit(X, y)
    fitted = time.perf_counter() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    Q, truth = sample(2000, 20, seed=1)
    error = 100 * (1 - clf.score(Q, truth))
    table(f"{n} rows x 20 columns", ["seconds", "MB", "error %"], [[fitted, grown, error]])
    small = StackedDensityClassifier(random_state=0, n_jobs=_JOBS).fit(X[:500], y[:500])
    Q, _ = sample(queries, 20, seed=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    small.predict(Q)
    used = time.perf_counter() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    table(f"{queries} queries, 500 training rows", ["seconds", "MB"], [[used, grown]])
