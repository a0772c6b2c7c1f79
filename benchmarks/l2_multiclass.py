"""More than two classes: one joint L2 programme against one programme per class and the rest.

Errors over the same random splits (two thirds for training), features standardised, the bandwidth
of each by its own cross-validation. One against the rest is scikit-learn's OneVsRestClassifier.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from benchmarks._timing import table
from parzen import L2Classifier, datasets

_SPLITS = 10


def _four_clusters():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), [300, 200, 60, 40])
    centres = np.array([[0.0, 0.0], [1.5, 0.5], [0.0, 2.0], [2.0, 2.0]])
    return centres[y] + rng.normal(size=(600, 2)), y


def _sources():
    yield "iris", *load_iris(return_X_y=True)
    yield "wine", *load_wine(return_X_y=True)
    yield "four clusters", *_four_clusters()
    X, y = load_digits(return_X_y=True)
    yield "digits, 600 rows", X[:600], y[:600]
    try:
        ecoli = datasets.load("ecoli")
    except datasets.UnavailableError as reason:
        print(f"skipped: ecoli: {reason}")
        return
    common = np.isin(ecoli.y, np.flatnonzero(np.bincount(ecoli.y) >= 10))
    yield "ecoli, five classes", ecoli.X[common], ecoli.y[common]


def run() -> None:
    """Print the table."""
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, X, y in _sources():
            models = {"joint": L2Classifier(), "rest": OneVsRestClassifier(L2Classifier())}
            errors, seconds = _measure(models, X, y)
            rows.append((
                name, *(f"{100 * e.mean():.1f} ± {100 * e.std():.1f}" for e in errors.values()),
                seconds["joint"], seconds["rest"],
            ))  # fmt: skip
    table(
        f"error % over {_SPLITS} splits, CPU seconds for all fits",
        ("set", "joint", "one against the rest", "joint s", "rest s"),
        rows,
    )


def _measure(models, X, y):
    splitter = StratifiedShuffleSplit(_SPLITS, test_size=1 / 3, random_state=0)
    errors, seconds = {name: [] for name in models}, dict.fromkeys(models, 0.0)
    for train, test in splitter.split(X, y):
        scaler = StandardScaler().fit(X[train])
        for name, model in models.items():
            begin = time.process_time()
            model.fit(scaler.transform(X[train]), y[train])
            seconds[name] += time.process_time() - begin
            errors[name].append(1.0 - model.score(scaler.transform(X[test]), y[test]))
    return {name: np.array(e) for name, e in errors.items()}, seconds
