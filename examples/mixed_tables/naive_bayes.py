"""
When the naive assumption wins, and when it fails
=================================================

Top: columns are independent within each class. Naive Bayes adds one-dimensional densities and
hardly notices more columns, while the joint density thins out. Bottom: only the product of two
columns tells the classes apart. Each column alone says nothing, and naive Bayes guesses.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from parzen import KernelNaiveBayes, ParzenClassifier
from parzen.bandwidth import EndOfGridWarning
from parzen.plots import BoundaryDisplay

warnings.simplefilter("ignore", EndOfGridWarning)  # flat criteria have no inner minimum

DIMENSIONS = (2, 4, 8, 16, 32)
MODELS = {"joint density": ParzenClassifier(), "naive Bayes": KernelNaiveBayes()}


def independent(n, d, rng):
    """Two columns with two bumps in one class and one in the other."""
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    bumps = rng.choice([-1.7, 1.7], size=(n, 2)) + rng.normal(0, 0.6, size=(n, 2))
    X[:, :2] = np.where(y[:, None] == 1, bumps, rng.normal(0, 0.8, size=(n, 2)))
    return X, y


def product(n, d, rng):
    """The sign of the product of two columns."""
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


figure, axes = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
problems = {"independent within classes": independent, "only the product tells": product}
for row, (title, problem) in zip(axes, problems.items(), strict=True):
    errors = {name: [] for name in MODELS}
    for d in DIMENSIONS:
        rng = np.random.default_rng(d)
        (X, y), (new, truth) = problem(300, d, rng), problem(3000, d, rng)
        for name, model in MODELS.items():
            errors[name].append(1 - model.fit(X, y).score(new, truth))
    X, y = problem(300, 2, np.random.default_rng(2))
    lines = []
    for (name, model), style in zip(MODELS.items(), ("-", "--"), strict=True):
        BoundaryDisplay.from_estimator(
            model.fit(X, y), X, y, ax=row[0], show_regions=False, show_kernels=False,
            point_size=8, line={"linestyles": style},
        )  # fmt: skip
        lines += row[0].plot([], [], "k" + style, label=name)
        row[1].plot(DIMENSIONS, errors[name], "o" + style, label=name)
        print(f"{title}: {name:13} " + " ".join(f"{e:6.1%}" for e in errors[name]))
    row[0].set(title=title, xticks=[], yticks=[])
    row[0].legend(handles=lines, loc="lower right")
    row[1].set(xscale="log", xlabel="columns", ylabel="error", ylim=(0, 0.55))
    row[1].set_xticks(DIMENSIONS, labels=map(str, DIMENSIONS))
    row[1].minorticks_off()
    row[1].legend(frameon=False)
plt.show()
