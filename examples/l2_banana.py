"""Decision boundaries and kernels of L2QP-0, L2QP-1 and a support vector machine, side by side.

Two interleaved crescents, 400 points. Circles mark points that carry a kernel: the L2 classifier
puts them where the classes are dense, the support vector machine along the boundary. Smoothing
(L2QP-1) gives a smoother boundary. The last panel shows how many kernels are kept as the smoothing
k grows, at the bandwidth of L2QP-0. With river installed or PARZEN_DATA set the points are those of
the Banana benchmark.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from parzen import L2Classifier, datasets

SMOOTHINGS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]


def sample():
    """400 points for training, the rest for the test."""
    try:
        banana = datasets.load("banana")
    except datasets.UnavailableError:
        X, y = make_moons(5300, noise=0.3, random_state=0)
    else:
        X, y = banana.X, (banana.y > 0).astype(int)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order[:400]], y[order[:400]], X[order[400:]], y[order[400:]]


def draw_boundary(axes, name, model, support, X, y, error):
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    x1, x2 = np.meshgrid(np.linspace(low[0], high[0], 150), np.linspace(low[1], high[1], 150))
    values = model.decision_function(np.column_stack([x1.ravel(), x2.ravel()]))
    axes.contour(x1, x2, values.reshape(x1.shape), levels=[0], colors="black")
    for label, marker, colour in ((0, "*", "tab:blue"), (1, "+", "tab:orange")):
        axes.scatter(*X[y == label].T, marker=marker, s=15, linewidths=0.7, color=colour)
    axes.scatter(*X[support].T, s=45, facecolors="none", edgecolors="0.3", linewidths=0.6)
    axes.set(title=f"{name}: {len(support)} kernels, {100 * error:.1f} %", xticks=[], yticks=[])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", UserWarning)

    X, y, Z, truth = sample()
    plain, smooth = L2Classifier().fit(X, y), L2Classifier(smoothing=1).fit(X, y)
    grid = {"gamma": 1.0 / (2.0 * np.geomspace(0.2, 2.0, 6) ** 2), "C": [0.3, 1.0, 10.0, 100.0]}
    svc = GridSearchCV(SVC(), grid).fit(X, y).best_estimator_
    models = {"L2QP-0": plain, "L2QP-1": smooth, "SVC": svc}
    figure, panels = plt.subplots(1, 4, figsize=(16, 4), layout="constrained")
    for axes, (name, model) in zip(panels, models.items(), strict=False):
        error = 1.0 - model.score(Z, truth)
        print(f"{name}: error {100 * error:.1f} %, {len(model.support_)} of 400 kernels")
        draw_boundary(axes, name, model, model.support_, X, y, error)
    path = [L2Classifier(bandwidth=plain.bandwidth_, smoothing=k).fit(X, y) for k in SMOOTHINGS]
    share = [100 * len(model.support_) / len(X) for model in path]
    panels[3].plot(SMOOTHINGS, share, "o-")
    panels[3].set(xlabel="smoothing k", title="kernels kept (%) at one bandwidth", ylim=(0, None))
    figure.savefig(out / "l2_banana.png", dpi=100)


if __name__ == "__main__":
    main()
