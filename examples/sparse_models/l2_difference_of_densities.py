"""The one-dimensional example of Kim & Scott (2010), section 6, and the consistency theorem, seen.

Two classes, each a mixture of two normal densities. From 200 points the L2 classifier estimates the
difference of their densities with about nine kernels (left: truth, estimate, and weighted kernel
centres as stems). As the sample grows, the integrated squared error of the estimate falls (right),
here for the bandwidth proportional to n^(-1/5); each dot is one sample, the line their median.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from parzen import L2Classifier
from parzen.datasets import make_mixture
from parzen.papers.l2.study import true_densities
from parzen.plots import DensitiesDisplay

GRID = np.linspace(-6.0, 16.0, 4001)
SIZES = [50, 100, 200, 400, 800, 1600, 3200]


def normal(x, mean, deviation):
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))


def true_difference(x, gamma):
    negative, positive = true_densities(x).T
    return positive - gamma * negative


def estimate(clf, x):
    """f_+ - gamma f_- from the support vectors and the signed weights."""
    kernels = normal(x[:, None], clf.support_vectors_[:, 0], clf.bandwidth_)
    return kernels @ clf.dual_coef_[0]


def squared_error(n, seed):
    X, y = make_mixture(n, random_state=seed)
    clf = L2Classifier(bandwidth=1.7 * n**-0.2).fit(X, y)
    difference = estimate(clf, GRID) - true_difference(GRID, clf.gamma_)
    return float(np.sum(difference**2) * (GRID[1] - GRID[0]))


def draw(clf, errors):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    DensitiesDisplay.from_estimator(
        clf, GRID[:, None], truth=true_densities, margin=0.0, ax=left, what="difference"
    )
    left.set_title("difference of densities, n = 200")
    for n, values in zip(SIZES, errors, strict=True):
        right.plot([n] * len(values), values, ".", color="0.7")
    right.plot(SIZES, np.median(errors, axis=1), color="tab:blue")
    right.set(xscale="log", yscale="log", xlabel="n", title="integrated squared error")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    grid = np.geomspace(1e-2, 1e1, 50)
    fits = [L2Classifier(grid=grid).fit(*make_mixture(200, random_state=s)) for s in range(31)]
    counts = [len(clf.support_) for clf in fits]
    print(f"kernels kept of 200, 31 samples: median {np.median(counts):.0f}")
    errors = np.array([[squared_error(n, seed) for seed in range(8)] for n in SIZES])
    for n, row in zip(SIZES, errors, strict=True):
        print(f"n = {n:5d}: median integrated squared error {np.median(row):.5f}")
    typical = fits[int(np.argsort(counts)[len(counts) // 2])]
    draw(typical, errors).savefig(out / "l2_difference_of_densities.png", dpi=100)


if __name__ == "__main__":
    main()
