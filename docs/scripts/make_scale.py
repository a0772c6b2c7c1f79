"""Write docs/guide/large_samples.md and its figure: ``python -m docs.scripts.make_scale``.

The figures are those of ``python -m benchmarks scale``, ``large`` and ``cluster``. What a cluster
needs is computed from them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[1]
_OURS = ("dense", "tree", "fourier", "sorted", "auto", "labels, dense", "labels, auto")
_THEIRS = ("KernelDensity", "KNeighborsClassifier")
_LARGE = (1e8, 1e9)
SCALE, LARGE, CLUSTER = (
    DOCS / "results" / f"{name}.json" for name in ("scale", "large", "cluster")
)

_TOP = """# Large samples: how cost grows

Log-densities at n new points from n points, standard normal, a Gaussian at Scott's bandwidth,
threads on {cores} core(s). Everything but `dense` and `sorted` at a relative tolerance of {rtol:g};
scikit-learn's `KernelDensity` at the same, `KNeighborsClassifier` with 15 neighbours. `labels` are
those of the plug-in rule for two classes that overlap, at the same bandwidth: the exact ones,
whatever the method. What takes long is timed on a slice of the queries and scaled up. Trees that
parzen builds are counted, those that scikit-learn builds in fit are not. `{command}`
measures, and `python -m docs.scripts.make_scale` makes this page.

![Time against n](../figures/scale.png)

- `dense` visits every pair, exactly, in any dimension.
- `tree` bounds the kernels of far points together, within `rtol`.
- `fourier` takes two transforms, whatever the number of pairs: the gaussian in up to three
  dimensions. Its error is absolute, 1e-12 of the kernel's peak times the sum of the weights; a sum
  for which that is too much, out in the tails, comes from the tree or the dense sums.
- `sorted` is exact in n log n: uniform, triangular, epanechnikov and laplacian in one dimension.
- `auto`, the default, takes the cheapest. At its default `rtol` of 1e-12 no transform serves.
- `labels, auto` are certified: a query is refined until bounds on its sums decide the class.

"""

_LANDMARKS = """\
Weights that are optimised couple all rows, n^2 or n^3 of them. Beyond 10 000 rows only landmarks
carry weights (`n_landmarks`, `random_state`), and the criterion stays that of all rows.

- The B-machine, LS-SVM, RLS, KMSE and KFD, which give weights to all rows, have 1000 landmarks that
  are drawn from every class by frequency. The loss of all rows needs one triangular factor of the
  n x m kernel values, formed in blocks.
- L2 gives weights to few rows in few dimensions and to half of them in twenty. Its landmarks, at
  most 20 000, are those rows to which the same programme gives a weight in parts of the sample, of
  2000 rows each, at the bandwidth that was chosen: divide and merge. The quadratic term concerns
  them, the linear term is a mean over all rows.

Bandwidth and regulariser are compared by folds of a part of the sample, 16 000 rows or four for
each landmark. With all rows as landmarks the fit is the exact one.

