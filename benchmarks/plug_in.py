"""Test errors of the plug-in rule and of kernel naive Bayes on two sets of the L2 paper.

Banana (package river), 400 rows for training and 4900 for testing, one bandwidth of the paper's
grid of 50; Ringnorm by its formula in 20 dimensions, where the classes need bandwidths of their
own. scikit-learn's peers stand beside them.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from benchmarks._timing import table
from parzen import KernelNaiveBayes, ParzenClassifier, datasets
from parzen.bandwidth import KFoldError, LeaveOneOutError

PAPER = np.logspace(-2, 1, 50)


def errors(contenders, splits):
    """Test error in percent of every contender on every split."""
    found = {name: [] for name in contenders}
    for X, y, queries, truth in splits:
        for name, clf in contenders.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # ties at the edge of the paper's grid
                wrong = clf.fit(X, y).predict(queries) != truth
            found[name].append(100 * wrong.mean())
    return found


def report(title, found, wanted):
    """Mean and deviation over the splits, beside what is wanted."""
    rows = []
    for name, values in found.items():
        mean, goal = float(np.mean(values)), wanted.get(name)
        ok = "" if goal is None else f"{goal[0]} {'yes' if goal[1](mean) else 'NO'}"
        rows.append([name, f"{mean:.2f}", f"{np.std(values, ddof=1):.2f}", ok])
    table(title, ["classifier", "error %", "+-", "wanted"], rows)


def banana(n_splits=50):
    """Random splits of the 5300 rows."""
    try:
        data = datasets.load("banana")
    except Exception as absent:
        print(f"skipped: banana ({absent})")
        return
    splitter = ShuffleSplit(n_splits, train_size=400, test_size=4900, random_state=0)
    splits = (
        (data.X[train], data.y[train], data.X[test], data.y[test])
        for train, test in splitter.split(data.X)
    )
    contenders = {
        "plug-in, 5 folds, paper's grid": ParzenClassifier(bandwidth=KFoldError(PAPER)),
        "plug-in, leave-one-out, paper's grid": ParzenClassifier(bandwidth=LeaveOneOutError(PAPER)),
        "plug-in, default": ParzenClassifier(),
        "15 nearest neighbours": KNeighborsClassifier(15),
    }
    goal = ("10.8 +- 0.6", lambda e: abs(e - 10.8) <= 0.6)
    found = errors(contenders, splits)
    report(f"Banana, {n_splits} splits", found, dict.fromkeys(list(contenders)[:2], goal))


def ringnorm(n_splits=20):
    """Fresh samples of 400 and 7000 rows."""
    splits = []
    for seed in range(n_splits):
        X, y = datasets.make_ringnorm(7400, random_state=seed)
        splits.append((X[:400], y[:400], X[400:], y[400:]))
    contenders = {
        "plug-in, one bandwidth": ParzenClassifier(),
        "plug-in, one per class": ParzenClassifier(bandwidth=LeaveOneOutError(per="class")),
        "plug-in, class metric": ParzenClassifier(metric="class"),
        "kernel naive Bayes": KernelNaiveBayes(),
        "Gaussian naive Bayes": GaussianNB(),
    }
    wanted = {
        "plug-in, one per class": ("<= 2.6", lambda e: e <= 2.6),
        "kernel naive Bayes": ("<= 2.3", lambda e: e <= 2.3),
    }
    report(f"Ringnorm, {n_splits} samples", errors(contenders, splits), wanted)


def run():
    banana()
    ringnorm()
