"""The automatic classifier on the papers' data sets, beside a support vector machine and trees.

Five splits of every set (official ones where they are known, stratified random ones otherwise),
every tuning inside the training part, at most 4000 test rows. Forests and boosting run with the
settings of their libraries, 500 trees in the forests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from parzen import datasets
from parzen.classifiers import StackedDensityClassifier
from parzen.compare import Task, judge, random_splits, wilcoxon_test
from parzen.papers.auto.explanations import ABOUT
from parzen.papers.auto.rival_svc import FairSVC
from parzen.papers.auto.rival_trees import TREES, absent_rivals
from parzen.papers.engine import Cell, Paper, Setting, Table, TableItem, TableRow, load_form

Floats = NDArray[np.float64]

# The size of a random training part, where there are fewer than five official splits. Ecoli has the
# five classes of the B-machine's report: the other three have nine rows together.
SETS = {
    "banana": 400, "breast_cancer": 200, "pima": 468, "flare_solar": 666, "german": 700,
    "heart": 170, "image": 1300, "ringnorm": 400, "splice": 1000, "thyroid": 140, "titanic": 150,
    "twonorm": 400, "waveform": 400, "ionosphere": 251, "sonar": 150, "bupa": 240, "wbc": 480,
    "wdbc": 400, "wine": 120, "iris": 105, "ecoli5": 229, "monks1": 124, "monks2": 169,
    "monks3": 122,
}  # fmt: skip
UNSEEN = {"cleveland": 208, "german_numeric": 700, "mushrooms": 500, "digits": 500}
DESIGN_NOTE = (
    "Five splits. The densities were designed on these sets; least squares, normal scores and the "
    "pool on others."
)
UNSEEN_NOTE = "Five splits of sets that no choice of the densities has looked at."
SPLITS = 5
QUICK_SETS = ("heart", "iris", "monks1")
_MOST_TEST = 4000
_QUICK_METHODS = ("core", "fast", "forest")

METHODS: Mapping[str, Callable[[], Any]] = {
    "core": lambda: StackedDensityClassifier(random_state=0),
    "density": lambda: StackedDensityClassifier("density", random_state=0),
    "fast": lambda: StackedDensityClassifier("fast", random_state=0),
    "svc": FairSVC,
    **TREES,
}


def split_of(name: str, split: int) -> tuple[datasets.Dataset, datasets.Split]:
    """A set and one of its splits, the test part cut at 4000 rows."""
    data = load_form(name)
    if split < len(data.splits) and len(data.splits) >= SPLITS:
        train, test = data.splits[split]
    else:
        share = 1.0 - {**SETS, **UNSEEN}[name] / len(data.y)
        found = random_splits(data.y, SPLITS, test_size=share, random_state=1)
        train, test = found[split]
        if split < len(data.splits):
            train, test = data.splits[split]
    return data, (train, test[:_MOST_TEST])


def outcome(data_set: str, method: str, split: int) -> dict[str, Any]:
    """Error, log-loss and times of one method on one split."""
    data, (train, test) = split_of(data_set, split)
    found = judge(method, METHODS[method](), data.X, data.y, split, train, test)
    if found.failure is not None:
        raise RuntimeError(f"{method} on {data_set}, split {split}: {found.failure}")
    return {
        "error": found.error,
        "log_loss": found.log_loss,
        "fit_seconds": found.fit_seconds,
        "predict_seconds": found.predict_seconds,
    }


def noise(split: int) -> dict[str, Any]:
    """Log-loss on labels that are pure noise: log 2 = 0.693 is the best there is."""
    rng = np.random.default_rng(split)
    X, y = rng.normal(size=(1200, 10)), rng.integers(0, 2, size=1200)
    found = judge("core", METHODS["core"](), X, y, split, np.arange(200), np.arange(200, 1200))
    return {"error": found.error, "log_loss": found.log_loss}


def _tables(setting: Setting, sets: Mapping[str, int], number: str, note: str) -> list[Table]:
    names, skipped = _available(QUICK_SETS if setting.quick else tuple(sets))
    splits = range(1 if setting.quick else SPLITS)
    absent = {} if setting.quick else absent_rivals()
    methods = [m for m in (_QUICK_METHODS if setting.quick else METHODS) if m not in absent]
    skipped |= absent
    tasks = [
        Task(outcome, {"data_set": s, "method": m, "split": k})
        for s in names for m in methods for k in splits
    ]  # fmt: skip
    flat = iter(setting.runner.run(tasks, f"automatic classifier, {number}"))
    found = {s: {m: [next(flat) for _ in splits] for m in methods} for s in names}
    return [
        _table(found, f"error-{number}", "Errors in percent", "error", 100.0, 2, skipped, note),
        _table(found, f"log-loss-{number}", "Log-loss", "log_loss", 1.0, 3, skipped, note),
        _table(found, f"seconds-{number}", "Seconds to fit", "fit_seconds", 1.0, 2, skipped, note),
    ]


def _available(names: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    found, skipped = [], {}
    for name in names:
        try:
            load_form(name)
            found.append(name)
        except datasets.UnavailableError as reason:
            skipped[name] = str(reason)
    return found, skipped


def _table(
    found: dict[str, dict[str, list[dict[str, Any]]]],
    number: str,
    title: str,
    field: str,
    unit: float,
    digits: int,
    skipped: dict[str, str],
    note: str,
) -> Table:
    methods = list(next(iter(found.values())))
    rows = [
        TableRow(
            s,
            {m: Cell.of([unit * r[field] for r in found[s][m]], digits=digits) for m in methods},
        )
        for s in found
    ]
    means = np.array([[row.cells[m].mean for m in methods] for row in rows])
    rows += [
        _numbers("mean", methods, means.mean(axis=0), digits),
        _numbers("median", methods, np.median(means, axis=0), digits),
        _numbers("mean rank", methods, rankdata(means, axis=1).mean(axis=0), 2),
    ]
    tests = [
        f"Wilcoxon of core against {m}: p = {wilcoxon_test(means[:, 0], means[:, k]).pvalue:.3g}"
        for k, m in enumerate(methods)
        if k and len(means) > 5
    ]
    return Table(number, title, methods, rows, [note, *tests], skipped)


def _numbers(name: str, methods: list[str], values: Floats, digits: int) -> TableRow:
    return TableRow(
        name, {m: Cell(float(v), digits=digits) for m, v in zip(methods, values, strict=True)}
    )


def _papers_sets(setting: Setting) -> list[Table]:
    return _tables(setting, SETS, "papers", DESIGN_NOTE)


def _unseen_sets(setting: Setting) -> list[Table]:
    return _tables(setting, UNSEEN, "unseen", UNSEEN_NOTE)


def _noise(setting: Setting) -> list[Table]:
    tasks = [Task(noise, {"split": k}) for k in range(2 if setting.quick else 10)]
    found = setting.runner.run(tasks, "labels of pure noise")
    row = TableRow("core", {"log-loss": Cell.of([r["log_loss"] for r in found], digits=3)})
    note = "200 training rows, ten columns, labels by a coin; 0.693 is the best there is."
    return [Table("noise", "Labels of pure noise", ["log-loss"], [row], [note])]


def _item(number: str, make: Callable[[Setting], list[Table]]) -> TableItem:
    return TableItem(tuple(f"{kind}-{number}" for kind in ("error", "log-loss", "seconds")), make)


PAPER = Paper(
    name="auto",
    title="A stack of leave-one-out densities: the automatic classifier",
    tables=[
        _item("papers", _papers_sets),
        _item("unseen", _unseen_sets),
        TableItem(("noise",), _noise),
    ],
    figures=[],
    about=ABOUT,
)
