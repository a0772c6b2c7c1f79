"""Naive Bayes against the joint density: when the wrong assumption wins.

Two problems in the plane plus noise features. In the first, features are independent within each
class; naive Bayes adds one-dimensional densities and hardly notices more features, while the joint
density thins out. In the second, only the product of the first two features tells the classes
apart: each feature alone says nothing, and naive Bayes guesses. The figure shows test errors over
the number of features, and both borders in the plane.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from parzen import KernelNaiveBayes, ParzenClassifier
from parzen.plots import BoundaryDisplay

DIMENSIONS = (2, 4, 8, 16, 32)
MODELS = {"joint density": ParzenClassifier(), "naive Bayes": KernelNaiveBayes()}


def independent(n, d, rng):
    """Two features with two bumps in one class and one in the other."""
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    bumps = rng.choice([-1.7, 1.7], size=(n, 2)) + rng.normal(0, 0.6, size=(n, 2))
    X[:, :2] = np.where(y[:, None] == 1, bumps, rng.normal(0, 0.8, size=(n, 2)))
    return X, y


def product(n, d, rng):
    """The sign of the product of two features."""
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


PROBLEMS = {"independent within classes": independent, "only the product tells": product}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    figure, axes = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
    for row, (title, problem) in zip(axes, PROBLEMS.items(), strict=True):
        errors = {name: [] for name in MODELS}
        for d in DIMENSIONS:
            rng = np.random.default_rng(d)
            (X, y), (queries, truth) = problem(300, d, rng), problem(3000, d, rng)
            for name, model in MODELS.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a flat path ends at the edge of its grid
                    errors[name].append(1 - model.fit(X, y).score(queries, truth))
        X, y = problem(300, 2, np.random.default_rng(2))
        lines = []
        for (name, model), style in zip(MODELS.items(), ("-", "--"), strict=True):
            BoundaryDisplay.from_estimator(
                model.fit(X, y), X, y, ax=row[0], show_regions=False, show_kernels=False,
                point_size=8, line={"linestyles": style},
            )  # fmt: skip
            (line,) = row[0].plot([], [], "k" + style, label=name)
            lines.append(line)
            row[1].plot(DIMENSIONS, errors[name], "o" + style, label=name)
            print(f"{title}: {name:13} " + " ".join(f"{e:6.1%}" for e in errors[name]))
        row[0].set(title=title)
        row[0].legend(handles=lines, loc="lower right")
        row[1].set(xscale="log", xlabel="features", ylabel="test error", ylim=(0, 0.55))
        row[1].set_xticks(DIMENSIONS, labels=map(str, DIMENSIONS))
        row[1].minorticks_off()
        row[1].legend()
    figure.savefig(out / "naive_bayes.png", dpi=100)
    print(f"figure: {out / 'naive_bayes.png'}")


if __name__ == "__main__":
    main()
