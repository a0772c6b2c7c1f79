"""Tables I to V of Jenssen et al. (2007): who finds the rare class?

Means over many draws of the paper's sizes: unit Gaussians at (2, 2) and (0.6, 0.6), 100 and 5 rows
for training, 200 and 10 for the test; echocardiograms, 10 and 42. The honest rivals beside them are
the plug-in rule with equal priors, and with priors in proportion to the roots of the classes'
shares: for separate classes that is what the Laplacian classifier amounts to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from parzen.classifiers import LaplacianClassifier, ParzenClassifier
from parzen.compare import Task
from parzen.datasets import UnavailableError, load, make_unbalanced
from parzen.papers.engine import Cell, Setting, Table, TableRow, quietly
from parzen.papers.laplacian import printed as printed

Sample = tuple[NDArray[Any], NDArray[Any]]
_DRAWS_PER_TASK = 20  # A run that is stopped loses the draws of the tasks under way.
DEFAULT_SVM = "SVM, C = 1"
SVM_COST = 100.0  # C of the SVM: the paper does not give it, and its Table II is met from here on.


def contenders(y: NDArray[Any]) -> dict[str, Any]:
    """Fresh classifiers for a sample with the labels y, all at the rule's bandwidth."""
    roots = np.sqrt(np.unique(y, return_counts=True)[1])
    rule: dict[str, Any] = {"bandwidth": "silverman", "scale": None, "n_jobs": 1}
    return {
        "plug-in": ParzenClassifier(**rule),
        "SVM": SVC(C=SVM_COST),
        DEFAULT_SVM: SVC(),
        "Laplacian": LaplacianClassifier(**rule),
        "plug-in, equal priors": ParzenClassifier(**rule, priors="uniform"),
        "plug-in, roots of the shares": ParzenClassifier(**rule, priors=roots / roots.sum()),
    }


def gaussians(seed: int) -> tuple[Sample, Sample]:
    """A training and a test sample of the paper's sizes."""
    return make_unbalanced(random_state=seed), make_unbalanced(200, 10, random_state=10_000 + seed)


def echocardiograms(seed: int) -> tuple[Sample, Sample]:
    """10 training patients, 3 of them survivors, and 42 test patients, 12 of them survivors."""
    found = load("echocardiogram")
    columns = [2, 3, 4, 5, 6, 7, 8, 9]  # age and measurements of the heart, no outcomes
    known = (found.y >= 0) & np.isfinite(found.X[:, columns]).all(axis=1)
    X, y = found.X[known][:, columns], found.y[known]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rng = np.random.default_rng(seed)
    alive, dead = (rng.permutation(np.flatnonzero(y == c)) for c in (1, 0))
    train, test = (np.concatenate(parts) for parts in
                   ((alive[:3], dead[:7]), (alive[3:15], dead[7:37])))  # fmt: skip
    return (X[train], y[train]), (X[test], y[test])


DRAWS: dict[str, Callable[[int], tuple[Sample, Sample]]] = {
    "gaussians": gaussians,
    "echocardiograms": echocardiograms,
}


def draw(kind: str, first: int, last: int) -> list[dict[str, list[int]]]:
    """For each draw and classifier: how many rare and how many frequent rows are right."""
    out = []
    for seed in range(first, last):
        train, (X, y) = DRAWS[kind](seed)
        right = {}
        for name, clf in contenders(train[1]).items():
            hit = quietly(partial(clf.fit, *train)).predict(X) == y
            right[name] = [int(hit[y == 1].sum()), int(hit[y != 1].sum())]
        out.append(right)
    return out


def confusion_tables(setting: Setting) -> list[Table]:
    """Tables I to V, and the rivals."""
    found, sizes = _right(setting, "gaussians"), (10, 200)
    names = {"1": "plug-in", "2": "SVM", "3": "Laplacian"}
    tables = [
        _confusion(number, f"{name}, two Gaussians", found, name, sizes, printed.RARE)
        for number, name in names.items()
    ]
    rivals = _rivals("two Gaussians", found)
    try:
        found = _right(setting, "echocardiograms")
    except UnavailableError as reason:
        empty = {"echocardiogram": str(reason)}
        tables += [Table(n, "echocardiograms", [], [], [], empty) for n in ("4", "5")]
    else:
        tables += [
            _confusion(n, f"{name}, echocardiograms", found, name, (12, 30), printed.ECHOCARDIOGRAM)
            for n, name in {"4": "plug-in", "5": "Laplacian"}.items()
        ]
        rivals += _rivals("echocardiograms", found)
    columns = list(rivals[0].cells)
    notes = [
        "Right labels of the rare and of the frequent class, means over the draws. The last two "
        "columns are 'plug-in' with other priors: equal, or in proportion to the square roots of "
        "the shares of the classes."
    ]
    return [*tables, Table("rare", "The rare class and its rivals", columns, rivals, notes)]


def _right(setting: Setting, kind: str) -> dict[str, NDArray[np.float64]]:
    """(draws, 2) right labels of every classifier."""
    if kind == "echocardiograms":
        load("echocardiogram")
    n = 40 if setting.quick else 200
    tasks = [Task(draw, {"kind": kind, "first": i, "last": i + _DRAWS_PER_TASK})
             for i in range(0, n, _DRAWS_PER_TASK)]  # fmt: skip
    draws = [d for batch in setting.runner.run(tasks, kind) for d in batch]
    return {name: np.array([d[name] for d in draws], dtype=np.float64) for name in draws[0]}


def _confusion(
    number: str, title: str, found: dict[str, NDArray[np.float64]], name: str,
    sizes: tuple[int, int], figures: dict[str, tuple[int, int]],
) -> Table:  # fmt: skip
    rows = []
    for c, label in enumerate(("rare class", "frequent class")):
        right, paper = found[name][:, c], figures[name][c]
        spread, away = float(right.std(ddof=1)), np.abs(right - right.mean())
        cells = {
            "right": Cell.of(right, printed=paper, printed_sd=spread),
            "wrong": Cell.of(sizes[c] - right, printed=sizes[c] - paper, printed_sd=spread),
            "as far": Cell(100.0 * float(np.mean(away >= abs(paper - right.mean())))),
        }
        rows.append(TableRow(label, cells, f"{len(right)} draws"))
    notes = [
        "The paper shows one draw; the deviation is ours. It swaps the names of the classes. 'as "
        "far': of how many percent of our draws 'right' is as far from our mean as the printed one."
    ]
    if name == "SVM":
        notes.append(f"The SVM has C = {SVM_COST:g}; the paper does not tell its parameters.")
    return Table(number, f"Confusion matrix: {title}", list(cells), rows, notes)


def _rivals(title: str, found: dict[str, NDArray[np.float64]]) -> list[TableRow]:
    return [
        TableRow(f"{title}, {label}", {name: Cell.of(v[:, c]) for name, v in found.items()})
        for c, label in enumerate(("rare", "frequent"))
    ]
