"""Sigma too small, sigma too large: one sample, three bandwidths, two kinds of picture.

Above: the density estimate of a sample in one dimension. A small bandwidth sees a peak at every
point, a large one sees a single hill; the one chosen by least-squares cross-validation finds the
two groups. Below: the decision between two classes. A small bandwidth draws an island around
every point, a large one hardly bends; the leave-one-out error chooses between them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm
from sklearn.datasets import make_moons

from parzen import KernelDensity, ParzenClassifier
from parzen.bandwidth import LSCV, LeaveOneOutError
from parzen.plots import BoundaryDisplay

FACTORS = {"too small": 1 / 8, "chosen": 1.0, "too large": 8.0}


def draw_density(axes, sample, bandwidth, truth, x):
    axes.plot(x, truth, color="0.6", linewidth=4, label="true density")
    estimate = KernelDensity(bandwidth).fit(sample[:, None])
    axes.plot(x, np.exp(estimate.score_samples(x[:, None])), color="tab:blue")
    axes.plot(sample, np.zeros_like(sample), "|", color="black", markersize=8)
    axes.set(xticks=[], yticks=[], ylim=(0, 0.75))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    rng = np.random.default_rng(2)
    sample = np.concatenate([rng.normal(-1.5, 0.5, 60), rng.normal(1.5, 0.8, 60)])
    x = np.linspace(-4, 5, 500)
    truth = 0.5 * norm.pdf(x, -1.5, 0.5) + 0.5 * norm.pdf(x, 1.5, 0.8)
    X, y = make_moons(200, noise=0.35, random_state=0)
    new, labels = make_moons(5000, noise=0.35, random_state=1)

    sigma = LSCV().select(sample[:, None]).bandwidth
    h = LeaveOneOutError().select(X, y).bandwidth
    figure, axes = plt.subplots(2, 3, figsize=(9, 5), layout="constrained")
    for (name, factor), (above, below) in zip(FACTORS.items(), axes.T, strict=True):
        draw_density(above, sample, factor * sigma, truth, x)
        clf = ParzenClassifier(bandwidth=factor * h).fit(X, y)
        BoundaryDisplay.from_estimator(clf, X, y, ax=below, show_kernels=False)
        below.set(xticks=[], yticks=[], xlabel="", ylabel="")
        error = 1 - clf.score(new, labels)
        above.set_title(rf"$\sigma$ {name}: {factor * sigma:.2f}")
        below.set_title(rf"$\sigma$ = {factor * h:.2f}, test error {100 * error:.1f} %")
        print(f"{name:10s} error on 5000 new points {error:.3f}")
    axes[0, 0].legend(frameon=False)
    figure.savefig(out / "sigma_too_small_too_large.png", dpi=100)
    print(f"figure: {out / 'sigma_too_small_too_large.png'}")


if __name__ == "__main__":
    main()
