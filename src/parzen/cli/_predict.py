"""``parzen predict``: labels, and probabilities, for the rows of a file."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen import load
from parzen._core import portion, steps, whole_file
from parzen.cli._console import following, progress, remark, say_json
from parzen.cli._csv import RawTable
from parzen.cli._data import frame_of, read_table, refuse_gaps
from parzen.cli._errors import UserError
from parzen.cli._outputs import check_output
from parzen.model_files import describe

_CHUNK = 2000
_TOLD = 20_000  # rows written between two reports


def run_predict(
    model: Path,
    data: Path,
    *,
    output: Path | None,
    overwrite: bool,
    proba: bool,
    header: bool,
    as_json: bool,
) -> None:
    """Predict every row and write one line for each."""
    about = model_metadata(model)
    names = [str(about["target"]), *(f"p({c})" for c in about["classes"] if proba)]
    check_output(
        output, "table", inputs=[model, data], overwrite=overwrite, header=_line(names).rstrip()
    )
    table = _matched(data, about, header)
    estimator = load(model)
    if proba and not hasattr(estimator, "predict_proba"):
        raise UserError(f"{model}: this model has no probabilities; leave out --proba")
    labels, probabilities = _predict(estimator, table, about, proba)
    if as_json:
        rows = {"classes": about["classes"], "labels": labels.tolist()}
        say_json(rows | ({"probabilities": probabilities.tolist()} if proba else {}))
    else:
        _write(output, names, labels, probabilities)
    remark(f"{len(labels)} rows predicted" + (f", written to {output}" if output else ""))


def model_metadata(model: Path) -> dict[str, Any]:
    """What ``parzen fit`` noted in a model file."""
    if model.is_dir():
        raise UserError(f"{model} is a folder, not a model file")
    about = describe(model)["metadata"]
    if not isinstance(about, dict) or not isinstance(about.get("kinds"), dict):
        raise UserError(
            f"{model} was not written by `parzen fit`, so its columns are unknown; "
            "use parzen.load in Python"
        )
    return about


def _matched(data: Path, about: dict[str, Any], header: bool) -> RawTable:
    """The columns of the model, found by name in the file."""
    kinds = about["kinds"]
    by_kind = {k: [n for n, kind in kinds.items() if kind == k] for k in ("category", "number")}
    table = read_table(
        data, header=header, texts=by_kind["category"], numbers=by_kind["number"], wanted=kinds
    )
    absent = [name for name in kinds if name not in table.columns]
    if absent:
        raise UserError(
            f"{data} lacks the column {absent[0]!r} of the model"
            + (f", and {len(absent) - 1} more" if len(absent) > 1 else "")
        )
    for name in by_kind["number"]:
        infinite = np.flatnonzero(np.isinf(table.columns[name]))
        if len(infinite):
            line = table.lines[infinite[0]]
            raise UserError(f"{data}, line {line}, column {name!r}: infinity is no value")
    if about["missing"] == "refuse":
        refuse_gaps(
            table, list(kinds), "the model was fitted without; fit it with --missing impute"
        )
    return table


def _predict(
    estimator: Any, table: RawTable, about: dict[str, Any], proba: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    X = frame_of({name: table.columns[name] for name in about["kinds"]})
    labels, probabilities = [], []
    with progress("predicting") as tell, following(tell, 0, 1, "predicting"):
        for start in steps(range(0, len(X), _CHUNK)):
            rows = X.iloc[start : start + _CHUNK]
            with portion(0, 0.5 if proba else 1):
                labels.append(estimator.predict(rows))
            if proba:
                with portion(0.5):
                    probabilities.append(estimator.predict_proba(rows))
    return np.concatenate(labels), np.concatenate(probabilities) if proba else np.empty((0, 0))


def _line(cells: Sequence[Any]) -> str:
    """A line of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _write(
    output: Path | None, names: list[str], labels: NDArray[Any], probabilities: NDArray[Any]
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    with progress("writing") as tell:
        for i, label in enumerate(labels.tolist()):
            shares = map(repr, probabilities[i].tolist()) if len(names) > 1 else ()
            writer.writerow([label, *shares])
            if i % _TOLD == 0:
                tell(i, len(labels), "writing")
    if output is None:
        sys.stdout.write(text.getvalue())
        return
    with whole_file(output) as file:
        file.write(text.getvalue())