`{command}` compares, at sizes where the exact fit runs, with other ways to spend m
rows: a random part of m rows, a committee of all such parts, and for L2 landmarks that are drawn.
Error % on 10 000 new points; each fit chooses its own bandwidth, the exact least-squares fits, for
which that would take long, have the one that landmarks chose. What is not listed was not measured.
Where the number of kernels counts, Ringnorm with L2, landmarks that are merged do better than those
that are drawn and than a committee, which has twice as many kernels, but lose against the exact fit
until `n_landmarks` reaches what that keeps, about half of the rows. Elsewhere landmarks lose up to
0.2 against the exact fit; a committee, several models in one, is better by up to 0.7."""

_MILLION = """\
d = 5. Memory is the peak beyond the data. All parameters are those that a fit has by default, its
choice of bandwidth included."""

_CLUSTER = """\
The lines of `auto` and of `labels, auto`, drawn out to n points and n queries with an exponent of
at least 1; labels take no longer than sums, which decide them too. Core time is the fitted time
times the {cores} cores that measured it; the cores are those that do it in an hour. That assumes
that chunks of queries share nothing but the points, which is so. `predict` and `score_samples` of
a dask array make one task for each chunk of queries, and a worker holds the model with all its
points; `kernel_sums` makes one for each pair of chunks, and a worker holds two chunks and their
sums. A transform of the points is repeated in every task: chunks of queries should be few and
large there, and the table counts one. Where every pair counts (`dense`), labels or a part of the
queries are the practical answer."""


def main() -> None:
    """Write the page and the figure."""
    store = json.loads(SCALE.read_text())
    rows = store["rows"]
    _figure(rows)
    parts = [_TOP.format(**store), _times(rows), _exponents(rows), _auto(rows), _pairs(rows)]
    parts += [_selection(store)] if "lscv" in store else []
    parts += [_memory(store)] if "memory" in store else []
    parts += [_landmarks(json.loads(LARGE.read_text()))] if LARGE.exists() else []
    parts += [_workers(json.loads(CLUSTER.read_text()))] if CLUSTER.exists() else []
    parts += [_cluster(rows, store["cores"])]
    (DOCS / "guide" / "large_samples.md").write_text("\n".join(parts))


def _landmarks(store: dict[str, Any]) -> str:
    ways = ("exact", "landmarks", "drawn", "part", "committee")
    body = []
    for key in dict.fromkeys((r["classifier"], r["data"], r["n"], r["m"]) for r in store["loss"]):
        mine = {
            r["way"]: r for r in store["loss"]
            if (r["classifier"], r["data"], r["n"], r["m"]) == key
        }  # fmt: skip
        errors = [f"{100 * mine[way]['error']:.1f}" if way in mine else "" for way in ways]
        body.append([*map(str, key), *errors])
    head = ["classifier", "data", "n", "m", *ways]
    text = _LANDMARKS.format(command=store.get("command", "python -m benchmarks large"))
    text = _table("Large samples for optimised weights", text, head, body)
    if not store["million"]:
        return text
    rows = [
        [r["classifier"], f"{r['n']:.0e}", _duration(r["seconds"]), f"{r['peak']:.0f} MiB",
         f"{100 * r['error']:.1f}"]
        for r in store["million"]
    ]  # fmt: skip
    head = ["classifier", "n", "time", "memory", "error %"]
    table = _table("A million rows", _MILLION, head, rows)
    return text + "\n" + table


def _pick(rows: list[dict[str, Any]], method: str, d: int) -> list[dict[str, Any]]:
    return [row for row in rows if row["method"] == method and row["d"] == d]


def _dimensions(rows: list[dict[str, Any]]) -> list[int]:
    return sorted({row["d"] for row in rows})


def _figure(rows: list[dict[str, Any]]) -> None:
    ds = _dimensions(rows)
    figure, axes = plt.subplots(1, len(ds), figsize=(3 * len(ds), 3.4), sharey=True)
    for ax, d in zip(axes, ds):
        for i, method in enumerate((*_OURS, *_THEIRS)):
            mine = _pick(rows, method, d)
            if mine:
                style = "-" if method in _OURS else "--"
                n, t = zip(*((row["n"], row["seconds"]) for row in mine))
                ax.loglog(n, t, style, marker=".", color=f"C{i}", label=method)
        ax.set(title=f"d = {d}", xlabel="n")
    axes[0].set_ylabel("seconds for n queries")
    handles = {h.get_label(): h for ax in axes for h in ax.get_lines()}
    figure.legend(handles.values(), handles, loc="lower center", ncol=len(handles), frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    figure.savefig(DOCS / "figures" / "scale.png", dpi=110)


def _methods(rows: list[dict[str, Any]]) -> list[str]:
    return [m for m in (*_OURS, *_THEIRS) if any(row["method"] == m for row in rows)]


def _table(title: str, text: str, head: list[str], body: list[list[str]]) -> str:
    lines = [f"## {title}", "", text, "", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in body), ""])


def _times(rows: list[dict[str, Any]]) -> str:
    n = max(row["n"] for row in rows)
    body = []
    for method in _methods(rows):
        found = [[r for r in _pick(rows, method, d) if r["n"] == n] for d in _dimensions(rows)]
        body.append([method, *(_duration(f[0]["seconds"]) if f else "" for f in found)])
    head = ["method", *(f"d = {d}" for d in _dimensions(rows))]
    return _table(f"n = {n:.0e}", "Time for as many queries as points.", head, body)


def _fit(mine: list[dict[str, Any]]) -> tuple[float, float]:
    """Exponent, and seconds at the largest size, of the three largest sizes."""
    logs = np.log([[row["n"], row["seconds"]] for row in mine[-3:]])
    slope, level = np.polyfit(logs[:, 0], logs[:, 1], 1)
    return float(slope), float(np.exp(level + slope * logs[-1, 0]))


def _exponents(rows: list[dict[str, Any]]) -> str:
    body = []
    for method in _methods(rows):
        found = [_pick(rows, method, d) for d in _dimensions(rows)]
        body.append([method, *(f"{_fit(f)[0]:.2f}" if f else "" for f in found)])
    head = ["method", *(f"d = {d}" for d in _dimensions(rows))]
    text = "a in time = c n^a, fitted to the three largest sizes."
    return _table("The exponent", text, head, body)


def _auto(rows: list[dict[str, Any]]) -> str:
    """Times of "auto" over those of exact sums."""
    seconds = {(r["method"], r["d"], r["n"]): r["seconds"] for r in rows}
    chosen = {(r["method"], r["d"], r["n"]): r["chosen"] for r in rows if "chosen" in r}
    ds = _dimensions(rows)
    body = []
    for what, exact in (("auto", "dense"), ("labels, auto", "labels, dense")):
        for n in sorted({row["n"] for row in rows}):
            cells = []
            for d in ds:
                if (what, d, n) not in seconds:
                    cells.append("")
                    continue
                ratio = seconds[what, d, n] / seconds[exact, d, n]
                method = chosen.get((what, d, n))
                cells.append(f"{ratio:.2g}" + (f" ({method})" if method else ""))
            body.append([what, f"{n:.0e}", *cells])
    text = "Its time over that of `dense`; in brackets what it chose. 1 where it chose `dense` too."
    return _table("What auto gains", text, ["", "n", *(f"d = {d}" for d in ds)], body)


def _pairs(rows: list[dict[str, Any]]) -> str:
    ds = _dimensions(rows)
    body = []
    for n in sorted({row["n"] for row in rows}):
        found = [[r for r in _pick(rows, "tree", d) if r["n"] == n] for d in ds]
        shares = [f"{min(100 * f[0]['pairs'] / n**2, 100):.3g} %" if f else "" for f in found]
        body.append([f"{n:.0e}", *shares])
    text = """\
