"""What the automatic classifier loses by what it saves on many rows: errors with and without.

As it is: densities have at most 14 000 centres, least squares 1800 to 2600 landmarks, and one
member of each family of densities enters the stack, if its weight pays for its time. Less
compressed: all rows are centres, 4800 of them landmarks, and up to four members of each family
enter, whatever their time. Wanted: at most 0.3 points more errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from benchmarks._timing import table, time_once, verdict
from parzen import StackedDensityClassifier, datasets
from parzen.classifiers.stack import least_squares, stacked_classifier

Sample = tuple[NDArray[Any], NDArray[Any]]

_QUERIES = 20_000
_LANDMARKS = 4800
_REAL_TABLES = {10_000: ("magic", "adult")}  # those with enough rows


def run(sizes: str | None = None) -> None:
    """Print one table for each size; ``--sizes=10000,20000``."""
    for n in [int(float(each)) for each in (sizes or "10000,20000").split(",")]:
        _table(n)


def _table(n: int) -> None:
    rows = []
    for name, (X, y), (Q, truth) in _problems(n):
        found: list[float] = []
        wrong: list[NDArray[Any]] = []
        with threadpool_limits(1):
            for whole in (False, True):
                with _less_compressed(n) if whole else _as_it_is():
                    model = StackedDensityClassifier(random_state=0, n_jobs=1)
                    fit = time_once(lambda m=model, X=X, y=y: m.fit(X, y)).cpu
                    wrong.append(model.predict(Q) != truth)
                    found += [len(model.experts_), fit, 100 * float(wrong[-1].mean())]
        members, fit, error, all_members, all_fit, all_error = found
        loss = error - all_error
        differences = wrong[0].astype(float) - wrong[1]
        deviation = 100 * differences.std() / np.sqrt(len(truth))
        rows.append(
            [name, len(truth), members, all_members, all_fit / fit, f"{error:.2f}",
             f"{all_error:.2f}", f"{loss:+.2f}", f"{deviation:.2f}", verdict(loss, at_most=0.3)]
        )  # fmt: skip
        print(*rows[-1], flush=True)
    table(
        f"{n} training rows: errors in percent as it is, and less compressed",
        ["problem", "test rows", "members", "less", "CPU to fit: less / as it is", "error",
         "less", "lost", "standard error", "wanted"],
        rows,
    )  # fmt: skip


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


@contextmanager
def _less_compressed(n: int) -> Iterator[None]:
    """All rows as centres, more landmarks, members of any cost."""
    limits: list[tuple[Any, str, Any]] = [
        (stacked_classifier, "MOST_CENTRES", n),
        (stacked_classifier, "PREDICTION_COSTS", {}),
        (stacked_classifier, "LEAST_SQUARES_ROWS", n),
        (least_squares, "METRIC_LANDMARKS", (_LANDMARKS, _LANDMARKS)),
    ]
    usual = [getattr(module, name) for module, name, _ in limits]
    try:
        for module, name, value in limits:
            setattr(module, name, value)
        yield
    finally:
        for (module, name, _), value in zip(limits, usual, strict=True):
            setattr(module, name, value)


def _problems(n: int) -> Iterator[tuple[str, Sample, Sample]]:
    for d, informative in ((20, 10), (10, 6)):
        X, y = make_classification(
            n + _QUERIES, d, n_informative=informative, n_clusters_per_class=3, random_state=0
        )
        yield f"smooth {d}", (X[:n], y[:n]), (X[n:], y[n:])
    for name in _REAL_TABLES.get(n, ()):
        try:
            data = datasets.load(name)
        except datasets.UnavailableError as reason:
            print(f"{name} is left out: {reason}")
            continue
        rows = np.random.default_rng(0).permutation(len(data.y))[: n + _QUERIES]
        train, test = rows[:n], rows[n:]
        yield name, (data.X[train], data.y[train]), (data.X[test], data.y[test])
