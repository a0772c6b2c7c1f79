"""Two classes as two densities: labels where one is larger, doubt where both are small.

The plug-in classifier chooses its bandwidth by the leave-one-out error, over a whole grid in one
pass. The black line is where the classes are equally likely; the grey contours are the logarithm
of the mixture's density, which stays exact however far a point lies from the data. Beyond the red
line lies what is less likely than all but one in a hundred of the training points: so the star at
the top left is known to be new.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen import ParzenClassifier


def draw(classifier, X, y, star):
    x1, x2 = np.meshgrid(np.linspace(-2.6, 3.4, 260), np.linspace(-1.9, 2.5, 220))
    grid = np.column_stack([x1.ravel(), x2.ravel()])
    density = classifier.score_samples(grid).reshape(x1.shape)
    novel = (classifier.predict(grid) == -2).reshape(x1.shape)
    odds = classifier.decision_function(grid).reshape(x1.shape)
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.contour(x1, x2, density, levels=range(-40, 0, 4), colors="0.8", linewidths=0.7)
    axes.contour(x1, x2, novel, levels=[0.5], colors="tab:red", linewidths=1.0)
    axes.contour(x1, x2, odds, levels=[0], colors="black", linewidths=1.5)
    for label, colour in enumerate(["tab:blue", "tab:orange"]):
        axes.scatter(*X[y == label].T, s=10, color=colour, label=f"class {label}")
    axes.scatter(*star, marker="*", s=120, color="tab:red", label="like nothing seen")
    axes.legend(loc="lower left", frameon=False)
    axes.set(xticks=[], yticks=[], title="Two densities, one decision, and a sense of novelty")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    X, y = make_moons(300, noise=0.12, random_state=0)
    test, truth = make_moons(2000, noise=0.12, random_state=1)
    star = np.array([-2.0, 2.0])
    classifier = ParzenClassifier(novelty=0.01).fit(X, y)
    print(f"bandwidth by leave-one-out: {classifier.bandwidth_:.3f}")
    accuracy = np.mean(classifier.with_decision(novelty=None).predict(test) == truth)
    print(f"accuracy on 2000 new points: {accuracy:.3f}")
    print(f"the star: label {classifier.predict([star])[0]}, log-density "
          f"{classifier.score_samples([star])[0]:.1f}")  # fmt: skip

    draw(classifier, X, y, star).savefig(out / "quickstart.png", dpi=100)
    print(f"figure: {out / 'quickstart.png'}")


if __name__ == "__main__":
    main()
