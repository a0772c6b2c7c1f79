"""Beyond Jenssen et al. (2007): accuracy against size for three ways to keep fewer kernels.

The paper suggests, for future work, to keep the kernels of largest weight, its "significance
vectors". Beside them stand a random subset and the expansion of least integrated squared error, on
the splits of Tables VI and VII, at the rule's bandwidth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers import LaplacianClassifier
from parzen.compare import Task
from parzen.papers.engine import Benchmark, Cell, Figure, Setting, Table, TableRow, available
from parzen.papers.laplacian.printed import SETS
from parzen.plots import pyplot

SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
REDUCTIONS = ("l2", "random", "weights")
TITLES = ("Wine", "WBC", "Pima", "Thyroid", "Iris")
_SPLITS_PER_TASK = 10  # A run that is stopped loses the splits of the tasks under way.

Right = dict[str, NDArray[np.float64]]  # by reduction: percent, shape (splits, shares)


def right_of_splits(title: str, data: str, first: int, last: int) -> list[dict[str, list[float]]]:
    """For each split the right labels in percent, by reduction and share; "all" keeps all."""
    benchmark = SETS[title]
    X, y = benchmark.sample()
    out = []
    for seed, split in enumerate(benchmark.splits(last)[0][first:last], start=first):
        found = {
            r: [_right(X, y, split, keep=share, reduction=r, random_state=seed) for share in SHARES]
            for r in REDUCTIONS
        }
        out.append({"all": [_right(X, y, split)], **found})
    return out


def _right(X: NDArray[Any], y: NDArray[Any], split: Any, **parameters: Any) -> float:
    train, test = split
    clf = LaplacianClassifier(scale=None, n_jobs=1, **parameters).fit(X[train], y[train])
    return 100.0 * float(clf.score(X[test], y[test]))


def sparsity_table(setting: Setting) -> list[Table]:
    """Right labels by the share of kernels that each class keeps."""
    found, have, missing = _measured(setting)
    columns = ["all", *(f"{share:.0%}" for share in SHARES)]
    rows = []
    for title, right in found.items():
        for r in REDUCTIONS:
            values = np.column_stack([right["all"], right[r]])
            cells = {c: Cell.of(v) for c, v in zip(columns, values.T, strict=True)}
            rows.append(TableRow(f"{title}, {r}", cells, have[title].note(len(values))))
    notes = [
        "Columns: the share of its kernels that each class keeps, at the bandwidth of the rule. "
        "'l2' chooses kernels and new weights for the least integrated squared error, 'random' "
        "draws kernels, 'weights' keeps those of largest weight, the paper's significance vectors.",
        *_comparisons(found),
    ]
    caption = "Right labels in percent against the number of kernels"
    return [Table("sparsity", caption, columns, rows, notes, missing)]


def sparsity_figure(setting: Setting) -> list[Figure]:
    """The table, drawn."""
    found, _, missing = _measured(setting)
    figure, panels = pyplot().subplots(
        1, len(found), figsize=(3.4 * len(found), 3.4), layout="constrained", squeeze=False
    )
    for ax, (title, right) in zip(panels[0], found.items(), strict=True):
        for r in REDUCTIONS:
            ax.plot(SHARES, right[r].mean(axis=0), "o-", label=r)
        ax.axhline(right["all"].mean(), color="black", lw=0.8)
        ax.set(xscale="log", xlabel="kernels kept", title=title)
        ax.set_xticks(SHARES, [f"{share:.0%}" for share in SHARES])
        ax.minorticks_off()
    panels[0, 0].set_ylabel("right labels (%)")
    panels[0, 0].legend(frameon=False)
    notes = [*_comparisons(found), *(f"{name}: {why}" for name, why in missing.items())]
    title = "Accuracy against the number of kernels"
    return [setting.saved(figure, "laplacian", "sparsity", title, notes)]


def _measured(setting: Setting) -> tuple[dict[str, Right], dict[str, Benchmark], dict[str, str]]:
    """What is measured, the sets, and why others are absent."""
    have, missing = available({title: SETS[title] for title in TITLES})
    n = 10 if setting.quick else 100
    groups = {
        title: [
            Task(right_of_splits, {"title": title, "data": b.load().source, "first": i,
                                   "last": i + _SPLITS_PER_TASK})
            for i in range(0, n, _SPLITS_PER_TASK)
        ]
        for title, b in have.items()
    }  # fmt: skip
    batches = setting.runner.run_groups(groups, "fewer kernels")
    splits = {
        title: [split for batch in parts for split in batch] for title, parts in batches.items()
    }
    found = {
        title: {r: np.array([s[r] for s in rows]) for r in ("all", *REDUCTIONS)}
        for title, rows in splits.items()
    }
    return found, have, missing


def _comparisons(found: dict[str, Right]) -> list[str]:
    """In how many columns the least squared error is ahead of the others, set by set."""
    lines = []
    for title, right in found.items():
        means = {r: right[r].mean(axis=0) for r in REDUCTIONS}
        ahead = {r: int(np.sum(means["l2"] > means[r])) for r in REDUCTIONS[1:]}
        lines.append(
            f"{title}: l2 is ahead of random at {ahead['random']} and of weights at "
            f"{ahead['weights']} of {len(SHARES)} sizes."
        )
    return lines
