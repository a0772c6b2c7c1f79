"""
Every classifier on three problems
==================================

Each panel shows what a classifier predicts after choosing its own parameters, with the error on
2000 new points. Circles mark the training rows that carry a kernel, where only some do. Naive
Bayes cannot see the parity of two columns; the others find much the same border with very
different numbers of kernels.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles, make_moons

import parzen
from parzen.bandwidth import EndOfGridWarning
from parzen.datasets import make_parity
from parzen.plots import BoundaryDisplay

warnings.simplefilter("ignore", EndOfGridWarning)  # flat criteria have no inner minimum

MODELS = {
    "Parzen": parzen.ParzenClassifier(),
    "naive Bayes": parzen.KernelNaiveBayes(),
    "L2": parzen.L2Classifier(),
    "Laplacian": parzen.LaplacianClassifier(bandwidth="cv"),
    "LS-SVM": parzen.LSSVMClassifier(),
    "B-machine": parzen.BMachineClassifier(),
    "stack": parzen.StackedDensityClassifier("fast", random_state=0),
}


def problem(name, n, seed):
    if name == "moons":
        return make_moons(n, noise=0.25, random_state=seed)
    if name == "circles":
        return make_circles(n, noise=0.15, factor=0.5, random_state=seed)
    return make_parity(n, spread=0.45, random_state=seed)


figure, axes = plt.subplots(3, len(MODELS), figsize=(2 * len(MODELS), 6.4), layout="constrained")
for row, name in zip(axes, ("moons", "circles", "parity"), strict=True):
    (X, y), (new, truth) = problem(name, 120, 0), problem(name, 2000, 1)
    for ax, (title, model) in zip(row, MODELS.items(), strict=True):
        model.fit(X, y)
        sparse = title in ("L2", "B-machine")
        BoundaryDisplay.from_estimator(
            model, X, y, ax=ax, resolution=60, point_size=5, show_kernels=sparse
        )
        error = np.mean(model.predict(new) != truth)
        ax.set(xticks=[], yticks=[], xlabel=f"error {error:.1%}", ylabel="")
        ax.set_title(title if name == "moons" else "")
        if ax.get_legend():
            ax.get_legend().remove()
    row[0].set_ylabel(name)
plt.show()
