"""``python docs/make_scale.py`` makes docs/scale.md and its figure from docs/results/scale.json.

The figures are those of ``python -m benchmarks scale``. What a cluster needs is computed from them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
_OURS = ("dense", "tree", "fourier", "sorted", "auto")
_THEIRS = ("KernelDensity", "KNeighborsClassifier")
_LARGE = (1e8, 1e9)
LARGE = HERE / "results" / "large.json"

_TOP = """# How cost grows

Log-densities at n new points from n points, standard normal, a Gaussian at Scott's bandwidth,
threads on {cores} core(s). Everything but `dense` and `sorted` at a relative tolerance of {rtol:g};
scikit-learn's `KernelDensity` at the same, `KNeighborsClassifier` with 15 neighbours. What takes
long is timed on a slice of the queries and scaled up. `python -m benchmarks scale` measures, and
`python docs/make_scale.py` makes this page.

![Time against n](figures/scale.png)

- `dense` visits every pair, exactly, in any dimension.
- `tree` bounds the kernels of far points together, within `rtol`.
- `fourier` takes two transforms, whatever the number of pairs: the gaussian in up to three
  dimensions. Its error is absolute, 1e-12 of the kernel's peak times the sum of the weights; a sum
  for which that is too much, out in the tails, comes from the tree or the dense sums.
- `sorted` is exact in n log n: uniform, triangular, epanechnikov and laplacian in one dimension.
- `auto`, the default, takes the cheapest. At its default `rtol` of 1e-12 no transform serves.

"""

_LANDMARKS = """\
Weights that are optimised couple all rows, n^2 or n^3 of them. Beyond 10 000 rows only landmarks
carry weights, drawn from every class by frequency (`n_landmarks`, `random_state`): 1000 for the
B-machine, LS-SVM, RLS, KMSE and KFD, 10 000 for L2. The criterion stays that of all rows. L2's
quadratic term concerns the landmarks, and its linear term is a mean over all rows; a least-squares
loss needs one triangular factor of the n x m kernel values, formed in blocks. Bandwidth and
regulariser are compared by folds of a part of the sample, 16 000 rows or four for each landmark.
With all rows as landmarks the fit is the exact one.

`python -m benchmarks large` compares, at sizes where the exact fit runs, with two other ways to
spend m rows: a random part of m rows, and a committee of all such parts. Error % on new points;
each fit chooses its own bandwidth, and a classifier that is not listed was not measured. L2 loses
nothing in few dimensions, and may lose much in twenty, where every row is far from all others and
its kernels are the model: raise `n_landmarks` there. A committee does better there than landmarks,
with as many times more kernels as it has members, and no single set of densities."""

_MILLION = """\
d = 5. Memory is the peak beyond the data. All parameters are those that a fit has by default, its
choice of bandwidth included."""

_CLUSTER = """\
The lines of `auto`, drawn out to n points and n queries with an exponent of at least 1. Core time
is the fitted time times the {cores} cores that measured it. Cores for an hour assumes that chunks
of queries share nothing but the points, which is so: `kernel_sums` and `predict` of a dask array
make one task for each chunk of queries, `kernel_sums` one for each pair of chunks. A worker then
holds two chunks and their sums; the points must fit the cluster's memory or its disks. Where every
pair counts (`dense`), a part of the queries is the practical answer."""


def main() -> None:
    """Write the page and the figure."""
    store = json.loads((HERE / "results" / "scale.json").read_text())
    rows = store["rows"]
    _figure(rows)
    parts = [_TOP.format(rtol=store["rtol"], cores=store["cores"]), _times(rows), _exponents(rows)]
    parts += [_selection(store)] if store["lscv"] else []
    parts += [_memory(store)] if store["memory"] else []
    parts += [_landmarks(json.loads(LARGE.read_text()))] if LARGE.exists() else []
    parts += [_cluster(rows, store["cores"])]
    (HERE / "scale.md").write_text("\n".join(parts))


def _landmarks(store: dict[str, Any]) -> str:
    ways = ("exact", "landmarks", "part", "committee")
    body = []
    for key in dict.fromkeys((r["classifier"], r["data"], r["n"], r["m"]) for r in store["loss"]):
        mine = {
            r["way"]: r for r in store["loss"]
            if (r["classifier"], r["data"], r["n"], r["m"]) == key
        }  # fmt: skip
        errors = [f"{100 * mine[way]['error']:.1f}" if way in mine else "" for way in ways]
        times = [_duration(mine[way]["seconds"]) for way in ways[:2]]
        body.append([*map(str, key), *errors, *times])
    head = ["classifier", "data", "n", "m", *ways, "time, exact", "landmarks"]
    text = _table("Large samples for optimised weights", _LANDMARKS, head, body)
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
    figure.savefig(HERE / "figures" / "scale.png", dpi=110)


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


def _selection(store: dict[str, Any]) -> str:
    body = [[f"{f['d']}", _duration(f["seconds"])] for f in store["lscv"]]
    text = "Least-squares cross-validation of 50 bandwidths on a million points, by one transform."
    return _table("Choosing the bandwidth", text, ["d", "time"], body)


def _memory(store: dict[str, Any]) -> str:
    body = [[method, f"{mib:.0f} MiB"] for method, mib in store["memory"].items()]
    text = "Beyond the fitted model, n = 1e6 and d = 2; queries, results and transforms included."
    return _table("Memory", text, ["method", "peak"], body)


def _cluster(rows: list[dict[str, Any]], cores: int) -> str:
    """What 1e8 and 1e9 points need, from the fitted lines."""
    body = []
    for d in _dimensions(rows):
        mine = _pick(rows, "auto", d)
        slope, seconds = _fit(mine)
        slope = max(slope, 1.0)  # in the long run every point takes its time
        for n in _LARGE:
            total = seconds * (n / mine[-1]["n"]) ** slope * cores
            body.append(
                [str(d), f"{n:.0e}", mine[-1]["chosen"], _bytes(8 * n * d), _duration(total),
                 f"{max(1, np.ceil(total / 3600)):.0f}"]
            )  # fmt: skip
    text = _CLUSTER.format(cores=cores)
    head = ["d", "n", "method", "points", "core time", "cores for an hour"]
    return _table("What a cluster needs for 1e8 and 1e9 points", text, head, body)


def _bytes(size: float) -> str:
    return f"{size / 2**30:.1f} GiB" if size < 2**40 else f"{size / 2**40:.1f} TiB"


def _duration(seconds: float) -> str:
    for unit, size in (("years", 3.15e7), ("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s"


if __name__ == "__main__":
    main()
