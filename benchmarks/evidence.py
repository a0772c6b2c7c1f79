"""The evidence for labels: its time beside predictions, its effects beside shap's KernelExplainer.

Shapley values of a sum of one term per column, as naive Bayes has, are the terms less their means
over the background, so there the two must agree exactly; elsewhere they answer different questions,
and the ranks of the columns are compared. shap averages over 50 background rows, and takes all
subsets of ten columns.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from benchmarks._timing import interleaved, optional, table, time_once, verdict
from parzen import (
    KernelNaiveBayes,
    LaplacianClassifier,
    LSSVMClassifier,
    ParzenClassifier,
    StackedDensityClassifier,
)

COLUMNS, ROWS, BACKGROUND = 10, 20, 50
CLASSIFIERS = {
    "KernelNaiveBayes": KernelNaiveBayes(bandwidth=0.5, n_jobs=1),
    "ParzenClassifier": ParzenClassifier(bandwidth=0.7, n_jobs=1),
    "LaplacianClassifier": LaplacianClassifier(bandwidth=0.7, n_jobs=1),
    "LSSVMClassifier": LSSVMClassifier(bandwidth=2.0, C=1.0, n_jobs=1),
    "StackedDensityClassifier": StackedDensityClassifier(n_jobs=1),
}


def run() -> None:
    """Print the times and the agreement."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X[:, :COLUMNS])
    fitted = {name: each.fit(X[::2], y[::2]) for name, each in CLASSIFIERS.items()}
    _times(fitted, X[1::2])
    if optional("shap") is not None:
        _beside_shap(fitted, X[::2][:BACKGROUND], X[1::2][:ROWS])


def _times(fitted: dict[str, object], X: np.ndarray) -> None:
    rows = []
    for name, each in fitted.items():
        best = interleaved(
            {"predict": lambda e=each: e.predict_proba(X), "explain": lambda e=each: e.explain(X)}
        )
        ratio = best["explain"].cpu / best["predict"].cpu / COLUMNS
        seconds = [1e3 * best[which].cpu for which in ("predict", "explain")]
        rows.append([name, *seconds, ratio, verdict(ratio, at_most=2)])
    table(
        f"Evidence for {len(X)} rows of {COLUMNS} columns, {len(X)} training rows, CPU ms",
        ["classifier", "predict_proba", "explain", "in units of d predictions", "wanted"],
        rows,
    )


def _beside_shap(fitted: dict[str, object], background: np.ndarray, X: np.ndarray) -> None:
    from shap import KernelExplainer

    warnings.filterwarnings("ignore")
    rows = []
    for name, each in fitted.items():
        found = each.explain(X)
        sign = np.where([one.label == 1 for one in found], 1.0, -1.0)
        ours = sign[:, None] * [one.column_effects for one in found]

        def log_odds(Z: np.ndarray, each: object = each) -> np.ndarray:
            logs = each.predict_log_proba(Z)
            return logs[:, 1] - logs[:, 0]

        values: list[np.ndarray] = []
        explainer = KernelExplainer(log_odds, background)
        how = {"nsamples": 2**COLUMNS, "silent": True}
        theirs = time_once(lambda e=explainer, v=values, how=how: v.append(e.shap_values(X, **how)))
        own = time_once(lambda e=each: e.explain(X))
        ranks = [
            spearmanr(np.abs(a), np.abs(b)).statistic for a, b in zip(ours, values[0], strict=True)
        ]
        same = np.abs(ours).argmax(axis=1) == np.abs(values[0]).argmax(axis=1)
        gap = "-"
        if name == "KernelNaiveBayes":
            terms = _terms(each, X) - _terms(each, background).mean(axis=0)
            gap = f"{np.abs(terms - values[0]).max():.1e}"
        rows.append(
            [name, theirs.cpu / own.cpu, float(np.mean(ranks)), f"{same.sum()} of {len(X)}", gap]
        )
    table(
        f"Beside shap's KernelExplainer: {len(X)} rows, {len(background)} background rows",
        ["classifier", "its CPU time over ours", "mean rank correlation", "same first column",
         "largest gap, centred"],
        rows,
    )  # fmt: skip


def _terms(classifier: KernelNaiveBayes, X: np.ndarray) -> np.ndarray:
    """The log-ratio of every column, for the second class."""
    logs = [column.log_densities(X[:, j], n_jobs=1) for j, column in enumerate(classifier.columns_)]
    return np.stack([log[:, 1] - log[:, 0] for log in logs], axis=1)
