"""B-vectors of the B-machine on the Gaussian parity problem (Figures 1-3 of Basak's report).

First panel: 2 sigma^2 = 1. Second row: bandwidths 0.2, 0.5, 1 and 2. Third row: margins 0.1, 0.2,
0.5 and 1 at sigma = 1. Circles mark the B-vectors, the rows that carry a weight; their number is in
the titles. A smaller margin needs fewer. A sparsity of 1e-5 chooses the sparsest where wide kernels
leave the weights undetermined.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from parzen import BMachineClassifier, datasets


def draw(ax: Any, X: Any, y: Any, sigma: float, margin: float) -> None:
    machine = BMachineClassifier(bandwidth=sigma, margin=margin, sparsity=1e-5).fit(X, y)
    side = np.linspace(-2, 2, 80)
    grid = np.column_stack([axis.ravel() for axis in np.meshgrid(side, side)])
    scores = machine.decision_function(grid).reshape(80, 80)
    ax.contourf(side, side, scores, levels=[-np.inf, 0, np.inf], colors=["#dce6f5", "#f7e3d7"])
    first = y == machine.classes_[0]
    ax.plot(*X[first].T, "x", color="#30507f", markersize=4)
    ax.plot(*X[~first].T, ".", color="#a04a20", markersize=4)
    ax.plot(*X[machine.support_].T, "o", mfc="none", color="black", markersize=8, mew=0.7)
    ax.set(xticks=[], yticks=[], xlim=(-2, 2), ylim=(-2, 2))
    ax.set_title(f"sigma {sigma:.3g}, margin {margin:g}: {len(machine.support_)}", fontsize=9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    X, y = datasets.make_parity(200, random_state=0)
    figure, axes = plt.subplots(3, 4, figsize=(11, 8.5), layout="constrained")
    draw(axes[0, 0], X, y, float(np.sqrt(0.5)), 0.5)
    for ax in axes[0, 1:]:
        ax.axis("off")
    for ax, sigma in zip(axes[1], (0.2, 0.5, 1.0, 2.0), strict=True):
        draw(ax, X, y, sigma, 0.5)
    for ax, margin in zip(axes[2], (0.1, 0.2, 0.5, 1.0), strict=True):
        draw(ax, X, y, 1.0, margin)
    figure.suptitle("B-vectors (circles) of the parity problem")
    figure.savefig(out / "b_vectors.png", dpi=120)
    print(f"wrote {out / 'b_vectors.png'}")


if __name__ == "__main__":
    main()
