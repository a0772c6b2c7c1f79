"""Large samples for optimised weights: what landmarks lose, what else was tried, what they cost.

loss      the exact fit, that of m landmarks, and other ways to spend m rows: a random part of the
          sample, a committee of as many such parts as there are, and for L2, whose landmarks are
          the merged supports of parts, landmarks drawn at random. Errors on new points, each fit
          with its own choice of bandwidth; the exact least-squares fits, for which that would take
          hours, with the one that landmarks have chosen.
million   time and memory of a fit of 1e5 and 1e6 points by default

`python -m docs.scripts.make_scale` shows what is stored in docs/results/large.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks._timing import table
from parzen import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelMSEClassifier,
    L2Classifier,
    LSSVMClassifier,
    RLSClassifier,
)
from parzen._core.threads import effective_threads
from parzen.datasets import make_ringnorm, make_waveform
from parzen.samples.landmarks import draw_rows

STORE = Path(__file__).parents[1] / "docs" / "results" / "large.json"
_TEST = 10_000
_SETS: dict[str, Callable[[int, int], Any]] = {
    "moons, d = 2": lambda n, seed: make_moons(n, noise=0.35, random_state=seed),
    "ringnorm, d = 20": lambda n, seed: make_ringnorm(n, random_state=seed),
    "waveform, d = 21": lambda n, seed: make_waveform(n, random_state=seed),
}
# Rows at which the exact fit still runs in reasonable time, and landmarks.
_LOSS: dict[str, tuple[Any, list[tuple[int, int]]]] = {
    "L2Classifier": (L2Classifier, [(8_000, 2_000), (16_000, 4_000)]),
    "RLSClassifier": (RLSClassifier, [(4_000, 1_000)]),
    "LSSVMClassifier": (LSSVMClassifier, [(4_000, 1_000)]),
    "KernelMSEClassifier": (KernelMSEClassifier, [(4_000, 1_000)]),
    "KernelFisherClassifier": (KernelFisherClassifier, [(4_000, 1_000)]),
    "BMachineClassifier": (BMachineClassifier, [(2_000, 500)]),
}
_MILLION = """
import sys, time, warnings
import numpy as np
import parzen
warnings.simplefilter("ignore")
def megabytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":"))
name, n = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
X = rng.normal(size=(n + 10_000, 5))
y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=len(X)) > 0).astype(int)
before, begun = megabytes("VmRSS"), time.perf_counter()
clf = getattr(parzen, name)().fit(X[:n], y[:n])
seconds, peak = time.perf_counter() - begun, megabytes("VmHWM") - before
print(seconds, peak, 1 - clf.score(X[n:], y[n:]))
"""


def run(quick: bool = False, only: str | None = None) -> None:
    """``--only=`` words with slashes between: classifiers, data sets, sizes, "loss", "million"."""
    parts = only.split("/") if only else []
    for name in _chosen(list(_LOSS), parts):
        if "loss" not in parts and not quick:
            _million(name, [int(n) for n in _chosen(["100000", "1000000"], parts)])
        if "million" in parts:
            continue
        make, sizes = _LOSS[name]
        for n, m in [
            (n, m) for n, m in sizes if str(n) in _chosen([str(n) for n, _ in sizes], parts)
        ]:
            for data in _chosen(list(_SETS), parts):
                rows = _loss(name, make, data, *((n // 4, m // 4) if quick else (n, m)))
                if not quick:  # what is measured is kept, should the rest be interrupted
                    _keep("loss", rows)


def _chosen(names: list[str], parts: list[str]) -> list[str]:
    return [name for name in names if name.partition(",")[0] in parts] or names


def _loss(name: str, make: Any, data: str, n: int, m: int) -> list[dict[str, Any]]:
    train, test = _SETS[data](n, 0), _SETS[data](_TEST, 1)
    chosen: dict[str, Any] = {}

    def landmarks() -> Any:
        machine = make(n_landmarks=m).fit(*train)
        if name != "L2Classifier":
            chosen["bandwidth"] = machine.bandwidth_
        return machine

    ways = {
        "landmarks": landmarks,
        "exact": lambda: make(n_landmarks=None, **chosen).fit(*train),
        "part": lambda: _part(make(n_landmarks=None), train, m),
        "committee": lambda: _Committee(make(n_landmarks=None), train, m),
    }
    if name == "L2Classifier":
        ways["drawn"] = lambda: _drawn(make(n_landmarks=m), train)
    rows = []
    for way, fit in ways.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begun = time.perf_counter()
            fitted = fit()
            seconds = time.perf_counter() - begun
            error = float(np.mean(fitted.predict(test[0]) != test[1]))
        rows.append({"classifier": name, "data": data, "n": n, "m": m, "way": way, "error": error,
                     "seconds": seconds, "cores": effective_threads()})  # fmt: skip
    body = [[r["way"], 100 * r["error"], r["seconds"]] for r in rows]
    table(f"{name}, {data}, n = {n}, m = {m}", ["", "error %", "s"], body)
    return rows


def _part(machine: Any, train: Any, m: int) -> Any:
    X, y = train
    rows, _ = train_test_split(np.arange(len(y)), train_size=m, stratify=y, random_state=0)
    return machine.fit(X[rows], y[rows])


def _drawn(machine: Any, train: Any) -> Any:
    """Landmarks that are drawn by frequency, not chosen."""

    def places(sample: Any, count: int, *_: Any) -> Any:
        return draw_rows(sample.codes, sample.frequencies, count, np.random.RandomState(0))

    with patch("parzen.classifiers.l2.simplex_weights.merged_supports", places):
        return machine.fit(*train)


class _Committee:
    """Fits of all parts, which vote by their probabilities."""

    def __init__(self, machine: Any, train: Any, m: int) -> None:
        X, y = train
        folds = StratifiedKFold(len(y) // m, shuffle=True, random_state=0).split(X, y)
        self.members = [clone(machine).fit(X[rows], y[rows]) for _, rows in folds]

    def predict(self, X: Any) -> Any:
        proba = sum(member.predict_proba(X) for member in self.members)
        return self.members[0].classes_[proba.argmax(axis=1)]


def _million(name: str, sizes: list[int]) -> None:
    """In a process of its own, so that memory is that of one fit."""
    rows: list[dict[str, Any]] = []
    for n in sizes:
        command = [sys.executable, "-c", _MILLION, name, str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, peak, error = map(float, done.stdout.split())
        rows.append({"classifier": name, "n": n, "seconds": seconds, "peak": peak, "error": error,
                     "cores": effective_threads()})  # fmt: skip
        _keep("million", rows)  # should the rest be interrupted
        body = [[f"{r['n']:.0e}", r["seconds"], r["peak"], 100 * r["error"]] for r in rows]
    table(f"{name}, d = 5, as it comes", ["n", "s", "MiB beyond the data", "error %"], body)


def _keep(kind: str, rows: list[dict[str, Any]]) -> None:
    """Replace what is stored of the same classifiers, data and sizes."""
    store = json.loads(STORE.read_text()) if STORE.exists() else {"loss": [], "million": []}
    store["command"] = "python -m benchmarks large"
    mine = {_key(row) for row in rows}
    store[kind] = [row for row in store[kind] if _key(row) not in mine] + rows
    store[kind].sort(key=lambda row: (list(_LOSS).index(row["classifier"]), row["n"]))
    STORE.write_text(json.dumps(store, indent=1) + "\n")


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["classifier"], row.get("data"), row["n"]
