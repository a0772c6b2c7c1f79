"""Prediction sets of the plug-in rule: their cost beside a prediction and beside refits.

n = 10 000 training rows and as many queries in 2 and 20 dimensions. Refits are timed for a few
queries and scaled up: one query needs a fit of the held-out sums for every label.
"""

from __future__ import annotations

import numpy as np

from benchmarks._timing import interleaved, table, time_once, verdict
from parzen import ParzenClassifier

ROWS = 10_000
REFITS = 3  # timed; the rest would take hours


def problem(d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two overlapping classes, and queries."""
    rng = np.random.default_rng(d)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, d))
    X[:, 0] += 1.5 * y
    return X, y, rng.normal(size=(ROWS, d))


def refit(X: np.ndarray, y: np.ndarray, query: np.ndarray, bandwidth: float) -> None:
    """The p-values of one query as the definition has it: a bag for every label."""
    for c in (0, 1):
        bag = ParzenClassifier(bandwidth=bandwidth, method="dense")
        bag.fit(np.vstack([X, query]), np.append(y, c))
        bag.expansion_.leave_one_out_log_sums()


def measured(d: int, bandwidth: float) -> list[str]:
    """One row of the table."""
    X, y, queries = problem(d)
    classifier = ParzenClassifier(bandwidth=bandwidth, method="dense").fit(X, y)
    classifier.p_values(queries[:1])  # the held-out sums are computed once
    best = interleaved(
        {
            "proba": lambda: classifier.predict_proba(queries),
            "sets": lambda: classifier.predict_set(queries),
        },
        rounds=7,
    )
    proba, sets = best["proba"].cpu, best["sets"].cpu
    one = min(time_once(lambda: refit(X, y, queries[:1], bandwidth)).cpu for _ in range(REFITS))
    saved = one * ROWS / sets
    return [
        str(d), f"{proba:.3f}", f"{sets:.3f}", f"{sets / proba:.2f}",
        verdict(sets / proba, at_most=3), f"{saved:.0f}", verdict(saved, at_least=50),
    ]  # fmt: skip


def run() -> None:
    """Print the ratios."""
    table(
        f"Prediction sets of {ROWS} queries, {ROWS} training rows, CPU seconds",
        ["d", "predict_proba", "predict_set", "ratio", "wanted", "refits / sets", "wanted"],
        [measured(2, 0.2), measured(20, 1.5)],
    )
