"""Jenssen et al. (2007), the Laplacian classifier: Tables I to VII, Figures 1 to 5, and USPS.

"rule" is the bandwidth of eq. (21), "cv" three folds of the training rows in every split. The
support vector machine chooses sigma and C by folds of the first five training sets, with medians
for all; at the rule it has the classifier's kernel, width sqrt(2) sigma, and C = 1. The confusion
matrices are means over many draws of the paper's sizes, where the paper shows one. Beyond it:
accuracy against the number of kernels.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.svm import SVC

from parzen.bandwidth import KFoldError, silverman
from parzen.classifiers import LaplacianClassifier, ParzenClassifier
from parzen.papers.engine import (
    BESIDE,
    Benchmark,
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
    own,
    read,
    support_vector_machine,
)
from parzen.papers.laplacian import printed as printed
from parzen.papers.laplacian.figures import outlier, rare_regions, ring_map, ring_weights
from parzen.papers.laplacian.rare_class import confusion_tables
from parzen.papers.laplacian.sparsity import sparsity_figure, sparsity_table
from parzen.papers.laplacian.usps import usps

_IDA = ("Banana", "Thyroid", "Image", "Twonorm")
_UCI = ("Wine", "Iris", "Ionos", "WBC", "Pima", "Pen")
_READING = (
    "Here the covariance of (21) has ddof 1, f includes the point itself as in (8), and (17) has "
    "the width sqrt(2) sigma of (18) and (19)."
)
_RANGE = "The range of bandwidths that the paper cross-validates is not told"
_EXPLANATIONS = {
    "6": [
        "Image and Twonorm at the rule: no one reading of the formulas gives both. Twonorm has the "
        "printed 97.3 at twice the width of (21) in f and in the kernels, Image 95.9 at a kernel "
        f"of width sigma with N_c in place of V_c. {_READING}",
        f"{_RANGE}: by cross-validation Twonorm and Parzen are better here. The printed SVM is "
        "that of Raetsch et al., with a grid of its own.",
        "SVM, rule: not in the paper's table; C is 1, as in Table 7.",
    ],
    "7": [
        "Ionos, Laplacian: with f that leaves the point out, at the kernel's width, and N_c in "
        "place of V_c it has the printed 91.9 (and 95.6 on Wine, 93.4 on Iris); with f as in (8) "
        f"less than 90 at any width and normaliser that were tried. {_READING}",
        "Pen, rule: the paper's width is 0.8, where (21) gives 0.93 for the 545 rows of a half and "
        "0.80 for the 10 992 of the whole set of digits. At 0.8 it has 96.5 here, as printed.",
        f"{_RANGE}, nor which 1091 rows of the digits 0, 1 and 2 are Pen: by cross-validation WBC "
        "and Pen differ by 0.3 and 0.4, and Parzen is better here on Ionos.",
        "SVM, rule: the paper's C is not told; here it is 1.",
    ],
}


class _RuleSVM(SVC):  # type: ignore[misc]
    """C = 1 and the kernel of the Laplacian classifier at the rule's bandwidth."""

    def fit(self, X: NDArray[Any], y: NDArray[Any], sample_weight: Any = None) -> Any:
        self.gamma = 1.0 / (4.0 * silverman(X) ** 2)
        return super().fit(X, y, sample_weight)


def extent(benchmark: Benchmark, method: str, quick: bool) -> Extent:
    """The paper's numbers; the baselines beside them are tuned once and judged on 20 splits."""
    if quick:
        return Extent(1, 10)
    if method in BESIDE:
        return Extent(1, min(20, benchmark.n_splits))
    few = method == "SVM" and benchmark.n_train >= 500
    return Extent(1 if few else 5, benchmark.n_splits)


def benchmark_sets(setting: Setting) -> list[Table]:
    """Table VI."""
    return [_table("6", "Benchmark sets", _IDA, printed.BENCHMARK, setting)]


def uci_sets(setting: Setting) -> list[Table]:
    """Table VII."""
    return [_table("7", "UCI sets, random halves", _UCI, printed.UCI, setting)]


def baselines(setting: Setting) -> list[Table]:
    """Beyond the paper: today's usual classifiers on the same splits."""
    have, missing = STUDY.available(setting.quick)
    columns = ["Laplacian, cv", "SVM", *BESIDE]
    found = STUDY.measure(setting, have, columns)
    rows = []
    for t in have:
        n = len(found[t]["forest"].error)  # the others were judged on more splits
        cells = {m: f.cell(f.percent_right[:n]) for m, f in found[t].items()}
        rows.append(TableRow(t, cells, have[t].note(n)))
    notes = [
        "All on the same splits, the first 20 of Tables 6 and 7. The Laplacian classifier chooses "
        "its bandwidth in every training set; forest, boosting, neighbours and Gaussian Bayes are "
        "tuned by five folds on the first one, the SVM as in Tables 6 and 7."
    ]
    title = "Right labels in percent beside other classifiers"
    return [Table("baselines", title, columns, rows, notes, missing)]


def _table(number: str, title: str, titles: tuple[str, ...], text: str, setting: Setting) -> Table:
    have, missing = STUDY.available(setting.quick)
    columns = printed.COLUMNS
    figures = read(text, columns)
    shown = [t for t in titles if t in have]
    found = STUDY.measure(setting, shown, columns)
    rows = []
    for t in shown:
        n = have[t].n_splits
        cells = {
            m: f.cell(f.percent_right, **figures[t].get(m, {}), printed_n=n)
            for m, f in found[t].items()
        }
        rows.append(TableRow(t, cells, have[t].note(len(found[t]["Laplacian, cv"].error))))
    skipped = {t: r for t, r in missing.items() if t in titles or "," in t}
    caption = f"{title}: right labels in percent (printed, difference in standard errors)"
    return Table(number, caption, list(columns), rows, [], skipped)


def _parzen() -> ParzenClassifier:
    return ParzenClassifier(bandwidth=KFoldError(folds=3, ties="largest"), scale=None, n_jobs=1)


def _rule_svm(parameters: Parameters) -> SVC:
    return _RuleSVM(cache_size=500)


COLUMNS: dict[str, Column] = {
    "Laplacian, cv": own(lambda: LaplacianClassifier(bandwidth="cv", scale=None, n_jobs=1)),
    "Laplacian, rule": own(lambda: LaplacianClassifier(scale=None, n_jobs=1)),
    "SVM": support_vector_machine(),
    "SVM, rule": Column(_rule_svm),
    "Parzen, cv": own(_parzen),
    **BESIDE,
}
STUDY = Study(__name__, printed.SETS, COLUMNS, extent, ("Banana", "Wine", "Iris", "Ionos", "WBC"))
PAPER = Paper(
    name="laplacian",
    title="R. Jenssen, D. Erdogmus, J. C. Principe and T. Eltoft, The Laplacian classifier, "
    "IEEE Trans. Signal Processing 55(7), 2007",
    tables=[
        TableItem(("1", "2", "3", "4", "5", "rare"), confusion_tables),
        TableItem(("6",), benchmark_sets),
        TableItem(("7",), uci_sets),
        TableItem(("sparsity",), sparsity_table),
        TableItem(("usps",), usps),
        TableItem(("baselines",), baselines),
    ],
    figures=[
        FigureItem(("1",), ring_map),
        FigureItem(("2",), ring_weights),
        FigureItem(("3",), outlier),
        FigureItem(("4", "5"), rare_regions),
        FigureItem(("sparsity",), sparsity_figure),
    ],
    explanations=_EXPLANATIONS,
)
