"""How few kernels does the Laplacian classifier need, and which?

Jenssen et al. (2007) suggest to keep the kernels of largest weight, the "significance vectors".
They lie at the rim of each class, and a random subset of the same size is more accurate. Better
than both is the reduced expansion of least integrated squared error, whose weights stand for all
points.
Mean accuracy over random halves, on the sets that can be had: iris and wine always, WBC and Pima
with the extra ``data`` or PARZEN_DATA, Thyroid with PARZEN_DATA.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from parzen import LaplacianClassifier
from parzen.datasets import UnavailableError, load

SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
REDUCTIONS = ("l2", "random", "weights")
SETS = ("wine", "wbc", "pima", "thyroid", "iris")


def accuracies(dataset, n_splits):
    """Mean accuracy of every reduction at every share, and of all kernels."""
    X = (dataset.X - dataset.X.mean(axis=0)) / dataset.X.std(axis=0)
    y = dataset.y
    table = np.zeros((len(REDUCTIONS), len(SHARES)))
    full = 0.0
    for seed, (train, test) in enumerate(dataset.random_splits(len(X) // 2, n_splits)):
        full += LaplacianClassifier().fit(X[train], y[train]).score(X[test], y[test])
        for i, reduction in enumerate(REDUCTIONS):
            for j, keep in enumerate(SHARES):
                clf = LaplacianClassifier(keep=keep, reduction=reduction, random_state=seed)
                table[i, j] += clf.fit(X[train], y[train]).score(X[test], y[test])
    return table / n_splits, full / n_splits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    parser.add_argument("--splits", type=int, default=20, help="random halves")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    available = []
    for name in SETS:
        try:
            available.append(load(name))
        except UnavailableError as reason:
            print(f"skipped: {name}: {reason}")
    figure, axes = plt.subplots(
        1, len(available), figsize=(3.6 * len(available), 3.6), layout="constrained", squeeze=False
    )
    for ax, dataset in zip(axes[0], available, strict=True):
        table, full = accuracies(dataset, arguments.splits)
        print(f"{dataset.name}: all kernels {100 * full:.1f} %")
        print("  kept    " + "".join(f"{share:8.0%}" for share in SHARES))
        for name, row in zip(REDUCTIONS, table, strict=True):
            print(f"  {name:8}" + "".join(f"{100 * value:8.1f}" for value in row))
            ax.plot(SHARES, row, "o-", label=name)
        ax.axhline(full, color="k", lw=0.8)
        ax.set(xscale="log", xlabel="kernels kept", title=dataset.name)
        ax.set_xticks(SHARES, [f"{share:.0%}" for share in SHARES])
        ax.minorticks_off()
    axes[0, 0].set_ylabel("accuracy")
    axes[0, 0].legend()
    figure.savefig(arguments.out / "laplacian_sparsity.png", dpi=100)
    print(f"figure: {arguments.out / 'laplacian_sparsity.png'}")


if __name__ == "__main__":
    main()
