"""Tables I to V of Jenssen et al. (2007): who finds the rare class?

Means over many draws of the paper's sizes: unit Gaussians at (2, 2) and (0.6, 0.6), 100 and 5 rows
for training, 200 and 10 for the test; echocardiograms, 10 and 42. The honest rivals beside them are
a support vector machine with weights of the classes, which section V mentions, and the plug-in rule
with equal priors, and with priors in proportion to the roots of the classes' shares: for separate
classes that is what the Laplacian classifier amounts to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from parzen.classifiers import LaplacianClassifier, ParzenClassifier
from parzen.compare import Task
from parzen.datasets import UnavailableError, load, make_unbalanced
from parzen.papers.engine import COMMON_SHARE, Cell, Setting, Table, TableRow, quietly
from parzen.papers.laplacian import printed as printed

Sample = tuple[NDArray[Any], NDArray[Any]]
_DRAWS_PER_TASK = 20  # A run that is stopped loses the draws of the tasks under way.
DEFAULT_SVM = "SVM, C = 1"
BALANCED_SVM = "SVM, class weights"
SVM_COST = 100.0  # C of the SVM: the paper does not give it, and its Table II is met from here on.


def contenders(y: NDArray[Any]) -> dict[str, Any]:
    """Fresh classifiers for a sample with the labels y, all at the rule's bandwidth."""
    roots = np.sqrt(np.unique(y, return_counts=True)[1])
    rule: dict[str, Any] = {"bandwidth": "silverman", "scale": None, "n_jobs": 1}
    return {
        "plug-in": ParzenClassifier(**rule),
        "SVM": SVC(C=SVM_COST),
        DEFAULT_SVM: SVC(),
        BALANCED_SVM: SVC(C=SVM_COST, class_weight="balanced"),
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
        "Right labels of the rare and of the frequent class, means over the draws. Two columns are "
        "'plug-in' with other priors: equal, or in proportion to the square roots of the shares of "
        "the classes. With class weights the SVM weighs errors by one over the share of the class."
    ]
    return [*tables, Table("rare", "The rare class and its rivals", columns, rivals, notes)]


def _right(setting: Setting, kind: str) -> dict[str, NDArray[np.float64]]:
    """(draws, 2) right labels of every classifier."""
    if kind == "echocardiograms":
        load("echocardiogram")
    draws = of_all_draws(setting, draw, kind)
    return {name: np.array([d[name] for d in draws], dtype=np.float64) for name in draws[0]}


def of_all_draws(setting: Setting, function: Callable[..., list[Any]], kind: str) -> list[Any]:
    """What a function of ``kind``, ``first`` and ``last`` finds on each draw."""
    n = 40 if setting.quick else 200
    tasks = [Task(function, {"kind": kind, "first": i, "last": i + _DRAWS_PER_TASK})
             for i in range(0, n, _DRAWS_PER_TASK)]  # fmt: skip
    return [one for batch in setting.runner.run(tasks, kind) for one in batch]


def confusion_rows(
    found: NDArray[np.float64], sizes: Sequence[int], theirs: Sequence[int], *, by_draws: bool
) -> list[TableRow]:
    """A row for each class from its right labels (draws, 2), beside what one draw of the paper had.

    ``by_draws`` counts a printed number as met if enough of our draws are as far from our mean,
    else it has to lie within our deviation.
    """
    rows = []
    for right, size, paper, label in zip(
        found.T, sizes, theirs, ("rare class", "frequent class"), strict=True
    ):
        away = np.abs(right - right.mean())
        as_far = 100.0 * float(np.mean(away >= abs(paper - right.mean())))
        beside: dict[str, Any] = {"printed_sd": float(right.std(ddof=1))}
        if by_draws:
            beside["agrees"] = as_far >= COMMON_SHARE
        cells = {
            "right": Cell.of(right, printed=paper, **beside),
            "wrong": Cell.of(size - right, printed=size - paper, **beside),
            "as far": Cell(as_far),
        }
        rows.append(TableRow(label, cells, f"{len(right)} draws"))
    return rows


def _confusion(
    number: str, title: str, found: dict[str, NDArray[np.float64]], name: str,
    sizes: tuple[int, int], figures: dict[str, tuple[int, int]],
) -> Table:  # fmt: skip
    rows = confusion_rows(found[name], sizes, figures[name], by_draws=False)
    notes = [
        "The paper shows one draw; the deviation is ours. It swaps the names of the classes. 'as "
        "far': of how many percent of our draws 'right' is as far from our mean as the printed one."
    ]
    if name == "SVM":
        notes.append(f"The SVM has C = {SVM_COST:g}; the paper does not tell its parameters.")
    return Table(number, f"Confusion matrix: {title}", list(rows[0].cells), rows, notes)


def _rivals(title: str, found: dict[str, NDArray[np.float64]]) -> list[TableRow]:
    return [
        TableRow(f"{title}, {label}", {name: Cell.of(v[:, c]) for name, v in found.items()})
        for c, label in enumerate(("rare", "frequent"))
    ]
