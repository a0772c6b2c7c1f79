"""The automatic classifier against a grid search and boosting: time, error, memory, at every size.

Wanted: "core" fits in the time of GridSearchCV(SVC) on a 6 x 6 grid with five folds, "fast" in a
fifth of it, at 400 to 1500 rows; 1e5 rows in at most 6 times the processor time of
HistGradientBoosting, predicted in at most 15 times its time; memory that hardly grows beyond the
table. All sides have one thread, and times are those of the processor. A single row of a stack of
1000 rows in at most 1 ms. A fit with a budget of time in at most 1.2 times the budget.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks._timing import interleaved, optional, table, time_once, verdict
from parzen import StackedDensityClassifier, datasets

Sample = tuple[NDArray[Any], NDArray[Any]]

_QUERIES = 20_000
_ROWS = 1000  # Training rows where one row at a time is predicted.
_CALLS = 20  # Calls of predict in one run.
# A process of its own: what it asked for at most while it fitted n rows, and predicted as many.
_PEAKS = """
import sys
from benchmarks.auto import smooth
from parzen import StackedDensityClassifier
def megabytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":"))
X, y = smooth(int(sys.argv[1]))
clf = StackedDensityClassifier(random_state=0, n_jobs=1).fit(X[:300], y[:300])
for part in (clf.fit, lambda X, y: clf.predict_proba(X)):
    open("/proc/self/clear_refs", "w").write("5")  # the peak starts again
    before = megabytes("VmRSS")
    part(X, y)
    print(megabytes("VmHWM") - before)
