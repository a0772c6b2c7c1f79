"""Where on the grids of Kim & Scott (2010) both printed figures of a cell are met.

A share of kernels depends strongly on the parameters, which the paper does not print. Here every
point of its grid (sigma; sigma and eta; sigma and C) is tried on the first splits, and the points
that come nearest on more of them. If some point has the printed error and the printed share
together, then the method is the paper's and only the choice of its parameters differs. Where no
point has both, points halfway between those of the grid are tried, which a median of an even number
of choices may be.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.svm import SVC

from parzen._core import Floats, steps
from parzen.classifiers import ParzenClassifier
from parzen.compare import Task
from parzen.papers.engine import (
    COSTS,
    SVM_SIGMAS,
    Benchmark,
    Cell,
    Parameters,
    Printed,
    Setting,
    Table,
    TableRow,
    available,
    quietly,
    read,
    share_with_copies,
)
from parzen.papers.l2.all_columns import l2_with_all_columns
from parzen.papers.l2.methods import FEW_SIGMAS, SIGMAS
from parzen.papers.l2.pairs import TOLERANCE, PairwiseL2
from parzen.papers.l2.printed import COLUMNS, ERROR, KEPT, SETS

_SEARCHED = {m: (m,) for m in COLUMNS} | {"H-SVM": ("SVM", "H-SVM"), "S-SVM": ("SVM",)}  # grids
_ERROR, _KEPT = read(ERROR, COLUMNS), read(KEPT, COLUMNS)
# Sets of 3000 training rows or more, which have a table of their own.
LARGE = ("Adult", "Mushrooms", "Web")
TITLES = tuple(t for t in SETS if t not in LARGE)
_PROTOCOL = 2  # Part of every task: other machines, or another tolerance, have other results.
_SPLITS, _ALL_SPLITS = 2, 20  # for all points of a grid, and for the nearest ones
_NEAREST = 6  # So many points of the grid are tried on more splits.
# Sets on another scale than in Tables 2 and 3, and the methods that are tried there.
_SCALINGS = {"Sonar": "standard", "Splice": "range"}
_TRIED = {"Sonar": ("L2QPη-1",), "Splice": ("H-SVM", "S-SVM", "L2QP-0", "L2QPη-0", "L2QPη-1")}
_RESCALED = ", rescaled"  # Ends the name of a set on that scale.
_PAIRS = ", by pairs"  # Ends the name of a method whose programme is solved row by row.
_MAX_TEST_ROWS = 1500  # Further test rows of a split are left out.
_MANY_ROWS = 1000  # Sets with this many training rows or more are tried on fewer splits.
_POWERS_OF_TEN = "H-SVM, powers of ten"  # a grid of its own for sets with many rows
_HARD_COSTS = np.exp2(np.arange(17, 26, 2))  # "very large", for H-SVM alone
_COSTS = {"H-SVM": _HARD_COSTS, _POWERS_OF_TEN: 10.0 ** np.arange(5, 8)}
_MAX_SVM_STEPS = {"SVM": 20_000}  # LIBSVM stops here at every point of the common grid.
_MANY_SVM_STEPS = 200_000  # LIBSVM stops here at larger C and at the nearest points.


def points(method: str, n_features: int) -> list[Parameters]:
    """The grid of a method.

    "SVM" is the grid of both support vector machines. "H-SVM" has larger C than that: for the hard
    margin the paper took C "very large" and had to search for it.
    """
    if "SVM" in method:
        costs = _COSTS.get(method, COSTS)
        return [{"sigma": s, "C": c} for s, c in product(SVM_SIGMAS.tolist(), costs.tolist())]
    if method == "Parzen":
        return [{"sigma": s} for s in SIGMAS.tolist()]
    if "η" not in method:
        return [{"sigma": s, "eta": 1.0} for s in SIGMAS.tolist()]
    etas = np.geomspace(1.0, np.sqrt(2.0) ** n_features, 10).tolist()
    return [{"sigma": s, "eta": e} for s, e in product(FEW_SIGMAS.tolist(), etas)]


def halfway(grid: list[Parameters]) -> list[Parameters]:
    """Points between neighbouring ones of a grid: between those of one parameter, or of both.

    Examples
    --------
    >>> halfway([{"sigma": s, "C": 1.0} for s in (1.0, 2.0, 4.0)])
    [{'sigma': 1.5, 'C': 1.0}, {'sigma': 3.0, 'C': 1.0}]
    """
    axes = [np.unique([p[name] for p in grid]) for name in grid[0]]
    finer = [np.sort(np.r_[axis, (axis[1:] + axis[:-1]) / 2]).tolist() for axis in axes]
    found = [dict(zip(grid[0], values, strict=True)) for values in product(*finer)]
    return [p for p in found if p not in grid]


def on_grid(
    title: str, method: str, tried: list[Parameters], split: int, data: str, protocol: int
) -> list[list[float]]:
    """Error and share of kernels in percent at some points, on one split."""
    benchmark = _benchmark(title)
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


def _benchmark(title: str) -> Benchmark:
    """A set of the paper, or the same on another scale."""
    plain = title.removesuffix(_RESCALED)
    return SETS[plain] if plain == title else replace(SETS[plain], scaling=_SCALINGS[plain])


def _machine(method: str, p: Parameters) -> Any:
    if "SVM" in method:
        most = _MAX_SVM_STEPS.get(method, _MANY_SVM_STEPS)
        return SVC(C=p["C"], gamma=1.0 / (2.0 * p["sigma"] ** 2), max_iter=most)
    if method == "Parzen":
        return ParzenClassifier(bandwidth=p["sigma"], scale=None, n_jobs=1)
    k = float(method.removesuffix(_PAIRS)[-1])
    if method.endswith(_PAIRS):
        return PairwiseL2(p["sigma"], p["eta"], k)
    return l2_with_all_columns(p["sigma"], eta=p["eta"], smoothing=k)


def met_together(setting: Setting) -> list[Table]:
    """For every set but the largest, and every method, the point nearest to both figures."""
    return _at_grid(setting, "grid", TITLES[:2] if setting.quick else TITLES)


def met_together_large(setting: Setting) -> list[Table]:
    """The same for the largest sets."""
    return _at_grid(setting, "grid_large", LARGE[:1] if setting.quick else LARGE)


def met_between(setting: Setting) -> list[Table]:
    """Halfway between the points of the grid, for cells with eta that it does not meet."""
    (grid,) = met_together(setting)
    tried = {(t, m): halfway(points(m, SETS[t].n_features)) for t, m in _not_met(grid) if "η" in m}
    found = _nearest_points(setting, tried, {place: [place] for place in tried})
    notes = [
        "As the table 'grid', at points halfway between its points in one parameter or in both. "
        "The paper takes medians of five choices, which lie on its grid; a median of an even "
        "number may lie halfway. Only cells with η are tried that the grid itself does not meet. "
        "More points meet more numbers by chance too.",
    ]
    return [_table("between", "halfway between grid points, nearest", found, notes, grid.skipped)]


def met_by_pairs(setting: Setting) -> list[Table]:
    """With a solver of pairs of rows, for cells of L2QP that no point of the grid meets."""
    tables = met_together(setting) + met_together_large(setting)
    places = [place for table in tables for place in _not_met(table) if "L2QP" in place[1]]
    every = {(t, m + _PAIRS): points(m, SETS[t].n_features) for t, m in places}
    near = _nearest_points(setting, every, {place: [place] for place in every})
    found = {(t, m.removesuffix(_PAIRS)): cell for (t, m), cell in near.items()}
    notes = [
        "As the tables 'grid' and 'grid_large', with a solver that moves weight between two rows "
        "at a time, as LIBSVM does. It starts with equal weights, so that copies of a row have "
        "weights of their own, of which some become zero, and stops where the optimality "
        f"conditions are violated by at most {TOLERANCE:.0e} of the gradient. The paper describes "
        "its solver in Appendix A, which we do not have. This tolerance was chosen so that both "
        "shares of Mushrooms are met; no two rows are equal there, and only the tolerance matters. "
        "Only cells of L2QP are tried that no point of the grid meets.",
    ]
    missing = {t: why for table in tables for t, why in table.skipped.items()}
    return [_table("pairs", "the grid point nearest", found, notes, missing)]


def met_by_hard_margins(setting: Setting) -> list[Table]:
    """H-SVM of sets with many rows with larger C than the common grid has."""
    have, missing = available({t: SETS[t] for t in ("Adult", "Mushrooms")})
    searched = {(t, "H-SVM"): [(t, _POWERS_OF_TEN)] for t in have}
    every = {(t, _POWERS_OF_TEN): points(_POWERS_OF_TEN, b.n_features) for t, b in have.items()}
    notes = [
        "As the table 'grid_large', for C of a hundred thousand, a million and ten millions. The "
        f"paper took C 'very large' and had to search for it. LIBSVM stops at {_MANY_SVM_STEPS} "
        "steps, and the share of kernels depends on where it stops."
    ]
    found = _nearest_points(setting, every, searched)
    return [_table("grid_hard", "the grid point nearest", found, notes, missing)]


def met_rescaled(setting: Setting) -> list[Table]:
    """Sets on another scale at the points of the grid, for cells that are met at none of it."""
    titles = ("Sonar",) if setting.quick else tuple(_TRIED)
    have, missing = available({t: _benchmark(t + _RESCALED) for t in titles})
    searched = {
        (t + _RESCALED, m): [(t + _RESCALED, "SVM" if "SVM" in m else m)]
        for t in have
        for m in _TRIED[t]
    }
    every = {(t, kind): points(kind, _benchmark(t).n_features)
             for places in searched.values() for t, kind in places}  # fmt: skip
    found = {
        (t.removesuffix(_RESCALED), m): cell
        for (t, m), cell in _nearest_points(setting, every, searched).items()
    }
    notes = [
        "As the table 'grid', on other scales: Sonar with columns of mean 0 and deviation 1, for "
        "which both support vector machines have the printed numbers (table 'scaling'), Splice "
        "with columns from −1 to 1. The paper does not tell how columns were scaled."
    ]
    return [_table("grid_scaling", "the grid point nearest", found, notes, missing)]


def _not_met(table: Table) -> list[tuple[str, str]]:
    """The cells of a table, by set and method, that its points do not meet."""
    return [(row.name, m) for row in table.rows for m, cell in row.cells.items() if not cell.agrees]


def _at_grid(setting: Setting, number: str, titles: tuple[str, ...]) -> list[Table]:
    have, missing = available({t: SETS[t] for t in titles})
    searched = {
        (t, m): [(t, kind) for kind in _SEARCHED[m] if kind != "H-SVM" or b.n_train < _MANY_ROWS]
        for t, b in have.items()
        for m in COLUMNS
    }
    every = {(t, kind): points(kind, have[t].n_features)
             for places in searched.values() for t, kind in places}  # fmt: skip
    notes = [
        "Share of kernels at the grid point nearest to the printed error and share. A cell is met "
        f"if both are within one printed deviation there. All points are tried on {_SPLITS} "
        f"splits, the {_NEAREST} nearest ones on {_ALL_SPLITS}, of at most {_MAX_TEST_ROWS} test "
        f"rows each (from {_MANY_ROWS} training rows on, a quarter of the splits). H-SVM may have "
        f"any C of the grid, and with less than {_MANY_ROWS} training rows larger ones up to 2^25.",
    ]
    found = _nearest_points(setting, every, searched)
    return [_table(number, "the grid point nearest", found, notes, missing)]


def _table(
    number: str,
    place: str,
    found: dict[tuple[str, str], Cell],
    notes: list[str],
    missing: dict[str, str],
) -> Table:
    titles = dict.fromkeys(t for t, _ in found)
    rows = [TableRow(t, {m: found[t, m] for m in COLUMNS if (t, m) in found}) for t in titles]
    title = f"Share of kernels in percent at {place} to the printed error and share (printed)"
    columns = [m for m in COLUMNS if any(m in row.cells for row in rows)]
    return Table(number, title, columns, rows, notes, missing, explains="2,3",
                 shows_parameters=True)  # fmt: skip


def _nearest_points(
    setting: Setting,
    grids: dict[tuple[str, str], list[Parameters]],
    searched: dict[tuple[str, str], list[tuple[str, str]]],
) -> dict[tuple[str, str], Cell]:
    """Of every set and method the point of the grids searched that is nearest to both figures."""
    few = _on_splits(setting, grids, 1 if setting.quick else _SPLITS)
    near = {}
    for (t, m), places in searched.items():
        tried = [p for place in places for p in grids[place]]
        found = np.concatenate([few[place] for place in places], axis=1)
        order = np.argsort(_distance(found, t, m), kind="stable")
        near[t, m] = [tried[i] for i in order[:_NEAREST]]
    more = _on_splits(setting, near, _SPLITS if setting.quick else _ALL_SPLITS)
    return {(t, m): _nearest(more[t, m], tried, t, m) for (t, m), tried in near.items()}


def _on_splits(
    setting: Setting, tried: dict[tuple[str, str], list[Parameters]], n_splits: int
) -> dict[tuple[str, str], Floats]:
    """Error and share on every split at every point, (splits, points, 2), by set and method."""
    tasks = {
        (t, m): [
            Task(on_grid, {"title": t, "method": m, "tried": grid, "split": i,
                           "data": _benchmark(t).load().source, "protocol": _PROTOCOL})
            for i in range(_number_of_splits(t, n_splits))
        ]
        for (t, m), grid in tried.items()
    }  # fmt: skip
    return {c: np.array(found) for c, found in setting.runner.run_groups(tasks, "grids").items()}


def _number_of_splits(title: str, n: int) -> int:
    return max(1, n // 4) if _benchmark(title).n_train >= _MANY_ROWS else n


def _distance(found: Floats, title: str, method: str) -> Floats:
    """How far each point is from the printed figures, in the larger of the printed deviations."""
    printed = [_figures(figures, title, method) for figures in (_ERROR, _KEPT)]
    away = np.abs(found.mean(axis=0) - [p["printed"] for p in printed])
    return np.asarray((away / [max(p["printed_sd"], 0.05) for p in printed]).max(axis=1))


def _nearest(found: Floats, tried: list[Parameters], title: str, method: str) -> Cell:
    """The share at the nearest point, with its parameters and its error."""
    distance = _distance(found, title, method)
    best = int(np.argmin(distance))
    parameters = {k: float(f"{v:.4g}") for k, v in tried[best].items()}
    parameters["error"] = round(float(found[:, best, 0].mean()), 2)
    cell = Cell.of(found[:, best, 1], **_figures(_KEPT, title, method))
    return replace(cell, agrees=bool(distance[best] <= 1.0), parameters=parameters)


def _figures(printed: Printed, title: str, method: str) -> dict[str, Any]:
    """What is printed for a set on any scale and a method by any solver."""
    return printed[title.removesuffix(_RESCALED)][method.removesuffix(_PAIRS)]