Of all pairs of a query and a point, those whose kernel the trees evaluate; `dense` evaluates all of
them, a transform none."""
    return _table("Pairs", text, ["n", *(f"d = {d}" for d in ds)], body)


def _selection(store: dict[str, Any]) -> str:
    body = [[f"{f['d']}", _duration(f["seconds"])] for f in store["lscv"]]
    text = "Least-squares cross-validation of 50 bandwidths on a million points, by one transform."
    return _table("Choosing the bandwidth", text, ["d", "time"], body)


def _memory(store: dict[str, Any]) -> str:
    methods = [m for m in store["memory"][0] if m not in ("d", "n")]
    body = [
        [
            str(row["d"]),
            f"{row['n']:.0e}",
            *(f"{row[m]:.0f} MiB" if m in row else "" for m in methods),
        ]
        for row in store["memory"]
    ]
    text = """\
Peak beyond the sample and the queries: the fitted model, trees, transforms, results. As many
queries as points of `fourier`, and of `auto` in up to three dimensions, where it takes transforms;
at most a thousand otherwise: those of `dense` and `tree` come in blocks."""
    return _table("Memory", text, ["d", "n", *methods], body)


def _workers(store: dict[str, Any]) -> str:
    body = [["1", _duration(store["one"]), ""]]
    body += [["2", _duration(store["two"]), f"{store['one'] / store['two']:.2f}"]]
    text = """\
`kernel_sums` of a dask array of {rows} rows over itself, {chunks} x {chunks} pairs of chunks, by
worker processes of one thread each on one machine (`{command}`). The machine
gives two processes that share nothing {machine:.2f} times one.""".format(**store)
    return _table("Two workers over one", text, ["workers", "time", "speed-up"], body)


def _cluster(rows: list[dict[str, Any]], cores: int) -> str:
    """What 1e8 and 1e9 points need, from the fitted lines."""
    body = []
    for d in _dimensions(rows):
        for n in _LARGE:
            cells = [str(d), f"{n:.0e}", _bytes(8 * n * d), _pick(rows, "auto", d)[-1]["chosen"]]
            total = np.inf
            for method in ("auto", "labels, auto"):  # labels follow from sums: no more than these
                total = min(total, _at(_pick(rows, method, d), n) * cores)
                cells += [_duration(total), f"{max(1, np.ceil(total / 3600)):.0f}"]
            body.append(cells)
    head = ["d", "n", "points", "sums by", "core time", "cores", "labels, core time", "cores"]
    text = _CLUSTER.format(cores=cores)
    return _table("What a cluster needs for 1e8 and 1e9 points", text, head, body)


def _at(mine: list[dict[str, Any]], n: float) -> float:
    """Seconds at n points and queries, by the fitted line."""
    slope, seconds = _fit(mine)
    slope = max(slope, 1.0)  # in the long run every point takes its time
    return float(seconds * (n / mine[-1]["n"]) ** slope)


def _bytes(size: float) -> str:
    return f"{size / 2**30:.1f} GiB" if size < 2**40 else f"{size / 2**40:.1f} TiB"


def _duration(seconds: float) -> str:
    for unit, size in (("years", 3.15e7), ("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"


if __name__ == "__main__":
    main()
