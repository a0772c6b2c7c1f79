"""``parzen info`` and ``parzen datasets``: what is here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from parzen import datasets
from parzen._core import describe as describe_build, package_version
from parzen.cli._console import progress, say, say_json, table
from parzen.model_files import describe, is_intact


def run_info(model: Path | None, as_json: bool) -> None:
    """Describe the build, or a model file."""
    if model is None:
        text = describe_build()
        if as_json:
            pairs = (line.split(maxsplit=1) for line in text.splitlines())
            say_json({"parzen": package_version(), "lines": [" ".join(p) for p in pairs]})
        else:
            say(text)
        return
    about = describe(model) | {"intact": is_intact(model)}
    if as_json:
        say_json(about)
        return
    say(f"{model}: {about['type']}, written by parzen {about['parzen']}")
    for name, value in about["metadata"].items():
        say(f"{name:<13}{value}")
    state = (
        "is what was saved"
        if about["intact"]
        else "was changed after it was saved: load refuses it"
    )
    say(f"{'content':<13}{state}")


def run_datasets(as_json: bool) -> None:
    """List the data sets, where they come from, and which are here."""
    with progress("looking") as tell:
        rows = _dataset_rows(tell)
    columns = ["name", "rows", "columns", "classes", "splits", "source", "status"]
    if as_json:
        say_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        here = [row[:6] for row in rows if row[6] == "available"]
        table(columns[:6], here, texts=(0, 5))
        absent = [row for row in rows if row[6] != "available"]
        if absent:
            say()
            say("not available here:")
            for row in absent:
                say(f"  {row[0]}: {row[6]}")


def _dataset_rows(tell: Callable[[float, float, str], None]) -> list[list[str]]:
    rows, names = [], datasets.names()
    for done, name in enumerate(names):
        tell(done, len(names), name)
        sources = ", ".join(datasets.sources(name))
        try:
            found = datasets.load(name)
        except datasets.UnavailableError as reason:
            rows.append([name, "-", "-", "-", "-", sources, str(reason)])
            continue
        n, d = found.X.shape
        splits = str(len(found.splits)) if found.splits else "-"
        rows.append(
            [name, str(n), str(d), str(len(found.classes)), splits, found.source, "available"]
        )
    return rows
