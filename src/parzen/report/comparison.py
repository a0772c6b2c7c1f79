"""The report of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations
from statistics import median_low
from typing import Any

from parzen._core import steps
from parzen.compare import BASELINES, COLUMNS, METHODS, Comparison, Outcome
from parzen.papers import versions
from parzen.report.figures import draw_costs, draw_errors
from parzen.report.page import Entry, Page, figure_svg

_MAX_LABELS = 30  # A confusion matrix of more labels is not shown.


def comparison_page(
    comparison: Comparison,
    *,
    title: str,
    facts: list[str],
    command: str,
    verdict: str = "",
    alpha: float = 0.05,
) -> Page:
    """A page with everything that a comparison found.

    Parameters
    ----------
    comparison : Comparison
        What :func:`parzen.compare.compare` returned.
    title : str
        The page's title.
    facts : list of str
        What was compared: the data, its preparation, the splits.
    command : str
        What to type to get it again.
    verdict : str, default=""
        Who won, in a sentence.
    alpha : float, default=0.05
        Level of significance.
    """
    rows = comparison.rows()
    page = Page(title).items(facts)
    if verdict:
        page.paragraph(f"{verdict[0].upper()}{verdict[1:]}.")
    lines = [
        [Entry(row.name), *(Entry.number(*number) for number in row.numbers())] for row in rows
    ]
    page.heading("Errors").table(["method", *COLUMNS], lines, best=0)
    page.paragraph(_legend(comparison, alpha), note=True)
    figures: list[tuple[Callable[[Comparison], Any], str]] = [
        (partial(draw_errors, alpha=alpha), f"Errors by split; * worse, p < {alpha}."),
        (draw_costs, "Error and time of prediction; the dot grows with the share of kernels kept."),
    ]
    for draw, caption in steps(figures):
        page.figure(figure_svg(draw(comparison)), caption)
    _add_pairs(page, comparison)
    _add_confusions(page, comparison)
    page.heading("Parameters chosen")
    page.table(
        ["method", "parameter", "median or most frequent", "smallest", "largest"],
        [cells for name in comparison.names for cells in _choices(name, comparison.of(name))],
    )
    _add_remarks(page, comparison)
    page.heading("Methods").table(["name", "what it is"], [_title(n) for n in comparison.names])
    page.heading("To repeat it").code(command)
    page.paragraph(", ".join(f"{k} {v}" for k, v in versions().items()), note=True)
    return page


def _legend(comparison: Comparison, alpha: float) -> str:
    return (
        f"Means over {len(comparison.of(comparison.names[0]))} splits of "
        f"{comparison.train_size:.0f} training and {comparison.test_size:.0f} test rows. Kernels: "
        "share of the training rows that the model keeps. Times include the model selection. "
        "bal. %: balanced error, the mean of the classes' errors. Brier: mean squared distance of "
        "the probabilities from 0 and 1, summed over the classes. AUC: area under the ROC curve, "
        "mean of each class against the others. Set size: mean number of labels in prediction sets "
        "that hold the true one in 90 % of the rows. "
        "p: corrected resampled t-test (Nadeau and Bengio) of the difference from the best, "
        f"adjusted by Holm; below {alpha} the difference is called significant."
    )


def _add_pairs(page: Page, comparison: Comparison) -> None:
    names = [row.name for row in comparison.rows() if row.name in comparison.complete]
    if len(names) < 2 or len(comparison.of(names[0])) < 2:
        return
    rows: list[list[Entry | str]] = []
    for first, second in combinations(names, 2):
        found = comparison.difference(first, second)
        difference = Entry.number(100 * found.difference, "+.2f")
        statistic, pvalue = Entry.number(found.statistic, "+.2f"), Entry.number(found.pvalue, ".4f")
        rows.append([f"{first} - {second}", difference, statistic, pvalue])
    page.heading("All pairs")
    page.table(["pair", "difference %", "t", "p, not adjusted"], rows)


def _add_confusions(page: Page, comparison: Comparison) -> None:
    """For every method, how many test rows of a class were given each label, over all splits."""
    page.heading("Confusion matrices")
    page.paragraph("Test rows of all splits; lines are true classes, columns labels.", note=True)
    for row in comparison.rows():
        counts = comparison.confusion(row.name)
        labels = sorted({label for line in counts.values() for label in line} | set(counts))
        if not counts or len(labels) > _MAX_LABELS:
            continue
        page.table(
            [row.name, *labels],
            [
                [Entry(true), *(Entry.number(counts[true].get(p, 0.0), ".6g") for p in labels)]
                for true in labels
                if true in counts
            ],
        )


def _choices(name: str, outcomes: list[Outcome]) -> list[list[Entry]]:
    """One row per parameter: the middle and the ends of what the splits chose."""
    parameters = list(dict.fromkeys(p for o in outcomes for p in o.parameters))
    return [
        [Entry(name), Entry(p), *_summary([o.parameters[p] for o in outcomes if p in o.parameters])]
        for p in parameters
    ]


def _summary(values: list[Any]) -> list[Entry]:
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        ends = (float(median_low(values)), float(min(values)), float(max(values)))
        return [Entry.number(v, ".4g") for v in ends]
    word, times = Counter(map(str, values)).most_common(1)[0]
    return [Entry(f"{word} ({times} of {len(values)})"), Entry("", ""), Entry("", "")]


def _add_remarks(page: Page, comparison: Comparison) -> None:
    said = Counter(
        (o.name, text)
        for o in comparison.outcomes
        for text in ([f"failed: {o.failure}"] if o.failure else o.warnings + o.ends_of_grids)
    )
    if said:
        rows = [
            [Entry(name), Entry.number(times, "d"), Entry(text, wide=True)]
            for (name, text), times in said.most_common(60)
        ]
        page.heading("Warnings and failures").table(["method", "splits", "what it said"], rows)


def _title(name: str) -> list[str]:
    known = {**METHODS, **BASELINES}
    return [name, known[name].title if name in known else ""]
