"""Where on the grids of Kim & Scott (2010) both printed figures of a cell are met.

A share of kernels depends strongly on the parameters, which the paper does not print. Here every
point of its grid (sigma; sigma and eta; sigma and C) is tried on the first splits. If some point
has the printed error and the printed share together, then the method is the paper's and only the
choice of its parameters differs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.svm import SVC

from parzen._core import steps
from parzen.classifiers import L2Classifier
from parzen.compare import Task
from parzen.papers.engine import (
    COSTS,
    SVM_SIGMAS,
    Cell,
    Parameters,
    Setting,
    Table,
    TableRow,
    available,
    quietly,
    read,
    share_with_copies,
)
from parzen.papers.l2.methods import FEW_SIGMAS, SIGMAS
from parzen.papers.l2.printed import COLUMNS, ERROR, KEPT, SETS

METHODS = COLUMNS[:-1]  # Parzen keeps all
TITLES = tuple(t for t in SETS if t not in ("Adult", "Mushrooms", "Web"))
_SPLITS = {"L2QP-0": 5, "L2QP-1": 5}  # of the others 2
_MAX_TEST_ROWS = 1500  # further test rows of a split are left out
_ONE_SPLIT_ROWS = 1000  # sets with this many training rows or more are tried on one split
_MAX_SVM_STEPS = 20_000  # LIBSVM stops here at every point of the grid


def points(method: str, n_features: int) -> list[Parameters]:
    """The grid of a method; H-SVM has any C of the grid, because "infinite" is not a number."""
    if "SVM" in method:
        return [{"sigma": s, "C": c} for s, c in product(SVM_SIGMAS.tolist(), COSTS.tolist())]
    if "η" not in method:
        return [{"sigma": s, "eta": 1.0} for s in SIGMAS.tolist()]
    etas = np.geomspace(1.0, np.sqrt(2.0) ** n_features, 10).tolist()
    return [{"sigma": s, "eta": e} for s, e in product(FEW_SIGMAS.tolist(), etas)]


def on_grid(title: str, method: str, split: int, data: str) -> list[list[float]]:
    """Error and share of kernels in percent at every point, on one split."""
    benchmark = SETS[title]
    X, y = benchmark.sample()
    train, test = benchmark.splits(split + 1)[0][split]
    test = test[:_MAX_TEST_ROWS]
    out = []
    for p in steps(points(method, X.shape[1])):
        clf = quietly(partial(_machine(method, p).fit, X[train], y[train]))
        error = float(np.mean(clf.predict(X[test]) != y[test]))
        kept = share_with_copies(clf, X[train], y[train])
        out.append([round(100 * error, 4), round(100 * kept, 4)])
    return out


def _machine(method: str, p: Parameters) -> Any:
    if "SVM" in method:
        return SVC(C=p["C"], gamma=1.0 / (2.0 * p["sigma"] ** 2), max_iter=_MAX_SVM_STEPS)
    k = float(method[-1])
    return L2Classifier(bandwidth=p["sigma"], eta=p["eta"], smoothing=k, n_jobs=1)


def met_together(setting: Setting) -> list[Table]:
    """For every set and method the grid point nearest to both printed figures."""
    have, missing = available({t: SETS[t] for t in (TITLES[:2] if setting.quick else TITLES)})
    pairs = [(t, m) for t in have for m in METHODS]
    tasks = {(t, m): [Task(on_grid, {"title": t, "method": "SVM" if "SVM" in m else m, "split": i,
                                     "data": have[t].load().source})
                      for i in range(_n_splits(t, m, setting.quick))]
             for t, m in pairs}  # fmt: skip
    found = setting.runner.run_groups(tasks, "grids")
    errors, shares = read(ERROR, COLUMNS), read(KEPT, COLUMNS)
    rows = []
    for title, benchmark in have.items():
        cells = {}
        for m in METHODS:
            tried = np.array(found[title, m])  # (splits, points, 2)
            cells[m] = _nearest(
                tried, points(m, benchmark.n_features), errors[title][m], shares[title][m]
            )
        rows.append(TableRow(title, cells))
    notes = [
        "Share of kernels at the grid point nearest to the printed error and share. A cell is met "
        "if both are within one printed deviation there. L2QP-0 and L2QP-1: five splits, the "
        "others two, of at most 1500 test rows each; on Image and Splice one; H-SVM may have any C "
        "of the grid.",
        f"Not tried: {', '.join(t for t in SETS if t not in have)}.",
    ]
    title = (
        "Share of kernels in percent at the grid point nearest to the printed error and share "
        "(printed)"
    )
    return [Table("grid", title, list(METHODS), rows, notes, missing, explains="2,3",
                  shows_parameters=True)]  # fmt: skip


def _n_splits(title: str, method: str, quick: bool) -> int:
    return 1 if quick or SETS[title].n_train >= _ONE_SPLIT_ROWS else _SPLITS.get(method, 2)


def _nearest(tried: Any, grid: list[Parameters], error: Any, share: Any) -> Cell:
    """The point whose larger difference, in printed deviations, is the least."""
    means = tried.mean(axis=0)
    away = np.abs(means - [error["printed"], share["printed"]])
    scale = [max(error["printed_sd"], 0.05), max(share["printed_sd"], 0.05)]
    distance = (away / scale).max(axis=1)
    best = int(np.argmin(distance))
    found = Cell.of(tried[:, best, 1], **share)
    parameters = {k: float(f"{v:.4g}") for k, v in grid[best].items()}
    parameters["error"] = round(float(means[best, 0]), 2)
    return replace(found, agrees=bool(distance[best] <= 1.0), parameters=parameters)
