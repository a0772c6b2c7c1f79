"""Two classes as two densities: labels where one is larger, doubt where both are small.

Each class gets a kernel density estimate. The line between the classes is where the densities
are equal; the grey contours are the logarithm of the larger one, which stays exact however far a
point lies from the data. So the star at the top left gets a label, and is known to be new.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen import KernelDensity


def class_log_densities(X, y, queries):
    """One column per class: log-density of every query."""
    models = [KernelDensity("silverman").fit(X[y == label]) for label in np.unique(y)]
    return np.column_stack([model.score_samples(queries) for model in models])


def draw(X, y, star):
    x1, x2 = np.meshgrid(np.linspace(-2.6, 3.4, 260), np.linspace(-1.9, 2.5, 220))
    log_density = class_log_densities(X, y, np.column_stack([x1.ravel(), x2.ravel()]))
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    largest = log_density.max(axis=1).reshape(x1.shape)
    axes.contour(x1, x2, largest, levels=range(-40, 0, 4), colors="0.75", linewidths=0.7)
    difference = (log_density[:, 1] - log_density[:, 0]).reshape(x1.shape)
    axes.contour(x1, x2, difference, levels=[0], colors="black", linewidths=1.5)
    for label, colour in enumerate(["tab:blue", "tab:orange"]):
        axes.scatter(*X[y == label].T, s=10, color=colour, label=f"class {label}")
    axes.scatter(*star, marker="*", s=120, color="tab:red", label="a new kind of point")
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
    accuracy = np.mean(class_log_densities(X, y, test).argmax(axis=1) == truth)
    star = np.array([-2.0, 2.0])
    typical = np.median(class_log_densities(X, y, X).max(axis=1))
    print(f"accuracy on 2000 new points: {accuracy:.3f}")
    print(f"log-density of a typical point {typical:.1f}, of the star "
          f"{class_log_densities(X, y, star[None]).max():.1f}")  # fmt: skip

    draw(X, y, star).savefig(out / "quickstart.png", dpi=100)
    print(f"figure: {out / 'quickstart.png'}")


if __name__ == "__main__":
    main()
