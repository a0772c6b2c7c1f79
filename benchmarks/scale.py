"""How cost grows with n: log-densities at n new points, and what a fit of a whole grid costs.

dense, tree, fourier, auto   parzen's strategies at rtol = 1e-6, a Gaussian at Scott's bandwidth
sorted                       a Laplacian kernel in one dimension, exact
KernelDensity                scikit-learn's at the same rtol
KNeighborsClassifier         scikit-learn's, 15 neighbours: what a user would take instead

Points and queries are standard normal, as many queries as points. What would take too long is timed
on a slice of the queries and scaled up; fast methods do all of them. The exponent is fitted to the
three largest sizes. Results are stored in docs/results/scale.json, from which docs/make_scale.py
makes the page and its figure.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import KernelDensity as TheirDensity
from sklearn.neighbors import KNeighborsClassifier

from benchmarks._timing import table
from parzen import KernelDensity
from parzen._threads import effective_threads
from parzen.bandwidth import LSCV, scott
from parzen.sums import _methods
from parzen.sums._call import Call

STORE = Path(__file__).parents[1] / "docs" / "results" / "scale.json"
RTOL = 1e-6
_SIZES = (1_000, 10_000, 100_000, 1_000_000)
_DIMENSIONS = (1, 2, 3, 5, 10)
_FEW = 16  # queries
_LONG_ENOUGH, _TOO_LONG = 0.15, 2.0  # seconds of a measurement
_PEAK = """
import sys
import numpy as np
from parzen import KernelDensity
def kilobytes(name):
    return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith(name)))
