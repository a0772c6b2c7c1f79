"""CPU time of streams whose bandwidth is held, chosen anew from all rows, or from kept sums.

Two overlapping classes, batches of the size after which the bandwidth is chosen anew, one thread.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from benchmarks._timing import table
from parzen import KernelDensity, KernelNaiveBayes, ParzenClassifier

STREAMS = ((30_000, 2000, 200), (16_000, 8000, 800))  # rows, window, rows between choices
ESTIMATORS = (
    (ParzenClassifier, "loo", 2),  # columns
    (KernelDensity, "likelihood", 2),
    (KernelNaiveBayes, "conditional_likelihood", 2),
    (KernelNaiveBayes, "likelihood", 2),
    (KernelNaiveBayes, "silverman", 20),
)


def _without_sums(make: type) -> type:
    """The same estimator, which keeps no sums."""

    class FromAllRows(make):  # type: ignore[misc]
        def _count_rows(self, *counts: Any, **options: Any) -> Any:
            due = super()._count_rows(*counts, **options)
            self.__dict__.pop("_kept_sums", None)
            return due

    return FromAllRows


def seconds(models: dict[str, Any], n: int, batch: int, d: int) -> dict[str, float]:
    """CPU seconds of every model for a stream of n rows; the models take turns."""
    rng = np.random.default_rng(0)
    spent = dict.fromkeys(models, 0.0)
    for _ in range(n // batch):
        X = rng.normal(size=(batch, d))
        y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=batch) > 0).astype(int)
        for name, model in models.items():
            labels = () if isinstance(model, KernelDensity) else (y, [0, 1])
            begun = time.process_time()
            model.partial_fit(X, *labels)
            spent[name] += time.process_time() - begun
    return spent


def run(quick: bool = False) -> None:
    """Print the seconds by estimator and stream."""
    warnings.simplefilter("ignore")
    rows = []
    for n, window, batch in STREAMS[:1] if quick else STREAMS:
        for make, name, d in ESTIMATORS:
            options = {"bandwidth": name, "window": window, "n_jobs": 1}
            models = {
                "held": make(**options),
                "all rows": _without_sums(make)(rechoose=batch, **options),
                "kept sums": make(rechoose=batch, **options),
            }
            found = seconds(models, n, batch, d)
            ratio = found["all rows"] / found["kept sums"]
            rows.append([make.__name__, name, d, n, window, batch, *found.values(), ratio])
    table(
        "CPU seconds of a stream by how the bandwidth is chosen",
        ["estimator", "bandwidth", "columns", "rows", "window", "rechoose", "held", "all rows",
         "kept sums", "ratio"],
        rows,
    )  # fmt: skip
