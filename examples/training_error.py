"""The training error goes to 0 with the bandwidth, and says nothing there.

Every point lies on top of its own kernel, so a small enough bandwidth classifies the whole
training sample correctly. The error on new points tells another story. The holdout, five-fold and
leave-one-out estimates follow it; each costs one pass over the pairs for all bandwidths.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from parzen.bandwidth import HoldoutError, KFoldError, LeaveOneOutError, TrainingError
from parzen.plots import BandwidthPathDisplay
from parzen.sums import labelled_kernel_sums

SELECTORS = {
    "training": TrainingError,
    "holdout (30 %)": HoldoutError,
    "five folds": KFoldError,
    "leave-one-out": LeaveOneOutError,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    X, y = make_moons(300, noise=0.4, random_state=0)
    new, labels = make_moons(10_000, noise=0.4, random_state=1)
    grid = 0.01 * 2.0 ** (np.arange(64) / 8)
    sums = labelled_kernel_sums(new, X, y, 2, bandwidths=grid)
    true_error = np.mean(sums.argmax(axis=1) != labels[:, None], axis=0)

    figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
    axes.semilogx(grid, true_error, color="0.7", linewidth=5, label="new points")
    for number, (name, selector) in enumerate(SELECTORS.items()):
        found = selector(grid=grid).select(X, y)
        reached = true_error[np.searchsorted(grid, found.bandwidth)]
        print(f"{name:15s} sigma {found.bandwidth:.3f}, error on new points {reached:.3f}")
        BandwidthPathDisplay.from_selection(found, ax=axes, color=f"C{number}", label=name)
    axes.set(ylabel="error", ylim=(-0.01, 0.4))
    axes.legend(frameon=False, loc="upper center", ncols=2)
    axes.set_title("Error estimates along the bandwidth, their choices as dots")
    figure.savefig(out / "training_error.png", dpi=100)
    print(f"figure: {out / 'training_error.png'}")


if __name__ == "__main__":
    main()
