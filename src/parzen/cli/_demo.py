"""``parzen demo``: what the library does, on a data set that comes with it, in ten seconds."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np

from parzen import StackedDensityClassifier, datasets
from parzen.cli._compare import ALPHA, show_rows, verdict
from parzen.cli._console import progress, say, say_json, table, watched
from parzen.cli._data import frame_of
from parzen.cli._figures import use_matplotlib
from parzen.cli._outputs import check_output
from parzen.compare import compare, random_splits, table_estimators
from parzen.report import comparison_page
from parzen.table import TableEncoder

_NAMES = ["auto", "parzen", "nb", "knn", "gnb"]
_COLUMNS = ["error %", "log-loss", "AUC", "p"]
_NOVEL_SHARE = 0.01  # Share of the training rows that the demonstration calls novel.

_WHY_DENSITIES = (
    "a density knows more than a label: how sure it is, and whether it has seen such a row"
)
_NEXT_STEPS = """your own data: parzen compare table.csv --report report.html
               parzen fit table.csv -o model.parzen
               parzen predict model.parzen new.csv --proba"""


def run_demo(
    report: Path | None, *, overwrite: bool, jobs: int | None, browser: bool, as_json: bool
) -> None:
    """Compare a few methods on wines, predict with probabilities, and find a wine that is none."""
    use_matplotlib()
    check_output(report, "page", overwrite=overwrite)
    path = report or Path(tempfile.mkdtemp(prefix="parzen-demo-")) / "report.html"
    wine = datasets.load("wine")
    X = frame_of({f"x{j + 1}": wine.X[:, j] for j in range(wine.X.shape[1])})
    found = _compared(X, wine.y, jobs)
    rows = _decisions(wine.X, wine.y)
    facts = [
        f"data set wine ({wine.source}): {len(wine.y)} wines of {len(wine.classes)} growers, "
        f"{wine.X.shape[1]} chemical measurements",
        "3 random splits, 30% of the rows for testing; every method chooses its own parameters",
    ]
    page = comparison_page(
        found, title="parzen: a demonstration", facts=facts, command="parzen demo",
        verdict=verdict(found), alpha=ALPHA,
    )  # fmt: skip
    page.write(path)
    if as_json:
        say_json({"facts": facts, "verdict": verdict(found), "decisions": rows,
                  "report": str(path)})  # fmt: skip
        return
    _print(found, facts, rows)
    say(f"report written to {path}")
    if browser and sys.stdout.isatty():
        webbrowser.open(path.resolve().as_uri())


def _compared(X: Any, y: Any, jobs: int | None) -> Any:
    splits = random_splits(y, 3, test_size=0.3)
    estimators = table_estimators(_NAMES)
    with progress("comparing") as tell:
        total = len(estimators) * len(splits)
        return compare(
            estimators, X, y, splits, n_jobs=jobs,
            progress=(lambda done: tell(done, total, "comparing")) if watched() else None,
        )  # fmt: skip


def _decisions(X: Any, y: Any) -> list[dict[str, Any]]:
    """The decision on a clear wine, on one between two growers, and on one from nowhere."""
    encoder = TableEncoder().fit(X[::2])
    classifier = StackedDensityClassifier(novelty=_NOVEL_SHARE, random_state=0)
    classifier.fit(encoder.transform(X[::2]), y[::2])
    others = X[1::2]
    certainty = classifier.predict_proba(encoder.transform(others)).max(axis=1)
    chosen = {
        "a clear case": others[certainty.argmax()],
        "between two growers": others[certainty.argmin()],
        "no such wine": others.mean(axis=0) + 12 * others.std(axis=0),
    }
    points = encoder.transform(np.array(list(chosen.values())))
    labels, proba = classifier.predict(points), classifier.predict_proba(points)
    densities = classifier.score_samples(points)
    return [
        {"row": name, "label": label, "probabilities": p, "log_density": d}
        for name, label, p, d in zip(
            chosen, labels.tolist(), proba.tolist(), densities.tolist(), strict=True
        )
    ]


def _print(found: Any, facts: list[str], decisions: list[dict[str, Any]]) -> None:
    say(*facts, "")
    show_rows(found.rows(), _COLUMNS)
    say("", verdict(found), "", _WHY_DENSITIES)
    table(
        ["wine", "label", "probabilities", "log-density"],
        [
            [d["row"], "novel" if d["label"] == -2 else str(d["label"]),
             " ".join(f"{p:.2f}" for p in d["probabilities"]), f"{d['log_density']:.1f}"]
            for d in decisions
        ],
        texts=(0, 1, 2),
    )  # fmt: skip
    say("", _NEXT_STEPS)
