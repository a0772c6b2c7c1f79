"""Memory that a density takes beyond the sample itself, each method in its own process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from typing import Any

from benchmarks._timing import table

SIZES = (1_000, 10_000, 100_000, 1_000_000)
_QUERIES = {  # None for as many as there are points
    "dense": 1_000, "tree": 1_000, "fourier": None, "auto": None, "KernelDensity": 100,
    "KNeighborsClassifier": 1_000,
}  # fmt: skip
_CODE = """
import sys
import numpy as np
import parzen
import sklearn.neighbors
def mebibytes(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))
method, n, d, queries = sys.argv[1], *map(int, sys.argv[2:5])
options = dict(bandwidth=n ** (-1 / (d + 4)), rtol=float(sys.argv[5]))
X = np.random.default_rng(0).normal(size=(n, d))
Q = np.random.default_rng(1).normal(size=(queries, d))
y, answer = X[:, 0] > 0, "score_samples"
if method == "KernelDensity":
    model = sklearn.neighbors.KernelDensity(**options)
elif method == "KNeighborsClassifier":
    model, answer = sklearn.neighbors.KNeighborsClassifier(15), "predict"
else:
    model = parzen.KernelDensity(**options, method=method)
getattr(model.fit(X[:1000], y[:1000]), answer)(Q[:10])
before = mebibytes("VmRSS")
getattr(model.fit(X, y), answer)(Q)
print(mebibytes("VmHWM") - before)
"""


def peaks(dimensions: Sequence[int], rtol: float) -> list[dict[str, Any]]:
    """MiB of a fit and its answers."""
    found = []
    for d, n in product(dimensions, SIZES):
        row: dict[str, Any] = {"d": d, "n": n}
        for method, queries in _QUERIES.items():
            if method == "fourier" and d > 3:
                continue
            most = n if queries is None else queries
            count = most if d <= 3 else min(most, 1_000)  # no transform serves
            arguments = [method, str(n), str(d), str(count), str(rtol)]
            command = [sys.executable, "-c", _CODE, *arguments]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=True)
            except (OSError, subprocess.CalledProcessError):
                print(f"skipped: memory of {method}, d = {d}, n = {n}")
                continue
            row[method] = float(done.stdout)
        found.append(row)
    body = [[r["d"], r["n"], *(r.get(m, "") for m in _QUERIES)] for r in found]
    table("MiB beyond the sample", ["d", "n", *_QUERIES], body)
    return found
