"""How cost grows with n: log-densities and labels at n new points, and a whole grid of bandwidths.

dense, tree, fourier, auto   parzen's strategies at rtol = 1e-6, a Gaussian at Scott's bandwidth
sorted                       a Laplacian kernel in one dimension, exact
labels, dense and auto       ``predict`` of the plug-in rule for two classes, at the same bandwidth
KernelDensity                scikit-learn's at the same rtol
KNeighborsClassifier         scikit-learn's, 15 neighbours: what a user would take instead

Points and queries are standard normal, as many queries as points. What would take too long is timed
on a slice of the queries and scaled up. Trees, which parzen builds when they are first needed, are
counted; those that scikit-learn builds in fit are not. "auto" takes the time of its choice, which
sees all queries, and that of what it has chosen; small problems are timed as a whole.

``--only=`` d1, d2, d3, d5, d10, lscv or memory does that part; the rest of docs/results/scale.json
stays. docs/scripts/make_scale.py makes the page and its figure.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import KernelDensity as TheirDensity, KNeighborsClassifier

from benchmarks._memory import peaks
from benchmarks._timing import interleaved, table, verdict
from parzen import KernelDensity, ParzenClassifier
from parzen._core.threads import effective_threads
from parzen.bandwidth import LSCV, scott
from parzen.classifiers.base import certain
from parzen.sums import methods as _methods
from parzen.sums.call import Call
from parzen.sums.forest import Forest
from parzen.sums.tree import columns_of

STORE = Path(__file__).parents[1] / "docs" / "results" / "scale.json"
RTOL = 1e-6
_SIZES = (1_000, 10_000, 100_000, 1_000_000)
_DIMENSIONS = (1, 2, 3, 5, 10)
_FEW, _SOME = 16, 64  # queries
_LONG_ENOUGH = 1.0  # seconds of a measurement
_WHOLE = 2e9  # pairs up to which "auto" is timed as a whole

Answer = Callable[[Any], Any]
Row = dict[str, Any]


def run(quick: bool = False, only: str | None = None) -> None:
    """All parts, or one."""
    parts = [only] if only else ["lscv", "memory", *(f"d{d}" for d in _DIMENSIONS)]
    sizes = _SIZES[:-1] if quick else _SIZES
    for part in parts:
        if part == "lscv" and not quick:
            _keep("lscv", _lscv())
        elif part == "memory" and not quick:
            _keep("memory", peaks(_DIMENSIONS, RTOL))
        elif part.startswith("d"):
            rows = _dimension(int(part[1:]), sizes)
            if not quick:  # what is measured is kept, should the rest be interrupted
                _keep("rows", rows)


def _dimension(d: int, sizes: tuple[int, ...]) -> list[Row]:
    _measure(_SOME, d)  # libraries are loaded
    rows = [row for n in sizes for row in _measure(n, d)]
    head = ["method", "n", "queries timed", "s for n queries", "log10 of pairs"]
    table(f"at n points, d = {d}", head, [_shown(row) for row in rows])
    exponents = [[m, _exponent([r for r in rows if r["method"] == m])] for m in _names(rows)]
    table("time = c n^a", ["method", "a"], exponents)
    _compare(rows, sizes)
    return rows


def _measure(n: int, d: int) -> list[Row]:
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    h = scott(X)
    rows = [*_sums(X, Q, h), *_labels(X, Q, h)]
    if d == 1:
        laplacian = KernelDensity(h, kernel="laplacian").fit(X)
        rows.append(_row("sorted", lambda: laplacian, Q, slices=False))
    theirs = TheirDensity(bandwidth=h, rtol=RTOL).fit(X)
    rows.append(_row("KernelDensity", lambda: theirs, Q))
    neighbours = KNeighborsClassifier(15).fit(X, X[:, 0] > 0)
    rows.append(_row("KNeighborsClassifier", lambda: neighbours, Q, "predict"))
    return rows


def _sums(X: np.ndarray, Q: np.ndarray, h: float) -> list[Row]:
    n, d = X.shape
    rows = {}
    for method in ("dense", "tree", "fourier"):
        if method != "fourier" or d <= 3:
            slices = method != "fourier"
            rows[method] = _row(method, lambda m=method: _density(m, X, h), Q, slices=slices)
    rows["dense"]["pairs"] = float(n) * n
    rows["tree"]["pairs"] = _pairs(X, Q, h)
    call = Call.prepare(Q, X, "gaussian", h, exclude_self=False, mode="log")
    begun = time.perf_counter()
    chosen = _methods.strategy_for(call, "auto", RTOL).name
    choice = time.perf_counter() - begun
    whole = _as_a_whole(lambda m: _density(m, X, h).score_samples, Q)
    return [*rows.values(), _auto("auto", rows["dense"], rows[chosen], chosen, choice, whole)]


def _density(method: str, X: np.ndarray, h: float) -> KernelDensity:
    return KernelDensity(h, method=method, rtol=RTOL).fit(X)


def _labels(X: np.ndarray, Q: np.ndarray, h: float) -> list[Row]:
    """Two classes that overlap."""
    y = np.arange(len(X)) % 2
    X, Q = X.copy(), Q.copy()
    X[:, 0] += 1.5 * y
    Q[::2, 0] += 1.5

    def fitted(method: str) -> ParzenClassifier:
        return ParzenClassifier(bandwidth=h, method=method).fit(X, y)

    rows = {m: _row(f"labels, {m}", lambda m=m: fitted(m), Q, "predict") for m in ("dense", "tree")}
    auto = fitted("auto")
    begun = time.perf_counter()
    trees = _takes_trees(auto, Q)
    choice = time.perf_counter() - begun
    chosen = "tree" if trees else "dense"
    whole = _as_a_whole(lambda m: fitted(m).predict, Q)
    return [
        rows["dense"],
        _auto("labels, auto", rows["dense"], rows[chosen], chosen, choice, whole),
    ]


def _takes_trees(auto: ParzenClassifier, Q: np.ndarray) -> bool:
    """Whether the labels of so many queries come from trees, which are built where they may."""
    if not certain._may_pay(auto.expansion_, Q):
        return False
    auto.expansion_.prepared.forest(effective_threads(None))
    some = Q[:: max(1, len(Q) // _SOME)]
    found = certain.certain_codes(auto.expansion_, auto.decision_, some, **auto._sums_options())
    return found is not None


def _auto(
    name: str, dense: Row, row: Row, chosen: str, choice: float, whole: list[float] | None
) -> Row:
    """The row of "auto": its choice, which builds trees where it takes them, and what it chose."""
    auto = dict(row, method=name, chosen=chosen, choice=choice)
    if whole is None:
        auto["seconds"] += choice - row["prepared"]
        return auto
    dense |= {"seconds": whole[0], "timed": dense["n"]}
    return auto | {"seconds": whole[1], "timed": dense["n"]}


def _as_a_whole(fitted: Callable[[str], Answer], Q: np.ndarray) -> list[float] | None:
    """Seconds of dense and auto in turns, each time of a model that has not been asked before."""
    if float(len(Q)) ** 2 > _WHOLE:
        return None
    rounds = 3 if len(Q) > 2_000 else 20
    models = {m: [fitted(m) for _ in range(rounds + 1)] for m in ("dense", "auto")}
    best = interleaved({m: lambda m=m: models[m].pop()(Q) for m in models}, rounds=rounds)
    return [best[m].wall for m in models]


def _row(
    method: str, fitted: Callable[[], Any], Q: np.ndarray, answer: str = "score_samples",
    *, slices: bool = True,
) -> Row:  # fmt: skip
    """Seconds for all queries: what is prepared at the first of them, and the time of a slice."""
    n, d = Q.shape
    ask = getattr(fitted(), answer)
    prepared = max(_seconds(ask, Q[:1]) - _seconds(ask, Q[:1]), 0.0)
    count = min(n, _FEW) if slices else n
    seconds = _seconds(ask, Q[:count])
    while count < n and seconds < _LONG_ENOUGH:
        count = min(n, 8 * count)
        seconds = _seconds(ask, Q[:count])
    seconds = min([seconds, *(_seconds(ask, Q[:count]) for _ in range(2 if seconds < 3 else 1))])
    seconds = prepared + seconds * n / count
    return {"method": method, "d": d, "n": n, "timed": count, "seconds": seconds, "pairs": None,
            "prepared": prepared}  # fmt: skip


def _seconds(ask: Answer, queries: np.ndarray) -> float:
    begun = time.perf_counter()
    ask(queries)
    return time.perf_counter() - begun


def _pairs(X: np.ndarray, Q: np.ndarray, h: float) -> float:
    """Pairs whose kernel a tree evaluates, for all queries."""
    call = Call.prepare(Q[:_SOME], X, "gaussian", h, exclude_self=False, mode="log")
    work = Forest(columns_of(call)[0], call.kernel, 1).sums([call.X], RTOL, 1)[2]
    return float(work.pairs) * len(Q) / _SOME


def _names(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(row["method"] for row in rows))


def _shown(row: Row) -> list[object]:
    pairs = f"{np.log10(row['pairs']):.1f}" if row["pairs"] else ""
    name = row["method"] + (f" ({row['chosen']})" if "chosen" in row else "")
    return [name, row["n"], row["timed"], float(row["seconds"]), pairs]


def _exponent(rows: list[Row]) -> float:
    """Of the three largest sizes."""
    logs = np.log([[row["n"], row["seconds"]] for row in rows[-3:]])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def _compare(rows: list[Row], sizes: tuple[int, ...]) -> None:
    """What "auto" loses against exact sums, and the peers' times over it."""
    seconds = {(row["method"], row["n"]): row["seconds"] for row in rows}
    for ours, exact in (("auto", "dense"), ("labels, auto", "labels, dense")):
        for n in sizes:
            ratio = seconds[ours, n] / seconds[exact, n]
            print(f"  n = {n:.0e}, {ours} over {exact}: {ratio:.3g}, {verdict(ratio, at_most=1.1)}")
    n = max(sizes)
    for peer, ours in (("KernelDensity", "auto"), ("KNeighborsClassifier", "labels, auto")):
        print(f"  n = {n:.0e}, {peer} over {ours}: {seconds[peer, n] / seconds[ours, n]:.4g}")


def _lscv() -> list[Row]:
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


def _keep(kind: str, found: list[Row]) -> None:
    """Replace what is stored of these dimensions."""
    store = json.loads(STORE.read_text()) if STORE.exists() else {}
    store |= {"command": "python -m benchmarks scale", "rtol": RTOL, "cores": effective_threads()}
    mine = {row["d"] for row in found}
    others = [row for row in store.get(kind, []) if row["d"] not in mine]
    store[kind] = sorted(others + found, key=lambda row: row["d"])
    STORE.write_text(json.dumps(store, indent=1) + "\n")
