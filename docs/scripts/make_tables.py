"""Measure tables: ``python -m docs.scripts.make_tables mixed``, or ``missing``, or both.

Needs the data sets in the folder ``PARZEN_DATA``. Results are stored in docs/results, and written
to the pages docs/guide/tables.md and docs/guide/missing_values.md between their marks.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from parzen import LaplacianClassifier, ParzenClassifier, StackedDensityClassifier
from parzen.kernels import ColumnProduct

DOCS = Path(__file__).parents[1]
MOST_ROWS = 120, 300  # of a table with missing values: for training, for the test
SHARES = (0.1, 0.3, 0.5)
SPLITS = 3  # of every table with missing values
Split = tuple[Any, Any, Any, Any]


def read(name: str) -> Any:
    """A data set by name."""
    return np.load(Path(os.environ["PARZEN_DATA"]) / f"{name}.npz", allow_pickle=False)


# Mixed tables: categories as categories, beside indicator columns


def grouped(X: np.ndarray) -> np.ndarray:
    """Neighbouring indicators that always add up to one as one column of categories."""
    columns, first = [], 0
    while first < X.shape[1]:
        ends = np.flatnonzero((np.cumsum(X[:, first:], axis=1) == 1).all(axis=0))
        width = int(ends[0]) + 1 if len(ends) else 1
        part = X[:, first : first + width]
        columns.append(part.argmax(axis=1) if width > 1 else part[:, 0])
        first += width
    return np.column_stack(columns).astype(float)


def coded(X: np.ndarray) -> np.ndarray:
    """Every column by the places of its values."""
    return np.column_stack([np.unique(x, return_inverse=True)[1] for x in X.T]).astype(float)


def mixed_splits() -> Iterator[tuple[str, list[int], list[Split]]]:
    """Name, columns of numbers, and splits; all other columns are categories."""
    for name, numbers in (("german", [1, 4, 12]), ("splice", []), ("flare_solar", []),
                          ("titanic", [])):  # fmt: skip
        data = read(f"ida_{name}")
        X = coded(data["X"])
        X[:, numbers] = data["X"][:, numbers]
        pairs = zip(data["train_idx"][:3], data["test_idx"][:3], strict=True)
        yield name, numbers, [(X[a], X[b], data["y"][a], data["y"][b]) for a, b in pairs]
    data = read("monks")
    monks = [
        tuple(data[f"{a}{i}_{part}"] for a in "Xy" for part in ("train", "test")) for i in (1, 2, 3)
    ]
    for i, (a, b, ya, yb) in enumerate(monks):
        yield f"monks {i + 1}", [], [(a.astype(float), b.astype(float), ya, yb)]
    data = read("mushrooms")
    X = grouped(data["X"])
    parts = train_test_split(X, data["y"], train_size=500, test_size=2000, random_state=0)
    yield "mushrooms", [], [tuple(parts)]


def mixed_methods(d: int, numbers: list[int]) -> dict[str, Callable[[], Any]]:
    """The same classifiers on categories and on indicators."""
    categories = tuple(j for j in range(d) if j not in numbers)
    kernel = ColumnProduct(unordered=categories, ordered=())

    def indicators(classifier: Any) -> Any:
        encoder = ColumnTransformer([
            ("numbers", StandardScaler(), numbers),
            ("levels", OneHotEncoder(handle_unknown="ignore", sparse_output=False), categories),
        ])  # fmt: skip
        return make_pipeline(encoder, classifier)

    return {
        "Parzen, categories": lambda: ParzenClassifier(kernel),
        "Parzen, indicators": lambda: indicators(ParzenClassifier()),
        "Laplacian, categories": lambda: LaplacianClassifier(kernel, "loo"),
        "Laplacian, indicators": lambda: indicators(LaplacianClassifier(bandwidth="loo")),
    }


def mixed() -> list[dict[str, Any]]:
    """Test error in per cent, mean over the splits."""
    rows = []
    for name, numbers, splits in mixed_splits():
        row: dict[str, Any] = {"table": name, "splits": len(splits)}
        for method, make in mixed_methods(splits[0][0].shape[1], numbers).items():
            errors = [100 * (1 - make().fit(a, ya).score(b, yb)) for a, b, ya, yb in splits]
            row[method] = round(float(np.mean(errors)), 2)
        rows.append(row)
        print(row, flush=True)
    return rows


# Missing values


def whole_tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Six tables of numbers without gaps."""
    yield "wine", *load_wine(return_X_y=True)
    yield "breast cancer", *load_breast_cancer(return_X_y=True)
    for name in ("wbc", "bupa", "cleveland", "ida_thyroid"):
        data = read(name)
        y = data["y"] > 0 if name == "cleveland" else data["y"]
        yield name.removeprefix("ida_"), data["X"], y.astype(int)


