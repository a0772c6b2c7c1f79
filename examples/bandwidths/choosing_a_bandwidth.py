"""Choosing a bandwidth: three criteria along the same grid, side by side.

The leave-one-out error judges decisions and is a staircase; ties go to the largest bandwidth, which
a small sample can place far to the right. Least-squares cross-validation judges the densities by
their integrated squared error and may have several local minima: the global one on the grid is
taken. The likelihood judges how probable the left-out points are. The last panel is the error on
new points, with the three choices marked.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from parzen.bandwidth import LSCV, LeaveOneOutError, Likelihood
from parzen.plots import BandwidthPathDisplay
from parzen.sums import labelled_kernel_sums

SELECTORS = {"leave-one-out error": LeaveOneOutError, "LSCV": LSCV, "likelihood": Likelihood}
GRID = 0.03 * 2.0 ** (np.arange(57) / 8)


def draw_sample(n, rng):
    """A narrow class and a wide one in one dimension."""
    y = rng.integers(0, 2, n)
    x = np.where(y == 0, rng.normal(size=n), 1.5 + 1.5 * rng.normal(size=n))
    return x[:, None], y


def local_minima(scores):
    return np.flatnonzero((scores[1:-1] < scores[:-2]) & (scores[1:-1] < scores[2:])) + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    rng = np.random.default_rng(25)
    X, y = draw_sample(120, rng)
    new, labels = draw_sample(10_000, rng)
    sums = labelled_kernel_sums(new, X, y, 2, bandwidths=GRID)
    true_error = np.mean(sums.argmax(axis=1) != labels[:, None], axis=0)

    figure, axes = plt.subplots(2, 2, figsize=(8, 5.5), sharex=True, layout="constrained")
    last = axes.flat[-1]
    last.semilogx(GRID, true_error, color="0.5")
    last.set(title="error on new points")
    for number, (name, selector) in enumerate(SELECTORS.items()):
        found = selector(grid=GRID).select(X, y)
        axis, colour = axes.flat[number], f"C{number}"
        BandwidthPathDisplay.from_selection(found, ax=axis, color=colour)
        axis.set(title=name, xlabel="", ylabel="")
        if name == "LSCV":
            minima = local_minima(found.scores)
            axis.plot(GRID[minima], found.scores[minima], "x", color="black", label="local minima")
            axis.legend(frameon=False)
        reached = true_error[np.searchsorted(GRID, found.bandwidth)]
        last.plot(found.bandwidth, reached, "o", color=colour, label=name)
        print(f"{name:20s} sigma {found.bandwidth:.3f}, error on new points {reached:.3f}")
    last.legend(frameon=False)
    for axis in axes[1]:
        axis.set_xlabel(r"bandwidth $\sigma$")
    figure.savefig(out / "choosing_a_bandwidth.png", dpi=100)
    print(f"figure: {out / 'choosing_a_bandwidth.png'}")


if __name__ == "__main__":
    main()
