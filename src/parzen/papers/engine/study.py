"""A study: every method on every data set, parameters by medians over the first training sets.

Each of the first few training sets chooses parameters; their medians are used on all splits. The
tasks are small, so that a run that was stopped loses little.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen._core import steps
from parzen.compare import Task, chosen_parameters, share_kept
from parzen.papers.engine.benchmark import Benchmark, available
from parzen.papers.engine.columns import Column, Parameters, consensus, quietly
from parzen.papers.engine.paper import Setting
from parzen.papers.engine.printed import Printed
from parzen.papers.engine.result import Cell, Table, TableRow

_SPLITS_PER_TASK = 10  # A run that is stopped loses the splits of the tasks under way.


@dataclass(frozen=True)
class Extent:
    """How many training sets choose the parameters, and how many splits are judged."""

    choosing: int
    judging: int


@dataclass(frozen=True)
class Measured:
    """A method on a data set: per split error, share of kernels and time; and what was chosen.

    Where every split chooses for itself, the parameters are medians over the splits.
    """

    error: list[float]
    kept: list[float]
    seconds: list[float]
    choosing_seconds: list[float]
    parameters: Parameters

    def cell(self, what: str, n_splits: int | None = None, **printed: Any) -> Cell:
        """A cell of the first splits, all by default, with the parameters.

        It has the "wrong" or the "right" labels or the kernels that are "kept", in percent.
        """
        percent = 100.0 * np.array(self.kept if what == "kept" else self.error)
        values = (100.0 - percent if what == "right" else percent)[:n_splits]
        return replace(Cell.of(values, **printed), parameters=self.parameters or None)


@dataclass(frozen=True)
class Study:
    """Data sets, methods and extent of a paper's comparison; a module keeps it as ``STUDY``.

    Attributes
    ----------
    module : str
        The full name of the module that keeps it, by which tasks find it again.
    sets : dict of str to Benchmark
        By the paper's names.
    columns : dict of str to Column
        The methods.
    extent : callable
        Takes a benchmark, the name of a method and whether to be quick to an `Extent`.
    quick_sets : tuple of str
        Sets of the quick run.
    protocol : int
        Part of every task: another protocol has other results.
    """

    module: str
    sets: dict[str, Benchmark]
    columns: dict[str, Column]
    extent: Callable[[Benchmark, str, bool], Extent]
    quick_sets: tuple[str, ...]
    protocol: int = 1

    def available(
        self, quick: bool, titles: Collection[str] | None = None
    ) -> tuple[dict[str, Benchmark], dict[str, str]]:
        """Sets, all or those of ``titles``, that can be had here, and why others are left out."""
        asked = {t: b for t, b in self.sets.items() if titles is None or t in titles}
        return available(asked, self.quick_sets if quick else None)

    def table(
        self,
        setting: Setting,
        number: str,
        title: str,
        methods: Mapping[str, str] | Iterable[str],
        what: str,
        *,
        titles: Collection[str] | None = None,
        notes: Iterable[str] = (),
        explains: str = "",
        **row: Any,
    ) -> Table:
        """A table of every method on every set, all or those of ``titles``.

        Parameters
        ----------
        setting : Setting
            How it is run.
        number, title, notes, explains :
            As in `Table`.
        methods : mapping of str to str, or iterable of str
            Methods by the names of their columns, or methods whose columns have their names.
        what : {"wrong", "right", "kept"}
            What is shown, in percent.
        titles : collection of str, default=None
            The sets; None for all.
        **row
            Passed to `row`.
        """
        columns = methods if isinstance(methods, Mapping) else {m: m for m in methods}
        have, missing = self.available(setting.quick, titles)
        found = self.measure(setting, have, columns.values())
        rows = [
            self.row(t, {c: found[t][m] for c, m in columns.items()}, what, **row) for t in have
        ]
        return Table(number, title, list(columns), rows, list(notes), missing, explains=explains)

    def row(
        self,
        title: str,
        found: Mapping[str, Measured],
        what: str,
        *,
        printed: Printed | None = None,
        splits_of: str = "",
        digits: int = 1,
    ) -> TableRow:
        """What was found on a set, beside what is printed.

        All columns have the splits of the one that ``splits_of`` names, or all of their own.
        """
        benchmark, figures = self.sets[title], (printed or {}).get(title, {})
        n = len(found[splits_of].error) if splits_of else None
        cells = {
            column: f.cell(what, n, **figures.get(column, {}), printed_n=benchmark.n_splits,
                           digits=digits)
            for column, f in found.items()
        }  # fmt: skip
        return TableRow(title, cells, benchmark.note(max(cell.n for cell in cells.values())))

    def parameters(self, setting: Setting, title: str, method: str) -> Parameters:
        """What a method has on a set: the medians over the training sets that choose."""
        extent = self.extent(self.sets[title], method, setting.quick)
        chosen = setting.runner.run(self._choosing(title, method, extent, setting), "choosing")
        return self._parameters(title, method, [c["parameters"] for c in chosen])

    def measure(
        self, setting: Setting, titles: Iterable[str], methods: Iterable[str]
    ) -> dict[str, dict[str, Measured]]:
        """Every method on every set, as far as it is not on disk already."""
        pairs = [(t, m) for t in titles for m in methods]
        extents = {(t, m): self.extent(self.sets[t], m, setting.quick) for t, m in pairs}
        choosing = {pair: self._choosing(*pair, extents[pair], setting) for pair in pairs}
        chosen = setting.runner.run_groups(choosing, "choosing parameters")
        medians = {p: self._parameters(*p, [c["parameters"] for c in chosen[p]]) for p in pairs}
        judging = {pair: self._judging(*pair, extents[pair], medians[pair]) for pair in pairs}
        judged = setting.runner.run_groups(judging, "judging")
        found: dict[str, dict[str, Measured]] = {t: {} for t, _ in pairs}
        for t, m in pairs:
            splits = [split for batch in judged[t, m] for split in batch]
            error, kept, times = ([s[key] for s in splits] for key in ("error", "kept", "seconds"))
            choosing_times = [c["seconds"] for c in chosen[t, m]]
            own = consensus([s["chosen"] for s in splits if s.get("chosen")])
            found[t][m] = Measured(error, kept, times, choosing_times, medians[t, m] or own)
        return found

    def _parameters(self, title: str, method: str, chosen: list[Parameters]) -> Parameters:
        return consensus(chosen)

    def _choosing(self, title: str, method: str, extent: Extent, setting: Setting) -> list[Task]:
        if self.columns[method].select is None:
            return []
        return [
            Task(choose, self._common(title, method) | {"split": i, "quick": setting.quick})
            for i in range(extent.choosing)
        ]

    def _judging(
        self, title: str, method: str, extent: Extent, parameters: Parameters
    ) -> list[Task]:
        common = self._common(title, method) | {"parameters": parameters}
        return [
            Task(judge, common | {"first": i, "last": min(i + _SPLITS_PER_TASK, extent.judging)})
            for i in range(0, extent.judging, _SPLITS_PER_TASK)
        ]

    def _common(self, title: str, method: str) -> dict[str, Any]:
        names = {"module": self.module, "title": title, "method": method}
        return {**names, "data": self.sets[title].load().source, "protocol": self.protocol}


def choose(
    module: str, title: str, method: str, split: int, quick: bool, data: str, protocol: int
) -> dict[str, Any]:
    """Parameters from one training set."""
    study = _study(module)
    benchmark, select = study.sets[title], study.columns[method].select
    assert select is not None
    train, _ = benchmark.splits(split + 1)[0][split]
    X, y = benchmark.sample()
    start = time.perf_counter()
    found = quietly(lambda: select(X[train], y[train], quick))
    return {"parameters": _plain(found), "seconds": time.perf_counter() - start}


def judge(
    module: str,
    title: str,
    method: str,
    parameters: Parameters,
    first: int,
    last: int,
    data: str,
    protocol: int,
) -> list[dict[str, Any]]:
    """Error, kernels, time of fitting and what the fit chose on the splits from first to last."""
    study = _study(module)
    benchmark = study.sets[title]
    X, y = benchmark.sample()
    out = []
    for train, test in steps(benchmark.splits(last)[0][first:last]):
        clf = study.columns[method].make(parameters)
        start = time.perf_counter()
        quietly(partial(clf.fit, X[train], y[train]))
        seconds = time.perf_counter() - start
        error = float(np.mean(clf.predict(X[test]) != y[test]))
        kept = share_with_copies(clf, X[train], y[train])
        chosen = {} if parameters else _plain(chosen_parameters(clf))
        out.append({"error": error, "kept": kept, "seconds": seconds, "chosen": chosen})
    return out


def share_with_copies(clf: Any, X: NDArray[Any], y: NDArray[Any]) -> float:
    """Share of the training rows that carry a kernel.

    Equal rows of a class share one kernel in the library. The papers solve for every row, so each
    copy of a row that is kept counts here.
    """
    kept = share_kept(clf, len(X))
    if kept is None:
        return 1.0
    if not (hasattr(clf, "expansion_") and hasattr(clf, "support_")):
        return kept
    rows = np.unique(np.column_stack([X, np.unique(y, return_inverse=True)[1]]), axis=0,
                     return_inverse=True)[1].ravel()  # fmt: skip
    return float(np.isin(rows, rows[clf.support_]).mean())


def _study(module: str) -> Study:
    found = import_module(module).STUDY
    assert isinstance(found, Study)
    return found


def _plain(parameters: Parameters) -> Parameters:
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in parameters.items()}