def with_gaps(X: np.ndarray, share: float, how: str, rng: np.random.Generator) -> np.ndarray:
    """Entries taken out at random, or large ones nine times as often as small ones."""
    odds = np.ones(X.shape)
    if how == "by value":
        odds = np.where(np.median(X, axis=0) < X, 1.8, 0.2)
    out = X.astype(float)
    out[rng.uniform(size=X.shape) < share * odds] = np.nan
    return out


def missing_methods() -> dict[str, Callable[[], Any]]:
    """Marginal densities, imputation before the same classifiers, and boosting."""

    def after(imputer: Any, classifier: Any) -> Any:
        return make_pipeline(StandardScaler(), imputer, classifier)

    def scaled(classifier: Any) -> Any:
        return make_pipeline(StandardScaler(), classifier)

    median = partial(SimpleImputer, strategy="median")
    likely = partial(ParzenClassifier, bandwidth="conditional_likelihood")
    stack = partial(StackedDensityClassifier, "fast")
    return {
        "Parzen": lambda: scaled(ParzenClassifier()),
        "Parzen, median": lambda: after(median(), ParzenClassifier()),
        "Parzen, neighbours": lambda: after(KNNImputer(), ParzenClassifier()),
        "Parzen, iterative": lambda: after(
            IterativeImputer(max_iter=5, random_state=0), ParzenClassifier()
        ),
        "likelihood": lambda: scaled(likely()),
        "likelihood, median": lambda: after(median(), likely()),
        "Laplacian": lambda: scaled(LaplacianClassifier()),
        "Laplacian, median": lambda: after(median(), LaplacianClassifier()),
        "stack": stack,
        "stack, median": lambda: after(median(), stack()),
        "boosting": lambda: HistGradientBoostingClassifier(random_state=0, max_iter=60),
    }


