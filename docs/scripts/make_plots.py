"""Draw the pictures of docs/guide/plots.md and README.md: ``python -m docs.scripts.make_plots``."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm
from sklearn.datasets import load_iris, make_moons
from sklearn.svm import SVC

from parzen import KernelNaiveBayes, L2Classifier, LaplacianClassifier, ParzenClassifier, plots
from parzen.bandwidth import LSCV, LeaveOneOutError, Likelihood
from parzen.datasets import make_mixture, make_ring
from parzen.feature_space import KernelOptimizer, LaplacianEmbedding

FIGURES = Path(__file__).parents[1] / "figures"


def boundary():
    X, y = make_moons(300, noise=0.25, random_state=0)
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    models = {
        "L2Classifier": L2Classifier(bandwidth=0.3),
        "SVC": SVC(gamma=2.0),
        "Parzen, rejecting": ParzenClassifier(bandwidth=0.2, reject=0.2, novelty=0.02),
    }
    for ax, (name, model) in zip(panels, models.items(), strict=True):
        plots.BoundaryDisplay.from_estimator(
            model.fit(X, y), X, y, ax=ax, title=name, show_kernels="Parzen" not in name
        )
    return figure


def boundary_pairs():
    X, y = load_iris(return_X_y=True)
    clf = LaplacianClassifier(keep=0.2).fit(X, y)
    return plots.BoundaryPairsDisplay.from_estimator(clf, X, y, features=[1, 2, 3]).figure_


def densities():
    def truth(x):
        first = 0.7 * norm.pdf(x, 0, 1) + 0.3 * norm.pdf(x, 10, np.sqrt(2))
        second = 0.2 * norm.pdf(x, 4, np.sqrt(2)) + 0.8 * norm.pdf(x, 8, 1)
        return np.column_stack([first, second])

    X, y = make_mixture(200, random_state=0)
    clf = L2Classifier(bandwidth=0.7).fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    display = plots.DensitiesDisplay.from_estimator(clf, X, truth=truth, ax=left)
    display.plot(right, what="difference")
    return figure


def bandwidth_path():
    X, y = make_moons(200, noise=0.35, random_state=0)
    figure, panels = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
    for ax, selector in zip(panels, (LeaveOneOutError(), LSCV(), Likelihood()), strict=True):
        plots.BandwidthPathDisplay.from_selection(selector.select(X, y), ax=ax)
    return figure


def sparsity():
    X, y = make_moons(700, noise=0.25, random_state=0)
    figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
    data = X[:300], y[:300], X[300:], y[300:]
    for model, parameter, values in (
        (L2Classifier(bandwidth=0.3), "eta", [0.5, 0.7, 1.0, 1.4, 2.0]),
        (LaplacianClassifier(reduction="l2"), "keep", [0.02, 0.05, 0.1, 0.2, 0.5]),
    ):
        plots.SparsityDisplay.from_estimator(
            model, *data, parameter=parameter, values=values, ax=ax
        )
    return figure


def embedding():
    X, y = make_ring(random_state=0)
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for ax, weighted in zip(panels, (True, False), strict=True):
        space = LaplacianEmbedding(weighted=weighted).fit(X)
        title = "Laplacian map" if weighted else "kernel-PCA map"
        plots.EmbeddingDisplay.from_estimator(space, X, y, ax=ax, title=title, origin=True)
    return figure


def reliability():
    X, y = make_moons(3000, noise=0.4, random_state=0)
    figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
    for model in (ParzenClassifier(), KernelNaiveBayes()):
        plots.ReliabilityDisplay.from_estimator(
            model.fit(X[:600], y[:600]), X[600:], y[600:], ax=ax
        )
    return figure


def optimization():
    X, y = make_moons(300, noise=0.3, random_state=0)
    optimizer = KernelOptimizer(core_bandwidth=0.5, random_state=0).fit(X[:200], y[:200])
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    display = plots.OptimizationDisplay.from_estimator(optimizer, X[200:], y[200:], ax=left)
    display.plot(right, measure="alignment")
    return figure


PICTURES = (boundary, boundary_pairs, densities, bandwidth_path, sparsity, embedding, reliability,
            optimization)  # fmt: skip


def main(folder: Path = FIGURES) -> None:
    """Draw every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        figure = picture()
        figure.savefig(folder / f"plots_{picture.__name__}.png", dpi=80)
        plt.close(figure)
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "first_steps" / "quickstart.py"))
    plt.gcf().savefig(folder / "quickstart.png", dpi=100)


if __name__ == "__main__":
    main()
