"""The Laplacian classifier against a tuned SVC, kernel Fisher and Gaussian processes.

Two waves of Breiman's waveform data (21 dimensions), 400, 2000 and 10 000 training points, 2000
test points; fit and predict are timed together. The SVC is tuned by GridSearchCV over ten widths
and eleven C in five folds, kernel Fisher chooses among five widths in three folds, the Gaussian
process by its likelihood. With 10 000 points these three would take many times five minutes, and
are not run. The parts, for ``--only=``, are 400, 2000 and 10000.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks._timing import Times, table, time_once, verdict
from parzen import KernelFisherClassifier, LaplacianClassifier
from parzen.datasets import make_waveform

_SIZES = (400, 2000, 10_000)
_LARGEST = 2000  # training points of the contenders that optimise
_OURS = "Laplacian, rule"


def run(only: str | None = None) -> None:
    """Print the tables of all sizes, or of one."""
    X_test, y_test = make_waveform(2000, random_state=1)
    for n in _SIZES:
        if only not in (None, str(n)):
            continue
        X, y = make_waveform(n, random_state=0)
        results: dict[str, tuple[Times, float] | None] = {}
        for name, build in _contenders(X).items():
            runs = n <= _LARGEST or name.startswith("Laplacian")
            results[name] = _measured(build, X, y, X_test, y_test) if runs else None
            spent = f"{results[name][0].wall:.3g} s" if runs else "not run"
            print(f"{n} points, {name}: {spent}", flush=True)
        _print(n, results)


def _contenders(X) -> dict[str, Callable[[], Any]]:
    width = np.sqrt(X.var(axis=0).mean() * X.shape[1])
    grid = {
        "gamma": 1.0 / (2.0 * (width * np.geomspace(0.1, 10, 10)) ** 2),
        "C": 2.0 ** np.arange(-5, 6),
    }
    return {
        _OURS: LaplacianClassifier,
        "Laplacian, cv": lambda: LaplacianClassifier(bandwidth="cv"),
        "SVC, GridSearchCV": lambda: GridSearchCV(SVC(), grid),
        "kernel Fisher": lambda: KernelFisherClassifier(
            bandwidth=width * 2.0 ** np.arange(-2, 3), folds=3
        ),
        "Gaussian process": lambda: GaussianProcessClassifier(RBF(width)),
    }


def _measured(build, X, y, X_test, y_test) -> tuple[Times, float]:
    """Best time of fit and predict over a few rounds, and the accuracy."""
    score = [0.0]

    def once() -> None:
        score[0] = float(np.mean(build().fit(X, y).predict(X_test) == y_test))

    best = time_once(once)
    rounds = 1
    while rounds < 20 and rounds * best.wall < 3.0:
        now = time_once(once)
        best = Times(min(best.cpu, now.cpu), min(best.wall, now.wall))
        rounds += 1
    return best, score[0]


def _print(n: int, results: dict[str, tuple[Times, float] | None]) -> None:
    ours = results[_OURS]
    assert ours is not None
    rows = []
    for name, result in results.items():
        if result is None:
            rows.append([name, "not run", "", "", "", ""])
            continue
        times, score = result
        ratio = times.wall / ours[0].wall
        wanted = verdict(ratio, at_least=1000) if n == 2000 and name.startswith("SVC") else ""
        rows.append(
            [name, 1e3 * times.wall, ratio, times.cpu / ours[0].cpu, f"{score:.3f}", wanted]
        )
    head = ["classifier", "milliseconds", "times ours", "in CPU time", "accuracy", "wanted"]
    table(f"Waveform, {n} training points: fit and predict 2000 points", head, rows)
