"""Basak, the B-machine: Tables 1 to 3, Figures 1 to 3.

Table 2 is ten times ten-fold cross-validation at the report's own parameters, columns scaled to
[-1, 1]. Table 3 is the resampled paired t-test over 30 splits of two thirds to one third; there all
methods choose their parameters inside each split, because parameters chosen on the same data
flatter, and the corrected statistic stands beside the report's. The Monks sets are training and
test rows together, so rows repeat across folds; without PARZEN_DATA they are the 432 combinations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC

from parzen.classifiers import BMachineClassifier, LSSVMClassifier
from parzen.compare import corrected_resampled_t_test, resampled_t_test
from parzen.papers.bmachine import printed as printed
from parzen.papers.bmachine.figures import kernel_size, kernel_sizes, margins
from parzen.papers.bmachine.kernel_lasso import kernel_lasso
from parzen.papers.bmachine.resampling import STUDY as RESAMPLING
from parzen.papers.engine import (
    BESIDE,
    Benchmark,
    Cell,
    Column,
    Extent,
    FigureItem,
    Paper,
    Parameters,
    Setting,
    Study,
    Table,
    TableItem,
    TableRow,
    available,
    read,
)

_T_EXPLANATIONS = [
    "The report does not say which parameters this test had; its Table 2 has those that did best. "
    "Here every method chooses its own inside each split, the B-machine by three folds, and the "
    "large differences on Bupa, and from an LS-SVM that Table 2 puts lower than ours, are gone. On "
    "the Monks the choice from a coarse grid costs the B-machine more than its rivals.",
]
_EXPLANATIONS = [
    "Monks: the report joins training and test rows, so that a row occurs in both parts of a fold. "
    "On the 432 combinations without repetition the B-machine has 80.3 on Monks2 with Gauss+expo, "
    "as printed, and 91.9 on Monks1: the report's rows for this kernel were hardly those of its "
    "other columns, which agree.",
    "BM Gauss on Iris, Monks1 and Monks2: the report's figures are those of exp(-r^2 / s^2), which "
    "has 95.3, 85.4 and 90.4 there and hardly differs on Bupa, Wpbc and Monks3; its (27), as here, "
    "is exp(-r^2 / 2 s^2).",
    "LS-SVM on Iris, Ecoli, Wdbc and Wpbc is not explained as a whole. With sigma^2 and gamma "
    "exchanged Wdbc has 93.3, as printed, and Iris 87.1; but Pima and Monks1 agree as they stand, "
    "and would have 68 and 83. Nor does minimum output coding, which the report used (Iris 95.3, "
    "Ecoli 88.8), change much, nor exp(-r^2 / 2 s^2) in place of LS-SVMlab's exp(-r^2 / s^2).",
    "Kernel LASSO, (40) of the report: not in its table; tuned by five folds of the first training "
    "set.",
]
LASSO = "kernel LASSO"


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """All hundred folds at printed parameters; baselines tuned on one training set."""
    if quick:
        return Extent(1, 10)
    return Extent(1, 20 if method in BESIDE else 100)


def at_printed(method: str) -> Column:
    """A method with the parameters that the report gives for the set."""

    def make(p: Parameters) -> Any:
        a, b = p["first"], p["second"]
        if method in printed.KERNELS:
            kernel = printed.KERNELS[method]
            return BMachineClassifier(kernel, float(a), float(b), tol=1e-5, folds=2, n_jobs=1)
        if method == "LS-SVM":  # LS-SVMlab's kernel is exp(-r^2 / sigma^2)
            return LSSVMClassifier(bandwidth=float(np.sqrt(a / 2)), C=float(b), n_jobs=1)
        if method == "SVM":
            return SVC(C=b, gamma=1 / (2 * a**2))
        return SVC(C=b, kernel="poly", degree=3, gamma=1.0, coef0=1.0)

    return Column(make)


def sizes(setting: Setting) -> list[Table]:
    """Table 1: are the rows here what the report describes?"""
    have, missing = available(printed.SETS)
    rows = []
    for title, b in have.items():
        data = b.load()
        counts = {
            "rows": (len(data.X), b.n_test),
            "features": (data.X.shape[1], b.n_features),
            "classes": (len(data.classes), printed.CLASSES.get(title, 2)),
        }
        cells = {k: Cell(ours, printed=theirs, digits=0) for k, (ours, theirs) in counts.items()}
        rows.append(TableRow(title, cells))
    columns = ["rows", "features", "classes"]
    return [Table("1", "Sizes (printed)", columns, rows, ["Ecoli's five classes have 327 rows."],
                  missing)]  # fmt: skip


def accuracies(setting: Setting) -> list[Table]:
    """Table 2."""
    have, missing = STUDY.available(setting.quick)
    figures = read(printed.ACCURACY, printed.COLUMNS)
    columns = [*printed.COLUMNS, LASSO]
    found = STUDY.measure(setting, have, columns)
    rows = [
        TableRow(
            title,
            {m: Cell.of(f.percent_right, **figures[title].get(m, {}), printed_n=100, digits=2)
             for m, f in found[title].items()},
            have[title].note(len(found[title]["SVM"].error)),
        )
        for title in have
    ]  # fmt: skip
    caption = "Right labels in percent (printed, difference in standard errors)"
    return [Table("2", caption, columns, rows, [], missing)]


def statistics(setting: Setting) -> list[Table]:
    """Table 3, plain and corrected."""
    have, missing = RESAMPLING.available(setting.quick)
    found = RESAMPLING.measure(setting, have, RESAMPLING.columns)
    tables = []
    for number, title in (("3", "Resampled paired t (printed)"), ("3c", "The same, corrected")):
        rows = []
        for (ours, theirs), figures in printed.T_STATISTICS.items():
            paper = dict(zip(printed.T_COLUMNS, figures, strict=True))
            cells = {}
            for t in have:
                a, b = found[t][ours].error, found[t][theirs].error
                value = _statistic(a, b, corrected=number == "3c")
                cells[t] = Cell(value, printed=paper[t] if number == "3" else None, digits=2)
            rows.append(TableRow(f"{ours} - {theirs}", cells))
        tables.append(Table(number, title, list(have), rows, list(_T_NOTES), missing))
    return tables


_T_NOTES = [
    "Negative: the B-machine errs less. Splits share most of their rows, so the plain statistic is "
    "too sure of itself; beyond 2.05 in absolute value it counts as significant, if corrected.",
]


def baselines(setting: Setting) -> list[Table]:
    """Beyond the report: today's usual classifiers on the same folds."""
    have, missing = STUDY.available(setting.quick)
    columns = ["BM Cauchy", "SVM", *BESIDE]
    found = STUDY.measure(setting, have, columns)
    rows = [
        TableRow(t, {m: Cell.of(f.percent_right, digits=2) for m, f in found[t].items()},
                 have[t].note(len(found[t]["forest"].error)))
        for t in have
    ]  # fmt: skip
    notes = ["The baselines are tuned by five folds of the first training set, the others as in 2."]
    title = "Right labels in percent beside other classifiers"
    return [Table("baselines", title, columns, rows, notes, missing)]


