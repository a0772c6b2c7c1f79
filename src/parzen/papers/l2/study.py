"""Kim & Scott (2010), L2 kernel classification: Tables 1 to 4, Figures 1 and 2.

Protocol of section 6. Each of the first five training sets chooses parameters by five-fold
cross-validation; their medians are used on all splits. gamma = N-/N+, and a tie is +1: the positive
class is coded first, so that the library's rule "ties to the first class" says so. Beyond the
paper: linear arithmetic and a bandwidth per class on Ringnorm, sparsity against the smoothing k on
Banana, and the usual baselines.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from parzen.papers.engine import (
    BESIDE,
    Benchmark,
    Cell,
    Extent,
    FigureItem,
    Measured,
    Paper,
    Setting,
    Study,
    Table,
    TableItem,
    TableRow,
    available,
    read,
)
from parzen.papers.l2 import printed as printed
from parzen.papers.l2.banana import banana_boundaries, sparsity_against_smoothing
from parzen.papers.l2.explanations import ABOUT, EXPLANATIONS
from parzen.papers.l2.figures import one_dimension, true_densities
from parzen.papers.l2.grids import met_together
from parzen.papers.l2.methods import COLUMNS

_LARGE = 1000  # training rows from which support vector machines are tuned on one set only
_VERY_LARGE = 3000  # training rows from which eta too is chosen on one set only
METHODS = printed.COLUMNS
UNDERFLOWING = ("Ionosphere", "Sonar", "Image", "Ringnorm", "F.Solar")
VARIANTS = ("L2QP-0", "L2QP-0, A'", "L2QP-0, Cauchy", "L2LE-0, ridge", "L2LE-0, CG")
_QUICK_SETS = ("Banana", "B.Cancer", "Diabetes", "Heart", "Ringnorm", "Titanic", "Twonorm")


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """The paper's numbers; fewer where a method is dear, and that is said beside the result."""
    if quick:
        return Extent(1, 5)
    if method in BESIDE or method in VARIANTS[1:]:
        return Extent(1, min(20, benchmark.n_splits))
    if "SVM" in method and benchmark.n_train >= _LARGE:
        return Extent(1, min(10, benchmark.n_splits))
    if "η" in method and benchmark.n_train >= _VERY_LARGE:
        return Extent(1, benchmark.n_splits)
    return Extent(5, benchmark.n_splits)


def sizes(setting: Setting) -> list[Table]:
    """Table 1: are the rows here what the paper describes?"""
    have, missing = available(printed.SETS)
    rows = []
    for title, b in have.items():
        train, test = b.splits(1)[0][0]
        counts = {"training": (len(train), b.n_train), "test": (len(test), b.n_test),
                  "dimension": (b.load().X.shape[1], b.n_features)}  # fmt: skip
        cells = {k: Cell(ours, printed=theirs, digits=0) for k, (ours, theirs) in counts.items()}
        rows.append(TableRow(title, cells))
    title = "Rows for training and test, columns (printed)"
    return [Table("1", title, ["training", "test", "dimension"], rows, [], missing)]


def errors_kernels_seconds(setting: Setting) -> list[Table]:
    """Tables 2, 3 and 4."""
    have, missing = STUDY.available(setting.quick)
    found = STUDY.measure(setting, have, METHODS)
    figures = {
        "2": ("Probability of error in percent (printed, difference in standard errors)", "error"),
        "3": ("Percentage of nonzero weights (printed, difference in standard errors)", "kept"),
    }
    tables = []
    for number, (title, what) in figures.items():
        notes = _notes(setting, found)
        rows = _rows(found, have, number, what)
        tables.append(Table(number, title, list(printed.COLUMNS), rows, notes, missing))
    return [*tables, _seconds(found, have, missing)]


