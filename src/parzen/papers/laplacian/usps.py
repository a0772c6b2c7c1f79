"""USPS with its official split; the paper reports 94 %, and 96 % of a support vector machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC

from parzen.classifiers import LaplacianClassifier, ParzenClassifier
from parzen.compare import Task
from parzen.datasets import UnavailableError, load
from parzen.papers.engine import Cell, Setting, Table, TableRow

_PRINTED = {"Laplacian, rule": 94.0, "SVM": 96.0}  # to whole percents
_MAKE: dict[str, Any] = {
    "Laplacian, rule": lambda: LaplacianClassifier(scale=None, n_jobs=1),
    "Laplacian, cv": lambda: LaplacianClassifier(bandwidth="cv", scale=None, n_jobs=1),
    "SVM": lambda: SVC(C=10.0),
    "Parzen, leave-one-out": lambda: ParzenClassifier(scale=None, n_jobs=1),
}


def right(method: str, step: int) -> float:
    """Percent of the test rows with the right label, trained on every step-th row."""
    found = load("usps")
    train, test = found.splits[0]
    clf = _MAKE[method]().fit(found.X[train[::step]], found.y[train[::step]])
    return float(100.0 * np.mean(clf.predict(found.X[test]) == found.y[test]))


def usps(setting: Setting) -> list[Table]:
    """Right labels of 2007 digits."""
    title = "USPS, official split: right labels in percent (printed)"
    try:
        load("usps")
    except UnavailableError as reason:
        return [Table("usps", title, [], [], [], {"USPS": str(reason)})]
    step = 8 if setting.quick else 1
    tasks = [Task(right, {"method": m, "step": step}) for m in _MAKE]
    values = setting.runner.run(tasks, "USPS")
    cells = {m: _cell(v, _PRINTED.get(m)) for m, v in zip(_MAKE, values, strict=True)}
    notes = [f"quick: every {step}th training row."] if setting.quick else []
    return [Table("usps", title, list(_MAKE), [TableRow("USPS", cells)], notes)]


def _cell(value: float, theirs: float | None) -> Cell:
    """Met within the whole percent to which the figure is printed."""
    return Cell(value, printed=theirs, agrees=None if theirs is None else abs(value - theirs) < 1)
