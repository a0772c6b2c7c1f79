"""The Laplacian classifier against SVC, kernel Fisher and Gaussian processes.

Two waves of Breiman's waveform data (21 dimensions), 400, 2000 and 10 000 training points, 2000
test points; fit and predict are timed together. The SVC is tuned by GridSearchCV over ten widths
and eleven C in five folds, kernel Fisher chooses among five widths in three folds, the Gaussian
process by its likelihood; beside them stands one fit of each without a choice. What took long at
the size before is expected to take (n / that size)^p times as long, p = 2 for the SVC, whose time
grows at least so, and 3 for the others; beyond 100 seconds it is not run, and the expected time
is shown. The parts, for ``--only=``, are 400, 2000 and 10000.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks._timing import Times, table, time_once, verdict
from parzen import KernelFisherClassifier, LaplacianClassifier
from parzen.bandwidth import CrossValidation
from parzen.datasets import make_waveform

_SIZES = (400, 2000, 10_000)
_PROBE = 2000  # points: timed where the size before is not part of the run
_BUDGET = 100.0  # seconds of one contender
_OURS = "Laplacian, rule"
_TUNED = "SVC, GridSearchCV"


class Contender(NamedTuple):
    """A classifier, and how its time grows with the training points at least."""

    build: Callable[[], Any]
    power: int


class Result(NamedTuple):
    """What was measured, or is expected: then there is neither CPU time nor accuracy."""

    wall: float
    cpu: float | None = None
    accuracy: float | None = None


def run(only: str | None = None) -> None:
    """Print the tables of all sizes, or of one."""
    test = make_waveform(2000, random_state=1)
    before: dict[str, tuple[int, float]] = {}  # contender: size and seconds
    for n in _SIZES:
        if only not in (None, str(n)):
            continue
        X, y = make_waveform(n, random_state=0)
        results: dict[str, Result] = {}
        for name, contender in _contenders(X).items():
            expected = _expected(name, contender, n, before, test)
            if expected <= _BUDGET:
                results[name] = _measured(contender.build, X, y, *test)
                before[name] = n, results[name].wall
                print(f"{n} points, {name}: {results[name].wall:.3g} s", flush=True)
            else:
                results[name] = Result(expected)
                print(f"{n} points, {name}: {_reason(contender, before[name], expected)}")
        _print(n, results)


def _expected(
    name: str, contender: Contender, n: int, before: dict[str, tuple[int, float]], test: Any
) -> float:
    """Seconds at n points, from those at fewer; what is only that fast is not worth a probe."""
    if n <= 2000 or name.startswith("Laplacian"):
        return 0.0
    if name not in before:
        X, y = make_waveform(_PROBE, random_state=0)
        probe = _contenders(X)[name].build
        before[name] = _PROBE, time_once(lambda: probe().fit(X, y).predict(test[0])).wall
    size, seconds = before[name]
    return seconds * (n / size) ** contender.power


def _reason(contender: Contender, seen: tuple[int, float], expected: float) -> str:
    return (
        f"not run, {expected:.0f} s expected ({seen[1]:.3g} s at {seen[0]} points, growing as "
        f"n^{contender.power}), beyond {_BUDGET:.0f} s"
    )


def _contenders(X) -> dict[str, Contender]:
    width = float(np.sqrt(X.var(axis=0).mean() * X.shape[1]))
    widths = width * np.geomspace(0.1, 10, 10)
    grid = {"gamma": 1.0 / (2.0 * widths**2), "C": 2.0 ** np.arange(-5, 6)}
    few = CrossValidation(width * 4.0 ** np.arange(-2, 3))
    return {
        _OURS: Contender(LaplacianClassifier, 2),
        "Laplacian, cv": Contender(lambda: LaplacianClassifier(bandwidth="cv"), 2),
        _TUNED: Contender(lambda: GridSearchCV(SVC(), grid), 2),
        "SVC, one fit": Contender(SVC, 2),
        "kernel Fisher, cv": Contender(lambda: KernelFisherClassifier(bandwidth=few, folds=3), 3),
        "kernel Fisher, one fit": Contender(lambda: KernelFisherClassifier(bandwidth=width), 3),
        "Gaussian process, likelihood": Contender(lambda: GaussianProcessClassifier(RBF(width)), 3),
        "Gaussian process, one fit": Contender(
            lambda: GaussianProcessClassifier(RBF(width), optimizer=None), 3
        ),
    }


def _measured(build, X, y, X_test, y_test) -> Result:
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
    return Result(best.wall, best.cpu, score[0])


def _print(n: int, results: dict[str, Result]) -> None:
    ours = results[_OURS]
    rows = []
    for name, result in results.items():
        ratio = result.wall / ours.wall
        wanted = verdict(ratio, at_least=1000) if n == 2000 and name == _TUNED else ""
        if result.cpu is None or ours.cpu is None:
            rows.append([name, f"({result.wall:.3g})", f"({ratio:.3g})", "", "not run", wanted])
            continue
        cpu = result.cpu / ours.cpu
        rows.append([name, result.wall, ratio, cpu, f"{result.accuracy:.3f}", wanted])
    head = ["classifier", "seconds", "times ours", "in CPU time", "accuracy", "wanted"]
    title = f"Waveform, {n} training points: fit and predict 2000 points; in brackets: expected"
    table(title, head, rows)
