"""The notes on kernel classifiers: what they claim, measured, and their sketches drawn.

"The kernel is not that critical, the width is": the plug-in rule with four kernels, and with an
eighth and eight times the width that leave-one-out chooses. "In many cases, yes": naive Bayes
against the joint density. Beside them, what the plug-in rule reaches on two sets of the L2 paper,
with that paper's grid and with a bandwidth per class. The notes print no figures.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.bandwidth import KFoldError, LeaveOneOutError, Selector
from parzen.classifiers import KernelNaiveBayes, ParzenClassifier
from parzen.papers.engine import (
    BASELINE_COLUMNS,
    Benchmark,
    Column,
    Extent,
    Floats,
    Paper,
    Parameters,
    Setting,
    Study,
    Table,
    by_title,
    self_tuning,
    support_vector_machine,
)
from parzen.papers.notes.error_estimates import fold_figure, fold_table
from parzen.papers.notes.figures import error_estimates, kernels, lscv, widths

_KERNELS = ("gaussian", "epanechnikov", "triangular", "uniform")
_WIDTHS = {"σ/8": 1 / 8, "8σ": 8.0}
_PAPER_GRID = tuple(np.logspace(-2, 1, 50))
_PLUG_IN = ("50 σ, 5 folds", "50 σ, leave-one-out", "σ per class", "naive Bayes", "gaussian")


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """Ten random halves, fifty in full."""
    return Extent(1, 10 if quick else 20 if method in BASELINE_COLUMNS else 50)


def kernel_and_width(setting: Setting) -> list[Table]:
    """Errors by kernel, and by width."""
    notes = ["The first four columns choose their width by leave-one-out; the last two have an "
             "eighth of, and eight times, the width that the Gaussian chose on the first training "
             "half.",
             "In 20 and more columns a kernel of compact support leaves many points without a "
             "neighbour, and the priors decide there: WDBC, Ringnorm."]  # fmt: skip
    title = "Error % by kernel and by width"
    return [STUDY.table(setting, "kernels", title, [*_KERNELS, *_WIDTHS], "wrong", notes=notes)]


def naive_bayes(setting: Setting) -> list[Table]:
    """Does the wrong assumption pay?"""
    columns = ["naive Bayes", "gaussian", "SVM", *BASELINE_COLUMNS]
    notes = [
        "'gaussian' is the plug-in rule with the joint density of all columns; the columns from "
        "'SVM' on are tuned on the first training half."
    ]
    title = "Error % of naive Bayes, and of others"
    return [STUDY.table(setting, "naive", title, columns, "wrong", notes=notes)]


def plug_in(setting: Setting) -> list[Table]:
    """The rule on Banana and Ringnorm, over the grid of Kim & Scott and per class."""
    notes = [
        "'50 σ' is the grid of the L2 paper, 50 widths from 0.01 to 10; that paper prints 11.3 ± "
        "0.6 for the plug-in rule on Banana. On Ringnorm the classes differ in width and one "
        "bandwidth cannot serve both; 'gaussian' has one, chosen by leave-one-out.",
    ]
    title = "Error % of the plug-in rule by the choice of its bandwidth"
    titles = ("Banana", "Ringnorm")
    return [STUDY.table(setting, "plug-in", title, _PLUG_IN, "wrong", titles=titles, notes=notes)]


def _scaled(factor: float) -> Column:
    def select(X: Floats, y: NDArray[Any], quick: bool) -> Parameters:
        return {"sigma": ParzenClassifier(scale=None, n_jobs=1).fit(X, y).bandwidth_}

    return Column(lambda p: ParzenClassifier(bandwidth=factor * p["sigma"], n_jobs=1), select)


def _plug_in(kernel: str = "gaussian", selector: str | Selector = "loo") -> Column:
    return self_tuning(lambda: ParzenClassifier(kernel, selector, scale=None, n_jobs=1))


SETS = by_title(
    Benchmark("iris", "Iris", 75, 75, 50, 4),
    Benchmark("wine", "Wine", 89, 89, 50, 13),
    Benchmark("wdbc", "WDBC", 284, 285, 50, 30),
    Benchmark("banana", "Banana", 400, 4900, 50, 2),
    Benchmark("pima", "Pima", 384, 384, 50, 8, use_official=False),
    Benchmark("ringnorm", "Ringnorm", 400, 4000, 50, 20),
    Benchmark("waveform", "Waveform", 400, 4000, 50, 21),
)
COLUMNS = {
    **{kernel: _plug_in(kernel) for kernel in _KERNELS},
    **{name: _scaled(factor) for name, factor in _WIDTHS.items()},
    "50 σ, 5 folds": _plug_in(selector=KFoldError(_PAPER_GRID, ties="largest")),
    "50 σ, leave-one-out": _plug_in(selector=LeaveOneOutError(_PAPER_GRID, ties="largest")),
    "σ per class": _plug_in(selector=LeaveOneOutError(per="class", ties="largest")),
    "naive Bayes": self_tuning(lambda: KernelNaiveBayes(n_jobs=1)),
    "SVM": support_vector_machine(),
    **BASELINE_COLUMNS,
}
STUDY = Study(__name__, SETS, COLUMNS, extent, ("Iris", "Wine", "WDBC", "Banana", "Ringnorm"))
PAPER = Paper(
    name="notes",
    title="Kernel classifiers, lecture notes",
    tables={
        ("kernels",): kernel_and_width,
        ("naive",): naive_bayes,
        ("plug-in",): plug_in,
        ("folds",): fold_table,
    },
    figures={
        ("kernels",): kernels,
        ("widths",): widths,
        ("errors",): error_estimates,
        ("lscv",): lscv,
        ("folds",): fold_figure,
    },
)
