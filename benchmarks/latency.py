"""How long one row takes: ``predict`` of a single row beside scikit-learn's SVC, and the import.

The classifiers are fitted to 400 rows of two features. Times are the best of many short runs that
take turns, so that a busy machine slows all of them alike. The import is timed in new processes.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
from sklearn.svm import SVC

import parzen
from benchmarks._timing import interleaved, table, verdict

_CALLS = 20  # Calls of predict in one run.
_IMPORT = """
import time
import sklearn.svm
start = time.perf_counter()
import parzen
print(time.perf_counter() - start)
"""


def run() -> None:
    """Print both tables."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=400) > 0).astype(int)
    classifiers: list[Any] = [
        SVC(), parzen.ParzenClassifier(), parzen.L2Classifier(), parzen.LaplacianClassifier(),
        parzen.LSSVMClassifier(),
    ]  # fmt: skip
    runs = {type(c).__name__: partial(_predict, c.fit(X, y), X[:1]) for c in classifiers}
    times = interleaved(runs, rounds=50)
    svc = times["SVC"].cpu
    rows = [
        (name, 1e6 * found.cpu / _CALLS, found.cpu / svc, verdict(found.cpu / svc, at_most=1.5))
        for name, found in times.items()
    ]
    table("predict of one row", ["classifier", "CPU us", "to SVC", "wanted"], rows)
    command = [sys.executable, "-c", _IMPORT]
    seconds = min(
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(5)
    )
    rows = [("import parzen", seconds, verdict(seconds, at_most=0.15))]
    table("on top of import sklearn.svm", ["", "seconds", "wanted"], rows)


def _predict(classifier: Any, row: Any) -> None:
    for _ in range(_CALLS):
        classifier.predict(row)
