"""Least squares in a box against lsq_linear and PIQP, all to a relative gap of 1e-6.

The programmes are those of the B-machine: Gaussian Gram matrices of the parity problem and of
eight uniform columns scaled as the report's data are, from narrow kernels to the widths that the
report found best, where the matrix is singular. PIQP is given K'K, and forming it, which a user has
to do, is part of its time. Ratios are of wall times; gaps are recomputed with K for everyone. At
2000 rows lsq_linear runs in a process of its own and is stopped once it has taken six times as long
as ours: its ratio is then "at least 6". The parts, for ``--only=``, are 400 and 2000.
"""

from __future__ import annotations

import multiprocessing
import time
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

from benchmarks._timing import Times, interleaved, optional, table, verdict
from parzen.kernels import gram
from parzen.solvers import box_least_squares

CASES = ((2, 0.2), (2, 0.5), (2, 1.0), (2, 2.0), (8, 0.5), (8, 1.0), (8, 2.0), (8, 5.0))
TOL = 1e-6
SLOW = 400  # rows up to which lsq_linear is left to finish
_ENOUGH = 6  # times our time, after which it is stopped


def programme(n: int, d: int, sigma: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    corners = rng.choice([-1.0, 1.0], size=(n, 2))
    X = corners + 0.6 * rng.normal(size=(n, 2)) if d == 2 else rng.uniform(-1, 1, size=(n, d))
    t = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    return gram(X, X, "gaussian", sigma) * t, 0.2 * t


def gap(A: Any, b: Any, x: Any) -> float:
    x = np.clip(x, 0, 1)
    g = A.T @ (A @ x - b)
    return float(np.where(g > 0, g * x, -g * (1 - x)).sum() / (0.5 * b @ b))


def by_piqp(piqp: Any, A: Any, b: Any) -> Any:
    n = len(b)
    solver = piqp.DenseSolver()
    solver.settings.eps_abs, solver.settings.eps_rel = 1e-8, TOL
    solver.settings.check_duality_gap = True
    solver.settings.eps_duality_gap_rel = TOL
    solver.setup(A.T @ A, -(A.T @ b), x_l=np.zeros(n), x_u=np.ones(n))
    solver.solve()
    return solver.result.x


def by_lsq_linear(A: Any, b: Any, method: str) -> Any:
    return lsq_linear(A, b, (0, 1), method=method, tol=TOL, max_iter=3000).x


def seconds_at_most(A: Any, b: Any, method: str, limit: float) -> float:
    """Seconds that lsq_linear takes in a process of its own, or the limit."""
    process = multiprocessing.get_context("fork").Process(target=by_lsq_linear, args=(A, b, method))
    begin = time.perf_counter()
    process.start()
    process.join(limit)
    if process.is_alive():
        process.terminate()
    process.join()
    return time.perf_counter() - begin


def run(only: str | None = None) -> None:
    """Print a table per programme as soon as it is measured: 2000 rows take minutes."""
    piqp = optional("piqp")
    head = ["programme", "ours ms", "gap"]
    for name in ("piqp", "bvls", "trf"):
        head += [f"{name} / ours", "gap", "wanted"]
    for n in (400, 2000):
        if only not in (None, str(n)):
            continue
        for d, sigma in CASES:
            row = measure(piqp, n, d, sigma)
            table(f"Box least squares, n = {n}, relative gap {TOL:g}", head, [row])


def measure(piqp: Any, n: int, d: int, sigma: float) -> list[object]:
    A, b = programme(n, d, sigma)
    quick = {"ours": lambda: box_least_squares(A, b, tol=TOL).weights}
    if piqp is not None:
        quick["piqp"] = lambda: by_piqp(piqp, A, b)
    slow = {name: lambda name=name: by_lsq_linear(A, b, name) for name in ("bvls", "trf")}
    found: dict[str, Any] = {}

    def timed(solvers: dict[str, Any], rounds: int) -> dict[str, Times]:
        keep = {name: lambda name=name: found.update({name: solvers[name]()}) for name in solvers}
        return interleaved(keep, rounds=rounds, seconds=4)

    times = timed(quick, 25) | (timed(slow, 2) if n <= SLOW else {})
    ours = times["ours"].wall
    row: list[object] = [f"d={d} sigma={sigma:g}", 1e3 * ours, gap(A, b, found["ours"])]
    for name, wanted in (("piqp", 1.0), ("bvls", 5.0), ("trf", 5.0)):
        if name in times:
            ratio = times[name].wall / ours
            row += [ratio, gap(A, b, found[name]), verdict(ratio, at_least=wanted)]
        elif name == "piqp":
            row += ["-", "-", "-"]
        else:
            ratio = seconds_at_most(A, b, name, _ENOUGH * ours) / ours
            shown = f"at least {_ENOUGH}" if ratio >= _ENOUGH else ratio
            row += [shown, "-", verdict(ratio, at_least=wanted)]
    return row
