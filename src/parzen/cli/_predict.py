"""``parzen predict``: labels, probabilities, sets, densities, novelty for the rows of a file."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen import load
from parzen._core import last_step, steps, whole_file
from parzen.cli._columns import InputColumns, is_missing, listed, shown
from parzen.cli._console import (
    caution,
    following,
    progress,
    remark,
    say,
    say_json,
    tell_warnings,
)
from parzen.cli._data import frame_of, refuse_gaps, refuse_infinity
from parzen.cli._errors import UserError
from parzen.cli._evidence import evidence_plain, evidence_text
from parzen.cli._features import with_hashed_texts
from parzen.cli._figures import use_matplotlib
from parzen.cli._options import PredictOptions
from parzen.cli._outputs import check_output
from parzen.cli._tables import STDIN, open_source
from parzen.compare import final_estimator
from parzen.evidence import Explanation, explain_by_last_step
from parzen.model_files import ModelFileError, describe

_CHUNK_ROWS = 2000  # Rows that are predicted between two moves of the progress bar.
_EXPLAINED_ROWS = 10  # --explain explains this many rows, the first of a file.


def run_predict(model: Path, data: str, options: PredictOptions) -> None:
    """Predict every row and write one line for each."""
    output, overwrite = options.output, options.overwrite
    about = model_metadata(model, data)
    names = _column_names(about, options)
    header = "" if options.keep else _csv(names).rstrip()
    inputs: list[str | Path] = [model, *([] if data == STDIN else [data])]
    check_output(output, "table", inputs=inputs, overwrite=overwrite, header=header)
    written = [] if output is None else [output]
    check_output(options.report, "page", inputs=[*inputs, *written], overwrite=overwrite)
    if options.report is not None:
        use_matplotlib()
    kinds = dict.fromkeys(options.keep, "category") | _kinds_as_read(about["kinds"])
    columns = InputColumns(
        open_source(data), options, kinds=kinds, forms=about.get("forms"),
        decimal=about.get("decimal"),
    )  # fmt: skip
    X = _matched(columns, about, options.keep)
    estimator = _able_estimator(load(model), model, options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _predict(estimator, X, options)
        evidence = _explain(estimator, X, model, options) if options.explains else None
    tell_warnings(caught)
    if evidence is not None and options.report is not None:
        _write_page(options.report, evidence, X, data)
    kept: dict[str, Any] = {name: columns.texts(name) for name in options.keep}
    if options.as_json:
        rows = {"classes": about["classes"], **{k: v.tolist() for k, v in found.items()}}
        rows |= {"kept": {k: v.tolist() for k, v in kept.items()}} if kept else {}
        if evidence is not None:
            each = evidence[0].items()
            rows["explanations"] = [evidence_plain(i, one, evidence[1]) for i, one in each]
        say_json(rows)
        return
    if output is not None or evidence is None:
        _write(output, _csv(names, [*kept.values(), *_csv_columns(found)]))
    if evidence is not None:
        for i, one in evidence[0].items():
            say(evidence_text(i, one, evidence[1], options.top))
        if options.row is None and len(X) > _EXPLAINED_ROWS:
            caution(f"the first {_EXPLAINED_ROWS} of {len(X)} rows are explained; --row names one")
    remark(f"{len(X)} rows predicted" + (f", written to {output}" if output else ""))


def model_metadata(model: Path, data: str = "") -> dict[str, Any]:
    """What ``parzen fit`` noted in a model file."""
    try:
        about = describe(model)["metadata"]
    except (ModelFileError, OSError):
        if data and _is_model(Path(data)):
            raise UserError(
                f"swapped? {data} is the model: parzen predict {data} {model}"
            ) from None
        raise
    if not isinstance(about, dict) or not isinstance(about.get("kinds"), dict):
        raise UserError(
            f"{model} was not written by `parzen fit`, so its columns are unknown; "
            "use parzen.load in Python"
        )
    return about


def _is_model(path: Path) -> bool:
    try:
        describe(path)
    except (ModelFileError, OSError):
        return False
    return True


def _column_names(about: dict[str, Any], options: PredictOptions) -> list[str]:
    names = [*options.keep, str(about["target"])]
    names += [f"p({c})" for c in about["classes"]] if options.proba else []
    names += ["log density"] if options.density else []
    names += ["novel"] if options.novelty is not None else []
    names += ["set"] if options.level is not None else []
    names += [f"p-value({c})" for c in about["classes"]] if options.p_values else []
    twice = [name for name in options.keep if names.count(name) > 1]
    if twice:
        raise UserError(f"--keep {twice[0]}: the output has a column of this name already")
    return names


def _kinds_as_read(kinds: dict[str, str]) -> dict[str, str]:
    """Kinds of the columns of a file: texts are read as categories, and hashed afterwards."""
    return {name: "category" if kind == "text" else kind for name, kind in kinds.items()}


def _able_estimator(estimator: Any, model: Path, options: PredictOptions) -> Any:
    """The estimator, if it has what the options ask for."""
    if options.proba and not hasattr(estimator, "predict_proba"):
        raise UserError(f"{model}: this model has no probabilities; leave out --proba")
    if options.density and not hasattr(estimator, "score_samples"):
        raise UserError(f"{model}: this model has no densities; leave out --density")
    if options.novelty is not None and not hasattr(final_estimator(estimator), "with_decision"):
        raise UserError(f"{model}: this model has no densities; leave out --novelty")
    needs_p_values = options.p_values or options.level is not None
    final = final_estimator(estimator)
    if needs_p_values and not hasattr(final, "p_values"):
        raise UserError(
            f"{model}: {type(final).__name__} has no prediction sets; leave out --sets and "
            "--p-values, or fit with --method parzen"
        )
    if options.level is not None and any("|" in str(label) for label in final.classes_):
        caution("| separates the labels of a set, and is in a label too; --json tells them apart")
    return estimator


def _matched(columns: InputColumns, about: dict[str, Any], keep: Sequence[str]) -> Any:
    """The columns of the model, found by name in the file."""
    kinds, path = about["kinds"], columns.table.name
    absent = [name for name in [*kinds, *keep] if name not in columns.names]
    if absent:
        who = "--keep" if absent[0] not in kinds else "the model"
        raise UserError(
            f"{path} lacks the column {absent[0]!r} of {who}"
            + (f", and {len(absent) - 1} more" if len(absent) > 1 else "")
            + f"; it has {listed(columns.names)}"
        )
    values: dict[str, NDArray[Any]] = {}
    for name, kind in _kinds_as_read(kinds).items():
        column = columns.column(name)
        if column.kind != kind:
            raise UserError(f"{path}: column {name!r} holds values of the kind {column.kind}, in "
                            f"the data of the model {kind}")  # fmt: skip
        values[name] = column.values
        refuse_infinity(columns, name, column.values)
    _tell_gaps(columns, values, about["missing"])
    for line in columns.remarks.lines():
        remark(line)
    for name, levels in about.get("levels", {}).items():
        _tell_unknown(name, values[name], levels)
    return frame_of(with_hashed_texts(values, kinds))


def _tell_gaps(columns: InputColumns, values: dict[str, NDArray[Any]], missing: str) -> None:
    if missing == "refuse":
        refuse_gaps(columns, values, "the model was fitted without; fit it with --missing impute")
    gaps = int(np.any([is_missing(v) for v in values.values()], axis=0).sum())
    if gaps:
        done = "which are imputed as in the fit"
        if missing == "keep":
            done = "and are judged by the columns that they have"
        caution(f"{gaps} of {len(columns)} rows have missing values, {done}")


def _tell_unknown(name: str, values: NDArray[Any], levels: Sequence[str]) -> None:
    known = {*levels, None}
    unseen = [value for value in values if value not in known]
    if unseen:
        caution(
            f"column {name!r}: {len(unseen)} of {len(values)} rows have a value that the model "
            f"has not seen ({listed([shown(v) for v in dict.fromkeys(unseen)][:3])}), which "
            "counts as none of its levels"
        )


def _predict(estimator: Any, X: Any, options: PredictOptions) -> dict[str, NDArray[Any]]:
    """Labels, and what else is wanted, by the names that JSON has."""
    calls, final = {"labels": estimator.predict}, final_estimator(estimator)
    if options.proba:
        calls["probabilities"] = estimator.predict_proba
    if options.density:
        calls["log_densities"] = estimator.score_samples
    if options.novelty is not None:
        calls["novel"] = _novelty_test(estimator, options.novelty)
    if options.p_values or options.level is not None:
        calls["p_values"] = lambda rows: final.p_values(last_step(estimator, rows)[1])
    parts: dict[str, list[Any]] = {name: [] for name in calls}
    with progress("predicting") as tell, following(tell, 0, 1, "predicting"):
        for start in steps(range(0, len(X), _CHUNK_ROWS)):
            rows = X.iloc[start : start + _CHUNK_ROWS]
            for name, call in steps(list(calls.items())):
                parts[name].append(call(rows))
    found = {name: np.concatenate(part) for name, part in parts.items()}
    if options.level is not None:
        p_values = found.pop("p_values")
        found["sets"] = _sets(p_values, final.classes_, options.level)
        found |= {"p_values": p_values} if options.p_values else {}
    return found


def _sets(p_values: NDArray[np.float64], classes: NDArray[Any], level: float) -> NDArray[Any]:
    """The labels that each row may have at a level of confidence, as lists."""
    alpha = round(1 - level, 12)  # 1 - 0.9 is less than 0.1 in floating point
    sets = np.empty(len(p_values), dtype=object)
    sets[:] = [classes[row].tolist() for row in p_values > alpha]
    return sets


Evidence = tuple[dict[int, Explanation], list[str]]


def _explain(estimator: Any, X: Any, model: Path, options: PredictOptions) -> Evidence:
    """The evidence for the first rows, or for one, and the columns that it speaks of."""
    rows = list(range(min(len(X), _EXPLAINED_ROWS)))
    if options.row is not None:
        if options.row >= len(X):
            raise UserError(f"--row {options.row}: the table has rows 0 to {len(X) - 1}")
        rows = [options.row]
    try:
        found, columns = explain_by_last_step(estimator, X.iloc[rows], options.top)
    except ValueError as reason:
        raise UserError(
            f"{model}: {reason} Leave out --explain and --row, or fit with --method parzen"
        ) from None
    return dict(zip(rows, found, strict=True)), columns


def _write_page(path: Path, evidence: Evidence, X: Any, data: str) -> None:
    from parzen.report import explanation_page

    found, columns = evidence
    values = [{name: _shown_value(X[name].iloc[row]) for name in X} for row in found]
    title = f"Why rows of {'standard input' if data == STDIN else Path(data).name} got their labels"
    explanation_page(title, found, columns, values).write(path)
    remark(f"report: {path}")


def _shown_value(value: Any) -> str:
    """A value of the table as the page of explanations shows it."""
    if isinstance(value, str):
        return value
    return "missing" if value is None or value != value else f"{value:g}"


def _novelty_test(estimator: Any, share: float) -> Any:
    """A function that tells which rows are less dense than all but a share of the training rows."""
    final = final_estimator(estimator)
    decided = final.with_decision(novelty=share, novelty_label=_novel_label(final.classes_))

    def is_novel(rows: Any) -> NDArray[np.bool_]:
        points = last_step(estimator, rows)[1]
        return np.asarray(~np.isin(decided.predict(points), final.classes_))

    return is_novel


def _novel_label(classes: NDArray[Any]) -> Any:
    """A label for rows that belong to no class."""
    if classes.dtype.kind in "iu":
        return int(classes.min()) - 1
    return "(novel)" + "".join(map(str, classes))


def _csv_columns(found: dict[str, NDArray[Any]]) -> list[Sequence[str]]:
    """The found values as columns of texts."""
    flat: list[Sequence[str]] = []
    for values in found.values():
        for column in values.T if values.ndim == 2 else [values]:
            plain = column.tolist()
            if column.dtype == bool:
                flat.append(["yes" if value else "no" for value in plain])
            else:
                flat.append([_csv_cell(value) for value in plain])
    return flat


def _csv_cell(value: Any) -> str:
    if isinstance(value, list):
        return "|".join(map(str, value))
    return value if isinstance(value, str) else repr(value)


def _csv(names: Sequence[str], columns: Sequence[Sequence[Any]] = ()) -> str:
    """Columns of texts as a CSV file; the line of names alone where there are no columns."""
    import pandas

    frame = pandas.DataFrame(list(zip(*columns, strict=True)), columns=names, dtype=object)
    return str(frame.to_csv(index=False, lineterminator="\n"))


def _write(output: Path | None, text: str) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    with whole_file(output) as file:
        file.write(text)
