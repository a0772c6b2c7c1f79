"""Where on the grids of Kim & Scott (2010) both printed figures of a cell are met.

A share of kernels depends strongly on the parameters, which the paper does not print. Here every
point of its grid (sigma; sigma and eta; sigma and C) is tried on the first splits, and the points
that come nearest on more of them. If some point has the printed error and the printed share
together, then the method is the paper's and only the choice of its parameters differs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.svm import SVC

from parzen._core import Floats, steps
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
_KINDS = {m: "SVM" if "SVM" in m else m for m in METHODS}  # methods that share a grid
_ERROR, _KEPT = read(ERROR, COLUMNS), read(KEPT, COLUMNS)
# Sets of 3000 training rows or more, which have a table of their own.
LARGE = ("Adult", "Mushrooms", "Web")
TITLES = tuple(t for t in SETS if t not in LARGE)
_SPLITS, _ALL_SPLITS = 2, 10  # for all points of a grid, and for the nearest ones
_NEAREST = 6  # So many points of the grid are tried on more splits.
_MAX_TEST_ROWS = 1500  # Further test rows of a split are left out.
_MANY_ROWS = 1000  # Sets with this many training rows or more are tried on fewer splits.
_MAX_SVM_STEPS = 20_000  # LIBSVM stops here at every point of the grid.


def points(method: str, n_features: int) -> list[Parameters]:
    """The grid of a method; H-SVM has any C of the grid, because "infinite" is not a number."""
    if "SVM" in method:
        return [{"sigma": s, "C": c} for s, c in product(SVM_SIGMAS.tolist(), COSTS.tolist())]
    if "η" not in method:
        return [{"sigma": s, "eta": 1.0} for s in SIGMAS.tolist()]
    etas = np.geomspace(1.0, np.sqrt(2.0) ** n_features, 10).tolist()
    return [{"sigma": s, "eta": e} for s, e in product(FEW_SIGMAS.tolist(), etas)]


def on_grid(
    title: str, method: str, tried: list[Parameters], split: int, data: str
) -> list[list[float]]:
    """Error and share of kernels in percent at some points, on one split."""
    benchmark = SETS[title]
    X, y = benchmark.sample()
    train, test = benchmark.splits(split + 1)[0][split]
    test = test[:_MAX_TEST_ROWS]
    out = []
    for p in steps(tried):
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
    """For every set but the largest, and every method, the point nearest to both figures."""
    return _nearest_points(setting, "grid", TITLES[:2] if setting.quick else TITLES)


def met_together_large(setting: Setting) -> list[Table]:
    """The same for the largest sets."""
    return _nearest_points(setting, "grid_large", LARGE[:1] if setting.quick else LARGE)


def _nearest_points(setting: Setting, number: str, titles: tuple[str, ...]) -> list[Table]:
    have, missing = available({t: SETS[t] for t in titles})
    every = {(t, k): points(k, b.n_features) for t, b in have.items() for k in _KINDS.values()}
    few = _on_splits(setting, every, 1 if setting.quick else _SPLITS)
    near = {}
    for t, m in product(have, METHODS):
        order = np.argsort(_distance(few[t, _KINDS[m]], t, m), kind="stable")
        near[t, m] = [every[t, _KINDS[m]][i] for i in order[:_NEAREST]]
    found = _on_splits(setting, near, _SPLITS if setting.quick else _ALL_SPLITS)
    rows = [
        TableRow(t, {m: _nearest(found[t, m], near[t, m], t, m) for m in METHODS}) for t in have
    ]
    notes = [
        "Share of kernels at the grid point nearest to the printed error and share. A cell is met "
        f"if both are within one printed deviation there. All points are tried on {_SPLITS} "
        f"splits, the {_NEAREST} nearest ones on {_ALL_SPLITS}, of at most {_MAX_TEST_ROWS} test "
        f"rows each (from {_MANY_ROWS} training rows on, a quarter of the splits); H-SVM may have "
        "any C of the grid.",
    ]
    title = (
        "Share of kernels in percent at the grid point nearest to the printed error and share "
        "(printed)"
    )
    return [Table(number, title, list(METHODS), rows, notes, missing, explains="2,3",
                  shows_parameters=True)]  # fmt: skip


def _on_splits(
    setting: Setting, tried: dict[tuple[str, str], list[Parameters]], n_splits: int
) -> dict[tuple[str, str], Floats]:
    """Error and share on every split at every point, (splits, points, 2), by set and method."""
    tasks = {
        (t, m): [
            Task(on_grid, {"title": t, "method": _KINDS.get(m, m), "tried": grid, "split": i,
                           "data": SETS[t].load().source})
            for i in range(max(1, n_splits // 4) if SETS[t].n_train >= _MANY_ROWS else n_splits)
        ]
        for (t, m), grid in tried.items()
    }  # fmt: skip
    return {c: np.array(found) for c, found in setting.runner.run_groups(tasks, "grids").items()}


def _distance(found: Floats, title: str, method: str) -> Floats:
    """How far each point is from the printed figures, in the larger of the printed deviations."""
    printed = [figures[title][method] for figures in (_ERROR, _KEPT)]
    away = np.abs(found.mean(axis=0) - [p["printed"] for p in printed])
    return np.asarray((away / [max(p["printed_sd"], 0.05) for p in printed]).max(axis=1))


def _nearest(found: Floats, tried: list[Parameters], title: str, method: str) -> Cell:
    """The share at the nearest point, with its parameters and its error."""
    distance = _distance(found, title, method)
    best = int(np.argmin(distance))
    parameters = {k: float(f"{v:.4g}") for k, v in tried[best].items()}
    parameters["error"] = round(float(found[:, best, 0].mean()), 2)
    cell = Cell.of(found[:, best, 1], **_KEPT[title][method])
    return replace(cell, agrees=bool(distance[best] <= 1.0), parameters=parameters)