"""


def run(quick: bool = False, only: str | None = None, sizes: str | None = None) -> None:
    """Print the tables; ``--only=row``, ``budget``, ``grid``, ``boosting`` or ``memory``.

    ``--sizes=1000,100000`` are those of the tables beside boosting, and of memory.
    """
    if only in (None, "row"):
        _one_row()
    if only in (None, "budget"):
        _budgets((400, 5000) if quick else (400, 1300, 5000, 20_000, 50_000))
    if only in (None, "grid"):
        _against_grid_search((400,) if quick else (400, 1500))
    wanted = "1000,10000" if quick else "1000,10000,100000,1000000"
    if only in (None, "boosting"):
        _against_boosting([int(float(n)) for n in (sizes or wanted).split(",")])
    if only in (None, "memory"):
        _memory([int(float(n)) for n in (sizes or wanted).split(",")])


def _one_row() -> None:
    """The best of many short runs, all problems in turn."""
    problems: dict[str, Sample] = {"smooth 20": smooth(_ROWS)}
    for name in ("waveform", "german", "image"):
        try:
            data = datasets.load(name)
        except datasets.UnavailableError as reason:
            print(f"{name} is left out: {reason}")
            continue
        rows = np.random.default_rng(0).permutation(len(data.y))[:_ROWS]
        problems[name] = data.X[rows], data.y[rows]
    with threadpool_limits(1):
        models = {
            name: StackedDensityClassifier(random_state=0, n_jobs=1).fit(X, y)
            for name, (X, y) in problems.items()
        }
        times = interleaved(
            {name: _single_rows(model, problems[name][0]) for name, model in models.items()},
            rounds=50,
        )
    rows = []
    for name, model in models.items():
        ms = 1e3 * times[name].cpu / _CALLS
        shape = " x ".join(str(size) for size in problems[name][0].shape)
        rows.append([name, shape, len(model.experts_), ms, verdict(ms, at_most=1.0)])
    table("predict of one row", ["problem", "training rows", "members", "CPU ms", "wanted"], rows)


def _single_rows(model: StackedDensityClassifier, X: NDArray[Any]) -> Callable[[], None]:
    def predict() -> None:
        for k in range(_CALLS):
            model.predict(X[k : k + 1])

    return predict


def _budgets(sizes: Sequence[int]) -> None:
    """Seconds of a fit with a budget, on one thread, up to the budget that leaves nothing out."""
    rows = []
    for n in sizes:
        X, y = smooth(n)
        for seconds in (0.5, 1.0, 2.0, 5.0, 10.0, 20.0):
            model = StackedDensityClassifier(random_state=0, n_jobs=1, time_budget=seconds)
            with threadpool_limits(1):
                used = time_once(lambda m=model, X=X, y=y: m.fit(X, y)).wall
            skipped = model.skipped_families_
            wanted = verdict(used / seconds, at_most=1.2)
            rows.append([f"{n} x 20", seconds, used, wanted, " ".join(skipped)])
            if not skipped:
                break
    head = ["smooth problem", "budget s", "fit s", "fit / budget", "families left out"]
    table("a fit with a budget of time", head, rows)


def smooth(n: int, d: int = 20, informative: int = 10) -> Sample:
    """Two classes of three clusters each."""
    X, y = make_classification(
        n, d, n_informative=informative, n_clusters_per_class=3, random_state=0
    )  # fmt: skip
    return X, y


def grid_search() -> Any:
    """SVC over 6 values of C and 6 widths, five folds."""
    grid = {"svc__C": 10.0 ** np.arange(-2, 4), "svc__gamma": 2.0 ** np.arange(-11, 1, 2)}
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5)


def _against_grid_search(sizes: Sequence[int]) -> None:
    """Processor time of one thread."""
    rows = []
    for name, (X, y), (Q, truth) in _beside_grid_search(sizes):
        models = {
            "svc": grid_search(),
            "core": StackedDensityClassifier("core", random_state=0, n_jobs=1),
            "fast": StackedDensityClassifier("fast", random_state=0, n_jobs=1),
        }
        with threadpool_limits(1):
            times = {
                label: time_once(lambda m=model, X=X, y=y: m.fit(X, y)).cpu
                for label, model in models.items()
            }
        ratios = [times[label] / times["svc"] for label in ("core", "fast")]
        wanted = [verdict(r, at_most=most) for r, most in zip(ratios, (1.0, 0.2), strict=True)]
        errors = [100 * (1 - model.score(Q, truth)) for model in models.values()]
        rows.append([name, times["svc"], ratios[0], wanted[0], ratios[1], wanted[1], *errors])
        print(*rows[-1], flush=True)
    head = ["problem, rows", "SVC, 6 x 6 grid: fit s", "ours / SVC", "wanted", "ours, fast / SVC",
            "wanted", "SVC: error %", "ours: error %", "ours, fast: error %"]  # fmt: skip
    table("CPU seconds of one thread beside a grid search, and errors", head, rows)


def _beside_grid_search(sizes: Sequence[int]) -> Iterator[tuple[str, Sample, Sample]]:
    for n in sizes:
        X, y = smooth(n + 4000)
        yield f"smooth 20, {n}", (X[:n], y[:n]), (X[n:], y[n:])
        for name in ("german", "image"):
            try:
                data = datasets.load(name)
            except datasets.UnavailableError as reason:
                print(f"{name} is left out: {reason}")
                continue
            if n < len(data.y):
                rows = np.random.default_rng(0).permutation(len(data.y))
                train, test = rows[:n], rows[n:]
                yield f"{name}, {n}", (data.X[train], data.y[train]), (data.X[test], data.y[test])


def _problems(sizes: Sequence[int]) -> Iterator[tuple[str, Sample, Sample]]:
    """Name, training and test part: smooth problems, streams of river, real tables."""
    for n in sizes:
        for d, informative in ((10, 6), (20, 10)):
            X, y = smooth(n + _QUERIES, d, informative)
            yield f"smooth {d}, {n}", (X[:n], y[:n]), (X[n:], y[n:])
        for name, (X, y) in _streams(n + _QUERIES):
            yield f"{name}, {n}", (X[:n], y[:n]), (X[n:], y[n:])
    for name, n in (("mushrooms", 4000), ("magic", 14_500), ("adult", 32_561)):
        try:
            data = datasets.load(name)
        except datasets.UnavailableError as reason:
            print(f"{name} is left out: {reason}")
            continue
        if n <= max(sizes):
            rows = np.random.default_rng(0).permutation(len(data.y))
            train, test = rows[:n], rows[n:]
            yield f"{name}, {n}", (data.X[train], data.y[train]), (data.X[test], data.y[test])


def _streams(n: int) -> Iterator[tuple[str, Sample]]:
    """Two streams of river: rules of few columns, which trees are made for, and a plane."""
    if optional("river") is None:
        return
    from river.datasets import synth

    rules = synth.Agrawal(classification_function=6, seed=0, perturbation=0.05)
    plane = synth.Hyperplane(n_features=10, seed=0)
    for name, stream in (("agrawal", rules), ("hyperplane", plane)):
        X, y = zip(*((list(x.values()), int(label)) for x, label in stream.take(n)), strict=True)
        yield name, (np.array(X, dtype=np.float64), np.array(y))


def _against_boosting(sizes: Sequence[int]) -> None:
    """Processor time of one thread, error; wanted: 6 times to fit at 1e5, 10 at 1e6, 15 to predict.

    All contenders have one thread: those of OpenMP that wait would count as time.
    """
    rows = []
    for name, (X, y), (Q, truth) in _problems(sizes):
        boosting = HistGradientBoostingClassifier(random_state=0)
        found = {}
        with threadpool_limits(1):
            for label, model in (
                ("boosting", boosting), ("core", StackedDensityClassifier(random_state=0, n_jobs=1))
            ):  # fmt: skip
                fit = time_once(lambda m=model, X=X, y=y: m.fit(X, y)).cpu
                predict = time_once(lambda m=model, Q=Q: m.predict(Q)).cpu
                found[label] = fit, predict, 100 * (1 - model.score(Q, truth))
        (fit, predict, error), (own_fit, own_predict, own_error) = found.values()
        rows.append([name, fit, own_fit / fit, predict, own_predict / predict, error, own_error])
        print(*rows[-1], flush=True)
    head = ["problem, rows", "boosting: fit s", "ours / boosting", "boosting: predict s",
            "ours / boosting", "boosting: error %", "ours: error %"]  # fmt: skip
    table("CPU seconds of one thread, and errors", head, rows)


def _memory(sizes: Sequence[int]) -> None:
    rows = []
    for n in sizes:
        found = subprocess.run(
            [sys.executable, "-c", _PEAKS, str(n)], capture_output=True, text=True, check=True
        )
        fit, predict = map(float, found.stdout.split())
        rows.append([f"{n} x 20", 8 * 20 * n / 2**20, fit, predict])
        print(*rows[-1], flush=True)
    head = ["smooth problem", "the table", "fit", "predict_proba of all rows"]
    table("memory in MiB: the peak beyond what there was before", head, rows)