def ties(setting: Setting) -> list[Table]:
    """Parzen with ties of the folds' errors to the smallest sigma instead of the largest."""
    have, missing = STUDY.available(setting.quick)
    found = STUDY.measure(setting, have, ["Parzen, smallest"])
    table = read(printed.ERROR, printed.COLUMNS)
    rows = []
    for title, b in have.items():
        f = found[title]["Parzen, smallest"]
        cell = f.cell(f.percent_wrong, **table[title]["Parzen"], printed_n=b.n_splits)
        rows.append(TableRow(title, {"Parzen": cell}, b.note(len(f.error))))
    notes = [
        "Where several sigma have the least error in the folds, Table 2 takes the largest, as the "
        "library does, and this table the smallest. The paper does not tell its rule.",
    ]
    title = "Error % of Parzen, ties to the smallest sigma (printed)"
    return [Table("ties", title, ["Parzen"], rows, notes, missing, explains="2")]


def linear_arithmetic(setting: Setting) -> list[Table]:
    """Where densities underflow: L2QP-0 and L2QP-1 as the paper's arithmetic has them."""
    have, missing = available({t: STUDY.sets[t] for t in UNDERFLOWING if t in STUDY.sets})
    if setting.quick:
        have = {t: b for t, b in have.items() if t in STUDY.quick_sets}
    methods = {"L2QP-0": "L2QP-0, linear", "L2QP-1": "L2QP-1, linear"}
    found = STUDY.measure(setting, have, methods.values())
    named = {t: {m: found[t][own] for m, own in methods.items()} for t in have}
    notes = [
        "Sums of kernels in plain arithmetic, where a point far from all kernels has 0.0 for both "
        "classes and gets +1; also inside the folds that choose sigma.",
    ]
    return [
        Table(number, title, list(methods), _rows(named, have, explained, what),
              notes, missing, explains=explained)
        for number, title, explained, what in (
            ("linear", "Error % in linear arithmetic (printed)", "2", "error"),
            ("linear_kept", "Nonzero weights % in linear arithmetic (printed)", "3", "kept"),
        )
    ]  # fmt: skip


def underflow(setting: Setting) -> list[Table]:
    """Ringnorm in logarithms, in linear arithmetic, and with a bandwidth per class."""
    methods = ("Parzen", "Parzen, linear", "L2QP-0", "L2QP-0, σ per class")
    found = STUDY.measure(setting, ["Ringnorm"], methods)["Ringnorm"]
    paper = {"printed": 2.4, "printed_sd": 0.2, "printed_n": 100}
    cells = {m: found[m].cell(found[m].percent_wrong, **paper) for m in methods}
    notes = [
        "The figure printed for every L2 method is what linear arithmetic gives: at the sigma it "
        "chooses both densities of a far point are 0.0, and the tie goes to +1, the wide class.",
        *(f"{m}: sigma {_shown(found[m].parameters['sigma'])}" for m in methods),
    ]
    row = TableRow("Ringnorm", cells, printed.SETS["Ringnorm"].note(len(found["Parzen"].error)))
    return [Table("ringnorm", "Ringnorm and underflow, error %", list(methods), [row], notes)]


def variants(setting: Setting) -> list[Table]:
    """Beyond the paper: figures for its sections 5.2 to 5.4."""
    have, missing = STUDY.available(setting.quick)
    found = STUDY.measure(setting, have, VARIANTS)
    notes = [
        "A': weights may sum to less than one (section 5.2). L2LE: no constraints (5.3), with a "
        "ridge chosen by leave-one-out, or ten steps of conjugate gradients; all kernels are kept.",
    ]
    numbers = {"error": "variants", "kept": "variants_kept"}
    titles = {"error": "Probability of error in percent", "kept": "Percentage of nonzero weights"}
    return [
        Table(
            numbers[what], title, list(VARIANTS),
            [
                TableRow(name, {m: f.cell(100 * np.array(getattr(f, what)))
                                for m, f in found[name].items()},
                         have[name].note(len(found[name]["L2LE-0, CG"].error)))
                for name in have
            ],
            notes, missing,
        )
        for what, title in titles.items()
    ]  # fmt: skip


