"""The automatic classifier on the papers' data sets, beside a support vector machine and two forests.

Five splits of every set (official ones where they are known), every tuning inside the training
part, at most 4000 test rows. The rival is an SVC whose C, width and treatment of columns of few
values are searched over five folds; the forests run with scikit-learn's settings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from parzen import datasets
from parzen.classifiers import StackedDensityClassifier
from parzen.classifiers._stack_table import Table
from parzen.compare import wilcoxon_test
from parzen.experiments._comparison import compare
from parzen.experiments._outcome import Outcome
from parzen.experiments._splits import random_splits

SETS = {  # and the size of a random training part, where there are fewer than five official splits
    "banana": 400, "breast_cancer": 200, "pima": 468, "flare_solar": 666, "german": 700,
    "heart": 170, "image": 1300, "ringnorm": 400, "splice": 1000, "thyroid": 140, "titanic": 150,
    "twonorm": 400, "waveform": 400, "ionosphere": 251, "sonar": 150, "bupa": 240, "wbc": 480,
    "wdbc": 400, "wine": 120, "iris": 105, "ecoli": 235, "monks1": 124, "monks2": 169,
    "monks3": 122,
}  # fmt: skip
FRESH = {"cleveland": 208, "german_numeric": 700, "wpbc": 138, "mushrooms": 500, "adult": 1605}
SPLITS = 5
_MOST_TEST = 4000


class Columns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Standardised columns, those of few values as indicators if asked for."""

    def __init__(self, indicators: bool = False) -> None:
        self.indicators = indicators

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Find centres, scales and values."""
        points = np.asarray(X, dtype=np.float64)
        self.table_ = Table.fit(points, np.zeros(points.shape[1], dtype=bool), None)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The columns in one of the two forms."""
        blocks = self.table_.apply(np.asarray(X, dtype=np.float64))
        return blocks.mixed if self.indicators else blocks.plain


class FairSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An SVC with its grid search, and probabilities by Platt's sigmoid over five folds."""

    def __init__(self, n_jobs: int | None = None, random_state: int = 0) -> None:
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Search 8 values of C, 10 widths and both forms of the columns."""
        folds = StratifiedKFold(5, shuffle=True, random_state=self.random_state)
        grid = {
            "columns__indicators": [False, True],
            "svc__C": 10.0 ** np.linspace(-1, 4, 8),
            "svc__gamma": 2.0 ** np.linspace(-13, 3, 10),
        }
        table = Columns().fit(X).table_
        if not table.is_discrete.any():
            del grid["columns__indicators"]
        pipeline = make_pipeline(Columns(), SVC())
        search = GridSearchCV(pipeline, grid, cv=folds, n_jobs=self.n_jobs).fit(X, y)
        self.best_estimator_, self.classes_ = search.best_estimator_, search.classes_
        self.calibrated_ = CalibratedClassifierCV(search.best_estimator_, ensemble=False)
        self.calibrated_.fit(X, y)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels of the machine itself."""
        return np.asarray(self.best_estimator_.predict(X))

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Calibrated probabilities."""
        return np.asarray(self.calibrated_.predict_proba(X))


METHODS: Mapping[str, Callable[[], Any]] = {
    "core": lambda: StackedDensityClassifier(random_state=0),
    "fast": lambda: StackedDensityClassifier("fast", random_state=0),
    "all": lambda: StackedDensityClassifier("all", random_state=0),
    "svc": FairSVC,
    "forest": lambda: RandomForestClassifier(500, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
}


def splits_of(name: str, n_splits: int = SPLITS) -> tuple[datasets.Dataset, list[datasets.Split]]:
    """A set and its splits, the test parts cut at 4000 rows."""
    data = datasets.load(name)
    found = list(data.splits[:n_splits])
    if len(found) < n_splits:
        share = 1.0 - {**SETS, **FRESH}[name] / len(data.y)
        rest = random_splits(data.y, n_splits, test_size=share, random_state=1)
        found += rest[len(found) :]
    return data, [(train, test[:_MOST_TEST]) for train, test in found]


def run(
    names: list[str],
    methods: list[str],
    *,
    n_splits: int = SPLITS,
    n_jobs: int | None = 1,
    store: Path | None = None,
    report: Callable[[str], None] = print,
) -> dict[str, list[Outcome]]:
    """Outcomes by set; those in ``store`` (a JSON file) are not computed again."""
    known = _read(store)
    found: dict[str, list[Outcome]] = {}
    for name in names:
        try:
            data, splits = splits_of(name, n_splits)
        except datasets.UnavailableError as reason:
            report(f"skipped: {reason}")
            continue
        result = compare(
            {method: METHODS[method]() for method in methods},
            data.X, data.y, splits, n_jobs=n_jobs, known=known.get(name, ()),
        )  # fmt: skip
        found[name] = list(result.outcomes)
        old = [o for o in known.get(name, []) if o.name not in methods]
        known[name] = [*old, *result.outcomes]
        _write(store, known)
        means = ", ".join(f"{row.name} {100 * row.error:.2f}" for row in result.rows())
        report(f"{name}: {means}")
    return found


def summary(found: dict[str, list[Outcome]]) -> dict[str, Any]:
    """Means, ranks and tests over the sets, for methods that have a result everywhere."""
    methods = list(dict.fromkeys(o.name for outcomes in found.values() for o in outcomes))
    errors = np.array([[_mean(found[s], m, "error") for m in methods] for s in found])
    losses = np.array([[_mean(found[s], m, "log_loss") for m in methods] for s in found])
    seconds = np.array([[_mean(found[s], m, "fit_seconds") for m in methods] for s in found])
    first = 0
    return {
        "sets": list(found),
        "methods": methods,
        "error": (100 * errors).round(3).tolist(),
        "log_loss": losses.round(4).tolist(),
        "mean_error": (100 * errors.mean(axis=0)).round(3).tolist(),
        "mean_log_loss": losses.mean(axis=0).round(4).tolist(),
        "mean_rank": rankdata(errors, axis=1).mean(axis=0).round(2).tolist(),
        "median_fit_seconds": np.median(seconds, axis=0).round(3).tolist(),
        "wilcoxon_against_first": [
            1.0 if m == first else round(wilcoxon_test(errors[:, first], errors[:, m]).pvalue, 4)
            for m in range(len(methods))
        ],
    }


def _mean(outcomes: list[Outcome], method: str, field: str) -> float:
    values = [getattr(o, field) for o in outcomes if o.name == method]
    return float(np.mean([np.nan if v is None else v for v in values]))


def _read(store: Path | None) -> dict[str, list[Outcome]]:
    if store is None or not store.exists():
        return {}
    plain = json.loads(store.read_text(encoding="utf-8"))
    return {name: [Outcome.from_dict(o) for o in rows] for name, rows in plain.items()}


def _write(store: Path | None, known: dict[str, list[Outcome]]) -> None:
    if store is not None:
        plain = {name: [o.as_dict() for o in rows] for name, rows in known.items()}
        store.write_text(json.dumps(plain), encoding="utf-8")
