"""Least squares in a box against lsq_linear and PIQP, all to a relative gap of 1e-6.

The programmes are those of the B-machine: Gaussian Gram matrices of the parity problem and of
eight uniform columns scaled as the report's data are, from narrow kernels to the widths that the
report found best, where the matrix is singular. PIQP is given K'K, and forming it is part of its
time. Ratios are of wall times; gaps are recomputed with K for everyone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

from benchmarks._timing import interleaved, optional, table, verdict
from parzen.gram import gram
from parzen.solvers import box_least_squares

CASES = ((2, 0.2), (2, 0.5), (2, 1.0), (2, 2.0), (8, 0.5), (8, 1.0), (8, 2.0), (8, 5.0))
TOL = 1e-6
SLOW = 400  # rows up to which lsq_linear is asked


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


def run() -> None:
    piqp = optional("piqp")
    for n in (400, 2000):
        rows = []
        for d, sigma in CASES:
            A, b = programme(n, d, sigma)
            solvers = {"ours": lambda A=A, b=b: box_least_squares(A, b, tol=TOL).weights}
            if piqp is not None:
                solvers["piqp"] = lambda A=A, b=b: by_piqp(piqp, A, b)
            if n <= SLOW:
                for method in ("bvls", "trf"):
                    solvers[method] = lambda A=A, b=b, method=method: (
                        lsq_linear(A, b, (0, 1), method=method, tol=TOL, max_iter=3000).x
                    )
            times = interleaved(solvers, rounds=3, seconds=30)
            ours = times["ours"].wall
            row: list[object] = [f"d={d} sigma={sigma:g}", 1e3 * ours, gap(A, b, solvers["ours"]())]
            for name in ("piqp", "bvls", "trf"):
                if name not in times:
                    row += ["-", "-", "-"]
                    continue
                ratio = times[name].wall / ours
                wanted = 1.0 if name == "piqp" else 5.0
                row += [ratio, gap(A, b, solvers[name]()), verdict(ratio, at_least=wanted)]
            rows.append(row)
        head = ["programme", "ours ms", "gap"]
        for name in ("piqp", "bvls", "trf"):
            head += [f"{name} / ours", "gap", "wanted"]
        table(f"Box least squares, n = {n}, relative gap {TOL:g}", head, rows)
