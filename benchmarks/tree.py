"""Labels and sums by trees against exact sums: ``python -m benchmarks tree``.

Two overlapping normal classes at the bandwidth of Silverman's rule, in 2, 5 and 10 dimensions.
Exact sums are timed on a slice of the queries, in turns with the trees and on one thread. The last
columns say how much of the pairs was visited and how many nodes were bounded for a query.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks._timing import interleaved, time_once
from parzen import ParzenClassifier
from parzen.sums.forest import DecisionRule

Floats = NDArray[np.float64]


def run(quick: bool = False) -> None:
    """Print one line for each dimension and task."""
    n = 100_000 if quick else 1_000_000
    print(f"n = {n} points in two classes, one thread; times of one query, exact / tree")
    for d in (2, 5, 10):
        X, y = _sample(n, d, 0)
        queries, _ = _sample(4000, d, 1)
        clf = ParzenClassifier(bandwidth="silverman", method="tree", n_jobs=1).fit(X, y)
        built = time_once(lambda clf=clf: clf.expansion_.prepared.forest(1))
        print(f"d = {d}, h = {clf.bandwidth_:.3f}, trees built in {built.cpu:.2f} s")
        _labels(clf, queries)
        for rtol in (1e-3, 1e-6, 1e-12):
            _sums(clf, queries[:: 8 if d < 10 else 32], rtol)


def _sample(n: int, d: int, seed: int) -> tuple[Floats, NDArray[np.intp]]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d))
    X[:, 0] += 1.5 * y
    return X, y


def _labels(clf: ParzenClassifier, queries: Floats) -> None:
    few = queries[:100]
    exact = clf.with_decision()
    exact.method = "dense"
    times = interleaved(
        {"exact": lambda: exact.predict(few), "tree": lambda: clf.predict(queries)}, rounds=2
    )
    wrong = int((exact.predict(few) != clf.predict(few)).sum())
    forest, levels, _ = clf.expansion_.prepared.forest(1)
    rule = DecisionRule(log_shift=clf.decision_.log_priors + levels)
    _, work = forest.decide([queries], rule, 1)
    pairs, nodes = work.pairs + work.quick_pairs, work.nodes + work.quick_nodes
    _print("labels", times, few, queries, pairs, nodes, clf, f", {wrong} labels differ")


def _sums(clf: ParzenClassifier, queries: Floats, rtol: float) -> None:
    few = queries[:100]
    forest, _, _ = clf.expansion_.prepared.forest(1)
    times = interleaved(
        {
            "exact": lambda: clf.expansion_.log_sums(few, method="dense", n_jobs=1),
            "tree": lambda: forest.sums([queries], rtol, 1),
        },
        rounds=1,
        seconds=10,
    )
    _, _, work = forest.sums([queries], rtol, 1)
    _print(f"sums to {rtol:.0e}", times, few, queries, work.pairs, work.nodes, clf, "")


def _print(name, times, few, queries, pairs, nodes, clf, remark) -> None:  # type: ignore[no-untyped-def]
    exact, tree = times["exact"].cpu / len(few), times["tree"].cpu / len(queries)
    share = pairs / len(queries) / len(clf.expansion_.points)
    print(
        f"  {name:14} {exact * 1e6:8.0f} us / {tree * 1e6:7.1f} us = {exact / tree:6.1f} times; "
        f"{share:.2%} of the pairs, {nodes / len(queries):.0f} nodes{remark}"
    )
