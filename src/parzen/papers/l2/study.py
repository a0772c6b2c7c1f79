"""Kim & Scott (2010), L2 kernel classification: Tables 1 to 4, Figures 1 and 2.

Protocol of section 6. Each of the first five training sets chooses parameters by five-fold
cross-validation; their medians are used on all splits. gamma = N-/N+, and a tie is +1: the positive
class is coded first, so that the library's rule "ties to the first class" says so. Beyond the
paper: linear arithmetic and a bandwidth per class on Ringnorm, sparsity against the smoothing k on
Banana, and the usual baselines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from parzen.papers.engine import (
    BASELINE_COLUMNS,
    Benchmark,
    Cell,
    Measured,
    Paper,
    Setting,
    Study,
    Table,
    TableRow,
    read,
    size_table,
)
from parzen.papers.l2 import printed as printed
from parzen.papers.l2.banana import banana_boundaries, sparsity_against_smoothing
from parzen.papers.l2.extents import MANY_ROWS, VARIANTS, extent
from parzen.papers.l2.figures import one_dimension, true_densities
from parzen.papers.l2.grids import (
    met_between,
    met_by_hard_margins,
    met_by_pairs,
    met_rescaled,
    met_together,
    met_together_large,
)
from parzen.papers.l2.methods import COLUMNS
from parzen.papers.l2.scaling import STUDY as RESCALED
from parzen.papers.l2.theory import convergence
from parzen.samples import varying_columns

METHODS = printed.COLUMNS
_ERROR, _KEPT = (read(text, METHODS) for text in (printed.ERROR, printed.KEPT))
UNDERFLOWING = ("Ionosphere", "Sonar", "Image", "Ringnorm", "F.Solar")
_QUICK_SETS = ("Banana", "B.Cancer", "Diabetes", "Heart", "Ringnorm", "Titanic", "Twonorm")


def sizes(setting: Setting) -> list[Table]:
    """Table 1: rows for training and for the test, columns."""

    def counts(b: Benchmark) -> dict[str, tuple[int, int]]:
        train, test = b.splits(1)[0][0]
        rows = {"training": (len(train), b.n_train), "test": (len(test), b.n_test)}
        return {**rows, "dimension": (b.load().X.shape[1], b.n_features)}

    (table,) = size_table("Rows for training and test, columns (printed)", printed.SETS, counts)
    constant = {row.name: _constant_columns(printed.SETS[row.name]) for row in table.rows}
    shown = ", ".join(f"{t} {min(n)} to {max(n)}" for t, n in constant.items() if max(n) > 0)
    note = f"Columns that are constant in a training set, over all splits: {shown or 'none'}."
    return [replace(table, notes=[note])]


def _constant_columns(benchmark: Benchmark) -> list[int]:
    """How many columns are constant in each training set."""
    X, _ = benchmark.sample()
    splits = benchmark.splits(benchmark.n_splits)[0]
    return [int(np.sum(~varying_columns(X[train]))) for train, _ in splits]


def errors_kernels_seconds(setting: Setting) -> list[Table]:
    """Tables 2, 3 and 4."""
    have, missing = STUDY.available(setting.quick)
    found = STUDY.measure(setting, have, METHODS)
    quick = "quick: one training set chooses, five splits judge, coarser grids."
    notes = [quick] if setting.quick else []
    error = "Probability of error in percent (printed, difference in standard errors)"
    kept = "Percentage of nonzero weights (printed, difference in standard errors)"
    return [
        STUDY.table(setting, "2", error, METHODS, "wrong", printed=_ERROR, notes=notes),
        STUDY.table(setting, "3", kept, METHODS, "kept", printed=_KEPT, notes=notes),
        _seconds(found, missing, notes),
    ]


def ties(setting: Setting) -> list[Table]:
    """Parzen with ties of the folds' errors to the smallest sigma instead of the largest."""
    notes = [
        "Of several σ with the same error in the folds Table 2 takes the largest, as the library "
        "does, and this table the smallest. The paper does not tell its rule.",
    ]
    title = "Error % of Parzen, ties to the smallest sigma (printed)"
    methods = {"Parzen": "Parzen, smallest"}
    return [
        STUDY.table(setting, "ties", title, methods, "wrong", printed=_ERROR, notes=notes,
                    explains="2")
    ]  # fmt: skip


def linear_arithmetic(setting: Setting) -> list[Table]:
    """Where densities underflow: L2QP-0 and L2QP-1 as the paper's arithmetic has them."""
    methods = {"L2QP-0": "L2QP-0, linear", "L2QP-1": "L2QP-1, linear"}
    notes = [
        "Sums of kernels as plain numbers, where a row far from all kernels has 0.0 for both "
        "classes and gets +1; so also in the folds that choose σ.",
    ]
    error = "Error % in linear arithmetic (printed)"
    kept = "Nonzero weights % in linear arithmetic (printed)"
    return [
        STUDY.table(setting, number, title, methods, what, printed=figures, titles=UNDERFLOWING,
                    notes=notes, explains=explained)
        for number, title, what, figures, explained in (
            ("linear", error, "wrong", _ERROR, "2"), ("linear_kept", kept, "kept", _KEPT, "3"),
        )
    ]  # fmt: skip


