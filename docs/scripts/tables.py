"""Write what pages include: tables of stored results, and screens of commands that are run."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from reference import write_if_new
from sklearn.datasets import load_iris

from parzen.cli._compare import COLUMNS, cells, verdict
from parzen.cli._console import plain_table
from parzen.cli._figures import save_figure, use_matplotlib
from parzen.compare import Comparison
from parzen.report import draw_errors

RESULTS = Path(__file__).parents[1] / "results"
# What get_started.md shows on the command line, by the name of the screen.
COMMANDS = {
    "fit": "parzen fit flowers.csv --target species -o model.parzen",
    "predict": "parzen predict model.parzen new.csv --proba",
    "compare": "parzen compare flowers.csv --target species --methods auto,nb,l2 --baselines svc"
    " --splits 5 --report report.html",
}
_FRONT = {
    "StackedDensityClassifier": "`StackedDensityClassifier` of parzen",
    "ParzenClassifier": "`ParzenClassifier` of parzen",
    "KernelDensity of scikit-learn and a rule": "`KernelDensity` of scikit-learn and a rule",
    "SVC, grid search": "`SVC`, grid search",
    "HistGradientBoostingClassifier": "`HistGradientBoostingClassifier`",
    "GaussianProcessClassifier": "`GaussianProcessClassifier`",
}
# Measurements with a page of their own.
_SHOWN_ELSEWHERE = ("auto", "l2_multiclass", "sets_beside", "sets_matched", "streams")
_SUMMARIES = ("mean", "median", "mean rank")
# Columns of the study of the automatic classifier, in the words of the page.
_RIVALS = {
    "core": "`StackedDensityClassifier`",
    "fast": '`StackedDensityClassifier("fast")`',
    "svc": "SVC, tuned over a grid of 80",
    "forest": "random forest, 500 trees",
    "extra trees": "extra trees",
    "boosting": "HistGradientBoosting",
    "xgboost": "XGBoost",
    "lightgbm": "LightGBM",
    "lightgbm tuned": "LightGBM, tuned over a grid of 8",
    "catboost": "CatBoost",
    "catboost tuned": "CatBoost, tuned over three depths",
}


def write(folder: Path) -> None:
    """Write all tables and screens."""
    folder.mkdir(parents=True, exist_ok=True)
    stored = json.loads((RESULTS / "choose.json").read_text(encoding="utf-8"))
    write_if_new(folder / "choose.md", choose_table(stored))
    write_if_new(folder / "front.md", choose_table(stored, _FRONT))
    comparison = json.loads((RESULTS / "compare.json").read_text(encoding="utf-8"))
    write_if_new(folder / "wine.txt", comparison_screen(comparison))
    use_matplotlib()
    title = "Classifiers on wine"
    save_figure(draw_errors(Comparison.from_dict(comparison), title=title), folder / "wine.png")
    parts = []
    for path in sorted((RESULTS / "benchmarks").glob("*.json")):
        tables = benchmark_tables(json.loads(path.read_text(encoding="utf-8")))
        write_if_new(folder / f"benchmarks_{path.stem}.md", tables)
        if path.stem not in _SHOWN_ELSEWHERE:
            parts.append(f"## {path.stem}\n\n{tables}")
    write_if_new(folder / "benchmarks.md", "\n".join(parts))
    study = json.loads((RESULTS / "auto.json").read_text(encoding="utf-8"))
    write_if_new(folder / "auto.md", auto_means(study))
    for name, screen in screens().items():
        write_if_new(folder / f"{name}.txt", screen)


def benchmark_tables(measured: list[dict[str, Any]]) -> str:
    """The tables that a measurement stored; those of one run name it once, after the last."""
    parts = []
    for table, next_table in zip(measured, [*measured[1:], {}], strict=True):
        lines = [table["head"], ["---"] * len(table["head"]), *table["rows"]]
        parts.append(f"**{table['title']}**\n")
        parts.append("\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n")
        if _origin(table) != _origin(next_table):
            parts.append(_origin(table) + "\n")
    return "\n".join(parts)


def _origin(table: dict[str, Any]) -> str:
    """Who measured a table, in one sentence."""
    if not table:
        return ""
    versions = ", ".join(f"{name} {number}" for name, number in table["versions"].items())
    return f"Measured by `{table['command']}` on {table['processor']}, with {versions}."


def auto_means(study: dict[str, Any]) -> str:
    """Mean errors and log-losses of the automatic classifier and its rivals, one line each."""
    found = {table["number"]: table for table in study["tables"]}
    parts = {"papers": "sets of the papers", "unseen": "other sets"}
    heads, columns = [], []
    for part, words in parts.items():
        n_sets = sum(row["name"] not in _SUMMARIES for row in found[f"error-{part}"]["rows"])
        for measure, unit, spec in (("error", "error %", ".2f"), ("log-loss", "log-loss", ".3f")):
            rows = found[f"{measure}-{part}"]["rows"]
            mean = next(row["cells"] for row in rows if row["name"] == "mean")
            heads.append(f"{n_sets} {words}: {unit}")
            columns.append({name: format(cell["mean"], spec) for name, cell in mean.items()})
    names = [name for name in found["error-papers"]["columns"] if name in _RIVALS]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for name in names:
        lines.append(f"| {_RIVALS[name]} | " + " | ".join(c.get(name, "") for c in columns) + " |")
    versions = ", ".join(f"{name} {number}" for name, number in study["versions"].items())
    return "\n".join([*lines, f"\n`{study['command']}` with {versions}.\n"])


def choose_table(stored: dict[str, Any], names: dict[str, str] | None = None) -> str:
    """Errors, log-losses and times of every method, one line each."""
    sets = list(stored["sizes"])
    methods = list(names or dict.fromkeys(row["method"] for row in stored["rows"]))
    found = {(row["method"], row["data"]): row for row in stored["rows"]}
    heads = [f"{name}: error %, log-loss" for name in sets]
    lines = ["| | " + " | ".join([*heads, "kernels kept", "fit s", "predict ms"]) + " |"]
    lines.append("|---" * (len(heads) + 4) + "|")
    for method in methods:
        rows = [found[method, name] for name in sets]
        cells = [f"{100 * row['error']:.1f}, {_number(row['log_loss'], '.2f')}" for row in rows]
        kept = [row["kept"] for row in rows if row["kept"] is not None]
        cells.append(f"{100 * sum(kept) / len(kept):.0f} %" if kept else "")
        cells.append(f"{sum(row['fit_seconds'] for row in rows) / len(rows):.2f}")
        cells.append(f"{1000 * sum(row['predict_seconds'] for row in rows) / len(rows):.1f}")
        title = names[method] if names else f"`{method}`"
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    sizes = ", ".join(f"{name} {n} x {d}" for name, (n, d) in stored["sizes"].items())
    versions = ", ".join(f"{name} {number}" for name, number in stored["versions"].items())
    note = (
        f"\n{sizes}; {stored['splits']} random splits with 40 % of the rows for testing, columns"
        f" standardised. Times are CPU seconds, means over the three sets, the choice of parameters"
        f" included. Measured by `{stored['command']}` with {versions}."
    )
    return "\n".join([*lines, note, ""])


def comparison_screen(stored: dict[str, Any]) -> str:
    """What the command line prints of a stored comparison."""
    found = Comparison.from_dict(stored)
    shown = plain_table(["method", *COLUMNS], [cells(row) for row in found.rows()])
    said = textwrap.fill(verdict(found), 100)
    return f"$ {stored['command'].removesuffix(' --json')}\n{shown}\n\n{said}\n"


def _number(value: float | None, spec: str) -> str:
    return "none" if value is None else format(value, spec)


def screens() -> dict[str, str]:
    """Run the commands of the first steps in an empty folder; return what they print."""
    with tempfile.TemporaryDirectory() as folder:
        table = load_iris(as_frame=True).frame
        names = dict(enumerate(load_iris().target_names))
        table["species"] = table.pop("target").map(names)
        table.columns = [c.removesuffix(" (cm)").replace(" ", "_") for c in table.columns]
        table.sample(frac=1, random_state=0).to_csv(Path(folder) / "flowers.csv", index=False)
        new = table.drop(columns="species").sample(4, random_state=2)
        new.to_csv(Path(folder) / "new.csv", index=False)
        return {name: _screen(command, Path(folder)) for name, command in COMMANDS.items()}


def _screen(command: str, folder: Path) -> str:
    arguments = [sys.executable, "-m", *shlex.split(command)]
    path = os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p)
    run = subprocess.run(
        arguments, cwd=folder, capture_output=True, text=True, timeout=300, check=True,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
    )  # fmt: skip
    shown = command.replace(" --splits", " \\\n    --splits")
    return f"$ {shown}\n{run.stdout.strip()}\n"