method, n, d, queries = sys.argv[1], *map(int, sys.argv[2:])
X = np.random.default_rng(0).normal(size=(n, d))
model = KernelDensity(n ** (-1 / (d + 4)), method=method, rtol=1e-6).fit(X)
Q = np.random.default_rng(1).normal(size=(queries, d))
model.score_samples(Q[:10])
before = kilobytes("VmRSS")
model.score_samples(Q)
print((kilobytes("VmHWM") - before) / 1024)
"""


def run(quick: bool = False) -> None:
    sizes = _SIZES[:-1] if quick else _SIZES
    store: dict[str, Any] = {"rtol": RTOL, "cores": effective_threads()}
    store |= {"rows": [], "lscv": [], "memory": {}}
    if not quick:
        store["lscv"], store["memory"] = _lscv(), _memory()
    for d in _DIMENSIONS:
        rows = [row for n in sizes for row in _measure(n, d)]
        head = ["method", "d", "n", "queries timed", "s for n queries", "log10 of pairs"]
        table(f"log-densities at n points, d = {d}", head, [_shown(row) for row in rows])
        store["rows"] += rows
        if not quick:  # what is measured is kept, should the rest be interrupted
            STORE.parent.mkdir(exist_ok=True)
            STORE.write_text(json.dumps(store, indent=1) + "\n")
    exponents = _exponents(store["rows"])
    table("time = c n^a", ["method", "d", "a"], [[m, d, a] for (m, d), a in exponents.items()])
    _ratios(store["rows"], max(sizes))


def _measure(n: int, d: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    h = scott(X)
    rows = []
    for method in ("dense", "tree", "fourier", "auto"):
        if method not in (*_methods._STRATEGIES, "auto") or (method == "fourier" and d > 3):
            continue
        model = KernelDensity(h, method=method, rtol=RTOL).fit(X)
        try:
            whole = model.sums_method_ == "fourier"
        except ValueError as error:
            print(f"skipped: d = {d}, n = {n}: {error}")
            continue
        rows.append(_row(method, n, d, model.score_samples, Q, whole=whole))
        rows[-1]["chosen"] = model.sums_method_
        rows[-1]["pairs"] = _pairs(method, X, Q, h)
    if d == 1:
        model = KernelDensity(h, kernel="laplacian").fit(X)
        rows.append(_row("sorted", n, d, model.score_samples, Q, whole=True))
    theirs = TheirDensity(bandwidth=h, rtol=RTOL).fit(X)
    rows.append(_row("KernelDensity", n, d, theirs.score_samples, Q))
    neighbours = KNeighborsClassifier(15).fit(X, X[:, 0] > 0)
    rows.append(_row("KNeighborsClassifier", n, d, neighbours.predict, Q))
    return rows


def _row(
    method: str, n: int, d: int, answer: Callable[[Any], Any], Q: np.ndarray, *, whole: bool = False
) -> dict[str, Any]:
    """Seconds for all queries: from all, or from a slice apart from what a call costs anyway."""
    answer(Q[:1])
    count = len(Q) if whole else _FEW
    seconds = few = _seconds(answer, Q[:count])
    while count < len(Q) and seconds - few < _LONG_ENOUGH and seconds < _TOO_LONG:
        count = min(len(Q), 8 * count)
        seconds = _seconds(answer, Q[:count])
    if _FEW < count < len(Q):
        seconds = few + max(seconds - few, 0.0) * (len(Q) - _FEW) / (count - _FEW)
    elif count < len(Q):
        seconds *= len(Q) / count
    return {"method": method, "d": d, "n": n, "timed": count, "seconds": seconds, "pairs": None}


def _seconds(answer: Callable[[Any], Any], queries: np.ndarray) -> float:
    begun = time.perf_counter()
    answer(queries)
    return time.perf_counter() - begun


def _pairs(method: str, X: np.ndarray, Q: np.ndarray, h: float) -> float | None:
    """Pairs whose kernel was evaluated, for all queries."""
    if method == "dense":
        return float(len(X)) * len(Q)
    if method != "tree":
        return None
    from parzen.sums._forest import Forest
    from parzen.sums._tree import columns_of

    call = Call.prepare(Q[:_FEW], X, "gaussian", h, exclude_self=False, mode="log")
    work = Forest(columns_of(call)[0], call.kernel, 1).sums([call.X], RTOL, 1)[2]
    return float(work.pairs) * len(Q) / _FEW


def _shown(row: dict[str, Any]) -> list[object]:
    pairs = f"{np.log10(row['pairs']):.1f}" if row["pairs"] else ""
    name = row["method"] + (f" ({row['chosen']})" if row["method"] == "auto" else "")
    return [name, row["d"], row["n"], row["timed"], float(row["seconds"]), pairs]


def _exponents(rows: list[dict[str, Any]]) -> dict[tuple[str, int], float]:
    found: dict[tuple[str, int], float] = {}
    for key in dict.fromkeys((row["method"], row["d"]) for row in rows):
        mine = [row for row in rows if (row["method"], row["d"]) == key][-3:]
        logs = np.log([[row["n"], row["seconds"]] for row in mine])
        found[key] = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    return found


def _ratios(rows: list[dict[str, Any]], n: int) -> None:
    """Times of the peers over ours, at the largest size."""
    seconds = {(row["method"], row["d"]): row["seconds"] for row in rows if row["n"] == n}
    shown = [
        [peer, d, seconds[peer, d] / seconds["auto", d]]
        for peer in ("dense", "KernelDensity", "KNeighborsClassifier")
        for d in _DIMENSIONS
    ]
    table(f"n = {n:.0e}: times auto", ["peer", "d", "ratio"], shown)


def _lscv() -> list[dict[str, Any]]:
    """A million points, 50 bandwidths."""
    found = []
    for d in (1, 2):
        X = np.random.default_rng(2).normal(size=(1_000_000, d))
        grid = scott(X) * 2.0 ** (np.arange(-25, 25) / 8)
        begun = time.perf_counter()
        chosen = LSCV(grid=grid).select(X).bandwidth
        found.append({"d": d, "seconds": time.perf_counter() - begun, "bandwidth": chosen})
    rows = [[f["d"], float(f["seconds"]), float(f["bandwidth"])] for f in found]
    table("lscv, n = 1e6, 50 bandwidths", ["d", "s", "bandwidth"], rows)
    return found


def _memory() -> dict[str, float]:
    """MiB beyond the fitted model at n = 1e6, d = 2, in a process of its own."""
    peaks = {}
    for method, queries in (("dense", 300), ("fourier", 1_000_000)):
        command = [sys.executable, "-c", _PEAK, method, "1000000", "2", str(queries)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            print(f"skipped: memory of {method}")
            continue
        peaks[method] = float(done.stdout)
    table("memory, n = 1e6, d = 2", ["method", "MiB"], [[m, v] for m, v in peaks.items()])
    return peaks
