"""``parzen compare``: every method on the same splits of your data."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from parzen.cli._console import (
    caution,
    following,
    progress,
    remark,
    say,
    say_json,
    table,
    tell_texts,
    watched,
)
from parzen.cli._data import LabelledData, load_labelled, preparation
from parzen.cli._errors import UserError
from parzen.cli._figures import check_figure, save_figure, use_matplotlib
from parzen.cli._options import CompareOptions
from parzen.cli._outputs import check_output
from parzen.cli._resume import Journal
from parzen.compare import (
    BASELINES,
    COLUMNS,
    METHODS,
    Comparison,
    Outcome,
    Row,
    compare,
    fold_splits,
    method,
    random_splits,
    settle_gaps,
    table_estimators,
)
from parzen.papers import versions

ALPHA = 0.05  # A difference is significant if its adjusted p-value is smaller.
# Columns that are left out, in this order, where the screen is narrow.
_LEAST_IMPORTANT_FIRST = ["predict ms", "rank", "Brier", "sd", "set size", "kernels %", "bal. %",
                          "AUC", "fit s", "log-loss"]  # fmt: skip


def run_compare(data: str, options: CompareOptions) -> None:
    """Compare and print; write a report and a figure where they are asked for."""
    names = chosen_names(options.methods, options.baselines)
    report, figure, seed = options.report, options.figure, options.seed
    check_output(report, "page", inputs=[data], overwrite=options.overwrite)
    written = [] if report is None else [report]
    check_figure(figure, inputs=[data, *written], overwrite=options.overwrite)
    if report is not None:
        use_matplotlib()
    sample = load_labelled(data, options)
    pairs, how = _splits(sample, options)
    gaps = sample.gaps > 0
    estimators = table_estimators(names, missing=sample.missing, gaps=gaps, random_state=seed)
    modes = {name: settle_gaps(e, sample.missing, gaps) for name, e in estimators.items()}
    journal = Journal(sample.X, sample.y, pairs, estimators)
    known = [] if options.fresh else journal.known()
    facts = [*sample.facts, *preparation(sample, modes), how]
    if known:
        facts.append(f"{len(known)} of {len(names) * len(pairs)} results taken from a run that was "
                     "stopped (--fresh)")  # fmt: skip
    found = _compute(estimators, sample, pairs, options.jobs, journal, known)
    command = shlex.join(["parzen", *sys.argv[1:]])
    if options.as_json:
        say_json(
            {"facts": facts, "verdict": verdict(found), "command": command,
             "versions": versions(), "rows": [vars(row) for row in found.rows()],
             "confusion": {name: found.confusion(name) for name in found.names},
             **found.as_dict()}
        )  # fmt: skip
    else:
        _print(found, facts)
    _write(found, report, figure, title=f"Classifiers on {Path(sample.name).name}", facts=facts,
           verdict=verdict(found), command=command)  # fmt: skip
    journal.remove()


def chosen_names(methods: str, baselines: str | None) -> list[str]:
    """Names separated by commas; "all", or "none". A baseline may be named among the methods."""
    if baselines is None:
        baselines = "all" if methods == "all" else "none"
    known = {"--methods": METHODS, "--baselines": BASELINES}
    names: list[str] = []
    for option, asked in (("--methods", methods), ("--baselines", baselines)):
        if asked in ("all", "none"):
            names += known[option] if asked == "all" else []
            continue
        for name in (part.strip() for part in asked.split(",")):
            if name and name not in METHODS and name not in BASELINES:
                raise UserError(
                    f"{option}: unknown method {name!r}; the methods are {', '.join(METHODS)}, the "
                    f"baselines {', '.join(BASELINES)}"
                )
            names += [name] if name else []
    if not names:
        raise UserError("nothing to compare: name --methods or --baselines")
    return list(dict.fromkeys(names))


def _splits(sample: LabelledData, options: CompareOptions) -> tuple[list[Any], str]:
    """The splits, and how they were made."""
    n, seed = len(sample.y), options.seed
    n_splits, test_size = options.splits, options.test_size
    if options.cv is not None:
        if not 2 <= options.cv <= n:
            raise UserError(f"--cv must be between 2 and the number of rows {n}, got {options.cv}")
        folds = fold_splits(sample.y, options.cv, random_state=seed)
        return folds, f"{options.cv} folds, seed {seed}"
    if n_splits < 1:
        raise UserError(f"--splits must be at least 1, got {n_splits}")
    if not 0 < test_size < 1 or n * min(test_size, 1 - test_size) < 1:
        raise UserError(
            f"--test-size must be a share between 0 and 1 that leaves rows on both sides of "
            f"{n}, got {test_size}"
        )
    if len(sample.splits) >= max(n_splits, 2):
        return list(sample.splits[:n_splits]), f"the first {n_splits} official splits"
    pairs = random_splits(sample.y, n_splits, test_size=test_size, random_state=seed)
    return pairs, f"{n_splits} random splits, {test_size:.0%} of the rows for testing, seed {seed}"


def _compute(
    estimators: dict[str, Any],
    sample: LabelledData,
    pairs: list[Any],
    jobs: int | None,
    journal: Journal,
    known: list[Outcome],
) -> Comparison:
    total, title = len(estimators) * len(pairs), "comparing"
    with progress(title) as tell:

        def on_outcome(outcome: Outcome) -> None:
            nonlocal title
            title = f"{outcome.name}, split {outcome.split + 1} done"
            journal.add(outcome)

        def on_progress(done: float) -> None:
            tell(len(known) + done, total, title)

        on_progress(0)
        return compare(
            estimators, sample.X, sample.y, pairs, n_jobs=jobs, known=known,
            on_outcome=on_outcome, progress=on_progress if watched() else None,
        )  # fmt: skip


def _print(found: Comparison, facts: list[str]) -> None:
    say(*facts, "")
    rows = found.rows()
    show_rows(rows)
    say("", verdict(found))
    for row in rows:
        if row.failures:
            say(f"{row.name} failed on {len(row.failures)} splits: {row.failures[0]}")
    say("", *(f"{name:<10}{method(name).title}" for name in found.names))
    tell_texts(
        f"{name}: {text}" for name in found.names for o in found.of(name) for text in o.warnings
    )
    ended = [name for name in found.names if any(o.ends_of_grids for o in found.of(name))]
    if ended:
        caution(
            f"some values chosen for {', '.join(ended)} are at the end of their grid, where a "
            "wider one may do better; --report lists them"
        )


def verdict(found: Comparison) -> str:
    """Who won, and which differences are significant, in a sentence."""
    best, rows = found.best(), found.rows()
    if best is None:
        return "every method failed"
    shown = f"{best} ({method(best).title}) has the smallest error, {100 * rows[0].error:.2f} %"
    if len(found.complete) == 1:
        return f"{shown}; it has no rival"
    if len(found.of(best)) < 2:
        return f"{shown}; with one split the differences cannot be tested"
    worse = [row.name for row in rows if row.pvalue < ALPHA]
    test = f"corrected resampled t-test, Holm, p < {ALPHA}"
    if not worse:
        return f"{shown}, but no other is significantly worse ({test})"
    if len(worse) == len(found.complete) - 1:
        return f"{shown}, and all others are significantly worse ({test})"
    return f"{shown}; significantly worse are {', '.join(worse)} ({test})"


def show_rows(rows: list[Row], columns: Collection[str] = COLUMNS) -> None:
    """Print the table of a comparison; a star marks a significant difference."""
    expendable = [title for title in _LEAST_IMPORTANT_FIRST if title in columns]
    table(["method", *columns], [cells(row, columns) for row in rows], expendable=expendable)


def cells(row: Row, columns: Collection[str] = COLUMNS) -> list[str]:
    """The name of a method, and what the table shows of it."""
    numbers = zip(COLUMNS, row.numbers(), strict=True)
    shown = {t: "-" if v is None or v != v else format(v, form) for t, (v, form) in numbers}
    shown["p"] += "*" if row.pvalue < ALPHA else ""
    return [row.name, *(shown[title] for title in columns)]


def _write(found: Comparison, report: Path | None, figure: Path | None, **about: Any) -> None:
    if report is None and figure is None:
        return
    from parzen.report import comparison_page, draw_errors

    if report is not None:
        with progress("report") as tell, following(tell, 0, 1, "report"):
            comparison_page(found, alpha=ALPHA, **about).write(report)
        remark(f"report: {report}")
    if figure is not None:
        save_figure(draw_errors(found, title=about["title"]), figure)
        remark(f"figure: {figure}")