def missing() -> list[dict[str, Any]]:
    """Error in per cent and log-loss on half of the rows, gaps in both halves, over the splits."""
    rows = []
    for name, X, y in whole_tables():
        sizes = [min(most, len(y) // 2) for most in MOST_ROWS]
        for how in ("at random", "by value"):
            for share in SHARES:
                row = {"table": name, "how": how, "share": share, "test": SPLITS * sizes[1]}
                row |= _of_splits(X, y, how, share, sizes)
                rows.append(row)
                print(row, flush=True)
    return rows


def _of_splits(
    X: np.ndarray, y: np.ndarray, how: str, share: float, sizes: list[int]
) -> dict[str, list[float]]:
    """Means over splits, each with gaps of its own."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in missing_methods()}
    for split in range(SPLITS):
        rng = np.random.default_rng(1000 * split + int(100 * share))
        Z = with_gaps(X, share, how, rng)
        a, b, ya, yb = train_test_split(
            Z, y, train_size=sizes[0], test_size=sizes[1], random_state=split, stratify=y
        )
        for name, make in missing_methods().items():
            fitted = make().fit(a, ya)
            error = 100 * (1 - fitted.score(b, yb))
            found[name].append((error, log_loss(yb, fitted.predict_proba(b))))
    means = {name: np.mean(values, axis=0) for name, values in found.items()}
    return {name: [round(float(e), 2), round(float(loss), 4)] for name, (e, loss) in means.items()}


# Pages


def mixed_table(rows: list[dict[str, Any]]) -> str:
    """Markdown of the errors."""
    names = [name for name in rows[0] if name not in ("table", "splits")]
    lines = [f"| table | splits | {' | '.join(names)} |", "|---" * (2 + len(names)) + "|"]
    for row in rows:
        cells = " | ".join(f"{row[name]:.2f}" for name in names)
        lines.append(f"| {row['table']} | {row['splits']} | {cells} |")
    return "\n".join(lines)


def missing_table(rows: list[dict[str, Any]]) -> str:
    """Markdown of means over the tables, and in how many cases gaps beat medians."""
    names = [name for name in rows[0] if name not in ("table", "how", "share", "test")]
    lines = [f"| entries taken out | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
    for how in ("at random", "by value"):
        for share in SHARES:
            part = [row for row in rows if row["how"] == how and row["share"] == share]
            means = [np.mean([row[name] for row in part], axis=0) for name in names]
            cells = " | ".join(f"{error:.2f} / {loss:.3f}" for error, loss in means)
            lines.append(f"| {100 * share:.0f} % {how} | {cells} |")
    return "\n".join([*lines, "", *_against_medians(rows, names)])


def _against_medians(rows: list[dict[str, Any]], names: list[str]) -> list[str]:
    """How often a method is better and worse with gaps than after its medians."""
    lines = [
        "| with gaps against medians | error better : worse | of these worse beyond noise "
        "| log-loss better : worse |",
        "|---|---|---|---|",
    ]
    for name in names:
        if f"{name}, median" not in names:
            continue
        ours, theirs = (np.array([row[n] for row in rows]) for n in (name, f"{name}, median"))
        better, worse = (ours < theirs).sum(axis=0), (ours > theirs).sum(axis=0)
        e, f, n = ours[:, 0] / 100, theirs[:, 0] / 100, np.array([row["test"] for row in rows])
        beyond = (e - f > 2 * np.sqrt((e * (1 - e) + f * (1 - f)) / n)).sum()
        lines.append(f"| {name} | {better[0]} : {worse[0]} | {beyond} | {better[1]} : {worse[1]} |")
    return lines


PARTS: dict[str, tuple[Callable[[], Any], Callable[[Any], str], str]] = {
    "mixed": (mixed, mixed_table, "tables.md"),
    "missing": (missing, missing_table, "missing_values.md"),
}


def write(part: str) -> None:
    """Put the stored results between the marks of the page."""
    _, table, page = PARTS[part]
    stored = json.loads((DOCS / "results" / f"{part}.json").read_text(encoding="utf-8"))
    path = DOCS / "guide" / page
    head, _, rest = path.read_text(encoding="utf-8").partition(f"<!-- {part} -->\n")
    tail = rest.partition(f"<!-- end of {part} -->\n")[2]
    marks = f"<!-- {part} -->\n\n", f"\n\n<!-- end of {part} -->\n"
    path.write_text(head + marks[0] + table(stored["rows"]) + marks[1] + tail, encoding="utf-8")


def main(parts: list[str]) -> None:
    """Measure, store and write the named parts, all by default."""
    warnings.simplefilter("ignore")
    for part in parts or list(PARTS):
        found = {"command": f"python -m docs.scripts.make_tables {part}", "rows": PARTS[part][0]()}
        text = json.dumps(found, indent=1) + "\n"
        (DOCS / "results" / f"{part}.json").write_text(text, encoding="utf-8")
        if (DOCS / "guide" / PARTS[part][2]).exists():
            write(part)


if __name__ == "__main__":
    main(sys.argv[1:])