def _statistic(a: list[float], b: list[float], *, corrected: bool) -> float:
    if corrected:
        value = corrected_resampled_t_test(a, b, train_size=2, test_size=1).statistic
    else:
        value = resampled_t_test(a, b).statistic
    return float(np.clip(value, -999.0, 999.0))  # one method right everywhere by the same margin


class _PrintedStudy(Study):
    """Parameters are those of the report, so nothing is chosen."""

    def _judging(self, title: str, method: str, extent: Extent, parameters: Parameters) -> Any:
        if method in printed.COLUMNS:
            given = printed.PARAMETERS[title][printed.COLUMNS.index(method)]
            first, second = given if isinstance(given, tuple) else (None, given)
            parameters = {"first": first, "second": second}
        return super()._judging(title, method, extent, parameters)


COLUMNS_AT = {**{m: at_printed(m) for m in printed.COLUMNS}, LASSO: kernel_lasso(), **BESIDE}
STUDY = _PrintedStudy(
    __name__,
    dict(printed.SETS),
    COLUMNS_AT,
    extent,
    ("Bupa", "Iris", "Wdbc", "Monks1"),
)
PAPER = Paper(
    name="bmachine",
    title="J. Basak, Pattern classification using the principle of parsimony: a least square "
    "kernel machine with box constraints, IBM research report",
    tables=[
        TableItem(("1",), sizes),
        TableItem(("2",), accuracies),
        TableItem(("3", "3c"), statistics),
        TableItem(("baselines",), baselines),
    ],
    figures=[
        FigureItem(("1",), kernel_size),
        FigureItem(("2",), kernel_sizes),
        FigureItem(("3",), margins),
    ],
    explanations={"2": _EXPLANATIONS, "3": _T_EXPLANATIONS},
)
