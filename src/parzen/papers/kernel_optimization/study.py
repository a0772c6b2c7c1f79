"""Xiong, Swamy & Ahmad (2005), optimising the kernel: Tables I to IX, Figures 1 and 3 to 10.

Every set is standardised and cut into thirds by a seed: cores, training, test. 20 trials at fixed
parameters, 10 with parameters chosen on the core third. The paper prints no deviations; for the
standard error of its figures ours are taken. Fig. 2 is the algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from parzen.compare import Task
from parzen.papers.engine import (
    Benchmark,
    Cell,
    Paper,
    Setting,
    Table,
    TableRow,
    available,
    read,
    size_table,
)
from parzen.papers.kernel_optimization import printed as printed
from parzen.papers.kernel_optimization.figures import (
    REAL,
    basic_kernels,
    gaussian_kernel,
    polynomial_kernel,
    real_data,
)
from parzen.papers.kernel_optimization.thirds import fixed_trial, tuned_trial
from parzen.papers.kernel_optimization.thirds_beside import (
    BASELINES,
    BETTER,
    TRANSDUCTIVE,
    beside_trial,
    better_trial,
    transductive_trial,
)

Found = dict[str, list[dict[str, float]]]

_QUICK = ("Ionosphere", "Monks1", "Breast")
_DRAWN_AGAIN = ("Heart", "Ionosphere", "Breast", "Monks2", "Pima")  # Sets with open cells.


def sizes(setting: Setting) -> list[Table]:
    """Table I: rows and features."""

    def counts(b: Benchmark) -> dict[str, tuple[int, int]]:
        rows, features = b.load().X.shape
        return {"rows": (rows, printed.ROWS[b.title]), "features": (features, b.n_features)}

    return size_table("Sizes (printed)", printed.SETS, counts)


def fixed(title: str, setting: Setting) -> list[Table]:
    """Two tables of one set: errors in training and in the test at fixed parameters."""
    tables = []
    for (number, name, part), text in printed.FIXED.items():
        if name != title:
            continue
        figures = read(text, printed.COLUMNS)
        found, missing = _fixed_trials(title, figures, setting)
        place = ("training", "test").index(part)
        rows = [
            _row(f"γ0, γ = {pair}", [{c: e[place] for c, e in t.items()} for t in trials],
                 printed.COLUMNS, figures[pair], 20)
            for pair, trials in found.items()
        ]  # fmt: skip
        caption = f"{title}: error % in {part} (printed, difference in standard errors)"
        tables.append(Table(number, caption, list(printed.COLUMNS), rows, [_STEP], missing))
    return tables


def steps(setting: Setting) -> list[Table]:
    """The fixed step of Fig. 2 beside the line search, on the trials of Tables II to VII."""
    rows: list[TableRow] = []
    left_out: dict[str, str] = {}
    columns = [f"{c} {k}" for c in printed.CLASSIFIERS for k in ("opt", "line search")]
    for (_, title, part), text in printed.FIXED.items():
        if part == "test":
            found, missing = _fixed_trials(title, read(text, printed.COLUMNS), setting)
            left_out |= missing
            for pair, trials in found.items():
                tests = [{c: e[1] for c, e in t.items()} for t in trials]
                rows.append(_row(f"{title}, γ0, γ = {pair}", tests, columns))
    caption = "Test error % with the fixed step of Fig. 2 (opt) and with a line search"
    return [Table("steps", caption, columns, rows, [], left_out)]


def fixed_again(setting: Setting) -> list[Table]:
    """Table III on a hundred other draws of the thirds."""
    figures = read(printed.FIXED["3", "Ionosphere", "test"], printed.COLUMNS)
    found, missing = _fixed_trials("Ionosphere", figures, setting, range(20, 120))
    rows = [
        _row(f"γ0, γ = {pair}", [{c: e[1] for c, e in t.items()} for t in trials],
             printed.COLUMNS, figures[pair], 20)
        for pair, trials in found.items()
    ]  # fmt: skip
    caption = "Ionosphere: error % in test on a hundred other draws (printed)"
    columns = list(printed.COLUMNS)
    return [Table("3 draws", caption, columns, rows, [_STEP], missing, explains="3")]


def tuned_again(setting: Setting) -> list[Table]:
    """Tables VIII and IX on ten other draws of the thirds."""
    more = {"quick": setting.quick}
    found, missing = _trials(tuned_trial, "other draws", setting, more, _DRAWN_AGAIN, range(10, 20))
    parts = (
        ("8", "Test error %", printed.COLUMNS, printed.TUNED),
        ("9", "3-NN with three kernels, error %", printed.ALIGNED, printed.ALIGNMENT),
    )
    return [
        replace(
            _table(f"{number} draws", f"{caption}, on ten other draws (printed)", found, missing,
                   columns, text, [_STEP]),
            explains=number,
        )
        for number, caption, columns, text in parts
    ]  # fmt: skip


def _fixed_trials(
    title: str, pairs: Iterable[str], setting: Setting, draws: range = range(20)
) -> tuple[dict[str, list[dict[str, list[float]]]], dict[str, str]]:
    """Errors in training and test of every trial by the pair of gammas, if the set can be had."""
    have, missing = available({title: printed.SETS[title]})
    groups = {
        pair: [Task(fixed_trial, {"title": title, "trial": t, "gamma0": g0, "gamma": g})
               for t in (draws[:5] if setting.quick else draws)]
        for pair, (g0, g) in ((p, map(float, p.split(","))) for p in pairs)
    } if have else {}  # fmt: skip
    return setting.runner.run_groups(groups, f"fixed parameters, {title}"), missing


def tuned(setting: Setting) -> list[Table]:
    """Tables VIII and IX."""
    found, missing = _trials(tuned_trial, "tables 8 and 9", setting, {"quick": setting.quick})
    quick = ["quick: every third γ0, every other γ."] if setting.quick else []
    errors = _table("8", "Test error %, parameters chosen on the core third", found, missing,
                    printed.COLUMNS, printed.TUNED, quick)  # fmt: skip
    return [
        errors,
        improvement(errors),
        _table("9", "3-NN with three kernels, error %", found, missing,
               printed.ALIGNED, printed.ALIGNMENT, quick),
    ]  # fmt: skip


def improvement(errors: Table) -> Table:
    """The columns of Table VIII that follow from the others: by how much the error falls."""
    figures = read(printed.IMPROVEMENT, printed.CLASSIFIERS)
    rows = []
    for row in errors.rows:
        means = {column: cell.mean for column, cell in row.cells.items()}
        cells = {
            c: Cell(100 * (1 - means[f"{c} opt"] / means[f"{c} Gauss"]), **figures[row.name][c])
            for c in printed.CLASSIFIERS
        }
        rows.append(TableRow(row.name, cells))
    title = "By how many percent the mean error of Table 8 falls (printed)"
    notes = ["It follows from Table 8 and is not counted again."]
    columns = list(printed.CLASSIFIERS)
    return Table("8 improvement", title, columns, rows, notes, is_compared=False)


def transductive(setting: Setting) -> list[Table]:
    """K_alg of Table IX for training and test rows together."""
    found, missing = _trials(transductive_trial, "transductive", setting, {})
    figures = read(printed.ALIGNMENT, printed.ALIGNED)
    rows = [_row(t, trials, TRANSDUCTIVE, figures.get(t), 10) for t, trials in found.items()]
    notes = [
        "The Gram matrix of training and test rows keeps its eigenvectors, and their new "
        "eigenvalues follow the labels of the training rows, as Cristianini et al. compute it."
    ]
    caption = "3-NN with K_alg of training and test rows together, error % (printed)"
    columns = list(TRANSDUCTIVE)
    return [Table("transductive", caption, columns, rows, notes, missing, explains="9")]


def baselines(setting: Setting) -> list[Table]:
    """Other classifiers on the same thirds."""
    found, missing = _trials(beside_trial, "baselines", setting, {})
    caption = "Test error % of other classifiers on the same thirds"
    return [_table("baselines", caption, found, missing, BASELINES)]


def better(setting: Setting) -> list[Table]:
    """The paper's classifiers with a better optimised kernel."""
    found, missing = _trials(better_trial, "better", setting, {})
    caption = "Test error % with a kernel optimised on both thirds by the eigenproblem"
    return [_table("better", caption, found, missing, BETTER)]