def rescaled(setting: Setting) -> list[Table]:
    """Sonar standardised, with every choice made anew."""
    notes = [
        "Columns of mean 0 and deviation 1; in Tables 2 and 3 they are scaled to [−1, 1]. The "
        "paper does not tell how it scaled the sets from the LIBSVM collection.",
    ]
    return [
        RESCALED.table(setting, number, title, METHODS, what, printed=figures, notes=notes,
                       explains=explained)
        for number, title, what, figures, explained in (
            ("scaling", "Error %, columns standardised (printed)", "wrong", _ERROR, "2"),
            ("scaling_kept", "Nonzero weights %, columns standardised (printed)", "kept", _KEPT,
             "3"),
        )
    ]  # fmt: skip


def underflow(setting: Setting) -> list[Table]:
    """Ringnorm in logarithms, in linear arithmetic, and with a bandwidth per class."""
    methods = ("Parzen", "Parzen, linear", "L2QP-0", "L2QP-0, σ per class")
    found = STUDY.measure(setting, ["Ringnorm"], methods)["Ringnorm"]
    notes = [
        "The number printed for every L2 method is what linear arithmetic gives: at the σ that the "
        "folds choose, both densities of a far row are 0.0, and the label is +1, the wide class.",
        *(f"{m}: sigma {_shown(found[m].parameters['sigma'])}" for m in methods),
    ]
    figures = {"Ringnorm": dict.fromkeys(methods, _ERROR["Ringnorm"]["L2QP-0"])}
    row = STUDY.row("Ringnorm", found, "wrong", printed=figures)
    return [Table("ringnorm", "Ringnorm and underflow, error %", list(methods), [row], notes)]


def variants(setting: Setting) -> list[Table]:
    """Beyond the paper: figures for its sections 5.2 to 5.4."""
    notes = [
        "A': weights may sum to less than one (section 5.2). L2LE: no constraints (5.3), with a "
        "ridge chosen by leave-one-out, or ten steps of conjugate gradients; all kernels are kept. "
        "All columns have the same splits. Larger sets are left out.",
    ]
    error, kept = "Probability of error in percent", "Percentage of nonzero weights"
    small = [t for t, b in STUDY.sets.items() if b.n_train < MANY_ROWS]
    return [
        STUDY.table(setting, number, title, VARIANTS, what, titles=small, splits_of="L2LE-0, CG",
                    notes=notes)
        for number, title, what in (
            ("variants", error, "wrong"), ("variants_kept", kept, "kept"),
        )
    ]  # fmt: skip


def baselines(setting: Setting) -> list[Table]:
    """Beyond the paper: today's usual classifiers on the same splits."""
    methods = ["L2QPη-0", "Parzen", "S-SVM", *BASELINE_COLUMNS]
    notes = [
        "The baselines are tuned by five folds on the first training set, the others as in Table "
        "2; all columns have the same splits.",
    ]
    title = "Error % beside other classifiers"
    return [
        STUDY.table(setting, "baselines", title, methods, "wrong", splits_of="forest", notes=notes)
    ]


def _seconds(
    found: dict[str, dict[str, Measured]], missing: dict[str, str], more_notes: list[str]
) -> Table:
    table = read(printed.SECONDS, METHODS)
    rows = []
    for title, methods in found.items():
        cells = {
            m: Cell(float(np.sum(f.choosing_seconds) + np.sum(f.seconds)),
                    **table[title].get(m, {}), digits=2)
            for m, f in methods.items()
        }  # fmt: skip
        rows.append(TableRow(title, cells))
    notes = [
        "Five searches for parameters and the training on all splits, on one core. The printed "
        "times are of a machine of 2009: compare ratios between columns only. H-SVM and S-SVM are "
        "LIBSVM, called by scikit-learn.",
        *more_notes,
    ]
    columns = list(METHODS)
    return Table("4", "Seconds (printed)", columns, rows, notes, missing, is_compared=False)


def _shown(value: Any) -> str:
    return ", ".join(f"{v:.3g}" for v in np.atleast_1d(value))


__all__ = ["PAPER", "STUDY", "true_densities"]

STUDY = Study(__name__, printed.SETS, COLUMNS, extent, _QUICK_SETS, protocol=3)
PAPER = Paper(
    name="l2",
    title="J. Kim and C. D. Scott, L2 kernel classification, IEEE TPAMI 32(10), 2010",
    tables={
        ("1",): sizes,
        ("2", "3", "4"): errors_kernels_seconds,
        ("ties",): ties,
        ("linear", "linear_kept"): linear_arithmetic,
        ("grid",): met_together,
        ("grid_large",): met_together_large,
        ("between",): met_between,
        ("scaling", "scaling_kept"): rescaled,
        ("grid_scaling",): met_rescaled,
        ("grid_hard",): met_by_hard_margins,
        ("pairs",): met_by_pairs,
        ("ringnorm",): underflow,
        ("variants", "variants_kept"): variants,
        ("baselines",): baselines,
    },
    figures={
        ("1",): one_dimension,
        ("2",): lambda setting: banana_boundaries(setting, STUDY),
        ("sparsity",): sparsity_against_smoothing,
        ("theory",): convergence,
    },
)
