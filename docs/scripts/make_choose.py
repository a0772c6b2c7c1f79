"""Measure the table of docs/choose.md: ``python -m docs.scripts.make_choose``.

Every classifier of the library, and four of scikit-learn, on the same five splits of bundled data,
standardised. Times are CPU seconds, so that other work on the processor does not count; they are
medians over the splits and include each classifier's own choice of parameters. Names of methods
after the command measure only these anew.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer, load_wine, make_moons
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import parzen
from parzen.compare import share_kept

STORED = Path(__file__).parents[1] / "results" / "choose.json"
SPLITS = 5


class DensityRule:
    """scikit-learn's KernelDensity for every class, and the rule a user would write on top."""

    def fit(self, X: Any, y: Any) -> DensityRule:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_priors = np.log(counts / len(y))
        search = GridSearchCV(KernelDensity(), {"bandwidth": np.geomspace(0.1, 3, 12)}, cv=5)
        self.densities = [search.fit(X[y == c]).best_estimator_ for c in self.classes_]
        return self

    def scores(self, X: Any) -> Any:
        return np.column_stack([d.score_samples(X) for d in self.densities]) + self.log_priors

    def predict(self, X: Any) -> Any:
        return self.classes_[self.scores(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        shifted = self.scores(X) - self.scores(X).max(axis=1, keepdims=True)
        return np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)


def methods() -> dict[str, Callable[[], Any]]:
    """All classifiers that are compared, each with the parameters a user starts with."""
    names = [n for n in parzen.__all__ if n.endswith(("Classifier", "NaiveBayes"))]
    names.remove("ConformalClassifier")  # it wraps another classifier
    ours = {name: getattr(parzen, name) for name in names}
    grid = {"C": [0.3, 1, 3, 10, 30, 100], "gamma": np.geomspace(0.003, 1, 6)}
    kernel = ConstantKernel() * RBF()
    return {
        **ours,
        "SVC, grid search": lambda: GridSearchCV(SVC(), grid, cv=5),
        "HistGradientBoostingClassifier": lambda: HistGradientBoostingClassifier(random_state=0),
        "GaussianProcessClassifier": lambda: GaussianProcessClassifier(kernel, random_state=0),
        "KernelDensity of scikit-learn and a rule": DensityRule,
    }


def data() -> dict[str, tuple[Any, Any]]:
    """Bundled data: two columns, thirteen, thirty."""
    return {
        "moons": make_moons(1000, noise=0.3, random_state=0),
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
    }


def measured(make: Callable[[], Any], X: Any, y: Any) -> dict[str, float | None]:
    """Means of errors and medians of times over the splits."""
    found: list[list[float]] = []
    for train, test in StratifiedShuffleSplit(SPLITS, test_size=0.4, random_state=0).split(X, y):
        scaler = StandardScaler().fit(X[train])
        A, B = scaler.transform(X[train]), scaler.transform(X[test])
        start = time.process_time()
        model = make().fit(A, y[train])
        fitted = time.process_time()
        labels = model.predict(B)
        predicted = time.process_time()
        final = getattr(model, "best_estimator_", model)
        loss = np.nan
        if hasattr(model, "predict_proba"):
            loss = log_loss(y[test], np.clip(model.predict_proba(B), 1e-15, 1), labels=np.unique(y))
        kept = share_kept(final, len(train))
        found.append([np.mean(labels != y[test]), loss, np.nan if kept is None else kept,
                      fitted - start, predicted - fitted])  # fmt: skip
    table = np.array(found, dtype=float)
    values = [*table[:, :3].mean(axis=0), *np.median(table[:, 3:], axis=0)]
    names = ("error", "log_loss", "kept", "fit_seconds", "predict_seconds")
    return {n: None if np.isnan(v) else float(v) for n, v in zip(names, values, strict=True)}


def main(names: list[str]) -> None:
    """Measure and store."""
    wanted = names or list(methods())
    rows = json.loads(STORED.read_text(encoding="utf-8"))["rows"] if names else []
    rows = [row for row in rows if row["method"] in methods() and row["method"] not in wanted]
    for set_name, (X, y) in data().items():
        for name in wanted:
            make = methods()[name]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows.append({"data": set_name, "method": name, **measured(make, X, y)})
            print(rows[-1], flush=True)
    order = list(methods())
    rows.sort(key=lambda row: order.index(row["method"]))
    stored = {
        "command": "python -m docs.scripts.make_choose",
        "versions": {"parzen": parzen.__version__, "scikit-learn": sklearn.__version__},
        "sizes": {name: list(X.shape) for name, (X, _) in data().items()},
        "splits": SPLITS,
        "rows": rows,
    }
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
