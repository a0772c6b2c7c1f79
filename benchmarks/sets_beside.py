"""Prediction sets beside MAPIE and crepes on six data sets: coverage, mean size, time.

Halves of each set at random, five times, columns standardised by the training half. All have the
same classifier, the plug-in rule, and promise 90 % on average over the classes: ours by full
conformal prediction from all training rows, MAPIE by cross-conformal prediction in five folds,
MAPIE and crepes by a quarter of the training rows, kept for calibration. crepes is asked not to
smooth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks._timing import table
from parzen import ParzenClassifier, datasets

SETS = ("iris", "wine", "ecoli", "heart", "thyroid", "ionosphere")
SPLITS = 5
ALPHA = 0.1
Sets = np.ndarray


def ours(X: Sets, y: Sets, new: Sets, levels: Sequence[float]) -> Sets:
    p = ParzenClassifier().fit(X, y).p_values(new, conditional=False)
    return np.array([p > 1 - level for level in levels])


def mapie_cross(X: Sets, y: Sets, new: Sets, levels: Sequence[float]) -> Sets:
    from mapie.classification import CrossConformalClassifier

    model = CrossConformalClassifier(
        ParzenClassifier(),
        confidence_level=list(levels),
        conformity_score="lac",
        cv=5,
        random_state=0,
    )
    return np.moveaxis(model.fit_conformalize(X, y).predict_set(new)[1], 2, 0)


def mapie_split(X: Sets, y: Sets, new: Sets, levels: Sequence[float]) -> Sets:
    from mapie.classification import SplitConformalClassifier

    proper, held, labels, held_labels = train_test_split(X, y, stratify=y, random_state=0)
    model = SplitConformalClassifier(
        ParzenClassifier(), confidence_level=list(levels), conformity_score="lac", prefit=False
    )
    model.fit(proper, labels).conformalize(held, held_labels)
    return np.moveaxis(model.predict_set(new)[1], 2, 0)


def crepes_split(X: Sets, y: Sets, new: Sets, levels: Sequence[float]) -> Sets:
    from crepes import WrapClassifier

    proper, held, labels, held_labels = train_test_split(X, y, stratify=y, random_state=0)
    model = WrapClassifier(ParzenClassifier())
    model.fit(proper, labels)
    model.calibrate(held, held_labels)

    def sets_at(level: float) -> Sets:
        found = model.predict_set(new, confidence=level, smoothing=False)
        return np.array([np.isin(np.unique(y), labels) for labels in found])

    return np.array([sets_at(level) for level in levels])


CONTENDERS: dict[str, Callable[[Sets, Sets, Sets, Sequence[float]], Sets]] = {
    "parzen, full": ours,
    "MAPIE, cross": mapie_cross,
    "MAPIE, split": mapie_split,
    "crepes, split": crepes_split,
}


def halves(name: str) -> Iterator[tuple[Sets, Sets, Sets, Sets]]:
    """Training and test rows of one data set, and their labels."""
    data = datasets.load(name)
    y = np.unique(data.y, return_inverse=True)[1]
    kept = np.bincount(y)[y] >= 20  # each class has rows to train, to calibrate and to test
    X, y = np.asarray(data.X, float)[kept], np.unique(y[kept], return_inverse=True)[1]
    for seed in range(SPLITS):
        train, test, labels, truth = train_test_split(
            X, y, test_size=0.5, stratify=y, random_state=seed
        )
        scaler = StandardScaler().fit(train)
        yield scaler.transform(train), scaler.transform(test), labels, truth


def measured(name: str) -> dict[str, list[float]]:
    """Coverage, mean size and CPU seconds of every contender on one data set."""
    found: dict[str, list[tuple[float, float, float]]] = {who: [] for who in CONTENDERS}
    for train, test, labels, truth in halves(name):
        for who, sets_of in CONTENDERS.items():
            start = time.process_time()
            sets = np.asarray(sets_of(train, labels, test, [1 - ALPHA])[0], bool)
            seconds = time.process_time() - start
            covered = sets[np.arange(len(test)), truth].mean()
            found[who].append((covered, sets.sum(axis=1).mean(), seconds))
    return {who: np.mean(values, axis=0).tolist() for who, values in found.items()}


def run() -> None:
    """Print coverage and mean size by data set, and the mean times."""
    found = {name: measured(name) for name in SETS}
    means = {who: np.mean([found[name][who] for name in SETS], axis=0) for who in CONTENDERS}
    rows = [
        [name, *(f"{covered:.3f} / {size:.3f}" for covered, size, _ in values.values())]
        for name, values in {**found, "mean": means}.items()
    ]
    title = f"Coverage / mean size of sets that promise {1 - ALPHA:.0%}, means of {SPLITS} halves"
    table(title, ["data", *CONTENDERS], rows)
    seconds = [f"{value[2]:.3f}" for value in means.values()]
    table("CPU seconds of a fit and the sets of the other half", ["", *CONTENDERS],
          [["mean", *seconds]])  # fmt: skip