def _trials(
    trial: Callable[..., dict[str, float]],
    name: str,
    setting: Setting,
    more: dict[str, bool],
    titles: Iterable[str] = tuple(printed.SETS),
    draws: range = range(10),
) -> tuple[Found, dict[str, str]]:
    """The results of all trials of every set, and which sets are missing."""
    asked = {title: printed.SETS[title] for title in titles}
    have, missing = available(asked, _QUICK if setting.quick else None)
    groups = {
        title: [Task(trial, {"title": title, "trial": t} | more)
                for t in (draws[:1] if setting.quick else draws)]
        for title in have
    }  # fmt: skip
    return setting.runner.run_groups(groups, name), missing


def _table(
    number: str,
    caption: str,
    found: Found,
    missing: dict[str, str],
    columns: Sequence[str],
    text: str = "",
    notes: Sequence[str] = (),
) -> Table:
    figures = read(text, columns)
    rows = [_row(t, trials, columns, figures.get(t, {}), 10) for t, trials in found.items()]
    return Table(number, caption, list(columns), rows, [*_NOTES.get(number, ()), *notes], missing)


def _row(
    name: str,
    trials: Sequence[dict[str, float]],
    columns: Sequence[str],
    figures: Mapping[str, dict[str, float]] | None = None,
    printed_n: int = 1,
) -> TableRow:
    """Means over trials, with our deviations for printed figures, which come without any."""
    cells = {c: Cell.of([t[c] for t in trials], **(figures or {}).get(c, {})) for c in columns}
    cells = {
        c: cell if cell.printed is None else replace(cell, printed_sd=cell.sd, printed_n=printed_n)
        for c, cell in cells.items()
    }
    return TableRow(name, cells, f"{len(trials)} trials")


