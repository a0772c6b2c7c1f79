"""Sixty-four dimensions: the same rule with exact and with underflowing densities.

The plug-in rule gives each class a kernel density estimate and chooses the largest. On the digits
(8 x 8 pixels) at a small bandwidth all densities of a test image are far below the smallest
number of the machine, and only logarithms can tell them apart. The figure shows the accuracy over
the bandwidth for parzen's KernelDensity and for scikit-learn's with its exact settings.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KernelDensity as SklearnKernelDensity

from parzen import KernelDensity

BANDWIDTHS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)


def accuracy(density, split):
    """Share of right labels of the plug-in rule with equal priors."""
    train, test, labels, truth = split
    scores = [density.fit(train[labels == c]).score_samples(test) for c in range(10)]
    return float(np.mean(np.argmax(scores, axis=0) == truth))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    X, y = load_digits(return_X_y=True)
    split = train_test_split(X, y, random_state=0)
    ours, theirs = [], []
    print("bandwidth  parzen  scikit-learn")
    for h in BANDWIDTHS:
        ours.append(accuracy(KernelDensity(h), split))
        theirs.append(accuracy(SklearnKernelDensity(bandwidth=h, atol=0, rtol=0), split))
        print(f"{h:9}  {ours[-1]:6.3f}  {theirs[-1]:12.3f}")

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(BANDWIDTHS, ours, "o-", label="parzen")
    axes.plot(BANDWIDTHS, theirs, "s--", label=f"scikit-learn {sklearn.__version__}")
    axes.set(xscale="log", xlabel="bandwidth", ylabel="accuracy", ylim=(0, 1.02),
             title="Plug-in rule on the digits")  # fmt: skip
    axes.legend()
    figure.savefig(out / "digits.png", dpi=100)
    print(f"figure: {out / 'digits.png'}")


if __name__ == "__main__":
    main()
