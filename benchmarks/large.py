"""Large samples for optimised weights: what landmarks lose, what else was tried, what they cost.

loss      the exact fit, landmarks, and two other ways to spend the same m: a random part of the
          sample, and a committee of as many such parts as there are. Errors on new points, each
          fit with its own choice of bandwidth.
million   time and memory of a fit of 1e5 and 1e6 points by default

`python docs/make_scale.py` shows what is stored in docs/results/large.json.
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

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import StratifiedKFold

from benchmarks._timing import table
from parzen import (
    BMachineClassifier,
    KernelFisherClassifier,
    KernelMSEClassifier,
    L2Classifier,
    LSSVMClassifier,
    RLSClassifier,
)
from parzen.datasets import make_ringnorm, make_waveform

STORE = Path(__file__).parents[1] / "docs" / "results" / "large.json"
_TEST = 10_000
_SETS: dict[str, Callable[[int, int], Any]] = {
    "moons, d = 2": lambda n, seed: make_moons(n, noise=0.35, random_state=seed),
    "ringnorm, d = 20": lambda n, seed: make_ringnorm(n, random_state=seed),
    "waveform, d = 21": lambda n, seed: make_waveform(n, random_state=seed),
}
# Rows at which the exact fit still runs in reasonable time, and landmarks.
_LOSS = {
    "L2Classifier": (L2Classifier, 8_000, 2_000),
    "RLSClassifier": (RLSClassifier, 2_000, 500),
    "LSSVMClassifier": (LSSVMClassifier, 2_000, 500),
    "KernelMSEClassifier": (KernelMSEClassifier, 1_000, 250),
    "KernelFisherClassifier": (KernelFisherClassifier, 1_000, 250),
    "BMachineClassifier": (BMachineClassifier, 1_000, 250),
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
    """``--only=`` a classifier, "loss", "million", or such as ``--only=RLSClassifier/loss``."""
    parts = only.split("/") if only else []
    names = [name for name in _LOSS if name in parts] or list(_LOSS)
    for name in names:
        if "loss" not in parts and not quick:
            _million(name)
        if "million" not in parts:
            rows = _loss(name, quick)
            if not quick:  # what is measured is kept, should the rest be interrupted
                _keep("loss", rows)


def _loss(name: str, quick: bool) -> list[dict[str, Any]]:
    make, n, m = _LOSS[name]
    n, m = (n // 4, m // 4) if quick else (n, m)
    rows = []
    for data, draw in _SETS.items():
        train, test = draw(n, 0), draw(_TEST, 1)
        ways = {
            "exact": lambda make=make, train=train: make(n_landmarks=None).fit(*train),
            "landmarks": lambda make=make, train=train: make(n_landmarks=m).fit(*train),
            "part": lambda make=make, train=train: _part(make(n_landmarks=None), train, m),
            "committee": lambda make=make, train=train: _Committee(
                make(n_landmarks=None), train, m
            ),
        }
        for way, fit in ways.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                begun = time.perf_counter()
                fitted = fit()
                seconds = time.perf_counter() - begun
                error = float(np.mean(fitted.predict(test[0]) != test[1]))
            rows.append({"classifier": name, "data": data, "n": n, "m": m, "way": way,
                         "error": error, "seconds": seconds})  # fmt: skip
    body = [[r["data"], r["way"], 100 * r["error"], r["seconds"]] for r in rows]
    table(f"{name}, n = {n}, m = {m}", ["data", "", "error %", "s"], body)
    return rows


def _part(machine: Any, train: Any, m: int) -> Any:
    X, y = train
    _, rows = next(StratifiedKFold(len(y) // m, shuffle=True, random_state=0).split(X, y))
    return machine.fit(X[rows], y[rows])


class _Committee:
    """Fits of all parts, which vote by their probabilities."""

    def __init__(self, machine: Any, train: Any, m: int) -> None:
        X, y = train
        folds = StratifiedKFold(len(y) // m, shuffle=True, random_state=0).split(X, y)
        self.members = [clone(machine).fit(X[rows], y[rows]) for _, rows in folds]

    def predict(self, X: Any) -> Any:
        proba = sum(member.predict_proba(X) for member in self.members)
        return self.members[0].classes_[proba.argmax(axis=1)]


def _million(name: str) -> None:
    """In a process of its own, so that memory is that of one fit."""
    rows = []
    for n in (1_000_000, 100_000):
        command = [sys.executable, "-c", _MILLION, name, str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, peak, error = map(float, done.stdout.split())
        rows.append({"classifier": name, "n": n, "seconds": seconds, "peak": peak, "error": error})
        _keep("million", rows)  # should the rest be interrupted
        body = [[f"{r['n']:.0e}", r["seconds"], r["peak"], 100 * r["error"]] for r in rows]
    table(f"{name}, d = 5, as it comes", ["n", "s", "MiB beyond the data", "error %"], body)


def _keep(kind: str, rows: list[dict[str, Any]]) -> None:
    """Replace what is stored of these classifiers."""
    store = json.loads(STORE.read_text()) if STORE.exists() else {"loss": [], "million": []}
    mine = {row["classifier"] for row in rows}
    store[kind] = [row for row in store[kind] if row["classifier"] not in mine] + rows
    STORE.write_text(json.dumps(store, indent=1) + "\n")
