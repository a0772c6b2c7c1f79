"""How time grows with the shape of a table, beside scikit-learn's GaussianNB on the same table.

Rows, columns, classes and levels (distinct values of a column) are small but for two at a time. A
fit is stopped after some seconds. The first table lists what takes more than ten times GaussianNB
and more than a tenth of a second, the second how many shapes each classifier was stopped in.
"""

from __future__ import annotations

import itertools
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB

import parzen
from benchmarks._timing import table, time_once

_SMALL = {"rows": 40, "columns": 3, "classes": 2, "levels": 40}
_MAX_RATIO = 10.0  # Times of GaussianNB above which a shape is listed.
_MIN_SECONDS = 0.1  # CPU time below which no shape is listed.
_MAX_SECONDS = 5.0  # CPU time after which a fit is stopped.


def run(quick: bool = False) -> None:
    """Print what is slow; `quick` takes 300 instead of 1000 as the large number."""
    large = 300 if quick else 1000
    rows: list[Any] = []
    stopped: dict[str, int] = {}
    for pair in itertools.combinations(_SMALL, 2):
        shape = {**_SMALL, **dict.fromkeys(pair, large)}
        shape["rows"] = max(shape["rows"], 2 * shape["classes"])
        X, y = _sample(shape)
        GaussianNB().fit(X, y)
        unit = time_once(lambda X=X, y=y: GaussianNB().fit(X, y).predict(X)).cpu
        for classifier in _classifiers():
            name = repr(classifier)
            seconds = _seconds(classifier, X, y)
            if seconds is None:
                stopped[name] = stopped.get(name, 0) + 1
            elif seconds < max(_MAX_RATIO * unit, _MIN_SECONDS):
                continue
            shown = f"over {_MAX_SECONDS:g}" if seconds is None else seconds
            ratio = "" if seconds is None else seconds / unit
            rows.append((" and ".join(pair), name, shown, ratio))
    table(
        f"more than ten times GaussianNB, two of the four numbers {large}",
        ["large", "classifier", "CPU seconds", "to GaussianNB"],
        rows,
    )
    table("stopped", ["classifier", "shapes"], sorted(stopped.items()))


def _classifiers() -> list[Any]:
    return [
        parzen.ParzenClassifier(), parzen.KernelNaiveBayes(),
        parzen.KernelNaiveBayes(bandwidth="cv"), parzen.LaplacianClassifier(),
        parzen.L2Classifier(), parzen.L2LinearClassifier(),
        parzen.LSSVMClassifier(), parzen.RLSClassifier(), parzen.KernelMSEClassifier(),
        parzen.KernelFisherClassifier(), parzen.BMachineClassifier(),
        parzen.KernelLassoClassifier(), parzen.StackedDensityClassifier(),
    ]  # fmt: skip


def _sample(shape: dict[str, int]) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(shape["rows"]) % shape["classes"]
    levels = rng.integers(0, shape["levels"], (shape["rows"], shape["columns"]))
    return levels / shape["levels"] + (y / shape["classes"])[:, None], y


def _seconds(classifier: Any, X: Any, y: Any) -> float | None:
    """CPU seconds of a fit and a prediction of all rows; None where they were stopped.

    A classifier that refuses the table takes the time until it says so.
    """
    begun = time.process_time()
    try:
        with warnings.catch_warnings(), _time_limit(_MAX_SECONDS):
            warnings.simplefilter("ignore")
            classifier.fit(X, y).predict(X)
    except KeyboardInterrupt:
        return None
    except ValueError as refusal:
        print(f"{classifier!r} refuses {X.shape}: {refusal}")
    return time.process_time() - begun


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Stop the main thread as Ctrl-C does."""
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
