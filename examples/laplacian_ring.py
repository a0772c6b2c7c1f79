"""The Laplacian classifier on a ring around a Gaussian: embedding, weights, an outlier.

Figures 1 to 3 of Jenssen et al. (2007). The two classes have the same mean, yet in the feature
space of the Laplacian matrix they lie along two lines from the origin in different directions; the
kernel-PCA map, which does not divide by the density, piles the ring up near the origin. The
weights f^(-1/2) are largest on the ring and on the Gaussian's rim. An outlier gets the largest
weight of all and does not change how a test sample is classified, whichever its class.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from parzen import LaplacianClassifier
from parzen.datasets import make_ring
from parzen.feature_space import LaplacianEmbedding, cauchy_schwarz_divergence

OUTLIER = np.array([[9.0, 9.0]])
COLOURS = {1: "tab:blue", -1: "tab:orange"}


def scatter(axes, X, y, title):
    """Points in the colours of their classes."""
    for label, colour in COLOURS.items():
        axes.plot(*X[y == label, :2].T, ".", color=colour, ms=4, label=f"class {label:+d}")
    axes.set_title(title)


def cosine(phi, y):
    """Cosine of the angle between the class means."""
    first, second = phi[y == 1].mean(axis=0), phi[y == -1].mean(axis=0)
    return first @ second / np.linalg.norm(first) / np.linalg.norm(second)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "figures")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    X, y = make_ring(random_state=0)
    X_test, y_test = make_ring(random_state=1)
    clf = LaplacianClassifier().fit(X, y)
    figure, axes = plt.subplots(3, 3, figsize=(12, 11), layout="constrained")

    scatter(axes[0, 0], X, y, "Fig. 1(a): the sample")
    axes[0, 0].legend()
    for ax, weighted, title in (
        (axes[0, 1], True, "Fig. 1(b): Laplacian map"),
        (axes[0, 2], False, "Fig. 1(c): kernel-PCA map"),
    ):
        phi = LaplacianEmbedding(2, bandwidth=clf.bandwidth_, weighted=weighted).fit_transform(X)
        scatter(ax, phi, y, f"{title}, cosine {cosine(phi, y):.3f}")
        ax.plot(0, 0, "k+", ms=12)
    print(f"divergence of the classes: {cauchy_schwarz_divergence(X, y, clf.bandwidth_):.2f}")

    span = np.linspace(-6, 6, 121)
    grid = np.stack(np.meshgrid(span, span), axis=-1)
    density = np.exp(clf.score_samples(grid.reshape(-1, 2))).reshape(121, 121)
    axes[1, 0].contourf(span, span, density, 20)
    axes[1, 0].set_title(f"Fig. 2(a): density, bandwidth {clf.bandwidth_:.2f}")
    axes[1, 1].stem(clf.weights_, basefmt=" ", markerfmt=",")
    axes[1, 1].set_title("Fig. 2(b): weights, the ring's 63 first")
    top = clf.significance_[: len(X) // 20]
    scatter(axes[1, 2], X, y, "Fig. 2(c): the 5 % largest weights")
    axes[1, 2].plot(*X[top].T, "kx", ms=8)

    print(f"test accuracy without an outlier: {clf.score(X_test, y_test):.3f}")
    for ax, label in ((axes[2, 0], 1), (axes[2, 1], -1)):
        spoiled = LaplacianClassifier(bandwidth=clf.bandwidth_)
        spoiled.fit(np.vstack([X, OUTLIER]), np.append(y, label))
        score = spoiled.score(X_test, y_test)
        ratio = spoiled.weights_[-1] / np.median(spoiled.weights_)
        print(f"with one of class {label:+d}, weight {ratio:.0f} medians: {score:.3f}")
        scatter(
            ax, X_test, spoiled.predict(X_test), f"Fig. 3: outlier of class {label:+d}, {score:.3f}"
        )
        ax.plot(*OUTLIER.T, "k*", ms=12)
    axes[2, 2].axis("off")
    figure.savefig(out / "laplacian_ring.png", dpi=100)
    print(f"figure: {out / 'laplacian_ring.png'}")


if __name__ == "__main__":
    main()