_STEP = "'opt': the fixed step of Fig. 2. KMSE and KFD are the library's classifiers."
_NOTES = {
    "8": [_STEP],
    "9": [_STEP],
    "baselines": [
        "'train': trained on the training third. 'both': trained on the core third too, which "
        "shows what its labels are worth.",
    ],
    "better": [
        "Compare with the columns 'opt' of Table 8: those learn the kernel from the training third "
        "and choose their parameters on the core third; here both thirds train, every row is a "
        "core, and folds choose the ridge, the cores' width and the classifier's parameter.",
    ],
}

PAPER = Paper(
    name="kernel_optimization",
    title="H. Xiong, M. N. S. Swamy and M. O. Ahmad, Optimizing the kernel in the empirical "
    "feature space, IEEE Trans. Neural Networks 16(2), 2005",
    tables={
        ("1",): sizes,
        ("2", "3"): partial(fixed, "Ionosphere"),
        ("4", "5"): partial(fixed, "Breast"),
        ("6", "7"): partial(fixed, "Monks1"),
        ("steps",): steps,
        ("8", "8 improvement", "9"): tuned,
        ("3 draws",): fixed_again,
        ("8 draws", "9 draws"): tuned_again,
        ("transductive",): transductive,
        ("baselines",): baselines,
        ("better",): better,
    },
    figures={
        ("1",): basic_kernels,
        ("3",): polynomial_kernel,
        ("4",): gaussian_kernel,
        **{numbers: partial(real_data, title) for title, (numbers, *_) in REAL.items()},
    },
)
