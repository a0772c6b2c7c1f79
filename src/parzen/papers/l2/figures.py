"""Figure 1 of Kim & Scott (2010)."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.stats import norm

from parzen._core import Floats
from parzen.classifiers import L2Classifier
from parzen.datasets import make_mixture
from parzen.papers.engine import Figure, Setting, quietly
from parzen.papers.l2.methods import SIGMAS
from parzen.plots import DensitiesDisplay, pyplot

_DRAWS = 31  # Samples; the figure shows the one with the median number of kernels.


def true_densities(x: Floats) -> Floats:
    """f_- and f_+ of section 6, shape (n, 2)."""
    negative = 0.7 * norm.pdf(x, 0.0, 1.0) + 0.3 * norm.pdf(x, 10.0, np.sqrt(2.0))
    positive = 0.2 * norm.pdf(x, 4.0, np.sqrt(2.0)) + 0.8 * norm.pdf(x, 8.0, 1.0)
    return np.column_stack([negative, positive])


def one_dimension(setting: Setting) -> list[Figure]:
    """Figure 1: densities, their difference and its estimate, from 200 points."""
    draws = 5 if setting.quick else _DRAWS
    samples = [make_mixture(200, random_state=seed) for seed in range(draws)]
    fits = [quietly(partial(L2Classifier(grid=SIGMAS).fit, *sample)) for sample in samples]
    counts = [len(clf.support_) for clf in fits]
    place = int(np.argsort(counts, kind="stable")[draws // 2])
    figure, panels = pyplot().subplots(2, 2, figsize=(9, 6), layout="constrained")
    (X, y), clf = samples[place], fits[place]
    display = DensitiesDisplay.from_estimator(
        clf, X, truth=true_densities, ax=panels[1, 0], what="difference", show_kernels=False
    )
    for ax, label, column, title in ((panels[0, 0], 1, 1, "f+"), (panels[0, 1], -1, 0, "f-")):
        ax.hist(X[y == label, 0], bins=25, density=True, color="0.8")
        ax.plot(display.x, true_densities(display.x)[:, column], color="black")
        ax.set_title(title)
    points, weights = display.kernels or (np.empty(0), np.empty(0))
    panels[1, 1].stem(points, weights, basefmt=" ")
    panels[1, 1].set_title(f"{len(points)} nonzero weights")
    note = (
        f"nonzero weights of 200, median of {draws} samples: {np.median(counts):.0f} (printed 9 "
        "for one sample)"
    )
    return [setting.saved(figure, "l2", "1", "L2QP-0 in one dimension", [note])]
