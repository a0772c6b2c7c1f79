"""Figures 1 to 5 of Jenssen et al. (2007): the ring, its weights, an outlier, and a rare class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.classifiers import LaplacianClassifier
from parzen.datasets import make_ring
from parzen.feature_space import LaplacianEmbedding, cauchy_schwarz_divergence
from parzen.papers.engine import Figure, Setting
from parzen.papers.laplacian.rare_class import BALANCED_SVM, DEFAULT_SVM, contenders, gaussians
from parzen.plots import BoundaryDisplay, EmbeddingDisplay, pyplot

_OUTLIER = np.array([[9.0, 9.0]])


def ring_map(setting: Setting) -> list[Figure]:
    """Figure 1: the ring, its image by the Laplacian matrix, and by kernel PCA."""
    X, y = make_ring(random_state=0)
    h = float(LaplacianClassifier(scale=None).fit(X, y).bandwidth_)
    figure, panels = pyplot().subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    EmbeddingDisplay.from_points(X, y, ax=panels[0], title="(a) the sample")
    notes = [f"divergence of the classes {cauchy_schwarz_divergence(X, y, h):.2f}"]
    for ax, weighted, name in ((panels[1], True, "(b) Laplacian"), (panels[2], False, "(c) PCA")):
        phi = LaplacianEmbedding(2, bandwidth=h, weighted=weighted).fit_transform(X)
        EmbeddingDisplay.from_points(phi, y, ax=ax, title=name, origin=True)
        notes.append(f"{name}: cosine of the class means {_cosine(phi, y):.3f}")
    return [setting.saved(figure, "laplacian", "1", "Maps of the ring", notes)]


def ring_weights(setting: Setting) -> list[Figure]:
    """Figure 2: density, weights, and the points of largest weight."""
    X, y = make_ring(random_state=0)
    clf = LaplacianClassifier(scale=None).fit(X, y)
    figure, panels = pyplot().subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    side = np.linspace(-6, 6, 121)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    panels[0].contourf(side, side, np.exp(clf.score_samples(grid)).reshape(121, 121), 20)
    panels[0].set_title("(a) density")
    panels[1].stem(clf.weights_, basefmt=" ", markerfmt=",")
    panels[1].set_title("(b) weights, the ring's 63 first")
    EmbeddingDisplay.from_points(X, y, ax=panels[2], title="(c) the 1 % largest weights")
    top = clf.significance_[: max(1, round(len(X) / 100))]
    panels[2].plot(*X[top].T, "kx", ms=8)
    on_ring = int(np.sum(y[top] == 1))
    notes = [
        f"of the 1 % of points with the largest weights, {on_ring} of {len(top)} lie on the ring"
    ]
    return [setting.saved(figure, "laplacian", "2", "Weights of the ring", notes)]


def outlier(setting: Setting) -> list[Figure]:
    """Figure 3: an outlier of either class does not change how a test sample is classified."""
    (X, y), (Z, truth) = make_ring(random_state=0), make_ring(random_state=1)
    clean = LaplacianClassifier(scale=None).fit(X, y)
    figure, panels = pyplot().subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    EmbeddingDisplay.from_points(X, y, ax=panels[0], title="(a) training, with the outlier")
    bound = np.sqrt((len(X) + 1) * 2 * np.pi) * clean.bandwidth_
    notes = [
        f"share of right labels without an outlier: {clean.score(Z, truth):.3f}",
        f"no weight 1/√f can exceed √(n/k(0)) = {bound:.1f}; the paper prints 47112",
    ]
    for ax, part, label in zip(panels[1:], "bc", (1, -1), strict=True):
        spoiled = LaplacianClassifier(bandwidth=clean.bandwidth_)
        spoiled.fit(np.vstack([X, _OUTLIER]), np.append(y, label))
        weight = 1 / np.sqrt(np.exp(spoiled.score_samples(_OUTLIER)[0]))
        ratio = spoiled.weights_[-1] / np.median(spoiled.weights_)
        title = f"outlier of class {label:+d}"
        EmbeddingDisplay.from_points(Z, spoiled.predict(Z), ax=ax, title=f"({part}) test, {title}")
        right = spoiled.score(Z, truth)
        notes.append(
            f"{title}: weight {weight:.1f}, {ratio:.0f} times the median; {right:.3f} right"
        )
    for ax in panels:
        ax.plot(*_OUTLIER.T, "k*", ms=12, label="outlier")
        ax.legend(loc="lower left", fontsize="small")
    return [setting.saved(figure, "laplacian", "3", "An outlier", notes)]


def rare_regions(setting: Setting) -> list[Figure]:
    """Figures 4 and 5: a hundred points against five, and the regions of the classifiers."""
    train, (Z, truth) = gaussians(0)
    figure, panels = pyplot().subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    for ax, (X, y), title in zip(panels, (train, (Z, truth)), ("training", "test"), strict=True):
        EmbeddingDisplay.from_points(X, y, ax=ax, title=title)
    sample = setting.saved(figure, "laplacian", "4", "Two Gaussian classes", [])
    left_out = DEFAULT_SVM, BALANCED_SVM
    models = {name: c for name, c in contenders(train[1]).items() if name not in left_out}
    figure, panels = pyplot().subplots(1, 5, figsize=(18, 3.6), layout="constrained", sharey=True)
    notes = []
    for ax, (name, clf) in zip(panels, models.items(), strict=True):
        clf.fit(*train)
        BoundaryDisplay.from_estimator(clf, Z, truth, ax=ax, title=name, show_kernels=False)
        hit = clf.predict(Z) == truth
        rare, frequent = hit[truth == 1].sum(), hit[truth != 1].sum()
        notes.append(f"{name}: {rare} of 10 rare, {frequent} of 200 frequent points are right")
    regions = setting.saved(figure, "laplacian", "5", "Regions, with test points", notes)
    return [sample, regions]


def _cosine(phi: NDArray[Any], y: NDArray[Any]) -> float:
    first, second = phi[y == 1].mean(axis=0), phi[y == -1].mean(axis=0)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