def baselines(setting: Setting) -> list[Table]:
    """Beyond the paper: today's usual classifiers on the same splits."""
    have, missing = STUDY.available(setting.quick)
    methods = ["L2QPη-0", "Parzen", "S-SVM", *BESIDE]
    found = STUDY.measure(setting, have, methods)
    rows = [
        TableRow(title, {m: f.cell(f.percent_wrong) for m, f in found[title].items()},
                 have[title].note(len(found[title]["forest"].error)))
        for title in have
    ]  # fmt: skip
    notes = [
        "The baselines are tuned by five folds on the first training set and judged on the splits "
        "named; the other columns are those of Table 2.",
    ]
    return [Table("baselines", "Error % beside other classifiers", methods, rows, notes, missing)]


def _rows(
    found: dict[str, dict[str, Measured]], have: dict[str, Benchmark], number: str, what: str
) -> list[TableRow]:
    table = read(printed.ERROR if number == "2" else printed.KEPT, printed.COLUMNS)
    rows = []
    for title, methods in found.items():
        b = have[title]
        cells = {
            m: f.cell(100 * np.array(getattr(f, what)), **table[title][m], printed_n=b.n_splits)
            for m, f in methods.items()
        }
        rows.append(TableRow(title, cells, b.note(max(len(f.error) for f in methods.values()))))
    return rows


def _seconds(
    found: dict[str, dict[str, Measured]], have: dict[str, Benchmark], missing: dict[str, str]
) -> Table:
    table = read(printed.SECONDS, printed.COLUMNS)
    rows = []
    for title, methods in found.items():
        n = have[title].n_splits
        cells = {
            m: Cell(5 * float(np.mean(f.choosing_seconds)) + n * float(np.mean(f.seconds)),
                    **table[title].get(m, {}), digits=2)
            for m, f in methods.items()
        }  # fmt: skip
        rows.append(TableRow(title, cells))
    notes = [
        "Five searches for parameters and the training on all splits, one core, extrapolated: five "
        "times the mean search and n times the mean fit of those that were run. Printed: a machine "
        "of 2009. Only ratios between columns compare. H-SVM and S-SVM are LIBSVM by scikit-learn.",
    ]
    columns, title = list(printed.COLUMNS), "Seconds (printed)"
    return Table("4", title, columns, rows, notes, missing, is_compared=False)


def _notes(setting: Setting, found: dict[str, dict[str, Measured]]) -> list[str]:
    if setting.quick:
        return ["quick: one training set chooses, five splits judge, coarser grids."]
    fewer: dict[tuple[int, int, str], list[str]] = {}
    for title, methods in found.items():
        full = max(len(f.error) for f in methods.values())
        for m, f in methods.items():
            if len(f.choosing_seconds) < 5 or len(f.error) < full:
                fewer.setdefault((len(f.choosing_seconds), len(f.error), m), []).append(title)
    return [
        f"{m} on {', '.join(titles)}: {chosen} training set chooses, {judged} splits judge."
        for (chosen, judged, m), titles in fewer.items()
    ]


def _shown(value: Any) -> str:
    return ", ".join(f"{v:.3g}" for v in np.atleast_1d(value))


__all__ = ["PAPER", "STUDY", "true_densities"]

STUDY = Study(__name__, printed.SETS, COLUMNS, extent, _QUICK_SETS, protocol=2)
PAPER = Paper(
    name="l2",
    title="J. Kim and C. D. Scott, L2 kernel classification, IEEE TPAMI 32(10), 2010",
    tables=[
        TableItem(("1",), sizes),
        TableItem(("2", "3", "4"), errors_kernels_seconds),
        TableItem(("ties",), ties),
        TableItem(("linear", "linear_kept"), linear_arithmetic),
        TableItem(("grid",), met_together),
        TableItem(("ringnorm",), underflow),
        TableItem(("variants", "variants_kept"), variants),
        TableItem(("baselines",), baselines),
    ],
    figures=[
        FigureItem(("1",), one_dimension),
        FigureItem(("2",), lambda setting: banana_boundaries(setting, STUDY)),
        FigureItem(("sparsity",), sparsity_against_smoothing),
    ],
    explanations=EXPLANATIONS,
    about=ABOUT,
)
